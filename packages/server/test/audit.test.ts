/** Every change leaves one row, written with it; nothing that did not happen leaves any. Made from the contract. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { SqlDatabase } from "../src/sql/client.ts"
import { call, makeControlPlane, makeWorkspace, rowCounts, signIn, withServices } from "./harness.ts"
import { anAddress, bodyOf, makeThings, operations, pathOf } from "./http-world.ts"

const plane = await makeControlPlane({ workers: false, logLevel: "none" })
const owner = await makeWorkspace(plane)

interface Row {
  readonly id: string
  readonly action: string
  readonly organization_id: string | null
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly credential_id: string | null
  readonly target_id: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly payload_digest: string | null
  readonly whole: string
}

/** All rows, those of no organization too, which no operation shows. */
const rows = (): Promise<ReadonlyArray<Row>> =>
  withServices(
    plane,
    Effect.flatMap(
      SqlDatabase,
      (sql) => sql<Row>`SELECT id, action, organization_id, actor_kind, actor_id, credential_id, target_id, request_id,
          address, user_agent, payload_digest, audit_events::text AS whole
        FROM audit_events ORDER BY id`
    )
  )

const canary = "canary-7d21"
/** Bodies with a text in each place that takes one. */
const withCanary = (body: unknown): unknown => {
  if (body === undefined) return body
  const text = JSON.stringify(body, (key: string, value: unknown) =>
    typeof value === "string" && ["name", "workspaceName", "rawSourceText", "description"].includes(key)
      ? `${canary} ${value}`
      : value
  )
  return JSON.parse(text) as unknown
}

const audited = operations.filter(({ audited }) => audited !== undefined)

describe.each(audited.map((operation) => [operation.operationId, operation] as const))("%s", (_, operation) => {
  it("leaves one row with who, what, where and how, and none when it is refused", async () => {
    const things = await makeThings(plane, owner)
    // What ends a session needs one to end.
    const session = await signIn(plane, owner.userId, owner.organizationId)
    const isPublic = operation.access.kind === "public"
    const before = await rows()
    const answer = await call(plane, isPublic ? undefined : session.token, anAddress())(
      operation.method,
      pathOf(operation, things),
      withCanary(bodyOf(operation, things, plane)),
      { "user-agent": "the audit's test/1.0", "x-request-id": `audit-${operation.operationId}` }
    )
    const after = await rows()
    const written = after.slice(before.length)
    expect(written.map(({ action }) => action)).toEqual(answer.status < 300 ? [operation.audited] : [])
    const [row] = written
    if (row === undefined) return
    const first = operation.pathParams[0]
    const target =
      first === undefined ? (answer.body?.item?.id ?? answer.body?.organization?.id ?? session.id) : things[first.type]
    const isPersonal = operation.access.kind === "user"
    expect(row).toMatchObject({
      organization_id: isPublic ? answer.body.organization.id : isPersonal ? null : owner.organizationId,
      actor_kind: isPublic ? "anonymous" : "session",
      actor_id: isPublic ? null : isPersonal ? owner.userId : owner.membershipId,
      credential_id: isPublic ? null : session.id,
      target_id: target,
      request_id: `audit-${operation.operationId}`,
      address: expect.stringMatching(/^10\./),
      user_agent: "the audit's test/1.0",
      payload_digest: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    expect(row.whole).not.toContain(canary)
    expect(row.whole).not.toContain(session.token)
    if (answer.body?.session !== undefined) expect(row.whole).not.toContain(answer.body.session.token)
  })
})

it("covers changes that happen, not only such as are refused", () => {
  const happen = audited.filter(({ group }) => group !== "connectors").length
  expect(happen).toBeGreaterThan(8)
})

describe("GET /v1/audit-events", () => {
  it("answers what happened in the organization, newest first, by action, actor and target", async () => {
    const boss = await makeWorkspace(plane, "Audited")
    const plugin = await boss.client.plugins.create({ name: "Audited" })
    const grant = await boss.call("POST", `/v1/plugins/${plugin.id}/access`, { orgWide: true, role: "viewer" })
    await boss.call("DELETE", `/v1/plugins/${plugin.id}/access/${grant.body.item.id}`)
    const actions = async (query: string) =>
      (await boss.call("GET", `/v1/audit-events?${query}`)).body.items.map(({ action }: { action: string }) => action)
    expect(await actions("")).toEqual(["plugin.revoke", "plugin.grant", "plugin.create"])
    expect(await actions("action=plugin.grant")).toEqual(["plugin.grant"])
    expect(await actions(`actorId=${boss.membershipId}`)).toHaveLength(3)
    expect(await actions(`targetId=${plugin.id}&action=plugin.create`)).toEqual(["plugin.create"])
    expect(await actions("actorId=nobody")).toEqual([])
    const [event] = (await boss.call("GET", "/v1/audit-events?action=plugin.grant")).body.items
    expect(event).toMatchObject({
      organizationId: boss.organizationId,
      actorKind: "session",
      actorId: boss.membershipId,
      targetId: plugin.id,
      after: { grantId: grant.body.item.id, role: "viewer" }
    })
    expect((await owner.call("GET", `/v1/audit-events?targetId=${plugin.id}`)).body.items).toEqual([])
  })

  it("keeps a text as its digest and length", async () => {
    await owner.call("POST", "/v1/plugins", { name: "Fourteen chars" })
    const [event] = (await owner.call("GET", "/v1/audit-events?action=plugin.create&limit=1")).body.items
    expect(event.after.name).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), length: 14 })
  })
})

describe("a change whose audit cannot be written", () => {
  it("does not happen", async () => {
    const alter = (statement: (sql: typeof SqlDatabase.Service) => Effect.Effect<unknown, unknown>) =>
      withServices(plane, Effect.flatMap(SqlDatabase, statement))
    await alter(
      (sql) => sql`ALTER TABLE audit_events ADD CONSTRAINT not_now CHECK (action NOT LIKE '%.create') NOT VALID`
    )
    const before = await rowCounts(plane)
    const answers = [
      await owner.call("POST", "/v1/plugins", { name: "Unaudited" }),
      await owner.call("POST", "/v1/plugins", { name: "Unaudited" }, { "idempotency-key": "unaudited" }),
      await owner.call("POST", "/v1/config-objects", { input: { type: "skill", rawSourceText: "x" } })
    ]
    expect(answers.map(({ body, status }) => [status, body.error])).toEqual(answers.map(() => [500, "internal_error"]))
    expect(await rowCounts(plane)).toEqual(before)
    await alter((sql) => sql`ALTER TABLE audit_events DROP CONSTRAINT not_now`)
    const again = await owner.call("POST", "/v1/plugins", { name: "Unaudited" }, { "idempotency-key": "unaudited" })
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null])
  })
})
