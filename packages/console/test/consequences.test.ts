/** The effects of changes of settings, teams and repositories, and the pages of members who cannot make a change. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeRepository } from "../../../test/fixtures/git.ts"
import { connect, ended, imported } from "../../server/test/content/connectors.fixture.ts"
import { ring } from "../../server/test/content/rollouts.fixture.ts"
import { repositoryFiles, skill } from "./content.fixture.ts"
import { addMember, checkAccessibility, failOnFaults, makeTeam, makeWorkspace, startConsole } from "./harness.ts"

failOnFaults()

const { plane, viewer } = await startConsole()
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)
const member = await addMember(plane, owner, "member")
await member.client.users.update({ name: "Ada Lovelace" })

const button = (name: string) => page.getByRole("button", { name, exact: true })
const message = (text: string) => page.getByRole("region", { name: "Messages" }).getByText(text).waitFor()

/** Signs a new member in, whose role has only these permissions. */
const viewerWith = async (
  name: string,
  permissions: Parameters<typeof owner.client.roles.create>[0]["permissions"]
) => {
  const { id } = await owner.client.roles.create({ name, permissions })
  return viewer(await addMember(plane, owner, id))
}

it("lists the pending releases that an automatic delivery serves, and what the end of four-eyes approval changes", async () => {
  await owner.client.approvals.updateSettings({ deliveryMode: "hold_all", fourEyes: true })
  const { id: pluginId } = await owner.client.plugins.create({ name: "Waiting notes" })
  await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill("waiting") },
    pluginIds: [pluginId]
  })
  await open("/approvals")
  await button("Settings").click()
  const settings = page.getByRole("dialog", { name: "Approval settings of the organization" })
  const save = settings.getByRole("button", { name: "Save" })
  expect(await save.getAttribute("data-kind")).toBe("primary")
  await settings.getByLabel("Four-eyes approval").uncheck()
  await settings.getByText("Each release then needs only one approval").waitFor()
  expect(await save.getAttribute("data-kind")).toBe("danger")
  await settings.getByLabel("Four-eyes approval").check()
  await settings.getByLabel("Updates of all plugins").selectOption("auto")
  await settings.getByRole("list", { name: "Releases pending approval" }).getByText("Waiting notes").waitFor()
  expect(await save.getAttribute("data-kind")).toBe("danger")
  await checkAccessibility(page)
  await save.click()
  await message("The settings were changed.")
  expect((await owner.client.approvals.list({ state: "pending", pluginId })).items).toEqual([])
})

describe("a removal from a team", () => {
  it("shows the access that the team gives, on the pages of the member and of the team", async () => {
    const teamId = await makeTeam(owner, [member], "Platform")
    const plugin = await owner.client.plugins.create({ name: "Shared with the team" })
    await owner.client.plugins.grantAccess(plugin.id, { teamId, role: "editor" })
    await owner.client.assignments.create({ pluginId: plugin.id, mode: "required", teamIds: [teamId] })
    await open(`/members/${member.membershipId}`)
    await button("Remove from Platform").click()
    const question = page.getByRole("alertdialog", { name: "Remove Ada Lovelace from Platform" })
    await question.getByText("1 assignment applies to the team by name.").waitFor()
    const given = question.getByRole("region", { name: "Access that the team gives" })
    await given.getByRole("listitem").filter({ hasText: "Shared with the team" }).getByText("editor").waitFor()
    // That is the number of members who lose access if the whole team is removed.
    expect(await given.getByText(/loses access/).count()).toBe(0)
    await checkAccessibility(page)

    await open(`/teams/${teamId}`)
    await page.getByRole("row", { name: /Ada/ }).getByRole("checkbox").check()
    await button("Remove from the team").click()
    const dialog = page.getByRole("dialog", { name: "Remove 1 member from Platform" })
    await dialog.getByRole("region", { name: "Access that the team gives" }).getByText("The team has 1 grant").waitFor()
  })

  it("lets a member remove others from a team without the permission to read its access", async () => {
    const teamId = await makeTeam(owner, [member], "Readers")
    const its = await viewerWith("Team editor", ["members:read", "teams:read", "teams:write"])
    await its.open(`/members/${member.membershipId}`)
    await its.page.getByRole("button", { name: "Remove from Readers" }).click()
    const question = its.page.getByRole("alertdialog")
    await question.getByText("They stay in the organization.").waitFor()
    expect(await question.getByRole("region", { name: "Access that the team gives" }).count()).toBe(0)
    await question.getByRole("button", { name: "Remove from the team" }).click()
    await question.waitFor({ state: "detached" })
    expect((await owner.client.teams.get(teamId)).memberCount).toBe(0)
  })
})

it("lists the imported content before a connector is moved to another repository", async () => {
  const [first, second] = ["first", "second"].map((name) => join(plane.repositories, name))
  makeRepository(first ?? "", repositoryFiles)
  makeRepository(second ?? "", { "README.md": "Empty" })
  const connected = await connect(owner, first ?? "", "Plugins")
  await ended(owner, (await imported(owner, connected)).syncEvent.id)
  await open(`/connectors/${connected.instance.id}`)
  await button("Edit").click()
  const dialog = page.getByRole("dialog", { name: "Edit the connector" })
  await dialog.getByLabel("Name").fill("Renamed")
  expect(await dialog.getByRole("button", { name: "Save" }).getAttribute("data-kind")).toBe("primary")
  await dialog.getByLabel("Clone URL or path").fill(second ?? "")
  await dialog.getByText("3 visible plugins and 15 config objects are imported from this repository.").waitFor()
  await dialog.getByRole("list", { name: "Plugins of the repository" }).getByText("many", { exact: true }).waitFor()
  expect(await dialog.getByRole("button", { name: "Save" }).getAttribute("data-kind")).toBe("danger")
  await checkAccessibility(page)
})

it("shows members no buttons for changes of endpoints, streams and rings that they cannot make", async () => {
  const endpoint = await owner.client.webhookEndpoints.create({ name: "Seen", url: "https://hooks.example/events" })
  const stream = await owner.client.eventStreams.create({
    name: "Seen",
    destination: { kind: "https", url: "https://logs.example/events" }
  })
  const rings = ["Canary", "Early"].map((name) => ring(name, { percent: 10 }))
  await owner.client.rollouts.updateSettings({ rings })
  const its = await viewerWith("Reader", ["webhookEndpoints:read", "eventStreams:read", "rollouts:read"])
  const change = /^(?:Send a test|Pause|Edit|Remove|Move|Add)/
  for (const [path, text] of [
    [`/webhook-endpoints/${endpoint.item.id}`, "https://hooks.example/events"],
    [`/event-streams/${stream.id}`, "https://logs.example/events"],
    ["/rings", "1. Canary"]
  ] as const) {
    await its.open(path)
    await its.page.getByText(text).first().waitFor()
    expect(await its.page.getByRole("button", { name: change }).count(), path).toBe(0)
    await open(path)
    await page.getByRole("button", { name: change }).first().waitFor()
  }
})
