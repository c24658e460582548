/** Members that an operation does not declare, and updates without members, for every operation of the contract. */
import { limitingMembers } from "@orgplane/schema/shared/endpoint"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { call, makeControlPlane, makeScimToken, makeWorkspace, runSql } from "../harness.ts"
import { changeOf, refusesUnknown, suites } from "./http-changes.ts"
import { anAddress, makeThings, type Operation, operations, pathOf } from "./http-world.ts"
import { rowDigests } from "./row-digests.ts"

const plane = await makeControlPlane({ workers: false, outbound: { allowHttp: true }, suites: suites.options })

const each = (wanted: (operation: Operation) => boolean) =>
  operations.filter(wanted).map((operation) => [operation.operationId, operation] as const)

/** Signed by their senders, or read by a protocol of its own. */
const isJson = ({ access, body, operationId }: Operation) =>
  body?.contentType === "application/json" &&
  !["signature", "state", "scim"].includes(access.kind) &&
  // Events may have any members, and the upgrade of a runtime is what the runtime accepts.
  !["telemetry.ingest", "workers.upgradeRuntime"].includes(operationId) &&
  !refusesUnknown.has(operationId)

const warningOf = ({ headers }: { readonly headers: Headers }) => headers.get("orgplane-warning")

describe("a body with an unknown member", () => {
  it.each(each(isJson))(
    "is handled, refused with Prefer, or refused for what it would limit: %s",
    async (id, operation) => {
      const { body, things, token } = await changeOf(plane, operation)
      const send = (more: object, prefer?: string) =>
        call(plane, token, anAddress())(
          operation.method,
          pathOf(operation, things),
          { ...(body as object), ...more },
          prefer === undefined ? {} : { prefer }
        )
      const before = await rowDigests(plane)
      const strict = await send({ zzUnknown: 1 }, "respond-async, handling=strict")
      expect([id, strict.status, strict.body.details]).toEqual([
        id,
        400,
        [{ path: ["body", "zzUnknown"], message: "is not a field of this request" }]
      ])
      expect(strict.headers.get("preference-applied")).toBe("handling=strict")
      const declared = new Set(operation.body?.members.map(({ name }) => name))
      for (const name of limitingMembers) {
        if (declared.has(name)) continue
        const limited = await send({ [name]: "2030-01-01T00:00:00.000Z" })
        expect([id, limited.status, limited.body.details]).toEqual([
          id,
          400,
          [{ path: ["body", name], message: "is not a field of this request" }]
        ])
      }
      expect(await rowDigests(plane)).toEqual(before)
      const lenient = await send({ zzUnknown: 1 })
      expect([id, warningOf(lenient)]).toEqual([id, "Unknown fields were ignored: body.zzUnknown"])
    }
  )
})

describe("a document with an unknown member", () => {
  it.each(each(({ operationId }) => refusesUnknown.has(operationId)))("is refused: %s", async (id, operation) => {
    const { body, token } = await changeOf(plane, operation)
    const send = (sent: unknown) => call(plane, token, anAddress())(operation.method, operation.path, sent)
    const before = await rowDigests(plane)
    const { document } = body as { readonly document: object }
    for (const [sent, path] of [
      [{ document, zzUnknown: 1 }, ["zzUnknown"]],
      [{ document: { ...document, zzUnknown: 1 } }, ["document", "zzUnknown"]],
      [{ document: { version: 1, organization: { zzUnknown: 1 } } }, ["document", "organization", "zzUnknown"]]
    ] as const) {
      const refused = await send(sent)
      const details = [{ path: ["body", ...path], message: "is not a known field" }]
      expect([id, refused.status, refused.body.details]).toEqual([id, 400, details])
    }
    expect(await rowDigests(plane)).toEqual(before)
  })
})

describe("a query with an unknown parameter", () => {
  const reads = each(
    ({ access, method, operationId }) =>
      method === "GET" &&
      [
        "permission",
        "permissionOrPlatform",
        "session",
        "member",
        "memberOrWorker",
        "sessionOrWorker",
        "user",
        "owner"
      ].includes(access.kind) &&
      !operationId.startsWith("scimProtocol.")
  )
  it("is checked for enough operations", () => expect(reads.length).toBeGreaterThan(80))

  it("gets a warning, is refused with Prefer, and is refused for what it would limit", async () => {
    const owner = await makeWorkspace(plane)
    const things = await makeThings(plane, owner)
    const unchecked: Array<string> = []
    for (const [id, operation] of reads) {
      const path = pathOf(operation, things)
      const join = path.includes("?") ? "&" : "?"
      const get = (query: string, headers: Record<string, string> = {}) =>
        call(plane, owner.token, anAddress())("GET", `${path}${join}${query}`, undefined, headers)
      const lenient = await get("zzUnknown=1")
      if (lenient.status === 400) continue
      if (warningOf(lenient) === null) {
        unchecked.push(id)
        continue
      }
      expect([id, warningOf(lenient)]).toEqual([id, "Unknown fields were ignored: query.zzUnknown"])
      const strict = await get("zzUnknown=1", { prefer: 'handling="strict"' })
      expect([id, strict.status]).toEqual([id, 400])
      expect(strict.body.details).toEqual([{ path: ["query", "zzUnknown"], message: "is not a field of this request" }])
      if (operation.query.some(({ name }) => name === "asOf")) continue
      expect([id, (await get("asOf=2026-01-01")).status]).toEqual([id, 400])
    }
    expect(unchecked).toEqual([])
  })
})

describe("unknown members", () => {
  it("are reported with their place in nested objects and arrays, cut and encoded, at most ten", async () => {
    const owner = await makeWorkspace(plane)
    const create = async (more: object) =>
      warningOf(await owner.call("POST", "/v1/plugins", { name: "Reviewer", ...more }))
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown${index}`, 1]))
    expect((await create(many))?.split(", ")).toHaveLength(10)
    expect(await create({ "a\r\nset-cookie: x": 1 })).toBe("Unknown fields were ignored: body.a%0D%0Aset-cookie%3A%20x")
    expect(await create({ ["é".repeat(100)]: 1 })).toBe(
      `Unknown fields were ignored: body.${encodeURIComponent("é".repeat(64))}`
    )
    const memory = await owner.call("POST", "/v1/memory", {
      content: "Likes tea",
      contexts: [
        { snippet: "a", sesionId: "a" },
        { snippet: "b", sesionId: "b" }
      ]
    })
    expect(warningOf(memory)).toBe("Unknown fields were ignored: body.contexts.0.sesionId, body.contexts.1.sesionId")
  })

  it("are reported when the cut falls within a character", async () => {
    const name = `${"a".repeat(63)}😀`
    const owner = await makeWorkspace(plane)
    const cut = `${"a".repeat(63)}%EF%BF%BD`
    const created = await owner.call("POST", "/v1/plugins", { name: "Reviewer", [name]: 1 })
    expect([created.status, warningOf(created)]).toEqual([201, `Unknown fields were ignored: body.${cut}`])
    const listed = await owner.call("GET", `/v1/plugins?${encodeURIComponent(name)}=1`)
    expect([listed.status, warningOf(listed)]).toEqual([200, `Unknown fields were ignored: query.${cut}`])
    expect((await call(plane)("GET", `/v1/health?${encodeURIComponent(name)}=1`)).status).toBe(200)
  })

  it("are rejected if they would limit the effect of the request, even after many others", async () => {
    const owner = await makeWorkspace(plane)
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown${index}`, "1"]))
    const before = await rowDigests(plane)
    const created = await owner.call("POST", "/v1/api-keys", {
      name: "A key",
      permissions: ["plugins:read"],
      ...many,
      expiresIn: 60
    })
    expect([created.status, created.body.details]).toEqual([
      400,
      [{ path: ["body", "expiresIn"], message: "is not a field of this request" }]
    ])
    const query = new URLSearchParams({ ...many, dryRun: "true" }).toString()
    expect((await owner.call("GET", `/v1/plugins?${query}`)).status).toBe(400)
    expect(await rowDigests(plane)).toEqual(before)
  })

  it("are ignored in silence where the specification says so", async () => {
    const owner = await makeWorkspace(plane)
    const memory = await owner.call("POST", "/v1/memory", { content: "Likes tea", scope: "team", source: "web" })
    expect([memory.status, warningOf(memory)]).toEqual([201, null])
    const events = [{ type: "session.started", timestamp: new Date().toISOString(), source: "cli", nonsense: 1 }]
    const ingest = await owner.call("POST", "/v1/telemetry/ingest", { events, more: 1 })
    expect([ingest.status, warningOf(ingest)]).toEqual([204, null])
  })
})

describe("PATCH with an empty object", () => {
  const updates = each(
    ({ access, method, operationId }) =>
      method === "PATCH" && access.kind !== "scim" && !operationId.startsWith("scimProtocol.")
  )
  it.each(updates.filter(([, { body }]) => body?.members.every(({ optional }) => optional)))(
    "returns the resource and changes nothing but the audit log: %s",
    async (id, operation) => {
      const { things, token } = await changeOf(plane, operation)
      const send = call(plane, token, anAddress())
      const { audit_events: _, ...before } = await rowDigests(plane)
      const response = await send("PATCH", pathOf(operation, things), {})
      expect([id, response.status]).toEqual([id, 200])
      const { audit_events: __, ...after } = await rowDigests(plane)
      expect(after).toEqual(before)
    }
  )

  it.each(updates.filter(([, { body }]) => body?.members.some(({ optional }) => !optional)))(
    "is refused where a member is required: %s",
    async (id, operation) => {
      const { things, token } = await changeOf(plane, operation)
      const before = await rowDigests(plane)
      const response = await call(plane, token, anAddress())("PATCH", pathOf(operation, things), {})
      expect([id, response.status]).toEqual([id, 400])
      expect(response.body.details[0].message).toMatch(/^is required$|^must be /u)
      expect(await rowDigests(plane)).toEqual(before)
    }
  )

  it("returns resources that a connector or SCIM manages, and rejects changes to them", async () => {
    const owner = await makeWorkspace(plane)
    const { ConnectorMappingId, ConnectorTargetId, MarketplaceId, PluginId } = await makeThings(plane, owner)
    // As if they were imported from the repository.
    await runSql(plane, (sql) =>
      Effect.all([
        sql`UPDATE plugins SET connector_target_id = ${ConnectorTargetId} WHERE id = ${PluginId}`,
        sql`UPDATE marketplaces SET connector_target_id = ${ConnectorTargetId} WHERE id = ${MarketplaceId}`,
        sql`UPDATE connector_mappings SET config_json = ${sql.json({ candidateKey: "plugin" })}
          WHERE id = ${ConnectorMappingId}`
      ])
    )
    const directory = await makeScimToken(plane, owner)
    const group = await directory.call(
      "POST",
      "/v1/scim/v2/Groups",
      { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "Reviewers" },
      { "content-type": "application/scim+json" }
    )
    expect(group.status).toBe(201)
    for (const [path, change, reason] of [
      [`/v1/plugins/${PluginId}`, { name: "Another" }, "managed_by_connector"],
      [`/v1/marketplaces/${MarketplaceId}`, { name: "Another" }, "managed_by_connector"],
      [`/v1/connector-mappings/${ConnectorMappingId}`, { selector: "skills" }, "managed_by_connector"],
      [`/v1/teams/${group.body.id}`, { name: "Another" }, "managed_by_scim"]
    ] as const) {
      const { audit_events: _, ...before } = await rowDigests(plane)
      const empty = await owner.call("PATCH", path, {})
      expect([path, empty.status]).toEqual([path, 200])
      const changed = await owner.call("PATCH", path, change)
      expect([path, changed.status, changed.body.reason]).toEqual([path, 403, reason])
      const { audit_events: __, ...after } = await rowDigests(plane)
      expect(after).toEqual(before)
    }
  })
})
