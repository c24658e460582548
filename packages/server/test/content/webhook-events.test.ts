/** The effects of deliveries: the state converges to that of the code host, with lost, repeated and late events. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, gitDirOf, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import {
  all,
  connect,
  type Connected,
  contents,
  ended,
  imported,
  marketplace,
  repositoryIn,
  until
} from "./connectors.fixture.ts"
import { addMember, makeControlPlane, makeKey, makeWorkspace, type Person, runSql, type TestPlane } from "../harness.ts"
import { makeInstalled, push, repositoryEvent, tell } from "./webhooks.fixture.ts"

const plane = await makeControlPlane()
/** Without workers: queued syncs stay queued. */
const still = await makeControlPlane({ workers: false })

const text = "plugins/alpha/commands/go.md"
const filesOf = (words: string) => ({
  ".claude-plugin/marketplace.json": marketplace(["alpha"]),
  [text]: words
})

const world = async (on: TestPlane = plane) => {
  const owner = await makeWorkspace(on)
  const dir = repositoryIn(on, filesOf("# One\n"))
  const connected = await connect(owner, dir)
  if (on === plane) await imported(owner, connected)
  return { owner, dir, connected, cloneUrl: connected.instance.remoteId }
}

const deliveries = (person: Person, query = "") =>
  person.call("GET", `/v1/webhook-deliveries${query}`).then(({ body }) => body.items)
const visibleText = async (person: Person) => (await contents(person))["alpha"]?.[`command ${text}`]
const syncsOf = (person: Person, { instance }: Connected) => all(person.client.connectors.listSyncEvents(instance.id))

describe("a push", () => {
  it("with a valid signature creates new versions of changed files", async () => {
    const { cloneUrl, connected, dir, owner } = await world()
    const head = commit(dir, { [text]: "# Two\n" })
    const response = await tell(plane, "push", push({ cloneUrl, after: head }), "to-a-version")
    expect([response.status, response.body]).toEqual([
      202,
      { ok: true, accepted: true, deliveryId: "to-a-version", queued: true }
    ])
    const [delivery] = await deliveries(owner)
    expect(delivery).toMatchObject({
      id: expect.stringMatching(/^dlv_/),
      deliveryId: "to-a-version",
      event: "push",
      action: null,
      status: "accepted",
      reason: null,
      ref: "refs/heads/main",
      after: head,
      connectorInstanceIds: [connected.instance.id],
      redeliveryCount: 0
    })
    const event = await ended(owner, delivery.syncEventIds[0])
    expect(event).toMatchObject({
      status: "completed",
      trigger: "webhook",
      revision: head,
      counts: { objectsUpdated: 1 }
    })
    expect(await visibleText(owner)).toBe("# Two\n")
    const [object] = await all(owner.client.configObjects.list())
    expect(await all(owner.client.configObjects.listVersions(object?.id ?? ""))).toHaveLength(2)
  })

  it("does not supply content: the head is read, even if the payload is old or invented", async () => {
    const { cloneUrl, dir, owner } = await world()
    const older = readRefs(dir).get("refs/heads/main")
    const head = commit(dir, { [text]: "# Newest\n" })
    await tell(plane, "push", { ...push({ cloneUrl }), after: older, before: "b".repeat(40) })
    const [{ syncEventIds }] = await deliveries(owner)
    expect(await ended(owner, syncEventIds[0])).toMatchObject({ revision: head })
    expect(await visibleText(owner)).toBe("# Newest\n")
  })

  it("by force sets the content to that of the branch", async () => {
    const { cloneUrl, dir, owner } = await world()
    const first = readRefs(dir).get("refs/heads/main") ?? ""
    commit(dir, { [text]: "# Two\n" })
    await tell(plane, "push", push({ cloneUrl }))
    await ended(owner, (await deliveries(owner))[0].syncEventIds[0])
    writeRef(dir, "refs/heads/main", first)
    await tell(plane, "push", { ...push({ cloneUrl }), forced: true })
    await ended(owner, (await deliveries(owner))[0].syncEventIds[0])
    expect(await visibleText(owner)).toBe("# One\n")
  })

  it("to another branch, a tag or a disabled connector changes nothing, and is reported", async () => {
    const { cloneUrl, connected, owner } = await world(still)
    const other = await tell(still, "push", push({ cloneUrl, branch: "next" }))
    expect([other.status, other.body.reason]).toEqual([200, "target_unknown"])
    const tag = await tell(still, "push", { ...push({ cloneUrl }), ref: "refs/tags/v1" })
    expect([tag.status, tag.body.reason]).toEqual([200, "event_ignored"])
    await owner.client.connectors.disable(connected.instance.id)
    const disabled = await tell(still, "push", push({ cloneUrl }))
    expect([disabled.status, disabled.body.reason]).toEqual([200, "target_unknown"])
    expect(await syncsOf(owner, connected)).toEqual([])
    const listed = await deliveries(owner)
    expect(listed.map(({ reason, ref, status }: Record<string, unknown>) => [status, reason, ref])).toEqual([
      ["ignored", "target_unknown", "refs/heads/main"],
      ["ignored", "target_unknown", "refs/heads/next"]
    ])
    expect(await deliveries(owner, "?status=accepted")).toEqual([])
    // A delivery without an effect is not audited.
    const audit = await owner.call("GET", "/v1/audit-events?action=webhook.received")
    expect(audit.body.items).toEqual([])
  })

  it("matches any spelling of the repository's URL", async () => {
    const { cloneUrl, connected, owner } = await world(still)
    await runSql(
      still,
      (sql) => sql`UPDATE connector_instances SET remote_id = 'https://code.example/Acme/spelled'
        WHERE id = ${connected.instance.id}`
    )
    for (const spelling of ["https://code.example/acme/Spelled.git", "https://CODE.example:443/acme/spelled/"]) {
      expect([spelling, (await tell(still, "push", push({ cloneUrl: spelling }))).status]).toEqual([spelling, 202])
    }
    for (const spelling of [
      "https://code.example/acme/spelled2",
      "https://other.example/acme/spelled",
      "nonsense",
      cloneUrl
    ]) {
      expect([spelling, (await tell(still, "push", push({ cloneUrl: spelling }))).status]).toEqual([spelling, 200])
    }
    // One sync is queued for all of them.
    expect(await syncsOf(owner, connected)).toHaveLength(1)
  })

  it("reaches every organization that follows the repository, and reveals none to another", async () => {
    const { cloneUrl, connected, dir, owner } = await world(still)
    const second = await makeWorkspace(still, "Second")
    const theirs = await connect(second, dir)
    const stranger = await makeWorkspace(still, "Stranger")
    const response = await tell(still, "push", push({ cloneUrl }), "for-two")
    expect(response.text).toBe('{"ok":true,"accepted":true,"deliveryId":"for-two","queued":true}')
    const [mine] = await deliveries(owner)
    const [other] = await deliveries(second)
    expect(mine.id).not.toBe(other.id)
    expect([mine.connectorInstanceIds, other.connectorInstanceIds]).toEqual([
      [connected.instance.id],
      [theirs.instance.id]
    ])
    expect(JSON.stringify(mine)).not.toContain(theirs.instance.id)
    expect(await deliveries(stranger)).toEqual([])
    expect((await owner.call("GET", `/v1/webhook-deliveries/${other.id}`)).status).toBe(404)
    expect((await owner.call("POST", `/v1/webhook-deliveries/${other.id}/redeliver`)).status).toBe(404)
    expect(await syncsOf(owner, connected)).toHaveLength(1)
    expect(await syncsOf(second, theirs)).toHaveLength(1)
    // One organization has disabled the instance, and the other is synced anyway.
    await owner.client.connectors.disable(connected.instance.id)
    expect((await tell(still, "push", push({ cloneUrl }), "for-one")).status).toBe(202)
    expect([(await deliveries(owner))[0].status, (await deliveries(second))[0].status]).toEqual(["ignored", "accepted"])
    // A repeated delivery is not processed again, even if it had an effect for only one of them.
    const audited = async () => (await second.call("GET", "/v1/audit-events?action=webhook.received")).body.items.length
    const before = await audited()
    expect((await tell(still, "push", push({ cloneUrl }), "for-one")).status).toBe(202)
    expect([before, await audited()]).toEqual([2, 2])
  })
})

describe("a deleted branch", () => {
  it("is reported on the connector, keeps the content, and continues when it is restored", async () => {
    const { cloneUrl, connected, dir, owner } = await world()
    const head = readRefs(dir).get("refs/heads/main") ?? ""
    writeRef(dir, "refs/heads/other", head)
    rmSync(join(gitDirOf(dir), "refs/heads/main"))
    const deletion = { ref: "main", ref_type: "branch", repository: push({ cloneUrl }).repository }
    expect((await tell(plane, "delete", deletion)).status).toBe(202)
    const [deleted] = await deliveries(owner, "?event=delete")
    expect(await ended(owner, deleted.syncEventIds[0])).toMatchObject({
      status: "failed",
      error: { code: "branch_not_found", message: expect.stringMatching(/imported from main is kept/) }
    })
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({
      status: "error",
      statusReason: expect.stringMatching(/no such branch.*imported from main is kept/)
    })
    expect(await visibleText(owner)).toBe("# One\n")

    writeRef(dir, "refs/heads/main", commit(dir, { [text]: "# Again\n" }, { branch: "other" }))
    expect((await tell(plane, "create", deletion)).status).toBe(202)
    const [created] = await deliveries(owner, "?event=create")
    expect(await ended(owner, created.syncEventIds[0])).toMatchObject({ status: "completed" })
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({
      status: "active",
      statusReason: null
    })
    expect(await visibleText(owner)).toBe("# Again\n")
  })
})

describe("a repository that is read through its installation", () => {
  const setUp = async () => {
    const owner = await makeWorkspace(still)
    return { owner, installedRepository: await makeInstalled(still, owner) }
  }
  const instanceOf = (person: Person, id: string) => person.client.connectors.getInstance(id)
  const queued = async (person: Person, id: string) =>
    (await all(person.client.connectors.listSyncEvents(id))).filter(({ status }) => status === "queued").length

  const calledAtHost = (id: string) =>
    runSql(
      still,
      (sql) => sql<{ name: string }>`SELECT repository_full_name AS name FROM connector_instances WHERE id = ${id}`
    ).then(([row]) => row?.name)

  it("is matched by installation and id together only", async () => {
    const { installedRepository, owner } = await setUp()
    const { installationId, instanceId, repositoryId } = installedRepository
    const responses = [
      await tell(still, "push", push({ installationId, repositoryId: repositoryId + 100_000 })),
      await tell(still, "push", push({ installationId: installationId + 100_000, repositoryId })),
      await tell(still, "push", push({ repositoryId }))
    ]
    expect(responses.map(({ body }) => body.reason)).toEqual([
      "target_unknown",
      "installation_unknown",
      "target_unknown"
    ])
    expect(await queued(owner, instanceId)).toBe(0)
    expect((await tell(still, "push", push({ installationId, repositoryId }))).status).toBe(202)
    expect(await queued(owner, instanceId)).toBe(1)
  })

  it("keeps its id and the instance's name when it is renamed, in any order of events", async () => {
    const { installedRepository, owner } = await setUp()
    const renamed = (fullName: string, at: string) =>
      tell(still, "repository", repositoryEvent(installedRepository, "renamed", { fullName, at }))
    const last = `${installedRepository.fullName}-c`
    expect((await renamed(last, "2026-03-01T12:00:00Z")).status).toBe(202)
    expect((await renamed(`${installedRepository.fullName}-b`, "2026-03-01T11:00:00Z")).status).toBe(202)
    // The instance's name does not change, whether an event or a sync reports the rename first.
    expect(await instanceOf(owner, installedRepository.instanceId)).toMatchObject({
      name: installedRepository.fullName,
      remoteId: String(installedRepository.repositoryId),
      status: "active"
    })
    expect(await calledAtHost(installedRepository.instanceId)).toBe(last)
    await renamed(`${installedRepository.fullName}-d`, "2026-03-01T13:00:00Z")
    expect(await calledAtHost(installedRepository.instanceId)).toBe(`${installedRepository.fullName}-d`)
    expect(await queued(owner, installedRepository.instanceId)).toBe(1)
  })

  it("treats a future date as now, so that later events count", async () => {
    const { installedRepository } = await setUp()
    const renamed = (fullName: string, at: string) =>
      tell(still, "repository", repositoryEvent(installedRepository, "renamed", { fullName, at }))
    await renamed(`${installedRepository.fullName}-far`, "9999-01-01T00:00:00Z")
    const last = `${installedRepository.fullName}-near`
    await renamed(last, new Date(Date.now() + 60_000).toISOString())
    expect(await calledAtHost(installedRepository.instanceId)).toBe(last)
  })

  it.each([
    ["in order", [0, 1]],
    ["in the other order", [1, 0]],
    ["twice and mixed", [1, 0, 1, 0]]
  ])("becomes active after it is unarchived, with events %s", async (_, order) => {
    const { installedRepository, owner } = await setUp()
    const news = [
      repositoryEvent(installedRepository, "archived", { archived: true, at: "2026-03-01T11:00:00Z" }),
      repositoryEvent(installedRepository, "unarchived", { archived: false, at: "2026-03-01T12:00:00Z" })
    ]
    for (const index of order) expect((await tell(still, "repository", news[index] ?? {})).status).toBe(202)
    expect(await instanceOf(owner, installedRepository.instanceId)).toMatchObject({
      status: "active",
      statusReason: null
    })
    await tell(
      still,
      "repository",
      repositoryEvent(installedRepository, "archived", { archived: true, at: "2026-03-01T13:00:00Z" })
    )
    expect(await instanceOf(owner, installedRepository.instanceId)).toMatchObject({
      status: "error",
      statusReason: expect.stringMatching(/archived on the code host. Imported content is kept/)
    })
  })

  it("becomes active when it is unarchived in the second in which it was archived", async () => {
    const { installedRepository, owner } = await setUp()
    const at = "2026-03-01T11:00:00Z"
    await tell(still, "repository", repositoryEvent(installedRepository, "archived", { archived: true, at }))
    expect((await instanceOf(owner, installedRepository.instanceId)).status).toBe("error")
    await tell(still, "repository", repositoryEvent(installedRepository, "unarchived", { archived: false, at }))
    expect((await instanceOf(owner, installedRepository.instanceId)).status).toBe("active")
  })

  it.each(["deleted", "transferred"])("that was %s keeps that state until a newer event", async (action) => {
    const { installedRepository, owner } = await setUp()
    expect((await tell(still, "repository", repositoryEvent(installedRepository, action))).status).toBe(202)
    expect(await instanceOf(owner, installedRepository.instanceId)).toMatchObject({
      status: "error",
      statusReason: expect.stringContaining(action)
    })
    expect(await queued(owner, installedRepository.instanceId)).toBe(0)
    expect((await tell(still, "push", push(installedRepository))).status).toBe(202)
    expect(await queued(owner, installedRepository.instanceId)).toBe(1)
  })

  it("stops and continues with its installation, and a disabled instance stays disabled", async () => {
    const { installedRepository, owner } = await setUp()
    const { installationId } = installedRepository
    const other = await makeInstalled(still, owner, { installationId })
    const stopped = await makeInstalled(still, owner, { installationId })
    const elsewhere = await makeInstalled(still, owner)
    await owner.client.connectors.disable(stopped.instanceId)
    const about = (action: string) => tell(still, "installation", { action, installation: { id: installationId } })
    const states = () =>
      Promise.all(
        [installedRepository, other, stopped, elsewhere].map(
          async ({ instanceId }) => (await instanceOf(owner, instanceId)).status
        )
      )
    const accounts = () =>
      runSql(
        still,
        (sql) => sql<{ status: string; status_reason: string | null }>`SELECT status, status_reason
          FROM connector_accounts WHERE organization_id = ${owner.organizationId} AND remote_id = ${String(installationId)}`
      )
    for (const [suspension, restoration, word] of [
      ["suspend", "unsuspend", /suspended/],
      ["deleted", "created", /removed/]
    ] as const) {
      expect((await about(suspension)).status).toBe(202)
      expect(await states()).toEqual(["error", "error", "disabled", "active"])
      expect((await instanceOf(owner, installedRepository.instanceId)).statusReason).toMatch(word)
      expect((await accounts())[0]?.status).toBe("error")
      expect((await about(restoration)).status).toBe(202)
      expect(await states()).toEqual(["active", "active", "disabled", "active"])
      expect(await accounts()).toEqual([{ status: "active", status_reason: null }])
    }
    expect(await queued(owner, installedRepository.instanceId)).toBe(1)
    expect(await queued(owner, stopped.instanceId)).toBe(0)
    expect((await tell(still, "installation", { action: "suspend", installation: { id: 4 } })).body.reason).toBe(
      "installation_unknown"
    )
  })

  it("can be removed from an installation and added again", async () => {
    const { installedRepository, owner } = await setUp()
    const other = await makeInstalled(still, owner, { installationId: installedRepository.installationId })
    const about = (action: "added" | "removed") =>
      tell(still, "installation_repositories", {
        action,
        installation: { id: installedRepository.installationId },
        [`repositories_${action}`]: [{ id: installedRepository.repositoryId, full_name: installedRepository.fullName }]
      })
    expect((await about("removed")).status).toBe(202)
    expect([
      (await instanceOf(owner, installedRepository.instanceId)).status,
      (await instanceOf(owner, other.instanceId)).status
    ]).toEqual(["error", "active"])
    expect((await about("added")).status).toBe(202)
    expect(await instanceOf(owner, installedRepository.instanceId)).toMatchObject({
      status: "active",
      statusReason: null
    })
  })

  it("belongs to one organization: the same id in another installation is another repository", async () => {
    const { installedRepository, owner } = await setUp()
    const { owner: other, installedRepository: theirs } = await setUp()
    await runSql(
      still,
      (sql) =>
        sql`UPDATE connector_instances SET remote_id = ${String(installedRepository.repositoryId)} WHERE id = ${theirs.instanceId}`
    )
    await tell(still, "repository", repositoryEvent(installedRepository, "deleted"))
    expect((await instanceOf(owner, installedRepository.instanceId)).status).toBe("error")
    expect((await instanceOf(other, theirs.instanceId)).status).toBe("active")
    expect(await deliveries(other)).toEqual([])
  })
})

describe("a repository that is read by its URL", () => {
  it.each(["renamed", "archived", "deleted", "transferred"])(
    "ignores the state in an event (%s) and checks the repository",
    async (action) => {
      const { cloneUrl, connected, owner } = await world()
      const { repository } = push({ cloneUrl })
      const response = await tell(plane, "repository", {
        action,
        repository: { ...repository, full_name: "evil/name" }
      })
      expect(response.status).toBe(202)
      const [delivery] = await deliveries(owner)
      expect(await ended(owner, delivery.syncEventIds[0])).toMatchObject({ status: "completed" })
      expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({
        status: "active",
        name: connected.instance.name
      })
    }
  )
})

describe("deliveries", () => {
  it("can be redelivered by callers with permission, any number of times", async () => {
    const { cloneUrl, dir, owner } = await world()
    await tell(plane, "push", push({ cloneUrl }), "lost")
    const [first] = await deliveries(owner)
    await ended(owner, first.syncEventIds[0])
    commit(dir, { [text]: "# Later\n" })
    const key = await makeKey(plane, owner, ["webhooks:read"])
    const member = await addMember(plane, owner, "member")
    expect((await key.call("POST", `/v1/webhook-deliveries/${first.id}/redeliver`)).status).toBe(403)
    expect((await member.call("GET", "/v1/webhook-deliveries")).status).toBe(403)
    const again = await owner.client.webhooks.redeliver(first.id)
    expect(again).toMatchObject({ id: first.id, deliveryId: "lost", status: "accepted", redeliveryCount: 1 })
    expect(again.syncEventIds).not.toEqual(first.syncEventIds)
    expect(await ended(owner, again.syncEventIds[0] ?? "")).toMatchObject({ status: "completed", trigger: "webhook" })
    expect(await visibleText(owner)).toBe("# Later\n")
    expect((await key.call("GET", `/v1/webhook-deliveries/${first.id}`)).body.item).toMatchObject({
      redeliveryCount: 1
    })
    const [event] = (await owner.call("GET", "/v1/audit-events?action=webhook.redeliver")).body.items
    expect(event).toMatchObject({ targetId: first.id, actorId: owner.membershipId })
  })

  it("of a repository that is no longer followed are reported as ignored", async () => {
    const { cloneUrl, connected, owner } = await world(still)
    await tell(still, "push", push({ cloneUrl }))
    await owner.client.connectors.remove(connected.instance.id)
    const [listedDelivery] = await deliveries(owner)
    expect(listedDelivery.status).toBe("accepted")
    expect(await owner.client.webhooks.redeliver(listedDelivery.id)).toMatchObject({
      status: "ignored",
      reason: "target_unknown",
      connectorInstanceIds: [],
      syncEventIds: []
    })
  })

  it("are listed newest first, by type and status, in pages", async () => {
    const { cloneUrl, owner } = await world(still)
    for (const branch of ["main", "a", "main", "b"]) await tell(still, "push", push({ cloneUrl, branch }))
    await tell(still, "create", { ref: "main", ref_type: "branch", repository: push({ cloneUrl }).repository })
    const every = await all(owner.client.webhooks.listDeliveries({ limit: 2 }))
    expect(every.map(({ event, ref }) => `${event} ${ref}`)).toEqual([
      "create refs/heads/main",
      "push refs/heads/b",
      "push refs/heads/main",
      "push refs/heads/a",
      "push refs/heads/main"
    ])
    expect(await deliveries(owner, "?event=create")).toHaveLength(1)
    expect(await deliveries(owner, "?status=ignored&event=push")).toHaveLength(2)
    for (const query of ["?event=issues", "?status=queued", "?cursor=nonsense"]) {
      expect((await owner.call("GET", `/v1/webhook-deliveries${query}`)).status).toBe(400)
    }
  })

  it("are deleted after thirty days, together with the receipt", async () => {
    const { cloneUrl, owner } = await world(still)
    await tell(still, "push", push({ cloneUrl }), "old")
    await tell(still, "push", push({ cloneUrl }), "new")
    await runSql(
      still,
      (sql) => sql`UPDATE webhook_deliveries SET received_at = now() - interval '31 days' WHERE delivery_id = 'old'`
    )
    await runSql(
      still,
      (sql) => sql`UPDATE webhook_receipts SET received_at = now() - interval '31 days' WHERE delivery_id = 'old'`
    )
    await runSql(still, sweep)
    expect((await deliveries(owner)).map(({ deliveryId }: { deliveryId: string }) => deliveryId)).toEqual(["new"])
    expect(
      await runSql(
        still,
        (sql) => sql<{ id: string }>`SELECT delivery_id AS id FROM webhook_receipts
        WHERE delivery_id IN ('old', 'new')`
      )
    ).toEqual([{ id: "new" }])
  })
})

it("queues one more sync for a delivery behind a running sync, and never a third", async () => {
  const { cloneUrl, connected, dir, owner } = await world()
  const before = (await syncsOf(owner, connected)).length
  for (let turn = 0; turn < 10; turn += 1) {
    commit(dir, { [text]: `# Turn ${turn}\n` })
    await Promise.all([tell(plane, "push", push({ cloneUrl })), tell(plane, "push", push({ cloneUrl }))])
  }
  await until(
    () => syncsOf(owner, connected),
    (events) => events.every(({ status }) => status !== "queued" && status !== "running")
  )
  expect(await visibleText(owner)).toBe("# Turn 9\n")
  expect((await syncsOf(owner, connected)).length - before).toBeLessThanOrEqual(20)
})
