/** Configuration as code: webhook endpoints and event streams. */
import { describe, expect, it } from "vitest"
import { makeControlPlane, makeKey, makeWorkspace, runSql } from "../harness.ts"
import { type Caller, demanded, exported, type Item, makeTwin, problemsOf, send } from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const planned = async (person: Caller, document: Item, secrets?: Item): Promise<Item> =>
  demanded(await send(person, "plan", document, secrets)).plan
const applied = async (person: Caller, document: Item, secrets?: Item, planDigest?: string): Promise<Item> =>
  demanded(await send(person, "apply", document, secrets, planDigest)).plan
const changesOf = (plan: Item) => {
  expect(plan.problems).toEqual([])
  return plan.changes.map(({ action, fields, key }: Item) =>
    [action, key, ...(action === "update" ? fields.map(({ field }: Item) => field) : [])].join(" ")
  )
}
/** Checks that the document of one organization makes the same document in another one. */
const expectSameInTwin = async (owner: Item, kinds: string, secrets?: Item) => {
  const first = await exported(owner, kinds)
  expect(changesOf(await planned(owner, first))).toEqual([])
  const twin = await makeTwin(plane, owner)
  await applied(twin, first, secrets)
  expect(JSON.stringify(await exported(twin, kinds))).toBe(JSON.stringify(first))
  expect(changesOf(await applied(twin, first, secrets))).toEqual([])
}
const auditOf = async (person: Caller) =>
  demanded(await person.call("GET", "/v1/audit-events?limit=100")).items.map(({ action }: Item) => action)

describe("webhook endpoints in a configuration document", () => {
  const full = {
    key: "siem",
    name: "SIEM",
    url: "https://siem.example/hook",
    types: ["team.*", "plugin.create"],
    permissions: ["teams:read", "plugins:read"],
    ordering: "parallel",
    signature: "ed25519",
    state: "paused"
  }
  const document = (changes: Item = {}) => ({ webhookEndpoints: [{ ...full, ...changes }] })

  it("are planned, created, changed field by field, moved and removed", async () => {
    const owner = await makeWorkspace(plane)
    const plan = await planned(owner, document())
    expect(changesOf(plan)).toEqual(["create siem"])
    expect((await exported(owner)).webhookEndpoints).toEqual([])
    expect(await applied(owner, document(), undefined, plan.planDigest)).toEqual(plan)
    expect(changesOf(await applied(owner, document({ types: ["plugin.create", "team.*", "team.*"] })))).toEqual([])
    const [endpoint] = demanded(await owner.call("GET", "/v1/webhook-endpoints")).items
    expect(endpoint).toMatchObject({ state: "paused", pauseReason: "manual", signature: "ed25519" })
    expect((await exported(owner, "webhookEndpoints")).webhookEndpoints).toEqual([
      { ...full, types: ["plugin.create", "team.*"], permissions: ["plugins:read", "teams:read"] }
    ])
    await expectSameInTwin(owner, "webhookEndpoints")
    const changed = document({ url: "https://other.example", state: "active", permissions: ["teams:read"] })
    const update = await planned(owner, changed)
    expect(update.changes[0].fields).toEqual([
      { field: "state", before: "paused", after: "active" },
      { field: "url", before: "https://siem.example/hook", after: "https://other.example/" },
      { field: "permissions", before: ["plugins:read", "teams:read"], after: ["teams:read"] }
    ])
    expect(await applied(owner, changed, undefined, update.planDigest)).toEqual(update)
    expect(demanded(await owner.call("GET", `/v1/webhook-endpoints/${endpoint.id}`)).item).toMatchObject({
      state: "active",
      url: "https://other.example/"
    })
    const moved = { ...document({ key: "audit" }), moved: [{ kind: "webhookEndpoints", from: "siem", to: "audit" }] }
    expect(
      changesOf(await planned(owner, { ...moved, ...document({ ...changed.webhookEndpoints[0], key: "audit" }) }))
    ).toEqual(["move audit"])
    await applied(owner, moved)
    const none = { webhookEndpoints: [], prune: { webhookEndpoints: true } }
    expect((await send(owner, "apply", none)).body.error).toBe("plan_digest_required")
    const removal = await planned(owner, none)
    expect(changesOf(removal)).toEqual(["delete audit"])
    await applied(owner, none, undefined, removal.planDigest)
    expect(demanded(await owner.call("GET", "/v1/webhook-endpoints")).items).toEqual([])
    expect(await auditOf(owner)).toEqual(
      expect.arrayContaining(
        ["create", "pause", "update", "resume", "remove"].map((verb) => `webhook_endpoint.${verb}`)
      )
    )
  })

  it("keep their signing secret, which is in no export and no plan", async () => {
    const owner = await makeWorkspace(plane)
    const created = await owner.call("POST", "/v1/webhook-endpoints", { name: "SIEM", url: full.url })
    const { id } = created.body.item
    expect(
      demanded(
        await owner.call("POST", "/v1/configuration/adopt", {
          adoptions: [{ kind: "webhookEndpoints", id, key: "siem" }]
        })
      ).adopted
    ).toHaveLength(1)
    const before = await runSql(plane, (sql) => sql`SELECT id FROM webhook_secrets WHERE endpoint_id = ${id}`)
    const plan = await applied(owner, document({ signature: "hmac" }))
    expect(changesOf(plan)).toEqual(["update siem ordering state types permissions"])
    expect(await runSql(plane, (sql) => sql`SELECT id FROM webhook_secrets WHERE endpoint_id = ${id}`)).toEqual(before)
    expect(JSON.stringify([plan, await exported(owner)])).not.toMatch(/whsec_|secret/u)
  })

  it("are active in the document while the server has stopped them, and then also paused by it", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document({ state: "active" }))
    for (const [state, reason] of [
      ["paused", "failing"],
      ["disabled", "gone"]
    ] as const) {
      await runSql(
        plane,
        (sql) => sql`UPDATE webhook_endpoints SET state = ${state}, pause_reason = ${reason}
        WHERE organization_id = ${owner.organizationId}`
      )
      expect(changesOf(await applied(owner, document({ state: "active" })))).toEqual([])
      expect(changesOf(await applied(owner, document()))).toEqual(["update siem state"])
      expect(changesOf(await applied(owner, document()))).toEqual([])
    }
  })

  it("report what is invalid, with its location", async () => {
    const owner = await makeWorkspace(plane)
    expect(await problemsOf(owner, document({ url: "ftp://siem.example" }))).toEqual([
      [
        ["url"],
        "must be an https URL, or an http URL of a host for which the operator allows http, without a user name, a password and a fragment"
      ]
    ])
    expect((await problemsOf(owner, document({ types: ["nothing.*"] })))[0][0]).toEqual(["types"])
    expect(await problemsOf(owner, document({ permissions: ["teams:write"] }))).toEqual([
      [["permissions"], "contains teams:write, which is not a read permission"]
    ])
    await applied(owner, document())
    expect(await problemsOf(owner, document({ signature: "hmac" }))).toEqual([[["signature"], "cannot be changed"]])
    const malformed = await send(owner, "plan", document({ secret: "whsec_x", ordering: "random" }))
    expect([malformed.status, malformed.body.details.map(({ path }: Item) => path.at(-1))]).toEqual([
      400,
      expect.arrayContaining(["secret", "ordering"])
    ])
    expect((await exported(owner)).webhookEndpoints).toHaveLength(1)
  })

  it("require the permissions of their own operations, and those that the endpoint gets", async () => {
    const owner = await makeWorkspace(plane)
    const base = ["organizations:read", "organizations:write", "webhookEndpoints:read", "teams:read", "plugins:read"]
    const reader = await makeKey(plane, owner, base)
    const writer = await makeKey(plane, owner, [...base, "webhookEndpoints:write"])
    expect((await send(await makeKey(plane, owner, base.slice(0, 2)), "plan", document())).body.message).toBe(
      "This requires the permission webhookEndpoints:read."
    )
    expect((await send(reader, "apply", document())).body.message).toBe(
      "This requires the permission webhookEndpoints:write."
    )
    const excess = await send(writer, "apply", document({ permissions: ["members:read"] }))
    expect([excess.status, excess.body.reason]).toEqual([403, "exceeds_own_permissions"])
    await applied(writer, document())
    const none = { webhookEndpoints: [], prune: { webhookEndpoints: true } }
    expect((await send(writer, "plan", none)).body.message).toBe(
      "This requires the permission webhookEndpoints:manage."
    )
    const stranger = await makeWorkspace(plane)
    expect((await exported(stranger)).webhookEndpoints).toEqual([])
  })

  it("are changed elsewhere only as the document allows", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, { ...document({ state: "active" }), managed: { webhookEndpoints: "refuse" } })
    const [{ id }] = demanded(await owner.call("GET", "/v1/webhook-endpoints")).items
    const path = `/v1/webhook-endpoints/${id}`
    const attempts = async () =>
      Promise.all(
        (
          [
            ["PATCH", ""],
            ["POST", "/pause"],
            ["DELETE", ""]
          ] as const
        ).map(async ([method, part]) => {
          const { body, status } = await owner.call(
            method,
            `${path}${part}`,
            method === "DELETE" ? undefined : { name: "X" }
          )
          return [status, body?.reason]
        })
      )
    expect(await attempts()).toEqual(Array.from({ length: 3 }, () => [403, "managed_by_configuration"]))
    // Neither changes what the document describes.
    expect((await owner.call("POST", `${path}/rotate-secret`, {})).status).toBe(200)
    await runSql(
      plane,
      (sql) => sql`UPDATE webhook_endpoints SET state = 'paused', pause_reason = 'failing' WHERE id = ${id}`
    )
    expect((await owner.call("POST", `${path}/resume`, {})).status).toBe(200)
    await applied(owner, { managed: { webhookEndpoints: "warn" } })
    const warned = await owner.call("PATCH", path, { name: "X" })
    expect([warned.status, warned.headers.get("orgplane-warning")]).toEqual([
      200,
      "A configuration document manages webhookEndpoints/siem."
    ])
  })
})

const streams: ReadonlyArray<Item> = [
  {
    key: "lines",
    name: "Lines",
    types: ["team.*"],
    state: "paused",
    destination: "https",
    url: "https://lines.example/in",
    format: "ndjson",
    token: { fromEnvironment: "STREAM_LINES_TOKEN" }
  },
  {
    key: "otel",
    name: "Collector",
    types: [],
    state: "active",
    destination: "otlp",
    url: "https://otel.example/v1/logs",
    headers: { fromEnvironment: "STREAM_OTEL_HEADERS" }
  },
  {
    key: "splunk",
    name: "Splunk",
    types: [],
    state: "active",
    destination: "https",
    url: "https://splunk.example/services/collector",
    format: "splunk_hec",
    token: { fromEnvironment: "STREAM_SPLUNK_TOKEN" }
  },
  {
    key: "store",
    name: "Store",
    types: [],
    state: "active",
    destination: "s3",
    endpoint: "https://s3.example/",
    region: "eu-1",
    bucket: "events",
    prefix: "audit",
    accessKeyId: "AKIA",
    secretAccessKey: { fromEnvironment: "STREAM_STORE_SECRET_ACCESS_KEY" }
  }
]
const secrets = {
  STREAM_LINES_TOKEN: "very-secret-lines",
  STREAM_OTEL_HEADERS: "Authorization: Bearer very-secret-otel\nX-Tenant: acme",
  STREAM_SPLUNK_TOKEN: "very-secret-splunk",
  STREAM_STORE_SECRET_ACCESS_KEY: "very-secret-store"
}

describe("event streams in a configuration document", () => {
  const document = { eventStreams: streams }
  const only = (key: string, changes: Item = {}) => ({
    eventStreams: streams.filter((one) => one.key === key).map((one) => ({ ...one, ...changes }))
  })

  it("are created with their secrets, which appear nowhere, and a second apply changes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const plan = await planned(owner, document, secrets)
    expect(changesOf(plan)).toEqual(["create lines", "create otel", "create splunk", "create store"])
    expect((await exported(owner)).eventStreams).toEqual([])
    expect(await applied(owner, document, secrets, plan.planDigest)).toEqual(plan)
    expect(changesOf(await applied(owner, document, secrets))).toEqual([])
    expect((await exported(owner, "eventStreams")).eventStreams).toEqual(streams)
    const items = demanded(await owner.call("GET", "/v1/event-streams")).items
    expect(items.map(({ hasSecret, state }: Item) => [hasSecret, state])).toEqual(
      streams.toReversed().map(({ state }) => [true, state])
    )
    await expectSameInTwin(owner, "eventStreams", secrets)
    const texts = ["/v1/configuration", "/v1/audit-events?limit=100", "/v1/event-streams", "/v1/events?limit=100"]
    const read = await Promise.all(texts.map(async (path) => (await owner.call("GET", path)).text))
    expect(JSON.stringify([read, plan])).not.toContain("very-secret")
  })

  it("get another secret only if it differs, and need it again for another destination", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document, secrets)
    const again = { ...secrets, STREAM_OTEL_HEADERS: "x-tenant:acme\r\n\r\nauthorization:  Bearer very-secret-otel\n" }
    expect(changesOf(await planned(owner, document, again))).toEqual([])
    const rotated = { ...secrets, STREAM_STORE_SECRET_ACCESS_KEY: "new", STREAM_LINES_TOKEN: "new" }
    expect(changesOf(await applied(owner, document, rotated))).toEqual([
      "update lines token",
      "update store secretAccessKey"
    ])
    expect(changesOf(await applied(owner, document, rotated))).toEqual([])
    expect(changesOf(await applied(owner, only("store", { prefix: "p", region: "eu-2", accessKeyId: "B" })))).toEqual([
      "update store region prefix accessKeyId"
    ])
    const lost = "needs the value of the secret in `secrets`, because the change removes the current secret"
    expect(await problemsOf(owner, only("store", { bucket: "other" }))).toEqual([[["secretAccessKey"], lost]])
    expect(await problemsOf(owner, only("lines", { url: "https://evil.example" }))).toEqual([[["token"], lost]])
    const collector = only("otel").eventStreams[0]
    const changed = { eventStreams: [{ ...collector, key: "lines", name: "Lines" }] }
    expect(changesOf(await applied(owner, changed, { STREAM_OTEL_HEADERS: "A: b" }))).toEqual([
      "update lines state destination url types headers"
    ])
    expect(changesOf(await applied(owner, changed, { STREAM_OTEL_HEADERS: "A: b" }))).toEqual([])
  })

  it("are moved and removed", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, only("lines"), { STREAM_LINES_TOKEN: "a" })
    const moved = { ...only("lines", { key: "rows" }), moved: [{ kind: "eventStreams", from: "lines", to: "rows" }] }
    expect(changesOf(await applied(owner, moved))).toEqual(["move rows"])
    const none = { eventStreams: [], prune: { eventStreams: true } }
    const removal = await planned(owner, none)
    expect(changesOf(removal)).toEqual(["delete rows"])
    await applied(owner, none, undefined, removal.planDigest)
    expect(demanded(await owner.call("GET", "/v1/event-streams")).items).toEqual([])
    expect(await auditOf(owner)).toEqual(
      expect.arrayContaining(["create", "pause", "remove"].map((verb) => `event_stream.${verb}`))
    )
  })

  it("report what is invalid, with its location and without secrets", async () => {
    const owner = await makeWorkspace(plane)
    expect(
      await problemsOf(owner, only("lines", { url: "http://a:b@x.example" }), { STREAM_LINES_TOKEN: "a" })
    ).toEqual([[["url"], expect.stringContaining("must be an https URL, or an http URL of a host")]])
    expect(await problemsOf(owner, only("store", { bucket: "NOPE" }), { STREAM_STORE_SECRET_ACCESS_KEY: "a" })).toEqual(
      [[["bucket"], "must be the name of a bucket"]]
    )
    const { secretAccessKey: _secret, ...bare } = only("store").eventStreams[0]
    expect(await problemsOf(owner, { eventStreams: [bare] })).toEqual([[["secretAccessKey"], "is required"]])
    expect(await problemsOf(owner, only("otel"))).toEqual([[["headers"], "needs the value of the secret in `secrets`"]])
    for (const value of ["very-secret", "A: very-secret\nvery-secret", "A: 1\na: 2"]) {
      expect(await problemsOf(owner, only("otel"), { STREAM_OTEL_HEADERS: value })).toEqual([
        [["headers"], "must have one header on each line, as `Name: value`"]
      ])
    }
    const place = async (changes: Item, key = "lines") => {
      const { body, status } = await send(owner, "plan", only(key, changes))
      return [status, ...body.details.map(({ message, path }: Item) => `${path.at(-1)} ${message}`)]
    }
    expect(await place({ region: "x" })).toEqual([400, "region is not allowed for destination https"])
    expect(await place({ token: "plain" })).toEqual([400, expect.stringContaining("token")])
    expect(await place({ destination: "s3" }, "otel")).toEqual([
      400,
      ...["endpoint", "region", "bucket", "accessKeyId"].map((name) => `${name} is required for destination s3`),
      ...["url", "headers"].map((name) => `${name} is not allowed for destination s3`)
    ])
    expect((await exported(owner)).eventStreams).toEqual([])
  })

  it("require the permissions of their own operations", async () => {
    const owner = await makeWorkspace(plane)
    const base = ["organizations:read", "organizations:write", "eventStreams:read"]
    const token = { STREAM_LINES_TOKEN: "a" }
    const messageOf = async (permissions: ReadonlyArray<string>) =>
      (await send(await makeKey(plane, owner, permissions), "apply", only("lines"), token)).body.message
    expect(await messageOf(base.slice(0, 2))).toBe("This requires the permission eventStreams:read.")
    expect(await messageOf(base)).toBe("This requires the permission eventStreams:write.")
    expect(await messageOf([...base, "eventStreams:write"])).toBe("This requires the permission audit:read.")
    expect((await exported(owner)).eventStreams).toEqual([])
    const writer = await makeKey(plane, owner, [...base, "eventStreams:write", "audit:read"])
    await applied(writer, only("lines"), token)
    const none = { eventStreams: [], prune: { eventStreams: true } }
    expect((await send(writer, "plan", none)).body.message).toBe("This requires the permission eventStreams:manage.")
    expect((await exported(await makeWorkspace(plane))).eventStreams).toEqual([])
  })

  it("are changed elsewhere only as the document allows", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, { ...only("otel"), managed: { eventStreams: "refuse" } }, { STREAM_OTEL_HEADERS: "A: b" })
    const [{ id }] = demanded(await owner.call("GET", "/v1/event-streams")).items
    for (const [method, part] of [
      ["PATCH", ""],
      ["POST", "/pause"],
      ["DELETE", ""]
    ] as const) {
      const { body, status } = await owner.call(
        method,
        `/v1/event-streams/${id}${part}`,
        method === "DELETE" ? undefined : { name: "X" }
      )
      expect([status, body.reason]).toEqual([403, "managed_by_configuration"])
    }
    // A failing stream is active already.
    expect((await owner.call("POST", `/v1/event-streams/${id}/resume`)).status).toBe(200)
  })
})
