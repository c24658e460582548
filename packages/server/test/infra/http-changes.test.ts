/**
 * Every operation that changes something, derived from the contract: by which caller, how often, and on which version.
 */
import { describe, expect, it } from "vitest"
import { call, engine, type TestResponse, makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { changeOf, refusesUnknown, secretsIn, suites } from "./http-changes.ts"
import { anAddress, changes, missing, type Operation, operations, pathOf, idsIn } from "./http-world.ts"
import { rowDigests } from "./row-digests.ts"

const plane = await makeControlPlane({ workers: false, outbound: { allowHttp: true }, suites: suites.options })
const stranger = await makeWorkspace(plane, "Theirs")
const admin = { membershipId: stranger.membershipId, userId: stranger.userId }

const each = (wanted: (operation: Operation) => boolean) =>
  // A browser's callback is not a client's body, and is invalid without its state.
  operations
    .filter((operation) => wanted(operation) && operation.access.kind !== "state")
    .map((operation) => [operation.operationId, operation] as const)

/** There is no repository behind these connectors, and no MCP server. */
const withoutRepository = new Set([
  "sso.putOidc",
  "mcpConnections.callTool",
  "workers.upgradeRuntime",
  "mcpConnections.startConnect",
  "mcpConnections.completeConnect",
  "connectors.setup",
  "connectors.apply",
  "connectors.plan",
  "connectors.createTarget",
  "connectors.rollback",
  "connectors.planRollback",
  "connectors.createInstance",
  "connectors.setCredential",
  "connectors.startInstall",
  "connectors.completeInstall"
])

/** Members of similar systems that name the actor, its organization or its role. */
const pretended = {
  userId: admin.userId,
  user_id: admin.userId,
  organizationId: stranger.organizationId,
  organization_id: stranger.organizationId,
  createdByOrgMembershipId: admin.membershipId,
  createdByUserId: admin.userId,
  actorId: admin.membershipId,
  membershipId: admin.membershipId,
  ownerId: admin.userId,
  isOwner: true,
  isAdmin: true,
  provisional: false,
  hasManagedObjects: false,
  plan: "enterprise",
  sessionId: missing("SessionId")
}
const headers = {
  "x-user-id": admin.userId,
  "x-userid": admin.userId,
  "x-org-id": stranger.organizationId,
  "x-org-membership-id": admin.membershipId,
  "x-created-by": admin.membershipId,
  "x-forwarded-user": admin.userId,
  "x-authenticated-user": admin.userId,
  "x-remote-user": admin.userId,
  "x-impersonate-user": admin.userId,
  "x-role": "owner",
  cookie: `session=${stranger.token}; token=${stranger.token}; organizationId=${stranger.organizationId}`
}

interface Written {
  readonly action: string
  readonly actor_id: string | null
  readonly organization_id: string | null
}

const auditOf = (requestId: string): Promise<ReadonlyArray<Written>> =>
  runSql(
    plane,
    (sql) => sql<Written>`SELECT action, actor_id, organization_id FROM audit_events WHERE request_id = ${requestId}`
  )

/** Everything in the other organization. */
const theirs = () =>
  runSql(
    plane,
    (
      sql
    ) => sql`SELECT (SELECT count(*) FROM audit_events WHERE organization_id = ${stranger.organizationId})::int AS audit,
      (SELECT jsonb_agg(to_jsonb(m) ORDER BY m.id) FROM memberships m WHERE m.user_id = ${stranger.userId}) AS memberships,
      (SELECT to_jsonb(u) FROM users u WHERE u.id = ${stranger.userId}) AS person`
  )

/** The idempotency tests below call all other operations, and the embedded database needs each operation only once. */
const isCalledBelow = ({ idempotency }: Operation) => engine === "pglite" && idempotency !== "none"

describe("the actor is the credential's principal, whatever body, query and headers claim", () => {
  it.each(each((operation) => changes(operation) && !isCalledBelow(operation)))("%s", async (id, operation) => {
    const { actor, body, things, token } = await changeOf(plane, operation)
    const declared = new Set(operation.body?.members.map(({ name }) => name))
    const extra = Object.fromEntries(Object.entries(pretended).filter(([name]) => !declared.has(name)))
    const before = await theirs()
    const response = await call(plane, token, anAddress())(
      operation.method,
      pathOf(
        operation,
        things,
        operation.query.length > 0 ? {} : { userId: admin.userId, organizationId: stranger.organizationId }
      ),
      { ...(body as object | undefined), ...extra },
      { ...headers, "x-request-id": `acting-${id}` }
    )
    for (const { actor_id, organization_id } of await auditOf(`acting-${id}`)) {
      expect([id, actor_id]).toEqual([id, token === undefined ? null : actor.id])
      expect(organization_id).not.toBe(stranger.organizationId)
    }
    for (const theirId of [stranger.organizationId, admin.userId, admin.membershipId]) {
      expect(response.text).not.toContain(theirId)
    }
    expect(await theirs()).toEqual(before)
    // Claims do not authenticate a caller without a credential.
    if (token === undefined) return
    const nobody = await call(plane, undefined, anAddress())(
      operation.method,
      pathOf(operation, things),
      { ...extra },
      headers
    )
    expect([id, nobody.status]).toEqual([id, 401])
  })
})

// An invalid body is rejected before the first statement.
describe.runIf(engine === "postgres")("an invalid body is rejected with its path, and changes nothing", () => {
  it.each(each(({ body }) => body !== null))("%s", async (id, operation) => {
    const { body, things, token } = await changeOf(plane, operation)
    const good = body as Record<string, unknown>
    const ask = (sent: unknown, more: Record<string, string> = {}) =>
      call(plane, token, anAddress())(operation.method, pathOf(operation, things), sent, more)
    const before = await rowDigests(plane)
    const whole = JSON.stringify(good)
    for (const text of ["", "{", "null", "[]", "true", "1", '"x"', whole.slice(0, -1), `${whole}]`]) {
      const response = await ask(text)
      expect([id, text, response.status, response.body.error]).toEqual([id, text, 400, "invalid_request"])
    }
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml", "nonsense"]) {
      expect([id, type, (await ask(whole, { "content-type": type })).status]).toEqual([id, type, 400])
    }
    for (const member of operation.body?.members ?? []) {
      const bad =
        member.kind === "string"
          ? ["a\u0000b", "a\ud800b", "x".repeat(210_000), 1, {}, []]
          : ["nonsense", ...(member.kind === "json" ? [] : [{ nothing: 1 }])]
      for (const value of bad) {
        const response = await ask({ ...good, [member.name]: value })
        expect([id, member.name, response.status]).toEqual([id, member.name, 400])
        // For a union, the kind of the body is checked first.
        const [slot, name = member.name] = response.body.details[0].path
        expect([slot, name]).toEqual(["body", member.name])
      }
    }
    expect(await rowDigests(plane)).toEqual(before)
    // Unknown members are ignored, regardless of their depth and names.
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const odd = await ask(`{"__proto__":{"isAdmin":true},"deep":${deep},${whole.slice(1)}`.replace(",}", "}"))
    expect([id, odd.status < 500 || withoutRepository.has(id)]).toEqual([id, true])
    expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined()
  })
})

const honored = each(({ idempotency }) => idempotency !== "none")
/** The embedded database has one connection, so more requests only wait longer. */
const timesMax = engine === "postgres" ? 50 : 10
/** Ten emails per hour are sent to one address, whatever requests them. */
const timesOf = ({ operationId }: Operation) => (operationId.startsWith("invitations.") ? 8 : timesMax)
/** A replay gets the stored response although the object is deleted: so the key is checked first. */
const outlived = new Set(["connectors.remove", "connectors.disconnectAccount"])

describe("concurrent requests with one idempotency key have the effect of one", () => {
  it.each(honored)("%s", async (id, operation) => {
    const request = await changeOf(plane, operation)
    const ask = (key = "raced") =>
      call(plane, request.token, anAddress())(operation.method, pathOf(operation, request.things), request.body, {
        "idempotency-key": key,
        "x-request-id": `raced-${id}`
      })
    const responses = await Promise.all(Array.from({ length: timesOf(operation) }, () => ask()))
    const later = await ask()
    const isDone = ({ status }: TestResponse) => status < 300
    const refused = [...responses, later].filter((response) => !isDone(response)).map(({ body }) => String(body.error))
    if (withoutRepository.has(id)) return
    expect(responses.filter(isDone).length).toBeGreaterThan(0)
    const [first] = responses.filter(isDone)
    const isFact = operation.idempotency === "fact" || operation.holdsSecret
    const written = (await auditOf(`raced-${id}`)).filter(({ action }) => action === operation.audited)
    expect([id, written.length]).toEqual([id, 1])
    expect(new Set(responses.filter(isDone).map(({ text }) => text)).size).toBe(1)
    if (isFact) {
      expect(responses.filter(isDone)).toHaveLength(1)
      expect(
        refused.filter((error) => !["idempotency_key_in_use", "idempotency_key_completed"].includes(error))
      ).toEqual([])
      expect([later.status, later.body.error]).toEqual([409, "idempotency_key_completed"])
      for (const secret of secretsIn({ ...request, secrets: [] }, first?.body)) {
        expect(later.text).not.toContain(secret)
        const rows = await runSql(
          plane,
          (sql) => sql<{ kept: string }>`SELECT to_jsonb(k)::text AS kept FROM idempotency_keys k`
        )
        expect(rows.filter(({ kept }) => kept.includes(secret))).toEqual([])
      }
    } else {
      expect(refused.filter((error) => error !== "idempotency_key_in_use")).toEqual([])
      expect([later.text, later.headers.get("idempotent-replayed")]).toEqual([first?.text, "true"])
    }
  })
})

describe("an idempotency key of another request is rejected, after objects that the caller cannot see", () => {
  it.each(honored)("%s", async (id, operation) => {
    const { body, things, token } = await changeOf(plane, operation)
    const ask = (ids: typeof things, more: object = {}) =>
      call(plane, token, anAddress())(
        operation.method,
        pathOf(operation, ids),
        operation.body === null ? undefined : { ...(body as object), ...more },
        { "idempotency-key": "stood" }
      )
    await ask(things)
    if (withoutRepository.has(id)) return
    const [first] = idsIn(operation)
    if (first !== undefined && !outlived.has(id)) {
      const missingResponse = await ask({ ...things, [first.type]: missing(first.type) })
      expect([id, missingResponse.status]).toEqual([id, 404])
    }
    if (operation.body !== null && id !== "organizations.transferOwnership") {
      const other = await ask(things, refusesUnknown.has(id) ? { document: { version: 1 } } : { unknown: true })
      expect([id, other.status, other.body.error]).toEqual([id, 409, "idempotency_key_reused"])
    }
  })
})

const isReadOf = (read: Operation, { path }: Operation) => read.method === "GET" && read.versioned && read.path === path

describe("one of two concurrent writers with the same version is rejected", () => {
  // A provider is contacted before it is stored: sso.test.ts tests it with one.
  const isHere = ({ operationId }: Operation) => operationId !== "sso.putOidc"
  it.each(each((operation) => operation.versioned && operation.method !== "GET" && isHere(operation)))(
    "%s",
    async (id, operation) => {
      const { body, things, token } = await changeOf(plane, operation)
      const ask = (tag: string) =>
        call(plane, token, anAddress())(operation.method, pathOf(operation, things), body, { "if-match": tag })
      for (const tag of ['"0"', "nonsense", 'W/"1"']) {
        const stale = await ask(tag)
        expect([id, tag, stale.status, stale.body?.error]).toEqual([id, tag, 412, "precondition_failed"])
      }
      const responses = await Promise.all([ask('"1"'), ask('"1"'), ask('"1"')])
      const [done, ...others] = responses.map(({ status }) => status).sort((a, b) => a - b)
      expect([200, 204]).toContain(done)
      // A removed object does not exist for the second writer, and neither does a person who signed in with it.
      const second = operation.method === "DELETE" ? [404, 412] : [412]
      expect(others.filter((status) => !second.includes(status))).toEqual([])
    }
  )
})

describe("the version for a write is in the response of the read", () => {
  const writes = each(
    (operation) =>
      operation.versioned && operation.method !== "GET" && operations.some((read) => isReadOf(read, operation))
  )
  it("for every resource that can be read", () => {
    const withoutRead = each((operation) => operation.versioned && ["PATCH", "DELETE"].includes(operation.method))
      .filter(([, operation]) => !operations.some((read) => isReadOf(read, operation)))
      .map(([id]) => id)
    expect(withoutRead).toEqual([])
  })

  it.each(writes)("%s", async (id, operation) => {
    const { body, things, token } = await changeOf(plane, operation)
    const ask = call(plane, token, anAddress())
    const read = await ask("GET", pathOf(operation, things))
    const tag = read.headers.get("etag") ?? ""
    expect([id, read.status, tag]).toEqual([id, 200, expect.stringMatching(/^"\d+"$/)])
    const revalidated = await ask("GET", pathOf(operation, things), undefined, { "if-none-match": tag })
    const { revalidates } = operations.find((one) => isReadOf(one, operation)) ?? {}
    expect([id, revalidated.status]).toEqual([id, revalidates === true ? 304 : 200])
    const written = await ask(operation.method, pathOf(operation, things), body, { "if-match": tag })
    expect([id, written.status]).toEqual([id, operation.method === "DELETE" ? 204 : 200])
  })
})
