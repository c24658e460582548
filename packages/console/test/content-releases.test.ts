/** The texts of a release: what an approver reads before a decision about a change that adds no capability. */
import { expect, it } from "vitest"
import { makeRole } from "../../server/test/harness.ts"
import { addMember, checkAccessibility, failOnFaults, makeWorkspace, startConsole } from "./harness.ts"
import { skill } from "./content.fixture.ts"

failOnFaults()

const { plane, viewer } = await startConsole()
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)

const pendingRelease = async (pluginId: string) => (await owner.client.approvals.list({ pluginId })).items[0]

const approve = async (pluginId: string) => {
  const release = await pendingRelease(pluginId)
  await owner.client.approvals.approve({ releases: [{ releaseId: release?.id ?? "", digest: release?.digest ?? "" }] })
}

const makeSkill = (pluginId: string, name: string) =>
  owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill(name, "Written first.") },
    pluginIds: [pluginId]
  })

const edit = (id: string, name: string, text: string) =>
  owner.client.configObjects.createVersion(id, { input: { rawSourceText: skill(name, text) } })

it("shows the texts of a release that differ from the served ones, and reads a text only when it is opened", async () => {
  await owner.client.approvals.updateSettings({ deliveryMode: "hold_all" })
  const { id: pluginId } = await owner.client.plugins.create({ name: "Notes" })
  const { id: editedId } = await makeSkill(pluginId, "edited")
  await makeSkill(pluginId, "kept")
  await approve(pluginId)
  for (const text of ["Replaced before a decision.", "Written last."]) {
    await edit(editedId, "edited", text)
    await pendingRelease(pluginId)
  }

  const reads: Array<string> = []
  page.on("request", (request) => {
    if (request.url().includes(`${editedId}/versions/`)) reads.push(request.url())
  })
  await open(`/releases/${(await pendingRelease(pluginId))?.id ?? ""}`)
  await page.getByText("No capability is added, changed or removed.").waitFor()
  const texts = page.getByRole("region", { name: "Texts" })
  await texts.getByText("edited", { exact: true }).waitFor()
  expect(await texts.getByText("kept", { exact: true }).count()).toBe(0)
  expect(reads).toEqual([])
  await texts.getByText("edited", { exact: true }).click()
  const difference = texts.getByRole("region", { name: "Difference of edited" })
  await difference.getByText("Written first.").waitFor()
  await difference.getByText("Written last.").waitFor()
  expect(await difference.getByText("Replaced before a decision.").count()).toBe(0)
  await checkAccessibility(page)
})

it("shows the text that a viewer can read, and the reason why the other one cannot be shown", async () => {
  await owner.client.approvals.updateSettings({ deliveryMode: "hold_all" })
  const { id: pluginId } = await owner.client.plugins.create({ name: "Shared" })
  await owner.client.plugins.grantAccess(pluginId, { role: "viewer", orgWide: true })
  const { id } = await makeSkill(pluginId, "shared")
  await approve(pluginId)
  await edit(id, "shared", "Written last.")
  const role = await makeRole(owner, ["approvals:read", "configObjects:read", "plugins:read"])
  const approver = await viewer(await addMember(plane, owner, role))
  await approver.open(`/releases/${(await pendingRelease(pluginId))?.id ?? ""}`)
  const texts = approver.page.getByRole("region", { name: "Texts" })
  await texts.getByText("shared", { exact: true }).click()
  await texts.getByRole("group", { name: "Text in the served release: shared" }).getByText("Written first.").waitFor()
  await texts
    .getByText("Only editors of the object or of one of its plugins can read a version that is not served now.")
    .waitFor()
  expect(await texts.getByText("Written last.").count()).toBe(0)
  await checkAccessibility(approver.page)
})

it("shows the number and the first names of changed texts before a decision about several releases", async () => {
  await owner.client.approvals.updateSettings({ deliveryMode: "hold_all" })
  const { id: pluginId } = await owner.client.plugins.create({ name: "Bulk" })
  const ids: Array<string> = []
  for (let count = 1; count <= 6; count++) ids.push((await makeSkill(pluginId, `bulk-${count}`)).id)
  await approve(pluginId)
  for (const [index, id] of ids.entries()) await edit(id, `bulk-${index + 1}`, "Written last.")
  const releaseId = (await pendingRelease(pluginId))?.id ?? ""
  const { id: renamedId } = await owner.client.plugins.create({ name: "Old name" })
  await makeSkill(renamedId, "kept")
  await approve(renamedId)
  await owner.client.plugins.update(renamedId, { name: "New name" })
  const renamedReleaseId = (await pendingRelease(renamedId))?.id ?? ""

  await open("/approvals")
  for (const name of ["Bulk", "New name"]) {
    await page
      .getByRole("row", { name: new RegExp(name) })
      .getByLabel("Select this row")
      .check()
  }
  await page.getByRole("toolbar").getByRole("button", { name: "Approve" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText("6 config objects and 0 other files differ from the release that is served now.").waitFor()
  const names = dialog.getByRole("list", { name: "Changed config objects of Bulk" })
  expect(await names.getByRole("listitem").allTextContents()).toEqual([
    ...[1, 2, 3, 4, 5].map((count) => `changed bulk-${count}`),
    "and 1 more"
  ])
  expect(await dialog.getByRole("link", { name: /texts of Bulk/ }).getAttribute("href")).toContain(releaseId)
  await dialog.getByRole("region", { name: "Name and description of New name" }).getByText("Old name").waitFor()
  await checkAccessibility(page)

  await open(`/releases/${renamedReleaseId}`)
  const texts = page.getByRole("region", { name: "Texts" })
  await texts.getByText("The config objects and the files are the same.", { exact: false }).waitFor()
  await texts.getByText("Old name").waitFor()
})
