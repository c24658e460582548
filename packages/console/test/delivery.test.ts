/** Delivery in the console: assignments, rollouts, the fleet, desktop policies, access and LLM providers. */
import { describe, expect, it } from "vitest"
import { installed, reportAccepted, wantedBy } from "../../server/test/content/devices.fixture.ts"
import { start } from "../../server/test/content/rollouts.fixture.ts"
import { delivery } from "../src/app/pages/delivery/area.ts"
import {
  checkAccessibility,
  failOnFaults,
  loaded,
  lookAt,
  makeMarketplace,
  screenshot,
  startConsole
} from "./harness.ts"

failOnFaults()

const { plane, viewer } = await startConsole()
const { canary, early, last, owner, pluginId, release, rollout, teamId } = await start(plane)
const { open, page } = await viewer(owner)

/** A text that would run if it were HTML. */
const hostile = `<img src=x onerror="document.title='hacked'">`

const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" })
const dialog = () => page.getByRole("dialog").or(page.getByRole("alertdialog"))
const row = (text: string) => page.getByRole("row").filter({ hasText: text })
const heading = (name: string) => page.getByRole("heading", { level: 1, name })
const toast = (text: string) => page.getByRole("region", { name: "Messages" }).getByText(text)

/** Searches for an object in a field, and selects it. */
const pick = async (label: string, text: string) => {
  await page.getByRole("combobox", { name: label, exact: true }).fill(text)
  await page.getByRole("option").filter({ hasText: text }).first().click()
}

/** The path of the page, without the one of the console. */
const path = () => new URL(page.url()).pathname.replace("/console", "")

describe("assignments", () => {
  it("shows who is affected before an assignment is created, changed and removed", async () => {
    await owner.client.teams.update(teamId, { name: `Early ${hostile}` })
    await open("/assignments")
    await button("Create an assignment").click()
    await pick("Plugin", "Notes")
    await dialog().getByLabel("Blocked").check()
    await dialog().getByLabel("Teams and members").check()
    expect(await button("Show who is affected").isDisabled()).toBe(true)
    await pick("Teams", "Early")
    await button("Show who is affected").click()
    const changes = dialog().getByRole("region", { name: "Changes by member" })
    await changes.getByText("Required").waitFor()
    await changes.getByText("Blocked").waitFor()
    await dialog().getByText("Members affected").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "assignment-preview")
    expect((await owner.client.assignments.list()).items).toHaveLength(1)
    await button("Create the assignment").click()
    await toast("The assignment was created.").waitFor()

    await row("Blocked").click()
    await button("Edit the assignment").click()
    await dialog().getByLabel("Required").check()
    await button("Show who is affected").click()
    await dialog().getByText("No one is affected now").or(dialog().getByText("Members affected")).first().waitFor()
    await button("Save the assignment").click()
    await toast("The assignment was changed.").waitFor()

    await button("Remove the assignment").first().click()
    await dialog().getByText("It takes effect at once.").waitFor()
    await dialog().getByRole("button", { name: "Remove the assignment" }).click()
    await toast("The assignment was removed.").waitFor()
    expect((await owner.client.assignments.list()).items).toHaveLength(1)
  })

  it("says why a member without the permission sees no assignments", async () => {
    const member = await viewer(canary)
    await member.open("/assignments")
    await member.page.getByText("You are not allowed to do this").first().waitFor()
  })
})

describe("rollouts", () => {
  it("defines rings, and shows whom they reach before they are saved", async () => {
    await release("Second")
    await open("/rings")
    await button("Add a ring").click()
    await dialog().getByLabel("Name").fill("Canary")
    await button("Add the ring").click()
    await dialog().getByText("Another ring has this name.").waitFor()
    await dialog().getByLabel("Name").fill(hostile)
    await dialog().getByLabel("Percentage of all members").fill("50")
    await button("Add the ring").click()
    await page.getByText("The changes are not saved yet").waitFor()
    await button("Save the rings…").click()
    await dialog().getByRole("region", { name: "Reach of the rings" }).getByText(hostile).waitFor()
    await checkAccessibility(page)
    await button("Save the rings").click()
    await toast("The rings were saved.").waitFor()
    const { rings } = await owner.client.rollouts.getSettings()
    expect(rings.map(({ name, percent }) => [name, percent])).toEqual([
      ["Canary", 0],
      ["Early", 0],
      [hostile, 50]
    ])
  })

  it("starts the next ring, pauses, resumes and rolls back, and shows what each changes", async () => {
    await open("/rollouts")
    await row("active").or(row("Active")).first().click()
    await page.getByRole("list", { name: "Rings" }).getByText("soaking").waitFor()
    await button("Start Early now").click()
    await dialog().getByText("get the release with their next poll").waitFor()
    await dialog().getByRole("button", { name: "Start Early" }).click()
    await toast("The ring was started.").waitFor()
    await button("Pause").click()
    await dialog().getByLabel("Reason (optional)").fill(hostile)
    await button("Pause the rollout").click()
    await page.getByText("The rollout is paused").first().waitFor()
    await page.getByText(hostile).first().waitFor()
    await checkAccessibility(page)
    await screenshot(page, "rollout-1280-light")
    await button("Resume").click()
    await dialog().getByRole("button", { name: "Resume" }).click()
    await toast("The rollout was resumed.").waitFor()
    await button("Roll back").click()
    await dialog().getByText("Everyone gets the release that was served before.").waitFor()
    await dialog().getByLabel("Reason").fill("It fails.")
    await button("Roll back the release").click()
    await page.getByText("Rolled back", { exact: true }).first().waitFor()
    expect((await rollout()).state).toBe("rolled_back")
    const before = (await owner.client.rollouts.list()).items.length
    await button("Roll out again").click()
    await dialog().getByRole("region", { name: "Reach of the rings" }).waitFor()
    await dialog().getByText("A new rollout of the release starts").waitFor()
    await button("Cancel").click()
    await dialog().waitFor({ state: "detached" })
    expect((await owner.client.rollouts.list()).items).toHaveLength(before)
  })
})

describe("the fleet", () => {
  it("leads from the counts to a device and to the reasons for one person", async () => {
    await open("/fleet")
    await page.getByText("No device has reported yet").waitFor()
    const deviceId = "device-of-a-person-1"
    await reportAccepted(canary, { deviceId, plugins: installed(await wantedBy(plane, canary)) })
    await reportAccepted(last, { sequence: 1 })
    await wantedBy(plane, last)
    await open("/fleet")
    await page.getByText("Devices offline").waitFor()
    await page.getByRole("tab", { name: "Devices" }).click()
    await loaded(page)
    await row("1 of 1").click()
    await page.getByRole("region", { name: "Plugins of the device" }).getByText("running").waitFor()
    await checkAccessibility(page)
    await page.getByRole("link", { name: "Explain Notes" }).click()
    await page.getByText("One assignment applies to this member.").waitFor()
    await page.getByText("It is the release that is served to everyone.").waitFor()
    await page.getByRole("region", { name: "Ways of access" }).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "person-plugin-1280-light")
    await page.getByRole("tab", { name: "Desktop policy" }).click()
    await page.getByText("No policy sets it, so it is on.").first().waitFor()
    await page.goBack()
    await open(`/fleet/members/${canary.membershipId}?tab=state`)
    await page.getByText(/^revision \d+$/).waitFor()
    await page.getByRole("heading", { name: "Plugins to have" }).waitFor()
    await row("Notes").first().waitFor()
    await checkAccessibility(page)
    await screenshot(page, "person-state-1280-light")
    await open(`/fleet/devices/${canary.membershipId}/${deviceId}`)
    await button("Remove the device").click()
    await dialog().getByText("it is listed again").waitFor()
    await dialog().getByRole("button", { name: "Remove the device" }).click()
    await toast("The device was removed.").waitFor()
    expect((await owner.client.delivery.listDevices()).items).toHaveLength(1)

    await reportAccepted(canary, { deviceId: "device-of-a-person-2", sequence: 1 })
    await open("/fleet?tab=devices")
    await expect.poll(() => page.getByRole("checkbox", { name: "Select this row" }).count()).toBe(2)
    await page.getByRole("checkbox", { name: "Select all loaded rows" }).check()
    await button("Remove").click()
    await page.getByRole("dialog").getByText("Their last reports are deleted").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Remove 2 devices" }).click()
    await page.getByRole("dialog").getByText("2 devices were removed.").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click()
    expect((await owner.client.delivery.listDevices()).items).toEqual([])
    await reportAccepted(last, { sequence: 2 })
  })
})

describe("desktop policies", () => {
  it("simulates whose settings change, from what to what, before a policy is saved", async () => {
    await open("/desktop-policies")
    await page.getByText("No desktop policies yet").waitFor()
    await button("Create a policy").first().click()
    await dialog().getByLabel("Name").fill(`No alphas ${hostile}`)
    await dialog().getByLabel("Alpha updates").selectOption("off")
    await button("Show who is affected").click()
    const flow = dialog().getByRole("region", { name: "From what to what" })
    await flow.getByText("Alpha updates: off").last().waitFor()
    await dialog().getByRole("region", { name: "Changes by member" }).getByText("off").first().waitFor()
    await checkAccessibility(page)
    await screenshot(page, "policy-simulation-1280-light")
    expect((await owner.client.desktopPolicies.list()).items).toEqual([])
    await button("Create the policy").click()
    await toast("The policy was created.").waitFor()
    await row("No alphas").click()
    await heading(`No alphas ${hostile}`).waitFor()
    await checkAccessibility(page)
    await button("Edit the policy").click()
    await dialog().getByLabel("Teams and members").check()
    await pick("Teams", "Early")
    await button("Show who is affected").click()
    await dialog().getByRole("region", { name: "Changes by setting" }).waitFor()
    await button("Save the policy").click()
    await toast("The policy was changed.").waitFor()
    expect((await owner.client.desktopPolicies.effective(early.membershipId)).desktopPolicy.allowAlphaUpdates).toBe(
      false
    )
    expect((await owner.client.desktopPolicies.effective(last.membershipId)).desktopPolicy.allowAlphaUpdates).toBe(true)
    await open(`/fleet/members/${early.membershipId}?tab=policy`)
    await page.getByText("One policy sets it for this member.").waitFor()
    await checkAccessibility(page)
  })

  it("changes no priority if someone else has changed one of the policies since they were listed", async () => {
    const { desktopPolicies } = owner.client
    const policy = { allowAlphaUpdates: true }
    const [one, other] = await Promise.all(
      ["One", "Other"].map((policyName) => desktopPolicies.create({ policyName, policy }))
    )
    if (one === undefined || other === undefined) throw new Error("There are no policies.")
    const priorities = async () =>
      (await Promise.all([one, other].map(({ id }) => desktopPolicies.get(id)))).map(({ priority }) => priority)
    await open("/desktop-policies")
    await button("Change the precedence").click()
    await dialog().getByLabel("Priority of One").fill("7")
    await dialog().getByLabel("Priority of Other").fill("8")
    await button("Show who is affected").click()
    await button("Save the priorities").waitFor()
    await desktopPolicies.update(other.id, { priority: 3 })
    await button("Save the priorities").click()
    await dialog().getByText("Someone else has changed it").waitFor()
    expect(await priorities()).toEqual([0, 3])
    await button("Load again").click()
    await dialog().getByText("The current values are loaded.").waitFor()
    // The effects before were those of other values.
    expect(await button("Save the priorities").count()).toBe(0)
    await button("Show who is affected").click()
    await button("Save the priorities").click()
    await toast("The priorities were changed.").waitFor()
    expect(await priorities()).toEqual([7, 8])
    for (const { id } of [one, other]) await desktopPolicies.remove(id)
  })

  it("removes several after their effects are shown, and lists those that were not removed", async () => {
    const policy = { allowAlphaUpdates: false }
    const other = await owner.client.desktopPolicies.create({ policyName: "Old one", policy })
    await owner.client.desktopPolicies.create({ policyName: "Old two", policy })
    await open("/desktop-policies")
    for (const name of ["Old one", "Old two"]) await row(name).getByRole("checkbox").check()
    await button("Remove 2 policies").click()
    await dialog().getByText("It takes effect at once.").waitFor()
    await owner.client.desktopPolicies.remove(other.id)
    await dialog().getByRole("button", { name: "Remove 2 policies" }).click()
    await dialog().getByText("1 policy was removed.").waitFor()
    await dialog().getByRole("list", { name: "Problems" }).getByText("Old one").waitFor()
    await checkAccessibility(page)
    await button("Done").click()
    await row("Old two").waitFor({ state: "detached" })
    expect((await owner.client.desktopPolicies.list()).items).toHaveLength(1)
  })

  it("keeps what was typed if the server refuses it", async () => {
    await open("/desktop-policies?create=1")
    await dialog().getByLabel("Name").fill(`no ALPHAS ${hostile}`)
    await button("Show who is affected").click()
    await dialog().getByRole("alert").waitFor()
    expect(await dialog().getByLabel("Name").inputValue()).toBe(`no ALPHAS ${hostile}`)
  })
})

describe("access", () => {
  it("shows every way to an object, and what a revocation changes before it is done", async () => {
    await owner.client.plugins.grantAccess(pluginId, { role: "editor", teamId })
    await open(`/access?member=${early.membershipId}`)
    await pick("Plugin", "Notes")
    await page.getByText("Access is allowed").waitFor()
    await page.getByRole("region", { name: "Ways of access" }).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "access-1280-light")
    const way = page.getByRole("listitem").filter({ hasText: "editor" }).filter({ hasText: "Early" })
    await way.getByRole("button").click()
    await page.getByText("One other way remains for this member, with the role viewer.").waitFor()
    await page.getByText("1 member", { exact: true }).waitFor()
    await checkAccessibility(page)
    await screenshot(page, "access-impact-1280-light")
    await button("Revoke the grant").click()
    await dialog().getByText("It takes effect with the next request").waitFor()
    await dialog().getByRole("button", { name: "Revoke the grant" }).click()
    await toast("The grant was revoked.").waitFor()
    await page.getByText("There is one way.").waitFor()
    const { items } = await owner.client.plugins.listAccess(pluginId)
    expect(items.find((grant) => grant.teamId === teamId)?.removedAt).not.toBe(null)
  })

  it("names the missing grant", async () => {
    const { id } = await owner.client.llmProviders.create({
      name: "Private",
      providerId: "custom",
      baseUrl: "https://192.0.2.1/v1",
      credentialMode: "none"
    })
    await open(`/access?kind=llmProvider&object=${id}&member=${last.membershipId}`)
    await page.getByText("Access is not allowed").waitFor()
    await page.getByRole("link", { name: "Open the LLM provider to grant access" }).click()
    await page.getByRole("tab", { name: "Access", selected: true }).waitFor()
  })
})

describe("freezes", () => {
  const freeze = (name: string) => ({
    name,
    timeZone: "UTC",
    weekdays: [],
    startTime: null,
    endTime: null,
    startsAt: "2090-12-24T00:00:00.000Z",
    endsAt: "2090-12-27T00:00:00.000Z"
  })
  const save = (...names: ReadonlyArray<string>) => owner.client.rollouts.updateSettings({ freezes: names.map(freeze) })
  const saved = async () => (await owner.client.rollouts.getSettings()).freezes.map(({ name }) => name)

  it("changes only the freeze that was opened, also if someone else has removed another one", async () => {
    await save("First", "Second", "Third")
    await open("/rings?tab=freezes")
    await button("Remove Second").click()
    await dialog().getByRole("heading", { name: "Remove the freeze Second?" }).waitFor()
    await checkAccessibility(page)
    await save("Second", "Third")
    await button("Remove the freeze").click()
    await toast("The freeze was removed.").waitFor()
    expect(await saved()).toEqual(["Third"])

    await button("Edit Third").click()
    await dialog().getByLabel("Name").fill("Holidays")
    await save("Added", "Third")
    await button("Save the freeze").click()
    await dialog().waitFor({ state: "detached" })
    expect(await saved()).toEqual(["Added", "Holidays"])
  })

  it("refuses to change or to remove a freeze that someone else has removed, and keeps the input", async () => {
    await save("Contested", "Kept")
    await open("/rings?tab=freezes")
    await button("Edit Contested").click()
    await dialog().getByLabel("Name").fill("Mine")
    await save("Kept")
    await button("Save the freeze").click()
    await dialog().getByText("The freeze Contested was changed or removed after you opened it").waitFor()
    expect(await dialog().getByLabel("Name").inputValue()).toBe("Mine")
    // The page has loaded the freezes again, so that there is another one at the same position.
    await expect.poll(() => page.locator("main").getByText("Contested").count()).toBe(0)
    await button("Save the freeze").click()
    await dialog().getByText("Someone else has changed it").waitFor()
    expect(await saved()).toEqual(["Kept"])
    await save()
  })
})

describe("LLM providers", () => {
  it("adds a provider, sets its key without showing it, tests it, and removes it", async () => {
    const secret = "a-key-that-nobody-may-see"
    await open("/llm-providers?create=1")
    await dialog().getByLabel("Name", { exact: true }).fill(`Models ${hostile}`)
    await dialog().getByLabel("Provider", { exact: true }).selectOption("custom")
    await dialog().getByLabel("URL", { exact: true }).fill("https://192.0.2.1/v1")
    await button("Add the provider").click()
    await heading(`Models ${hostile}`).waitFor()
    expect(path()).toMatch(/^\/llm-providers\/llm_/)
    await button("Set the key").click()
    await dialog().getByLabel("API key").fill(secret)
    await button("Set the key").last().click()
    await toast("The key was set.").waitFor()
    await button("Show as code").click()
    await page.getByRole("dialog", { name: "This page as code" }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.keyboard.press("Escape")
    await button("Test the connection").click()
    await page.getByText("The test failed").waitFor()
    await checkAccessibility(page)
    await page.getByRole("tab", { name: "Models" }).click()
    await button("Select the models").click()
    await dialog().getByLabel("Models", { exact: true }).selectOption("selected")
    await dialog().getByLabel("Selected models").fill("large\nsmall")
    await button("Save the models").click()
    await page.getByRole("region", { name: "Selected models" }).getByText("small").first().waitFor()
    await page.getByRole("tab", { name: "Access" }).click()
    await button("Grant access").click()
    await dialog().getByLabel("Who").selectOption("everyone")
    await dialog().getByRole("button", { name: "Grant access" }).click()
    await row("Everyone").waitFor()
    await checkAccessibility(page)
    await row("Everyone").getByRole("button", { name: "Revoke" }).click()
    await dialog().getByRole("region", { name: "Lost and lowered roles" }).waitFor()
    await dialog().getByRole("button", { name: "Revoke the grant" }).click()
    await row("Everyone").getByText("revoked").waitFor()
    await button("Remove the provider").click()
    await dialog().getByText("Its keys are deleted").waitFor()
    await dialog().getByRole("button", { name: "Remove the provider" }).click()
    await toast("The provider was removed.").waitFor()
  })

  it("shows that the operator turned the catalog off", async () => {
    await open("/models")
    await page.getByText("The request conflicts with the current state").first().waitFor()
  })
})

describe("the pages of delivery", () => {
  const pages = async () => {
    const assignment = (await owner.client.assignments.list()).items[0]
    const policy = (await owner.client.desktopPolicies.list()).items[0]
    const provider = (await owner.client.llmProviders.list()).items[0]
    return [
      ["assignments", "/assignments"],
      ["assignment", `/assignments/${assignment?.id ?? ""}`],
      ["rollouts", "/rollouts"],
      ["rollout", `/rollouts/${(await rollout()).id}`],
      ["rings", "/rings"],
      ["freezes", "/rings?tab=freezes"],
      ["thresholds", "/rings?tab=thresholds"],
      ["fleet", "/fleet"],
      ["fleet-members", "/fleet?tab=members"],
      ["fleet-teams", "/fleet?tab=teams"],
      ["fleet-history", "/fleet?tab=history"],
      ["fleet-usage", "/fleet?tab=usage"],
      ["person", `/fleet/members/${last.membershipId}`],
      ["person-policy", `/fleet/members/${early.membershipId}?tab=policy`],
      ["own-state", `/fleet/members/${owner.membershipId}?tab=state`],
      ["device", `/fleet/devices/${last.membershipId}/device-of-a-member`],
      ["policies", "/desktop-policies"],
      ["policy", `/desktop-policies/${policy?.id ?? ""}`],
      ["access", `/access?member=${last.membershipId}&object=${pluginId}`],
      ["models", "/models"],
      ["providers", "/llm-providers"],
      ["provider", `/llm-providers/${provider?.id ?? ""}`]
    ] as const
  }

  it("has accessible pages that fit in both themes and at three widths", async () => {
    // The operator has turned the catalog off.
    await lookAt(await viewer(owner), delivery, await pages(), { failing: ["/models"] })
  })
})

describe("the links of a plugin", () => {
  it("links a plugin to its assignments, rollouts, devices and changes", async () => {
    await release("Rolled out")
    const other = await owner.client.plugins.create({ name: "Elsewhere" })
    await owner.client.assignments.create({ pluginId: other.id, mode: "available" })
    const marketplaceId = await makeMarketplace(plane, owner, [], "Acme tools")
    await owner.client.assignments.create({ marketplaceId, mode: "default_on" })
    await open("/assignments")
    await row("Elsewhere").waitFor()
    const see = page.getByRole("region", { name: "See also" })
    await open(`/plugins/${pluginId}`)
    await checkAccessibility(page)
    await see.getByRole("link", { name: "Assignments of the plugin" }).click()
    await row("Notes").waitFor()
    await page.getByRole("search").getByText("Plugin: Notes").waitFor()
    await row("Elsewhere").waitFor({ state: "detached" })
    expect(await row("Acme tools").count()).toBe(0)

    await open(`/assignments?marketplaceId=${marketplaceId}`)
    await row("Acme tools").waitFor()
    expect(await row("Elsewhere").count()).toBe(0)

    await open(`/plugins/${other.id}?tab=releases`)
    await page.getByRole("main").getByRole("link", { name: "Rollouts" }).first().click()
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor()
    await button("Remove the filter by plugin").click()
    await row("Notes").first().waitFor()

    await open(`/plugins/${pluginId}`)
    expect(await see.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual(
      [
        `/assignments?pluginId=${pluginId}`,
        `/rollouts?pluginId=${pluginId}`,
        `/fleet?plugin=${pluginId}`,
        `/audit?targetId=${pluginId}`
      ].map((href) => `/console${href}`)
    )
    const reader = await viewer(canary)
    await reader.open(`/plugins/${pluginId}`)
    await reader.page.getByRole("tab", { name: "Objects" }).waitFor()
    expect(await reader.page.getByRole("link", { name: /Rollouts|Assignments|Fleet/ }).count()).toBe(0)
    await reader.page.context().close()
  })
})
