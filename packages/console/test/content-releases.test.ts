/** The texts of a release: what an approver reads before a decision about a change that adds no capability. */
import { expect, it } from "vitest"
import { checkAccessibility, failOnFaults, makeWorkspace, startConsole } from "./harness.ts"
import { skill } from "./content.fixture.ts"

failOnFaults()

const { plane, viewer } = await startConsole()
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)

it("shows the texts of a release that differ from the served ones, and reads a text only when it is opened", async () => {
  await owner.client.approvals.updateSettings({ deliveryMode: "hold_all" })
  const { id: pluginId } = await owner.client.plugins.create({ name: "Notes" })
  const make = (name: string) =>
    owner.client.configObjects.create({
      input: { type: "skill", rawSourceText: skill(name, "Written first.") },
      pluginIds: [pluginId]
    })
  const { id: editedId } = await make("edited")
  await make("kept")
  const pendingRelease = async () => (await owner.client.approvals.list({ pluginId })).items[0]
  const first = await pendingRelease()
  await owner.client.approvals.approve({ releases: [{ releaseId: first?.id ?? "", digest: first?.digest ?? "" }] })
  for (const text of ["Replaced before a decision.", "Written last."]) {
    await owner.client.configObjects.createVersion(editedId, { input: { rawSourceText: skill("edited", text) } })
    await pendingRelease()
  }

  const reads: Array<string> = []
  page.on("request", (request) => {
    if (request.url().includes(`${editedId}/versions/`)) reads.push(request.url())
  })
  await open(`/releases/${(await pendingRelease())?.id ?? ""}`)
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
