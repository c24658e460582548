import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import type { CodeHostServer } from "../../../../test/fixtures/code-host-server.ts"
import { commit, type Files, makeRepository } from "../../../../test/fixtures/git.ts"
import { appAt, install, makeCodeHost } from "./code-host.fixture.ts"
import { contents, ended, hurry, imported, isEnded, marketplace, skill, synced, until } from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, type TestPlane, type Workspace } from "../harness.ts"
import { tell } from "./webhooks.fixture.ts"

let host: CodeHostServer
let plane: TestPlane
let repositoryCount = 0

beforeAll(async () => {
  host = await makeCodeHost()
  plane = await makeControlPlane(appAt(host))
})

const files = (skills: number): Files => ({
  ".claude-plugin/marketplace.json": marketplace(["reviewer"]),
  ...Object.fromEntries(
    Array.from({ length: skills }, (_, index) => [`plugins/reviewer/skills/s${index}/SKILL.md`, skill(`s${index}`)])
  )
})

/** A connected repository of an installation. */
const connected = async (skills: number, owner?: Workspace) => {
  const person = owner ?? (await makeWorkspace(plane))
  const id = (repositoryCount += 1)
  const dir = join(plane.repositories, `host-${id}`)
  makeRepository(dir, files(skills))
  host.add(id, `team-${id}/plugins`, { dir })
  host.install(id, { account: `team-${id}`, repositories: [id], admins: ["ada"] })
  const account = await install(host, person, String(id))
  const item = await person.client.connectors.setup({
    adapter: "rest",
    connectorAccountId: account.id,
    repositoryFullName: `team-${id}/plugins`
  })
  return { id, dir, owner: person, instance: item.connectorInstance, target: item.connectorTarget }
}

const blobsOf = (id: number) =>
  host.seen.filter(({ path }) => path.includes("/git/blobs/") && path.includes(`team-${id}/`)).length

/** Changes some of the skills. */
const change = (dir: string, count: number, text: string) =>
  commit(
    dir,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `plugins/reviewer/skills/s${index}/SKILL.md`,
        skill(`s${index}`, text)
      ])
    )
  )

const textOf = async (owner: Workspace, name: string) =>
  (await contents(owner))["reviewer"]?.[`skill plugins/reviewer/skills/${name}/SKILL.md`]

describe("a repository with a REST API", () => {
  it("is imported, and a push of ten changed files reads ten contents", async () => {
    const { dir, id, instance, owner, target } = await connected(40)
    const applied = await imported(owner, { instance, target })
    expect(applied.syncEvent).toMatchObject({ status: "completed", counts: { objectsCreated: 40 } })
    expect(blobsOf(id)).toBe(41)
    const revision = change(dir, 10, "Do it better.")
    host.seen.length = 0
    expect(await synced(owner, { instance, target })).toMatchObject({
      status: "completed",
      revision,
      counts: { objectsCreated: 0, objectsUpdated: 10, objectsDeleted: 0, objectsUnchanged: 30 }
    })
    expect(blobsOf(id)).toBe(10)
    expect(await textOf(owner, "s9")).toContain("Do it better.")
    host.seen.length = 0
    expect(await synced(owner, { instance, target })).toMatchObject({ counts: { objectsUnchanged: 40 } })
    expect(blobsOf(id)).toBe(0)
  })

  it("pauses when the host asks for a delay during a sync, and publishes everything afterwards", async () => {
    const { dir, id, instance, owner, target } = await connected(40)
    await imported(owner, { instance, target })
    const revision = change(dir, 30, "Do it better.")
    const before = JSON.stringify(await contents(owner))
    const limit = { remaining: 15, resetMillis: 3000, refused: 0 }
    host.limits.set(id, limit)
    host.seen.length = 0
    const { id: eventId } = await owner.client.connectors.sync(instance.id)
    const states = new Set<string>()
    const event = await until(async () => {
      const event = await owner.client.connectors.getSyncEvent(eventId)
      if (!isEnded(event)) states.add(JSON.stringify(await contents(owner)))
      return event
    }, isEnded)
    expect(event).toMatchObject({ status: "completed", revision, counts: { objectsUpdated: 30 } })
    // A requested delay is not a failed attempt.
    expect(event.attempt).toBe(1)
    expect(limit.refused).toBeGreaterThan(0)
    // No part of it is visible.
    const after = JSON.stringify(await contents(owner))
    expect(after).not.toBe(before)
    for (const state of states) expect([before, after]).toContain(state)
    // Except for requests in flight, none was sent before the host allowed it.
    expect(limit.refused).toBeLessThan(6)
    // Contents that had been read are not read again, except for those in flight.
    expect(blobsOf(id)).toBeLessThan(30 + 6)
  })

  it("blocks no other repository while it is paused", async () => {
    const { id, instance, owner } = await connected(2)
    host.limits.set(id, { remaining: 0, resetMillis: 3_600_000, refused: 0 })
    const refused = await owner.call("GET", `/v1/connector-accounts/${instance.connectorAccountId}/repositories`)
    expect([refused.status, refused.body.error]).toEqual([502, "codehost_api_error"])
    const other = await connected(2)
    expect((await imported(other.owner, other)).syncEvent.status).toBe("completed")
  })

  it("keeps its identity when it is renamed, and reports its state", async () => {
    const { dir, id, instance, owner, target } = await connected(2)
    await imported(owner, { instance, target })
    host.rename(id, `guild-${id}/tools`)
    change(dir, 1, "Moved.")
    expect(await synced(owner, { instance, target })).toMatchObject({ status: "completed" })
    expect((await owner.client.connectors.discovery(instance.id)).repositoryFullName).toBe(`guild-${id}/tools`)
    expect((await owner.client.connectors.getInstance(instance.id)).name).toBe(`team-${id}/plugins`)
    host.suspend(id, true)
    expect(await synced(owner, { instance, target })).toMatchObject({
      status: "failed",
      error: { code: "unauthorized" }
    })
    expect(await owner.client.connectors.getInstance(instance.id)).toMatchObject({ status: "error" })
    expect(await textOf(owner, "s0")).toContain("Moved.")
    host.suspend(id, false)
    expect(await synced(owner, { instance, target })).toMatchObject({ status: "completed" })
    expect(await owner.client.connectors.getInstance(instance.id)).toMatchObject({
      status: "active",
      statusReason: null
    })
    host.remove(id)
    expect(await synced(owner, { instance, target })).toMatchObject({ error: { code: "not_a_repository" } })
    expect(await textOf(owner, "s0")).toContain("Moved.")
  })

  it("loses the state of its host when its instance is moved to another repository", async () => {
    const { dir, id, instance, owner, target } = await connected(2)
    await imported(owner, { instance, target })
    const next = (repositoryCount += 1)
    host.add(next, `team-${id}/next`, { dir })
    host.install(id, { account: `team-${id}`, repositories: [id, next], admins: ["ada"] })
    const about = (repositoryId: number, name: string, archived: boolean, at: string) =>
      tell(plane, "repository", {
        action: archived ? "archived" : "renamed",
        repository: { id: repositoryId, full_name: `team-${id}/${name}`, archived, updated_at: at },
        installation: { id }
      })
    expect((await about(id, "plugins", true, "2026-03-01T12:00:00Z")).status).toBe(202)
    expect((await owner.client.connectors.getInstance(instance.id)).status).toBe("error")
    await owner.client.connectors.updateInstance(instance.id, { remoteId: String(next) })
    expect(await synced(owner, { instance, target })).toMatchObject({ status: "completed" })
    expect(await owner.client.connectors.getInstance(instance.id)).toMatchObject({
      status: "active",
      statusReason: null
    })
    // The other repository has its own clock: the last event of the previous repository is not newer.
    expect((await about(next, "renamed", false, "2026-02-01T12:00:00Z")).status).toBe(202)
    expect((await owner.client.connectors.discovery(instance.id)).repositoryFullName).toBe(`team-${id}/renamed`)
  })

  it("removes nothing that a truncated tree omits", async () => {
    const { dir, instance, owner, target } = await connected(8)
    await imported(owner, { instance, target })
    commit(dir, Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`other/d${index}/f.md`, "x"])))
    host.treeRowsMax = 1
    const event = await synced(owner, { instance, target })
    host.treeRowsMax = 100_000
    expect(event.counts.objectsDeleted).toBe(0)
    expect(Object.keys((await contents(owner))["reviewer"] ?? {})).toHaveLength(8)
  })

  it("is retried while the host is unavailable, and imported when it is back", async () => {
    const { dir, instance, owner, target } = await connected(3)
    await imported(owner, { instance, target })
    const revision = change(dir, 3, "Back again.")
    host.intercept = (_, path) => (path.includes("/git/trees/") ? { status: 502, body: "<html>" } : undefined)
    const { id } = await owner.client.connectors.sync(instance.id)
    await until(
      () => owner.client.connectors.getSyncEvent(id),
      ({ error }) => error?.code === "unreachable"
    )
    expect(await textOf(owner, "s0")).not.toContain("Back again.")
    host.intercept = () => undefined
    await hurry(plane)
    expect(await ended(owner, id)).toMatchObject({ status: "completed", revision })
    expect(await textOf(owner, "s0")).toContain("Back again.")
  })
})
