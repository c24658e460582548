/** Changes of several webhook endpoints, event streams and roles that are selected in their lists. */
import type { Route } from "playwright-core"
import { describe, expect, it } from "vitest"
import { serveReceiver } from "../../server/test/identity/webhook-endpoints.fixture.ts"
import {
  addMember,
  checkAccessibility,
  failOnFaults,
  makeTeam,
  makeWorkspace,
  screenshot,
  startConsole
} from "./harness.ts"

failOnFaults()

const { plane, viewer } = await startConsole({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
const owner = await makeWorkspace(plane)
const { open, page } = await viewer(owner)
const { eventStreams, roles, webhookEndpoints } = owner.client
/** It accepts no event, so that all of them stay pending. */
const { url } = await serveReceiver(() => ({ status: 503 }))

const row = (name: string) => page.getByRole("row").filter({ hasText: name })
const select = async (...names: ReadonlyArray<string>) => {
  for (const name of names) await row(name).getByRole("checkbox", { name: "Select this row" }).check()
}
const dialog = (name: string) => page.getByRole("dialog", { name })
const toolbar = page.getByRole("toolbar", { name: "Selected rows" })
const start = (action: string) => toolbar.getByRole("button", { name: action, exact: true }).click()

/** Confirms the question of a dialog, and closes its summary. */
const confirm = async (title: string, done: string) => {
  const question = dialog(title)
  await question.getByRole("button", { name: title }).click()
  await question.getByText(done).waitFor()
  await question.getByRole("button", { name: "Done" }).click()
  await question.waitFor({ state: "detached" })
  await toolbar.waitFor({ state: "detached" })
}

/** Opens a question whose consequences are still read, which cannot be confirmed until then. */
const startHeld = async (action: string, title: string, reads: RegExp) => {
  const held: Array<Route> = []
  await page.route(reads, (route) => void held.push(route))
  await start(action)
  await expect.poll(() => held.length).toBe(2)
  expect(await dialog(title).getByRole("button", { name: title }).isDisabled()).toBe(true)
  await Promise.all(held.map((route) => route.continue()))
  await page.unroute(reads)
}

describe("several webhook endpoints", () => {
  it("pauses several webhook endpoints, resumes them without their pending events, and removes them", async () => {
    const create = async (name: string, path: string) =>
      (await webhookEndpoints.create({ name, url: `${url}${path}`, types: ["team.create"] })).item.id
    const ids = [await create("Deployments", ""), await create("Releases", "/releases"), await create("Kept", "")]
    const endpoints = () => Promise.all(ids.map((id) => webhookEndpoints.get(id)))
    const states = async () => (await endpoints()).map(({ state }) => state)
    const pending = async () => (await endpoints()).map(({ pendingCount }) => pendingCount)
    await open("/webhook-endpoints")
    await select("Deployments", "Releases")
    await checkAccessibility(page)
    expect(await toolbar.getByRole("button", { name: "Resume" }).isDisabled()).toBe(true)
    await start("Pause")
    await dialog("Pause 2 webhook endpoints").getByText("Events wait until the endpoints are resumed.").waitFor()
    await confirm("Pause 2 webhook endpoints", "2 webhook endpoints were paused.")
    expect(await states()).toEqual(["paused", "paused", "active"])
    await makeTeam(owner, [], "Pending")
    await expect.poll(pending, { timeout: 20_000 }).toEqual([1, 1, 1])

    await select("Deployments", "Releases")
    await startHeld("Resume", "Resume 2 webhook endpoints", /\/webhook-endpoints\/whe_/)
    const resume = dialog("Resume 2 webhook endpoints")
    await resume.getByText("2 events wait.").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "webhook-endpoints-resume")
    await resume.getByLabel("Pending events").selectOption("true")
    await confirm("Resume 2 webhook endpoints", "2 webhook endpoints were resumed.")
    expect(await states()).toEqual(["active", "active", "active"])
    expect(await pending()).toEqual([0, 0, 1])

    await select("Deployments", "Releases")
    await startHeld("Remove", "Remove 2 webhook endpoints", /\/webhook-endpoints\/whe_/)
    const remove = dialog("Remove 2 webhook endpoints")
    await remove.getByText(`Releases: ${url}/releases receives no further events.`).waitFor()
    await remove.getByText("No delivery is pending.").waitFor()
    await remove.getByText("Their deliveries and their secrets are deleted.").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "webhook-endpoints-remove")
    await confirm("Remove 2 webhook endpoints", "2 webhook endpoints were removed.")
    await row("Releases").waitFor({ state: "detached" })
    expect((await webhookEndpoints.list()).items.map(({ name }) => name)).toEqual(["Kept"])
  })
})

describe("several deliveries of a webhook endpoint", () => {
  it("redelivers the events of several deliveries", async () => {
    const { received, url: receiving } = await serveReceiver()
    const { item } = await webhookEndpoints.create({ name: "Redelivered", url: receiving, types: ["team.create"] })
    for (const name of ["First", "Second", "Third"]) await makeTeam(owner, [], name)
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(3)
    await open(`/webhook-endpoints/${item.id}`)
    await expect.poll(() => page.getByRole("checkbox", { name: "Select this row" }).count()).toBe(3)
    for (const index of [0, 1]) await page.getByRole("checkbox", { name: "Select this row" }).nth(index).check()
    await start("Redeliver")
    await page.getByRole("region", { name: "Messages" }).getByText("2 events were queued.").waitFor()
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(5)
    const ids = received.map(({ headers }) => headers["webhook-id"])
    expect(new Set(ids).size).toBe(3)
    await webhookEndpoints.remove(item.id)
  })
})

describe("several event streams", () => {
  it("pauses, resumes and removes several event streams, and shows how many events each has not delivered before a removal", async () => {
    const create = (name: string) => eventStreams.create({ name, destination: { kind: "https", url } })
    const both = [await create("SIEM"), await create("Archive")]
    await create("Kept")
    const streams = () => Promise.all(both.map(({ id }) => eventStreams.get(id)))
    const states = async () => (await streams()).map(({ state }) => state)
    await open("/event-streams")
    await select("SIEM", "Archive")
    await start("Pause")
    await dialog("Pause 2 event streams").getByText("Events wait until the streams are resumed.").waitFor()
    await confirm("Pause 2 event streams", "2 event streams were paused.")
    expect(await states()).toEqual(["paused", "paused"])

    await select("SIEM", "Archive")
    await start("Resume")
    await page.getByRole("region", { name: "Messages" }).getByText("2 event streams were resumed.").waitFor()
    await toolbar.waitFor({ state: "detached" })
    expect(await states()).toEqual(["active", "active"])

    await makeTeam(owner, [], "Not delivered")
    const isBehind = async () => (await streams()).every(({ lag }) => lag > 0)
    await expect.poll(isBehind, { timeout: 20_000 }).toBe(true)
    await select("SIEM", "Archive")
    await startHeld("Remove", "Remove 2 event streams", /\/event-streams\/evs_/)
    const remove = dialog("Remove 2 event streams")
    await remove.getByRole("listitem").filter({ hasText: "SIEM: " }).getByText("not sent").waitFor()
    await remove.getByRole("listitem").filter({ hasText: "Archive: " }).waitFor()
    await remove.getByText("Their positions and their secrets are deleted.").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "event-streams-remove")
    await confirm("Remove 2 event streams", "2 event streams were removed.")
    await row("SIEM").waitFor({ state: "detached" })
    expect((await eventStreams.list()).items.map(({ name }) => name)).toEqual(["Kept"])
  })
})

describe("several roles", () => {
  it("shows which roles members have, and lists those that the API does not remove", async () => {
    const used = await roles.create({ name: "Auditor", permissions: ["audit:read"] })
    await roles.create({ name: "Reader", permissions: ["plugins:read"] })
    await roles.create({ name: "Kept", permissions: ["teams:read"] })
    await addMember(plane, owner, used.id)
    await open("/roles")
    await select("Auditor", "Reader")
    await startHeld("Remove", "Remove 2 roles", /\/v1\/members\?/)
    const question = dialog("Remove 2 roles")
    await question.getByText("Members have 1 of these roles").waitFor()
    await question.getByRole("list", { name: "Roles in use" }).getByText("Auditor: 1 member").waitFor()
    await question.getByText("No member has Reader.").waitFor()
    await checkAccessibility(page)
    await screenshot(page, "roles-remove")
    await question.getByRole("button", { name: "Remove 2 roles" }).click()
    await question.getByText("1 role was removed.").waitFor()
    await question.getByRole("list", { name: "Problems" }).getByText("Auditor").waitFor()
    await question.getByRole("button", { name: "Done" }).click()
    await question.waitFor({ state: "detached" })
    await row("Reader").waitFor({ state: "detached" })
    expect((await roles.list()).items.map(({ name }) => name).sort()).toEqual(["Auditor", "Kept"])
  })
})
