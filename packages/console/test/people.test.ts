/** The pages of people: members, invitations, teams, roles, keys, sign-on, directories, and the person's own account. */
import type { Route } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { NameServer, texts } from "../../server/src/infra/outbound/fixtures/name-server.ts"
import { clientId, clientSecret, giveEmail, serveStandIn } from "../../server/test/enterprise/sso.fixture.ts"
import { makeDelivered, start as startDelivery } from "../../server/test/content/devices.fixture.ts"
import { emailTo, makeKey, makeScimToken, signIn, signInByEmail } from "../../server/test/harness.ts"
import { people } from "../src/app/pages/people/area.ts"
import {
  addMember,
  checkAccessibility,
  checkWidth,
  failOnFaults,
  lookAt,
  makeTeam,
  makeWorkspace,
  screenshot,
  startConsole
} from "./harness.ts"

failOnFaults()

const names = new NameServer()
await names.start()
const standIn = await serveStandIn()
afterAll(async () => {
  await standIn.close()
  await names.close()
})
const { plane, viewer } = await startConsole({
  workers: false,
  dnsServers: names.options.dnsServers ?? [],
  outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
})
const owner = await makeWorkspace(plane)
const ada = await addMember(plane, owner, "member")
const grace = await addMember(plane, owner, "admin")
await giveEmail(plane, owner, "owner@acme.example")
await giveEmail(plane, ada, "ada@acme.example")
await giveEmail(plane, grace, "grace@acme.example")
await owner.client.users.update({ name: "Olga Owner" })
await ada.client.users.update({ name: "Ada Lovelace" })
/** A text that would run, or leave its place, if a page used it as anything but text. */
const hostile = `<img src=x onerror="document.title='owned'"> javascript:alert(1) ${"unbroken".repeat(8)}`
await grace.client.users.update({ name: hostile })
const { open, page } = await viewer(owner)

const row = (name: string) => page.getByRole("row").filter({ hasText: name })
const select = (name: string) => row(name).getByRole("checkbox", { name: "Select this row" }).check()
const dialog = (name: string | RegExp) => page.getByRole("dialog", { name })
const alert = (name: string | RegExp) => page.getByRole("alertdialog", { name })
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true })
const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()
const message = (text: string | RegExp) => page.getByRole("region", { name: "Messages" }).getByText(text).waitFor()

describe("members", () => {
  it("finds members by role, and opens them from the list with the keyboard", async () => {
    await open("/members?role=member")
    await row("Ada Lovelace").waitFor()
    expect(await row("Olga Owner").count()).toBe(0)
    await row("Ada Lovelace").focus()
    await page.keyboard.press("Enter")
    await heading("Ada Lovelace")
  })

  it("changes the role of several members, and lists those that the API refused", async () => {
    await open("/members")
    await select("Ada Lovelace")
    await select("Olga Owner")
    await button("Change the role").click()
    const change = dialog("Change the role of 2 members")
    await change.getByText("1 of them already has the role member.").waitFor()
    const lost = change.getByRole("region", { name: "Removed permissions" })
    await lost.getByText("members:manage").waitFor()
    await change.getByText("They lose the operations of owners").waitFor()
    await change.getByLabel("New role").selectOption("admin")
    const gained = "Added permissions (1 member with the role member)"
    await change.getByRole("region", { name: gained }).getByText("members:manage").waitFor()
    await change.getByText(/operations of owners.*\(1 member with the role owner\)/).waitFor()
    await checkAccessibility(page)
    await change.getByRole("button", { name: "Change the role" }).click()
    await change.getByText("1 member now has the role admin.").waitFor()
    await change.getByText(/\(request \w+\)/).waitFor()
    await change.getByText("Olga Owner").waitFor()
    await change.getByText("1 failed and were not changed").waitFor()
    await change.getByRole("button", { name: "Done" }).click()
    expect((await owner.client.members.get(ada.membershipId)).role).toBe("admin")
  })

  it("adds a member to teams, and removes them, on the member's page", async () => {
    const team = await makeTeam(owner, [ada], "Alpha")
    await makeTeam(owner, [], "Omega")
    await open(`/members/${ada.membershipId}`)
    const teams = page.getByRole("region", { name: "Teams" })
    await teams.getByRole("link", { name: "Alpha" }).waitFor()
    await teams.getByLabel("Add to a team").selectOption("Omega")
    await button("Add to the team").click()
    await message("Ada Lovelace was added to Omega.")
    await teams.getByRole("link", { name: "Omega" }).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "people-member-teams")
    await button("Remove from Alpha").click()
    await alert("Remove Ada Lovelace from Alpha")
      .getByText("They lose the access that they have through this team")
      .waitFor()
    await alert("Remove Ada Lovelace from Alpha").getByRole("button", { name: "Remove from the team" }).click()
    await page.getByRole("alertdialog").waitFor({ state: "detached" })
    await teams.getByRole("link", { name: "Alpha" }).waitFor({ state: "detached" })
    const { items } = await owner.client.teams.list({ orgMembershipId: ada.membershipId })
    expect(items.map(({ name }) => name)).toEqual(["Omega"])
    expect((await owner.client.teams.get(team)).memberCount).toBe(0)
    await button("Remove from Omega").click()
    await alert("Remove Ada Lovelace from Omega").getByRole("button", { name: "Remove from the team" }).click()
    await teams.getByText("In no team yet.").waitFor()
  })

  it("shows the permissions that a member gains and loses with another role", async () => {
    const role = await owner.client.roles.create({ name: "Publisher", permissions: ["plugins:read", "sso:manage"] })
    const bob = await addMember(plane, owner, "member")
    await open(`/members/${bob.membershipId}`)
    await button("Change the role").click()
    const change = dialog("Role of A member")
    expect(await change.getByText(/they can|do not change/).count()).toBe(0)
    await change.getByLabel("Role").selectOption("Publisher")
    const gained = change.getByRole("region", { name: "Added permissions" })
    await gained.getByText("sso:manage").waitFor()
    expect(await gained.getByText("plugins:read").count()).toBe(0)
    await change.getByRole("region", { name: "Removed permissions" }).getByText("teams:read").waitFor()
    await change.getByRole("button", { name: "Change the role" }).click()
    await message("A member now has the role Publisher.")
    expect((await owner.client.members.get(bob.membershipId)).role).toBe(role.id)
    await owner.client.members.remove(bob.membershipId)
    await owner.client.roles.remove(role.id)
  })

  it("shows the consequences before it removes a member, including the API keys that the member created", async () => {
    const bob = await addMember(plane, owner, "admin")
    const key = await makeKey(plane, bob, ["plugins:read"], { name: "Nightly report" })
    await bob.client.plugins.create({ name: "Release notes" })
    await open(`/members/${bob.membershipId}`)
    await button("Remove").click()
    const remove = dialog("Remove A admin")
    await remove.getByText("1 session ends, or continues without this organization.").waitFor()
    const access = remove.getByRole("region", { name: "Access that ends" })
    await access.getByText("1 grant will be revoked").waitFor()
    await access.getByRole("link", { name: "Release notes" }).waitFor()
    await remove.getByRole("link", { name: "Nightly report" }).waitFor()
    await remove.getByRole("checkbox", { name: "Also revoke this key" }).check()
    await checkAccessibility(page)
    await screenshot(page, "people-member-removal")
    await remove.getByRole("button", { name: "Remove the member" }).click()
    await heading("Members")
    await message("A admin was removed.")
    expect((await owner.client.apiKeys.get(key.id)).revokedAt).not.toBeNull()
  })

  it("shows the consequences for several members before it removes them", async () => {
    const bob = await addMember(plane, owner, "admin")
    const eve = await addMember(plane, owner, "member")
    await bob.client.users.update({ name: "Leaving Bob" })
    await eve.client.users.update({ name: "Leaving Eve" })
    await makeTeam(owner, [bob, eve], "Left by both")
    await makeKey(plane, bob, ["plugins:read"], { name: "Stays valid" })
    await bob.client.plugins.create({ name: "Made by Bob" })
    await open("/members?q=Leaving")
    await select("Leaving Bob")
    await select("Leaving Eve")
    await button("Remove").click()
    const remove = dialog("Remove 2 members")
    await remove.getByText("2 team memberships end, and so does the access that they give.").waitFor()
    await remove.getByText("1 API key that they created keeps working.").waitFor()
    const access = remove.getByRole("region", { name: "Access that ends" })
    await access.getByText("1 grant will be revoked").waitFor()
    await access.getByRole("link", { name: "Made by Bob" }).waitFor()
    await checkAccessibility(page)
    await remove.getByRole("button", { name: "Remove 2 members" }).click()
    await remove.getByText("2 members were removed.").waitFor()
    await remove.getByRole("button", { name: "Done" }).click()
  })

  it("transfers the ownership to another member", async () => {
    const eve = await addMember(plane, owner, "admin")
    await open(`/members/${eve.membershipId}`)
    await button("Transfer ownership").click()
    const transfer = dialog("Make A admin an owner")
    await transfer.getByText("You will no longer be an owner").waitFor()
    await transfer.getByLabel("Your own role afterwards").selectOption("owner")
    await transfer.getByRole("button", { name: "Transfer ownership" }).click()
    await message("A admin is an owner now.")
    expect((await owner.client.members.get(eve.membershipId)).role).toBe("owner")
    await owner.client.members.remove(eve.membershipId)
  })

  it("offers members only the changes of others that they are allowed to make", async () => {
    const reader = await viewer(await addMember(plane, owner, "member"))
    await reader.open(`/members/${ada.membershipId}`)
    expect(await reader.page.getByRole("main").getByRole("button").allInnerTexts()).toEqual([])
    await reader.page.context().close()
  })
})

const csv = [
  "email,role,teams",
  "one@acme.example,admin,Platform",
  "two@acme.example,,",
  "not an address,member,",
  "one@acme.example,member,",
  '"three@acme.example",Astronaut,Nowhere'
].join("\n")

describe("invitations", () => {
  it("sends invitations for the valid lines of a CSV file, and shows the problems of the others", async () => {
    await makeTeam(owner, [], "Platform")
    await open("/invitations/import")
    await page
      .getByLabel("CSV file")
      .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) })
    await page.getByText("This is not an email address.").waitFor()
    await page.getByText("The same address is in line 2.").waitFor()
    await page.getByText("There is no role “Astronaut”.").waitFor()
    await page.getByText("There is no team “Nowhere”.").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "people-import")
    const lines = page.getByRole("region", { name: "Lines of the file" }).locator("tbody tr")
    expect(await lines.count()).toBe(5)
    await page.getByLabel("Show only lines with problems").check()
    expect(await lines.count()).toBe(3)
    await button("Invite 2 people").click()
    await page.getByText("2 invitations were sent.").waitFor()
    await emailTo(plane, "one@acme.example")
    const { items } = await owner.client.invitations.list()
    expect(items.map(({ email, role, teamIds }) => [email, role, teamIds.length]).toSorted()).toEqual([
      ["one@acme.example", "admin", 1],
      ["two@acme.example", "member", 0]
    ])
  })

  it("reads a CSV file that is dropped on the page", async () => {
    await open("/invitations/import")
    const dataTransfer = await page.evaluateHandle(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(["five@acme.example"], "dropped.csv", { type: "text/csv" }))
      return transfer
    })
    const text = page.getByText("Drop a CSV file here")
    await text.dispatchEvent("dragover", { dataTransfer })
    await page.locator('.drop-zone[data-over="true"]').waitFor()
    await text.dispatchEvent("drop", { dataTransfer })
    await row("five@acme.example").getByText("ready").waitFor()
    await button("Invite 1 person").waitFor()
  })

  it("shows the errors of the API next to the lines of the file", async () => {
    await open("/invitations/import")
    const lines = Buffer.from("ada@acme.example\nfour@acme.example")
    await page.getByLabel("CSV file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: lines })
    await button("Invite 2 people").click()
    await page.getByText("1 invitation was sent.").waitFor()
    await row("ada@acme.example").getByText("A user with this email address is already a member.").waitFor()
    await row("four@acme.example").getByText("invited").waitFor()
  })

  it("finds invitations by a part of the address, and cancels them from the list", async () => {
    await open("/invitations")
    await row("one@acme.example").waitFor()
    await page.getByRole("searchbox").first().fill("TWO@")
    await row("one@acme.example").waitFor({ state: "detached" })
    await select("two@acme.example")
    await button("Cancel").click()
    await dialog("Cancel 1 invitation").getByRole("button", { name: "Cancel 1 invitation" }).click()
    await page.getByText("1 invitation was canceled.").waitFor()
    await button("Done").click()
    await row("two@acme.example").getByText("cancelled").waitFor()
  })

  it("rejects files that are not text, empty or too long", async () => {
    const file = (content: Buffer) =>
      page.getByLabel("CSV file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: content })
    await open("/invitations/import")
    await file(Buffer.from([0xff, 0xfe, 0xff]))
    await page.getByText("people.csv is not a text file in UTF-8").waitFor()
    await file(Buffer.from("\n\n"))
    await page.getByText("The file is empty.").waitFor()
    await button("Choose another file").click()
    await file(Buffer.from(Array.from({ length: 1001 }, (_, index) => `p${index}@acme.example`).join("\n")))
    await page.getByText("The file has 1,001 lines.").waitFor()
  })

  it("accepts an invitation after the invited person has signed in", async () => {
    await open("/invitations")
    await button("Invite a person").click()
    const invite = dialog("Invite a person")
    await invite.getByLabel("Email address").fill("new@acme.example")
    await invite.getByRole("checkbox", { name: "Send the invitation by email" }).uncheck()
    await invite.getByRole("button", { name: "Create the link" }).click()
    const link = await dialog("Invitation link").getByLabel("Link", { exact: true }).inputValue()
    await page.keyboard.press("Escape")
    await dialog("Invitation link").getByText("You have not copied it yet").waitFor()
    await button("Close without copying").click()

    const other = await viewer()
    await other.page.goto(link)
    await other.page.getByRole("link", { name: "Continue in the console" }).click()
    await other.page.getByLabel("Email address").fill("new@acme.example")
    await other.page.getByRole("button", { name: "Send a code" }).click()
    const { text } = await emailTo(plane, "new@acme.example")
    await other.page.getByLabel("Code").fill(/code=(\w+)/.exec(text)?.[1] ?? "")
    await other.page.getByRole("button", { name: "Sign in", exact: true }).click()
    await other.page.getByRole("heading", { name: "Join Acme" }).waitFor()
    expect(other.page.url()).not.toContain("opi_")
    await other.page.getByRole("button", { name: "Join" }).click()
    await other.page.getByRole("combobox", { name: "Organization" }).waitFor()
    const { items } = await owner.client.members.list({ q: "new@acme.example" })
    expect(items).toHaveLength(1)
  })

  it("opens an invitation from a pasted link", async () => {
    const { link } = await owner.client.invitations.create({ email: "late@acme.example", send: false })
    const stranger = await viewer(await signInByEmail(plane, "eve@else.example"))
    await stranger.open("/plugins")
    await stranger.page.getByRole("link", { name: "I have an invitation" }).click()
    await stranger.page.getByLabel("Invitation link").fill("https://example.com")
    await stranger.page.getByRole("button", { name: "Show the invitation" }).click()
    await stranger.page.getByText("This is not an invitation link.").waitFor()
    await checkAccessibility(stranger.page)
    await stranger.page.getByLabel("Invitation link").fill(`Join us: ${link?.url ?? ""}`)
    await stranger.page.getByRole("button", { name: "Show the invitation" }).click()
    await stranger.page.getByText("The invitation is for another address").waitFor()
  })
})

describe("a person without an organization", () => {
  it("creates one", async () => {
    const founder = await viewer(await signInByEmail(plane, "founder@new.example"))
    await founder.open("/plugins")
    await founder.page.getByRole("heading", { name: "Welcome to orgplane" }).waitFor()
    await checkAccessibility(founder.page)
    await checkWidth(founder.page)
    await screenshot(founder.page, "people-first-organization")
    await founder.page.getByLabel("Name").fill("Founders & Co")
    await founder.page.getByRole("button", { name: "Create the organization" }).click()
    await founder.page.getByRole("combobox", { name: "Organization" }).waitFor()
    await expect
      .poll(() => founder.page.getByRole("combobox", { name: "Organization" }).locator("option").allInnerTexts())
      .toEqual(["Founders & Co"])
  })
})

describe("teams", () => {
  it("creates, fills, empties and removes a team", async () => {
    await open("/teams")
    await button("Create a team").click()
    await dialog("Create a team").getByLabel("Name").fill(hostile.slice(0, 120))
    await button("Create the team").click()
    await page.getByText("This team has no members yet").waitFor()
    await checkWidth(page)
    await button("Add members").first().click()
    const add = dialog(/^Add members to/)
    await add.getByRole("searchbox").fill("ada")
    await add.getByRole("checkbox", { name: "Ada Lovelace" }).check()
    await add.getByRole("searchbox").fill("")
    await add.getByRole("checkbox", { name: "Olga Owner" }).check()
    await checkAccessibility(page)
    await add.getByRole("button", { name: "Add 2 members" }).click()
    await add.getByText("2 members were added.").waitFor()
    await add.getByRole("button", { name: "Done" }).click()
    await row("Ada Lovelace").waitFor()
    await select("Ada Lovelace")
    await button("Remove from the team").click()
    await dialog(/^Remove 1 member from/)
      .getByRole("button", { name: "Remove 1 member" })
      .click()
    await page.getByText("1 member was removed from the team.").waitFor()
    await button("Done").click()
    const [team] = (await owner.client.teams.list({ limit: 1 })).items
    const plugin = await owner.client.plugins.create({ name: "Shared by the team" })
    await owner.client.plugins.grantAccess(plugin.id, { teamId: team?.id ?? "", role: "viewer" })
    await button("Remove").click()
    await alert(/^Remove/)
      .getByText("1 team membership ends.")
      .waitFor()
    const access = alert(/^Remove/).getByRole("region", { name: "Access that ends" })
    await access
      .getByRole("listitem")
      .filter({ hasText: "Shared by the team" })
      .getByText("no member loses access")
      .waitFor()
    await checkAccessibility(page)
    const box = await alert(/^Remove/).evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)
    expect(box, "The dialog is not scrolled sideways.").toBe(0)
    await screenshot(page, "people-team-removal")
    await button("Remove the team").click()
    await heading("Teams")
    expect(await page.title()).not.toBe("owned")
  })
})

describe("several teams", () => {
  it("shows the access that ends before it removes several teams", async () => {
    const plugin = await owner.client.plugins.create({ name: "Shared with a team that ends" })
    const ending = await makeTeam(owner, [ada], "Ending one")
    await makeTeam(owner, [], "Ending two")
    await owner.client.plugins.grantAccess(plugin.id, { teamId: ending, role: "viewer" })
    await open("/teams?q=Ending")
    await select("Ending one")
    await select("Ending two")
    const isImpact = /\/impact$/
    const held: Array<Route> = []
    await page.route(isImpact, (route) => void held.push(route))
    await button("Remove").click()
    const remove = dialog("Remove 2 teams")
    await expect.poll(() => held.length).toBe(2)
    expect(await remove.getByRole("button", { name: "Remove 2 teams" }).isDisabled()).toBe(true)
    await Promise.all(held.map((route) => route.continue()))
    await page.unroute(isImpact)
    await remove.getByText("1 team membership ends.").waitFor()
    await remove
      .getByRole("region", { name: "Access that ends" })
      .getByRole("listitem")
      .filter({ hasText: "Shared with a team that ends" })
      .waitFor()
    await checkAccessibility(page)
    await remove.getByRole("button", { name: "Remove 2 teams" }).click()
    await remove.getByText("2 teams were removed.").waitFor()
    await remove.getByRole("button", { name: "Done" }).click()
  })
})

describe("roles", () => {
  it("creates a role, saves the changes of the matrix together, and does not remove a role in use", async () => {
    await open("/roles")
    await page.getByText("No roles yet").waitFor()
    await button("Create a role").first().click()
    const create = dialog("Create a role")
    await create.getByLabel("Name").fill("Reviewer")
    await create.getByLabel("Start with").selectOption("member")
    await create.getByRole("button", { name: "Create the role" }).click()
    await heading("Reviewer")
    const { items } = await owner.client.roles.list()
    const role = items.find(({ name }) => name === "Reviewer")
    expect(role?.permissions.length).toBeGreaterThan(5)
    const walter = await addMember(plane, owner, role?.id ?? "")

    await page.getByRole("link", { name: "Edit permissions" }).click()
    await heading("Permission matrix")
    await page.getByRole("checkbox", { name: "Reviewer: plugins:read" }).uncheck()
    await page.getByRole("checkbox", { name: "Reviewer: audit:read" }).check()
    await checkAccessibility(page)
    await screenshot(page, "people-matrix-changed")
    await button("Review and save").click()
    const review = dialog("Change the role Reviewer")
    await review.getByText("This changes what 1 member may do").waitFor()
    await review
      .getByRole("region", { name: /^Removed/ })
      .getByText("plugins:read")
      .waitFor()
    await review
      .getByRole("region", { name: /^Added/ })
      .getByText("audit:read")
      .waitFor()
    await checkAccessibility(page)
    await review.getByRole("button", { name: "Save the role" }).click()
    await message("The role Reviewer was changed.")
    await page.getByRole("region", { name: "Unsaved changes" }).waitFor({ state: "detached" })
    const changed = await owner.client.roles.get(role?.id ?? "")
    expect(changed.permissions).toContain("audit:read")
    expect(changed.permissions).not.toContain("plugins:read")

    await page.getByRole("link", { name: "Reviewer" }).click()
    await heading("Reviewer")
    // The list of before, when no member had the role, is kept for a while.
    await open(`/roles/${role?.id ?? ""}`)
    const members = page.getByRole("table", { name: "Members with this role" })
    await members
      .getByRole("row")
      .filter({ hasText: `A ${role?.id ?? ""}` })
      .waitFor()
    await page.getByText("1 member", { exact: true }).waitFor()
    await button("Remove").click()
    await alert("Remove the role Reviewer").getByText("1 member has this role").waitFor()
    await button("Remove the role").click()
    await alert("Remove the role Reviewer").getByText("The request conflicts with the current state").waitFor()
    await button("Cancel").click()
    await owner.client.members.remove(walter.membershipId)
  })

  it("does not overwrite the changes of another admin", async () => {
    const role = await owner.client.roles.create({ name: "Contested", permissions: ["plugins:read"] })
    await open(`/roles/matrix?role=${role.id}`)
    await page.getByRole("checkbox", { name: "Contested: teams:read" }).check()
    await owner.client.roles.update(role.id, { permissions: ["plugins:read", "members:read"] })
    await button("Review and save").click()
    await button("Save the role").click()
    await dialog("Change the role Contested").getByText("Someone else has changed this role").waitFor()
    await page.keyboard.press("Escape")
    await button("Discard").click()
  })
})

describe("API keys", () => {
  it("creates, rotates, restricts and revokes an API key", async () => {
    await open("/api-keys")
    await button("Create an API key").first().click()
    const create = dialog("Create an API key")
    await create.getByLabel("Name").fill("Deployments")
    await create.getByRole("group", { name: "Plugins" }).getByRole("checkbox", { name: "read" }).check()
    await create.getByRole("group", { name: "Teams" }).getByRole("checkbox", { name: "read" }).check()
    await checkAccessibility(page)
    await create.getByRole("button", { name: "Create the key" }).click()
    const shown = dialog("Your new API key")
    const secret = await shown.getByLabel("API key", { exact: true }).inputValue()
    expect(secret).toMatch(/^opk_/)
    await checkAccessibility(page)
    await button("Close without copying").click()
    expect(await page.content()).not.toContain(secret)

    await row("Deployments").getByText("Deployments").click()
    await heading("Deployments")
    await button("Rotate").click()
    await button("Create a new secret").click()
    const rotated = await dialog("The new secret").getByLabel("API key", { exact: true }).inputValue()
    expect(rotated).not.toBe(secret)
    await button("Close without copying").click()
    await page.getByText("Old secret valid until").waitFor()

    await button("Edit").click()
    const edit = dialog("Edit Deployments")
    await edit.getByRole("group", { name: "Teams" }).getByRole("checkbox", { name: "read" }).uncheck()
    await edit.getByText("Programs can no longer use: teams:read").waitFor()
    await edit.getByRole("button", { name: "Save" }).click()
    await page.getByText("Permissions (1)").waitFor()

    await button("Revoke").click()
    await alert("Revoke Deployments").getByText("rejected from the next request on").waitFor()
    await button("Revoke the key").click()
    await page.getByText("revoked").first().waitFor()
  })
})

describe("single sign-on", () => {
  it("sets up single sign-on step by step: domain, provider, test, enable and enforce", async () => {
    // A break-glass owner keeps access with a session from an emailed code.
    const byEmail = await signIn(plane, owner.userId, owner.organizationId)
    const { open, page } = await viewer({ ...owner, token: byEmail.token })
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    const alert = (name: string) => page.getByRole("alertdialog", { name })
    const message = (text: string) => page.getByRole("region", { name: "Messages" }).getByText(text).waitFor()
    await open("/sso")
    await page.getByRole("textbox", { name: "Domain" }).fill("gmail.com")
    await button("Add the domain").click()
    await page.locator(".field .problem, [role=alert]").first().waitFor()
    await page.getByRole("textbox", { name: "Domain" }).fill("acme.example")
    await button("Add the domain").click()
    await page.getByRole("textbox", { name: "TXT record, value" }).waitFor()
    const record = await page.getByRole("textbox", { name: "TXT record, name" }).inputValue()
    names.zones.set(record, texts())
    await button("Check the records").click()
    await page.getByText("The name servers report that the record does not exist.").first().waitFor()
    await checkAccessibility(page)
    await screenshot(page, "people-sso-domain")
    names.zones.set(record, texts([await page.getByRole("textbox", { name: "TXT record, value" }).inputValue()]))
    await button("Check the records").click()
    await page.getByText("verified", { exact: true }).waitFor()

    await page.getByLabel("Issuer").fill("http://127.0.0.1:9")
    await page.getByLabel("Client ID").fill(clientId)
    await page.getByLabel("Client secret (optional)").fill(clientSecret)
    await button("Connect with OpenID Connect").click()
    await page.getByText("provider_unreachable").first().waitFor()
    await page.getByLabel("Issuer").fill(standIn.issuer)
    await button("Connect with OpenID Connect").click()
    await page.getByText("The current settings are not tested yet.").waitFor()

    await button("Change the settings").click()
    await owner.client.sso.putOidc({ issuer: standIn.issuer, clientId, scopes: ["openid", "profile", "email"] })
    await button("Connect with OpenID Connect").click()
    await button("Load again").click()
    await page.getByText("The current values are loaded.").waitFor()
    expect(await page.getByLabel("Scopes").inputValue()).toBe("openid profile email")
    await button("Connect with OpenID Connect").click()
    await button("Change the settings").waitFor()

    // Another user is signed in at the provider.
    standIn.person = { sub: "stranger", email: "stranger@elsewhere.example", email_verified: true }
    const visit = async (start: string) => {
      await button(start).click()
      const [provider] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: /^Sign in at the provider/ }).click()
      ])
      await provider.waitForLoadState()
      await provider.close()
    }
    await visit("Start a test")
    await page.getByText("The last test failed: domain_not_verified").waitFor()
    standIn.person = { sub: "the owner", email: "owner@acme.example", email_verified: true }
    await visit("Test again")
    await page.getByText("The last test passed").waitFor()

    await button("Enable single sign-on").click()
    await alert("Enable single sign-on").getByText("its administrators can sign in as each member").waitFor()
    await alert("Enable single sign-on").getByRole("button", { name: "Enable single sign-on" }).click()
    await button("Enforce single sign-on").click()
    const enforce = page.getByRole("dialog", { name: "Enforce single sign-on" })
    await enforce.getByRole("checkbox", { name: "Olga Owner" }).check()
    await checkAccessibility(page)
    await enforce.getByRole("button", { name: "Enforce single sign-on" }).click()
    await message("Single sign-on is enforced.")
    await page.getByText("enforced", { exact: true }).waitFor()
    await screenshot(page, "people-sso-enforced")
    await button("Disable single sign-on").click()
    await alert("Disable single sign-on").getByRole("button", { name: "Disable single sign-on" }).click()
    await message("Single sign-on is disabled.")
    expect((await owner.client.sso.get()).enforced).toBe(false)
  })
})

describe("the organization and the account", () => {
  it("renames the organization, exports it, and asks for its name before it is removed", async () => {
    const leaver = await signInByEmail(plane, "leaver@new.example")
    const { id } = await leaver.client.organizations.create({ name: "Short-lived (1.0)" })
    const mine = await viewer(leaver)
    const name = `Long-lived ${hostile}`.slice(0, 120)
    await mine.open("/organization")
    await mine.page.getByLabel("Name", { exact: true }).fill(name)
    await mine.page.getByRole("button", { name: "Rename" }).click()
    await mine.page.getByText("The organization was renamed.").waitFor()
    const [download] = await Promise.all([
      mine.page.waitForEvent("download"),
      mine.page.getByRole("button", { name: "Export the organization" }).click()
    ])
    expect(download.suggestedFilename()).toBe(`organization-${id}.ndjson`)
    await mine.page.getByRole("button", { name: "Remove", exact: true }).click()
    const remove = mine.page.getByRole("dialog")
    await remove.getByText("All members lose access at once").waitFor()
    await remove.getByLabel(/^Type/).fill("something else")
    await remove.getByRole("button", { name: "Remove the organization" }).click()
    expect(await remove.getByLabel(/^Type/).evaluate((input) => input.matches(":invalid"))).toBe(true)
    await remove.getByLabel(/^Type/).fill(name)
    await remove.getByRole("button", { name: "Remove the organization" }).click()
    await mine.page.getByRole("heading", { name: "Welcome to orgplane" }).waitFor()
  })

  it("changes the person's name, and ends another session of theirs", async () => {
    const mary = await addMember(plane, owner, "member")
    const other = await signIn(plane, mary.userId, null)
    const mine = await viewer(mary)
    await mine.open("/me")
    await mine.page.getByLabel("Name", { exact: true }).fill("Mary Somerville")
    await mine.page.getByRole("button", { name: "Save" }).click()
    await mine.page.getByText("Your name was changed.").waitFor()
    await mine.page.getByRole("tab", { name: "Sessions" }).click()
    const [download] = await Promise.all([
      mine.page.waitForEvent("download"),
      mine.page.getByRole("button", { name: "Export CSV" }).click()
    ])
    expect(download.suggestedFilename()).toBe("sessions.csv")
    const session = mine.page.getByRole("row").filter({ hasText: other.id })
    await session.getByRole("checkbox").check()
    await mine.page.getByRole("button", { name: "End", exact: true }).click()
    await mine.page.getByRole("button", { name: "End 1 session" }).click()
    await session.waitFor({ state: "detached" })
    await mine.page.getByRole("tab", { name: "Library" }).click()
    await mine.page.getByText("Nothing is shared with you yet").waitFor()
    await mine.page.getByRole("tab", { name: "Desktop policy" }).click()
    await mine.page.getByText("Update to alpha releases").waitFor()
    await checkAccessibility(mine.page)
  })
})

describe("the plugins of a member", () => {
  it("turns a plugin on, off and back to its default, and visibly restores the state if the change fails", async () => {
    const { owner: admin, member, pluginId } = await startDelivery(plane)
    const optional = await makeDelivered(admin, "Drafts")
    await admin.client.assignments.update(optional.assignmentId, { mode: "default_on" })
    const blocked = await makeDelivered(admin, "Retired")
    await admin.client.assignments.update(blocked.assignmentId, { mode: "blocked" })
    const team = await makeTeam(admin, [member], "Writers")
    await admin.client.assignments.update((await makeDelivered(admin, "Letters")).assignmentId, {
      mode: "available",
      teamIds: [team]
    })
    const mine = await viewer(member)
    await mine.open("/me?tab=plugins")
    const of = (name: string) => mine.page.getByRole("row").filter({ hasText: name })
    const use = (name: string) => of(name).getByRole("switch", { name: `Use ${name}` })
    const reset = of("Drafts").getByRole("button", { name: "Use the default" })
    const own = async (id: string) => (await member.client.assignments.own({ pluginId: id })).items[0]
    await of("Notes").getByText("An assignment requires it for everyone.").waitFor()
    await of("Notes").getByText("on", { exact: true }).waitFor()
    expect(await use("Notes").count()).toBe(0)
    await of("Retired").getByText("An assignment blocks it for everyone.").waitFor()
    expect(await use("Retired").count()).toBe(0)
    await of("Letters").getByText("through the team Writers").waitFor()
    expect(await use("Letters").isChecked()).toBe(false)
    await use("Letters").click()
    await of("Letters").getByText("You turned it on.").waitFor()
    await of("Letters").getByText("on", { exact: true }).waitFor()

    expect(await reset.count()).toBe(0)
    await use("Drafts").click()
    await reset.waitFor()
    expect(await use("Drafts").isChecked()).toBe(false)
    expect(await own(optional.pluginId)).toMatchObject({ enabled: false, choice: false, mode: "default_on" })
    await checkAccessibility(mine.page)
    await reset.click()
    await reset.waitFor({ state: "detached" })
    expect(await use("Drafts").isChecked()).toBe(true)
    expect((await own(optional.pluginId))?.choice).toBe(null)

    const held: Array<Route> = []
    await mine.page.route("**/plugin-choices/**", (route) => void held.push(route))
    await use("Drafts").click()
    await of("Drafts").getByText("off", { exact: true }).waitFor()
    await expect.poll(() => held.length).toBe(1)
    // The client can retry a request that failed with 503.
    await mine.page.route("**/plugin-choices/**", (route) =>
      route.fulfill({ status: 503, json: { error: "unavailable" } })
    )
    await held[0]?.fulfill({ status: 503, json: { error: "unavailable" } })
    await mine.page.getByText("Drafts was not changed.").waitFor()
    await of("Drafts").getByText("on", { exact: true }).waitFor()
    expect(await use("Drafts").isChecked()).toBe(true)
    expect((await own(optional.pluginId))?.choice).toBe(null)
    expect((await own(pluginId))?.mode).toBe("required")
  })
})

describe("every page of people", () => {
  const unknown = "/members/om_01h455vb4pex5vsknk084sn02q"
  /** The paths of all pages, with objects whose names are hostile. */
  const makePaths = async () => {
    const team = await makeTeam(owner, [ada, grace], "Research")
    await owner.client.teams.update(team, { description: hostile })
    const role = await owner.client.roles.create({
      name: hostile.slice(0, 120),
      description: hostile,
      permissions: ["plugins:read", "teams:read"]
    })
    const key = await makeKey(plane, owner, ["plugins:read"], { name: hostile.slice(0, 120) })
    const { directoryId } = await makeScimToken(plane, owner)
    const { invitation } = await owner.client.invitations.create({ email: "page@acme.example", role: role.id })
    return [
      "/members",
      `/members/${grace.membershipId}`,
      "/invitations",
      "/invitations/import",
      "/invitations/accept",
      `/invitations/${invitation.id}`,
      "/teams",
      `/teams/${team}`,
      "/roles",
      "/roles/matrix",
      `/roles/${role.id}`,
      "/api-keys",
      `/api-keys/${key.id}`,
      "/sso",
      "/scim",
      `/scim/${directoryId}`,
      `/scim/${directoryId}?tab=log`,
      `/scim/${directoryId}?tab=groups`,
      `/scim/${directoryId}?tab=holds`,
      "/organization",
      "/organization/new",
      "/me",
      "/me?tab=sessions",
      "/me?tab=library",
      "/me?tab=policy",
      "/me?tab=data",
      unknown
    ]
  }
  const nameOf = (path: string) =>
    path.replaceAll(/[^a-z]+/g, "-").replaceAll(/-(?:om|inv|tem|rol|key|scd)-[a-z-]*/g, "-one")

  it("has accessible pages that fit and show hostile texts as text, in both themes and at three widths", async () => {
    const other = await viewer(owner)
    const pages = (await makePaths()).map((path) => [`people${nameOf(path)}`, path] as const)
    await lookAt(other, people, pages, {
      failing: [unknown],
      check: async (path) => expect(await other.page.title(), path).not.toBe("owned")
    })
  })
})
