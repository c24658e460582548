/**
 * Every change records one audit event in its transaction, and a rejected one records none. Generated from the
 * contract.
 */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { call, makeControlPlane, makeKey, makeWorkspace, rowCounts, runSql, withServices } from "../harness.ts"
import { changeOf, type ChangeRequest, secretsIn, suites } from "../infra/http-changes.ts"
import { anAddress, operations, pathOf } from "../infra/http-world.ts"
import { rowDigests } from "../infra/row-digests.ts"

const plane = await makeControlPlane({
  workers: false,
  logLevel: "none",
  outbound: { allowHttp: true },
  suites: suites.options
})
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

/** All events, also those without an organization, which no operation returns. */
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

const alter = (statement: (sql: typeof SqlDatabase.Service) => Effect.Effect<unknown, unknown>) =>
  withServices(plane, Effect.flatMap(SqlDatabase, statement))

const canary = "canary-7d21"
/** Request bodies with a text in every field that accepts one. */
const withCanary = (body: unknown): unknown => {
  if (body === undefined) return body
  const text = JSON.stringify(body, (key: string, value: unknown) =>
    typeof value === "string" &&
    ["name", "workspaceName", "rawSourceText", "description", "subject", "content"].includes(key)
      ? `${canary} ${value}`
      : key === "email"
        ? `${canary}-${String(value)}`
        : value
  )
  return JSON.parse(text) as unknown
}

/** Except callbacks that only a browser can call with a state: see sso.test.ts. */
const audited = operations.filter(({ access, audited }) => audited !== undefined && access.kind !== "state")
const happened = new Set<string>()

/** The target of operations where neither the path nor the response contains it. */
const targets: Readonly<Record<string, (request: ChangeRequest) => string | null | undefined>> = {
  "sessions.startEmail": () => null,
  "sessions.revokeCurrent": ({ sessionId }) => sessionId,
  "users.update": ({ userId }) => userId,
  "scim.setGroupRole": ({ things }) => things["SCIMGroupId"],
  "scim.approveHold": ({ things }) => things["SCIMHoldId"],
  "scim.rejectHold": ({ things }) => things["SCIMHoldId"],
  "users.remove": ({ userId }) => userId,
  "users.setActiveOrganization": ({ sessionId }) => sessionId,
  "configuration.apply": ({ owner }) => owner.organizationId,
  "configuration.adopt": ({ owner }) => owner.organizationId,
  "configurationSource.set": ({ owner }) => owner.organizationId,
  "configurationSource.remove": ({ owner }) => owner.organizationId,
  "organizations.remove": ({ owner }) => owner.organizationId,
  "members.batch": () => null,
  "invitations.batch": () => null,
  "approvals.updateSettings": ({ owner }) => owner.organizationId,
  "approvals.approve": ({ things }) => things["heldPluginId"],
  "approvals.reject": ({ things }) => things["heldPluginId"],
  "rollouts.updateSettings": ({ owner }) => owner.organizationId,
  "rollouts.withdraw": ({ body }) => (body as { readonly pluginId: string }).pluginId,
  "connectors.approveSync": ({ things }) => things["ConnectorInstanceId"],
  "connectors.rejectSync": ({ things }) => things["ConnectorInstanceId"],
  "connectors.retrySync": ({ things }) => things["ConnectorInstanceId"],
  "invitations.accept": ({ things }) => things["InvitationId"],
  "memory.delete": ({ things }) => things["memoryId"],
  "ssoDomains.verify": () => null,
  "memory.deleteAll": () => null,
  "sso.start": ({ things }) => things["SSOConnectionId"],
  "sso.test": ({ things }) => things["SSOConnectionId"],
  "sso.remove": ({ things }) => things["SSOConnectionId"],
  "capabilities.createMailDraft": () => "suite-a",
  "capabilities.updateCalendarEvent": () => "suite-b",
  "capabilities.startConnect": () => "suite-a",
  "capabilities.completeConnect": () => "suite-a",
  "capabilities.disconnect": () => "suite-a"
}

/** The events of the parts of a change, which precede its own. */
const partsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "members.batch": ["member.update"],
  "invitations.batch": ["invitation.create"],
  "configuration.apply": ["organization.update"]
}

/** Tables that a failed request may change, by operation. */
const spends: Readonly<Record<string, string>> = {
  "sessions.verifyEmail": "sign_in_challenges",
  "capabilities.completeConnect": "oauth_states"
}

/** Adapts a batch request to a single item. */
const onlyOneOf = (body: {
  readonly Operations?: ReadonlyArray<{ readonly location: string; readonly status: string }>
}) => body.Operations?.[0]

const firstId = (body: Record<string, { readonly id?: string } | null>): string | undefined =>
  Object.values(body).find((member) => typeof member?.id === "string")?.id

describe.each(audited.map((operation) => [operation.operationId, operation] as const))("%s", (id, operation) => {
  it("records one event with actor, action, target and request, and none when it is rejected", async () => {
    const request = await changeOf(plane, operation)
    const { actor, owner, things, token } = request
    const isPublic = ["public", "state"].includes(operation.access.kind)
    const before = await rows()
    const response = await call(plane, token, anAddress())(
      operation.method,
      pathOf(operation, things),
      withCanary(request.body),
      { "user-agent": "the audit's test/1.0", "x-request-id": `audit-${id}` }
    )
    const after = await rows()
    const written = after.slice(before.length)
    const each = partsOf[id] ?? []
    expect(written.map(({ action }) => action)).toEqual(response.status < 300 ? [...each, operation.audited] : [])
    const row = written.at(-1)
    if (row === undefined) return
    happened.add(operation.operationId)
    const first = operation.pathParams[0]
    const target =
      targets[id]?.(request) ??
      (first === undefined
        ? response.body?.schemas === undefined
          ? firstId(response.body ?? {})
          : (response.body.id ?? onlyOneOf(response.body)?.location.replace(/^.*\//, ""))
        : things[first.type])
    // The end of a session is an event of the organizations that the session is valid for.
    const isOfNone = ["user", "platform"].includes(operation.access.kind) && operation.group !== "sessions"
    const named = first?.type === "OrganizationId" ? things[first.type] : undefined
    expect(row).toMatchObject({
      organization_id:
        operation.access.kind === "platform"
          ? null
          : (isPublic || isOfNone) && operation.group !== "sso"
            ? (response.body?.organization?.id ?? named ?? null)
            : owner.organizationId,
      actor_kind: isPublic ? "anonymous" : actor.kind,
      actor_id: isPublic ? null : actor.id,
      credential_id: isPublic ? null : actor.credential,
      target_id: id in targets ? targets[id]?.(request) : target,
      request_id: `audit-${id}`,
      address: expect.stringMatching(/^10\./),
      user_agent: "the audit's test/1.0",
      payload_digest: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    for (const { whole } of written) {
      expect(whole).not.toContain(canary)
      for (const secret of secretsIn(request, response.body)) expect(whole).not.toContain(secret)
    }
  })

  it("is rolled back when its audit event cannot be written", async () => {
    const { body, things, token } = await changeOf(plane, operation)
    // An attempt with a code, and the state of a sign-in, are used up regardless of the outcome.
    const spent = spends[id] ?? ""
    await alter((sql) => sql`ALTER TABLE audit_events ADD CONSTRAINT not_now CHECK (false) NOT VALID`)
    const before = { ...(await rowDigests(plane)), [spent]: "" }
    const path = pathOf(operation, things)
    const ask = call(plane, token, anAddress())
    const responses = [
      await ask(operation.method, path, body),
      ...(operation.idempotency === "none" ? [] : [await ask(operation.method, path, body, { "idempotency-key": "a" })])
    ]
    const after = { ...(await rowDigests(plane)), [spent]: "" }
    await alter((sql) => sql`ALTER TABLE audit_events DROP CONSTRAINT not_now`)
    for (const response of responses) {
      const body = onlyOneOf(response.body ?? {}) ?? response.body
      const status = Number(onlyOneOf(response.body ?? {})?.status ?? response.status)
      if (status < 500) expect(status).toBeGreaterThanOrEqual(400)
      else if (status === 500)
        expect(operation.access.kind === "scim" ? body.status : body.error).toBe(
          operation.access.kind === "scim" ? "500" : "internal_error"
        )
    }
    expect(after).toEqual(before)
  })
})

it("covers changes that succeed, not only rejected ones", () => {
  const refused = audited.map(({ operationId }) => operationId).filter((name) => !happened.has(name))
  // These need a repository, a code host, an MCP server, a worker runtime or a signature, which the test does not
  // have.
  expect(refused.sort()).toEqual([
    "connectors.apply",
    "connectors.completeInstall",
    "connectors.createInstance",
    "connectors.createTarget",
    "connectors.rollback",
    "connectors.setCredential",
    "connectors.setup",
    "connectors.startInstall",
    "mcpConnections.callTool",
    "mcpConnections.completeConnect",
    "mcpConnections.startConnect",
    "sso.complete",
    "sso.putOidc",
    "webhooks.codehost",
    "workers.upgradeRuntime"
  ])
})

describe("GET /v1/audit-events", () => {
  it("lists the events of the organization, newest first, filtered by action, actor and target", async () => {
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

  it("returns action names as <resource>.<verb> and filters by this and the stored name", async () => {
    const boss = await makeWorkspace(plane, "Named")
    const team = (await boss.call("POST", "/v1/teams", { name: "Named" })).body.team.id
    const key = await boss.call("POST", "/v1/api-keys", { name: "Named", permissions: [] })
    await boss.call("PUT", `/v1/teams/${team}/members/${boss.membershipId}`)
    const actions = async (query: string) =>
      (await boss.call("GET", `/v1/audit-events?targetId=${query}`)).body.items.map(
        ({ action }: { action: string }) => action
      )
    expect(await actions(team)).toEqual(["team.member.add", "team.create"])
    for (const action of ["team.member.add", "team.add_member"]) {
      expect(await actions(`${team}&action=${action}`)).toEqual(["team.member.add"])
    }
    for (const action of ["api_key.create", "apiKey.create"]) {
      expect(await actions(`${key.body.apiKey.id}&action=${action}`)).toEqual(["api_key.create"])
    }
    const lines = (await boss.call("GET", "/v1/audit-events/export?action=team.add_member")).text.trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(["team.member.add"])
    const stored = await runSql(
      plane,
      (sql) => sql<{ action: string }>`SELECT action FROM audit_events
      WHERE organization_id = ${boss.organizationId} AND target_id = ${team} ORDER BY id`
    )
    expect(stored).toEqual([{ action: "team.create" }, { action: "team.add_member" }])
  })

  it("stores a text as its digest and length", async () => {
    await owner.call("POST", "/v1/plugins", { name: "Fourteen chars" })
    const [event] = (await owner.call("GET", "/v1/audit-events?action=plugin.create&limit=1")).body.items
    expect(event.after.name).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), length: 14 })
  })
})

describe("GET /v1/audit-events/{auditEventId}", () => {
  it("returns an event with all members, as the list does, sealed or not", async () => {
    const boss = await makeWorkspace(plane, "Linked")
    const team = (await boss.call("POST", "/v1/teams", { name: "Linked" })).body.team.id
    const [event] = (await boss.call("GET", `/v1/audit-events?targetId=${team}`)).body.items
    expect(event.sequence).toBeNull()
    expect((await boss.call("GET", `/v1/audit-events/${event.id}`)).body).toEqual({ item: event })
    await withServices(
      plane,
      Effect.flatMap(AuditChain, ({ seal }) => Effect.orDie(seal))
    )
    const sealed = (await boss.call("GET", `/v1/audit-events/${event.id}`)).body.item
    expect(sealed).toEqual({ ...event, sequence: expect.any(Number) })
    expect(await boss.client.audit.get(event.id)).toEqual(sealed)
  })

  it("returns 404 for an event that does not exist and for one of another organization, alike", async () => {
    const boss = await makeWorkspace(plane, "Apart")
    await boss.client.plugins.create({ name: "Apart" })
    const [event] = (await boss.call("GET", "/v1/audit-events?limit=1")).body.items
    const absent = await owner.call("GET", `/v1/audit-events/${event.id.slice(0, -4)}0000`)
    const foreign = await owner.call("GET", `/v1/audit-events/${event.id}`)
    expect([absent.status, absent.body.error]).toEqual([404, "event_not_found"])
    expect([foreign.status, foreign.body]).toEqual([404, absent.body])
    const malformed = await owner.call("GET", "/v1/audit-events/plg_1")
    expect([malformed.status, malformed.body.error]).toEqual([400, "invalid_request"])
  })

  it("requires the permission to read the audit log", async () => {
    const boss = await makeWorkspace(plane, "Guarded")
    await boss.client.plugins.create({ name: "Guarded" })
    const [event] = (await boss.call("GET", "/v1/audit-events?limit=1")).body.items
    const key = await makeKey(plane, boss, ["events:read", "plugins:read"])
    const refused = await key.call("GET", `/v1/audit-events/${event.id}`)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
  })
})

describe("a change whose audit event cannot be written", () => {
  it("is rolled back", async () => {
    await alter(
      (sql) => sql`ALTER TABLE audit_events ADD CONSTRAINT not_now CHECK (action NOT LIKE '%.create') NOT VALID`
    )
    const before = await rowCounts(plane)
    const responses = [
      await owner.call("POST", "/v1/plugins", { name: "Unaudited" }),
      await owner.call("POST", "/v1/plugins", { name: "Unaudited" }, { "idempotency-key": "unaudited" }),
      await owner.call("POST", "/v1/config-objects", { input: { type: "context", rawSourceText: "x" } })
    ]
    expect(responses.map(({ body, status }) => [status, body.error])).toEqual(
      responses.map(() => [500, "internal_error"])
    )
    expect(await rowCounts(plane)).toEqual(before)
    await alter((sql) => sql`ALTER TABLE audit_events DROP CONSTRAINT not_now`)
    const again = await owner.call("POST", "/v1/plugins", { name: "Unaudited" }, { "idempotency-key": "unaudited" })
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null])
  })
})
