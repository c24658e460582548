import { createServer } from "node:http"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  runSql,
  withServices
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Strangers")

/** Text that does not compress. */
const unlike = (length: number) =>
  Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join("")

let nameCount = 0
const name = () => `Connection ${(nameCount += 1)}`
const path = "/v1/mcp-connections"
const create = async (more: object = {}, person: Pick<typeof owner, "call"> = owner) => {
  const input = { name: name(), url: "https://mcp.example/mcp", authType: "oauth", ...more }
  const result = await person.call("POST", path, input)
  if (result.status !== 201) throw new Error(result.text)
  return result.body.mcpConnection
}
const credentials = (id: string) =>
  runSql(
    plane,
    (sql) => sql<{ membership_id: string }>`SELECT membership_id FROM oauth_credentials WHERE subject_id = ${id}`
  )
/** A credential as a sign-in stores it; no test opens it. */
const putCredential = (organizationId: string, id: string, membershipId: string, status = "ready") =>
  runSql(
    plane,
    (sql) => sql`INSERT INTO oauth_credentials (organization_id, purpose, subject_id, membership_id, kind, status,
        status_reason, client_id, registration, key_id, nonce, ciphertext, created_at, updated_at)
      VALUES (${organizationId}, 'mcp', ${id}, ${membershipId}, 'oauth', ${status},
        ${status === "ready" ? null : "It was revoked."}, 'dynamic-client', 'dynamic', 'k', 'x', 'x', now(), now())`
  )

describe("POST /v1/mcp-connections", () => {
  it("creates a private connection and fills in defaults", async () => {
    const member = await addMember(plane, owner, "member")
    const oauth = await create({
      scopes: ["a", "b", "a"],
      oauthClient: { clientId: "c", clientSecret: "hidden-secret" }
    })
    expect(oauth).toMatchObject({
      organizationId: owner.organizationId,
      presetId: null,
      credentialMode: "per_member",
      status: "not_connected",
      connectedForMe: false,
      scopes: ["a", "b"],
      oauthClient: { clientId: "c", registration: "pre_registered", hasSecret: true },
      apiKeyHeader: null,
      apiKeyScheme: null,
      fingerprint: null,
      createdByOrgMembershipId: owner.membershipId
    })
    expect(await create({ authType: "apikey" })).toMatchObject({
      credentialMode: "shared",
      apiKeyHeader: "authorization",
      apiKeyScheme: "Bearer"
    })
    expect(await create({ authType: "apikey", apiKeyHeader: "X-Api-Key" })).toMatchObject({
      apiKeyHeader: "x-api-key",
      apiKeyScheme: null
    })
    expect(await create({ authType: "none" })).toMatchObject({ status: "ready", connectedForMe: true })
    expect(await create({ presetId: "linear" })).toMatchObject({ presetId: "linear" })
    expect((await member.call("GET", `${path}/${oauth.id}`)).body.error).toBe("connection_not_found")
    expect((await member.call("GET", path)).body.items).toEqual([])
    const stored = await runSql(plane, (sql) => sql`SELECT to_jsonb(s)::text AS row FROM sealed_values s`)
    expect(JSON.stringify([stored, oauth])).not.toContain("hidden-secret")
  })

  it("returns 409 for a name in use in any case; the name of a removed connection is free", async () => {
    const first = await create({ name: "Taken" })
    const again = await owner.call("POST", path, { name: "tAKEN", url: "https://a.example", authType: "none" })
    expect([again.status, again.body.error]).toEqual([409, "mcp_connection_exists"])
    await create({ name: "Taken" }, stranger)
    expect((await owner.call("DELETE", `${path}/${first.id}`)).status).toBe(204)
    await create({ name: "Taken" })
  })

  it.each([
    [{ url: "ftp://a.example" }, "url"],
    [{ url: "https://u:p@a.example" }, "url"],
    // Nine times as long in percent-encoding.
    [{ url: `https://a.example/${unlike(2000)}` }, "url"],
    [{ name: "" }, "name"],
    [{ authType: "basic" }, "authType"],
    [{ authType: "none", credentialMode: "per_member" }, "credentialMode"],
    [{ authType: "none", scopes: ["a"] }, "scopes"],
    [{ authType: "apikey", oauthClient: { clientId: "c" } }, "oauthClient"],
    [{ presetId: "nobody-knows-it" }, "presetId"],
    [{ apiKeyHeader: "x-key" }, "apiKeyHeader"],
    [{ authType: "apikey", apiKeyHeader: "cookie" }, "apiKeyHeader"],
    [{ authType: "none", apiKeyScheme: "Bearer" }, "apiKeyScheme"]
  ])("rejects %j with 400 at the member", async (more, member) => {
    const before = (await owner.call("GET", path)).text
    const result = await owner.call("POST", path, {
      name: name(),
      url: "https://a.example",
      authType: "oauth",
      ...more
    })
    expect([result.status, result.body.details[0].path.slice(0, 2)]).toEqual([400, ["body", member]])
    expect((await owner.call("GET", path)).text).toBe(before)
  })
})

describe("GET /v1/mcp-connections", () => {
  it("pages through visible connections, newest first, and searches by part of the name", async () => {
    const workspace = await makeWorkspace(plane, "Listed")
    const viewer = await addMember(plane, workspace, "member")
    const team = await makeTeam(workspace, [viewer], "Seers")
    const ids: Array<string> = []
    for (const word of ["Alpha", "Beta", "Alphabet"]) ids.unshift((await create({ name: word }, workspace)).id)
    await workspace.call("POST", `${path}/${ids[0]}/access`, { teamId: team, role: "viewer" })
    await workspace.call("POST", `${path}/${ids[2]}/access`, { orgWide: true, role: "viewer" })
    const idsOf = async (query: string, person = workspace) =>
      (await person.call("GET", `${path}?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await idsOf("")).toEqual(ids)
    expect(await idsOf("q=alpHA")).toEqual([ids[0], ids[2]])
    expect(await idsOf("", viewer)).toEqual([ids[0], ids[2]])
    const { nextCursor } = (await workspace.call("GET", `${path}?limit=1`)).body
    expect(await idsOf(`limit=1&cursor=${nextCursor}`)).toEqual([ids[1]])
    await workspace.call("DELETE", `/v1/teams/${team}`)
    expect(await idsOf("", viewer)).toEqual([ids[2]])
    await workspace.call("DELETE", `/v1/members/${viewer.membershipId}`)
    expect(await idsOf("", stranger)).not.toContain(ids[0])
  })

  it("filters by the server and by the status that the connection has for the caller", async () => {
    const workspace = await makeWorkspace(plane, "Filtered")
    const member = await addMember(plane, workspace, "member")
    const key = await makeKey(plane, workspace, ["mcpConnections:read", "mcpConnections:manage"])
    const [own, shared, open, changed] = [
      await create({ url: "https://own.example/mcp/" }, workspace),
      await create({ url: "https://shared.example/mcp", credentialMode: "shared" }, workspace),
      await create({ url: "https://open.example/mcp", authType: "none" }, workspace),
      await create({ url: "https://own.example/mcp?tenant=2", authType: "none" }, workspace)
    ]
    for (const { id } of [own, shared, open, changed]) {
      await workspace.call("POST", `${path}/${id}/access`, { orgWide: true, role: "viewer" })
    }
    await putCredential(workspace.organizationId, own.id, workspace.membershipId)
    await putCredential(workspace.organizationId, shared.id, "", "reconnect_required")
    await runSql(plane, (sql) => sql`UPDATE mcp_connections SET drift_detected_at = now() WHERE id = ${changed.id}`)
    type Caller = Pick<typeof owner, "call">
    const listed = async (query: string, person: Caller = workspace) =>
      (await person.call("GET", `${path}?${query}`)).body.items.map(({ id }: { id: string }) => id)
    const statuses = ["not_connected", "ready", "reconnect_required", "review_required"]
    // The filter agrees with the status of each connection, for every caller.
    for (const person of [workspace, member, key]) {
      const { items } = (await person.call("GET", path)).body
      expect(items).toHaveLength(4)
      for (const status of statuses) {
        expect(await listed(`status=${status}`, person)).toEqual(
          items.filter((item: { status: string }) => item.status === status).map(({ id }: { id: string }) => id)
        )
      }
    }
    expect(await listed("status=ready")).toEqual([open.id, own.id])
    expect(await listed("status=ready", member)).toEqual([open.id])
    expect(await listed("url=https://OWN.example/mcp")).toEqual([own.id])
    expect(await listed("url=https://own.example/mcp%3Ftenant%3D2")).toEqual([changed.id])
    expect(await listed("url=https://other.example/mcp")).toEqual([])
    expect(await listed("q=OWN.example")).toEqual([changed.id, own.id])
    expect(await listed("q=own.example&status=ready")).toEqual([own.id])
    expect(await listed("url=https://own.example/mcp", stranger)).toEqual([])
    const { nextCursor } = (await workspace.call("GET", `${path}?status=ready&limit=1`)).body
    expect(await listed(`status=ready&limit=1&cursor=${nextCursor}`)).toEqual([own.id])
    for (const [query, member] of [
      [`cursor=${nextCursor}`, "cursor"],
      ["status=broken", "status"],
      ["url=nothing", "url"],
      ["url=https://user:secret@own.example/", "url"]
    ] as const) {
      const { body, status } = await workspace.call("GET", `${path}?${query}`)
      expect([query, status, body.details?.[0].path]).toEqual([query, 400, ["query", member]])
    }
  })

  it("shows each caller the status of their own credential", async () => {
    const { id } = await create()
    const member = await addMember(plane, owner, "member")
    await owner.call("POST", `${path}/${id}/access`, { orgWide: true, role: "viewer" })
    const key = await makeKey(plane, owner, ["mcpConnections:read"])
    await putCredential(owner.organizationId, id, owner.membershipId, "reconnect_required")
    const seen = async (person: Pick<typeof owner, "call">) =>
      (await person.call("GET", `${path}/${id}`)).body.mcpConnection
    expect(await seen(owner)).toMatchObject({
      status: "reconnect_required",
      statusReason: "It was revoked.",
      connectedForMe: true,
      oauthClient: { clientId: "dynamic-client", registration: "dynamic", hasSecret: false }
    })
    for (const person of [member, key]) {
      expect(await seen(person)).toMatchObject({ status: "not_connected", connectedForMe: false, oauthClient: null })
    }
  })
})

describe("PATCH /v1/mcp-connections/{id}", () => {
  it.each([
    [{ url: "https://other.example/mcp" }],
    [{ authType: "apikey" }],
    [{ credentialMode: "shared" }],
    [{ oauthClient: { clientId: "another" } }]
  ])("deletes every credential when the update has %j", async (change) => {
    const { id } = await create({ oauthClient: { clientId: "c", clientSecret: "s" } })
    const other = await create()
    for (const of of [id, other.id]) await putCredential(owner.organizationId, of, owner.membershipId)
    await putCredential(owner.organizationId, id, "")
    const result = await owner.call("PATCH", `${path}/${id}`, change)
    expect([result.status, result.headers.get("etag")]).toEqual([200, '"2"'])
    expect(result.body.mcpConnection).toMatchObject({ connectedForMe: false, status: "not_connected" })
    expect(result.body.mcpConnection.oauthClient?.clientId).not.toBe("c")
    expect(await credentials(id)).toEqual([])
    expect(await credentials(other.id)).toHaveLength(1)
    expect(
      await runSql(
        plane,
        (sql) => sql`SELECT 1 AS one FROM sealed_values WHERE organization_id = ${owner.organizationId}
      AND id IN (SELECT oauth_client_secret_id FROM mcp_connections WHERE id = ${id})`
      )
    ).toEqual([])
  })

  it("keeps credentials when the name or scopes change, and treats a repeated update as a no-op", async () => {
    const { id } = await create({ scopes: ["a"] })
    await putCredential(owner.organizationId, id, owner.membershipId)
    const renamed = await owner.call("PATCH", `${path}/${id}`, { name: name(), scopes: ["b"] })
    expect(renamed.body.mcpConnection).toMatchObject({ scopes: ["b"], status: "ready" })
    const { url } = renamed.body.mcpConnection
    const same = await owner.call("PATCH", `${path}/${id}`, { url, authType: "oauth", credentialMode: "per_member" })
    expect(same.headers.get("etag")).toBe(renamed.headers.get("etag"))
    expect(await credentials(id)).toHaveLength(1)
    const stale = await owner.call("PATCH", `${path}/${id}`, { name: name() }, { "if-match": '"1"' })
    expect(stale.status).toBe(412)
  })

  it("returns 403 for an editor, 409 for a name in use, and 404 for another organization's connection", async () => {
    const { id } = await create()
    const other = await create()
    const role = await makeRole(owner, ["mcpConnections:read", "mcpConnections:write"])
    const editor = await addMember(plane, owner, role)
    await owner.call("POST", `${path}/${id}/access`, { orgMembershipId: editor.membershipId, role: "editor" })
    const rejected = await editor.call("PATCH", `${path}/${id}`, { name: name() })
    expect([rejected.status, rejected.body.reason]).toEqual([403, "grant_required"])
    expect((await owner.call("PATCH", `${path}/${id}`, { name: other.name })).body.error).toBe("mcp_connection_exists")
    const [foreign, absent] = [id, makeId("emc")].map((one) => stranger.call("PATCH", `${path}/${one}`, { name: "x" }))
    expect((await foreign)?.text).toBe((await absent)?.text)
    expect((await foreign)?.status).toBe(404)
  })
})

describe("DELETE /v1/mcp-connections/{id}", () => {
  it("ends grants and credentials once, and is purged thirty days later", async () => {
    const { id } = await create({ oauthClient: { clientId: "c", clientSecret: "s" } })
    const member = await addMember(plane, owner, "member")
    await owner.call("POST", `${path}/${id}/access`, { orgMembershipId: member.membershipId, role: "viewer" })
    await putCredential(owner.organizationId, id, member.membershipId)
    expect((await owner.call("DELETE", `${path}/${id}`)).status).toBe(204)
    expect((await owner.call("DELETE", `${path}/${id}`)).body.error).toBe("connection_not_found")
    expect(await credentials(id)).toEqual([])
    const grants = () => runSql(plane, (sql) => sql`SELECT removed_at FROM grants WHERE object_id = ${id}`)
    expect((await grants()).map((row) => "removed_at" in row && row.removed_at !== null)).toEqual([true, true])
    const purge = () => withServices(plane, Effect.flatMap(SqlDatabase, sweep).pipe(Effect.orDie))
    await purge()
    expect(await grants()).toHaveLength(2)
    await runSql(
      plane,
      (sql) => sql`UPDATE mcp_connections SET deleted_at = now() - interval '31 days' WHERE id = ${id}`
    )
    await purge()
    expect(await grants()).toEqual([])
    expect(await runSql(plane, (sql) => sql`SELECT 1 AS one FROM mcp_connections WHERE id = ${id}`)).toEqual([])
  })
})

describe("use of a connection", () => {
  it("requires an active grant, even for callers who manage all connections", async () => {
    const admin = await addMember(plane, owner, "admin")
    const { id } = await create({ authType: "none", url: "https://nowhere.invalid/mcp" })
    expect((await admin.call("GET", `${path}/${id}`)).status).toBe(200)
    const rejected = await admin.call("GET", `${path}/${id}/tools`)
    expect([rejected.status, rejected.body.error]).toEqual([404, "connection_not_found"])
    const granted = await admin.call("POST", `${path}/${id}/access`, {
      orgMembershipId: admin.membershipId,
      role: "viewer"
    })
    expect([granted.status, granted.body.grant.role]).toEqual([201, "viewer"])
    const toolsResponse = await admin.call("GET", `${path}/${id}/tools`)
    expect([toolsResponse.status, toolsResponse.body.error, toolsResponse.body.diagnostic.category]).toEqual([
      502,
      "mcp_server_error",
      "network"
    ])
    const again = await admin.call("POST", `${path}/${id}/access`, {
      orgMembershipId: admin.membershipId,
      role: "editor"
    })
    expect([again.status, again.body.grant.id]).toEqual([200, granted.body.grant.id])
    expect((await admin.call("DELETE", `${path}/${id}/access/${granted.body.grant.id}`)).status).toBe(204)
    const over = await admin.call("DELETE", `${path}/${id}/access/${granted.body.grant.id}`)
    expect([over.status, over.body.error]).toEqual([404, "mcp_connection_grant_not_found"])
    expect((await admin.call("GET", `${path}/${id}/tools`)).status).toBe(404)
    expect((await owner.call("GET", `${path}/${id}/access`)).body.items).toHaveLength(2)
  })

  it("is limited for an unclaimed workspace", async () => {
    const unclaimed = await makeWorkspace(plane, "Unclaimed")
    const { organizationId } = unclaimed
    await runSql(
      plane,
      (sql) => sql`UPDATE organizations SET provisional_until = now() + interval '1 day' WHERE id = ${organizationId}`
    )
    const open = await create({ authType: "none", url: "https://nowhere.invalid/mcp" }, unclaimed)
    const oauth = await create({ url: "https://nowhere.invalid/mcp" }, unclaimed)
    const key = await create({ authType: "apikey", url: "https://nowhere.invalid/mcp" }, unclaimed)
    const statuses = async () => [
      (await unclaimed.call("GET", `${path}/${open.id}/tools`)).status,
      (await unclaimed.call("POST", `${path}/${oauth.id}/connect/start`, {})).status,
      (await unclaimed.call("PUT", `${path}/${key.id}/api-key`, { apiKey: "abcdefgh" })).status,
      (await unclaimed.call("POST", `${path}/${open.id}/tools/call`, { toolName: "a", arguments: {} })).status
    ]
    expect(new Set(await statuses())).not.toContain(429)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO rate_windows (bucket, taken, ends_at)
        VALUES (${`provisional-outbound:${organizationId}`}, 20, now() + interval '50 seconds')
        ON CONFLICT (bucket) DO UPDATE SET taken = excluded.taken, ends_at = excluded.ends_at`
    )
    expect(await statuses()).toEqual([429, 429, 429, 429])
  })

  it("reaches only addresses that the operator allows", async () => {
    let reached = 0
    const inside = createServer((_, response) => {
      reached += 1
      response.end("{}")
    })
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve))
    const address = inside.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const { id } = await create({ authType: "none", url: `https://127.0.0.1:${port}/mcp` })
    const result = await owner.call("GET", `${path}/${id}/tools`)
    expect([result.status, result.body.diagnostic.code]).toEqual([502, "destination_blocked"])
    expect(reached).toBe(0)
    await new Promise((resolve) => inside.close(resolve))
  })
})

describe("a plugin that requires a server", () => {
  const readinessOf = async (server: object, person: Pick<typeof owner, "call"> = owner) => {
    const plugin = await owner.client.plugins.create({ name: "Asks" })
    const input = { type: "mcp", normalizedPayloadJson: { servers: { s: server } } }
    await owner.call("POST", "/v1/config-objects", { input, pluginIds: [plugin.id] })
    const marketplace = await makeMarketplace(plane, owner, [plugin.id])
    await owner.call("POST", `/v1/marketplaces/${marketplace}/access`, { orgWide: true, role: "viewer" })
    const { item } = (await person.call("GET", `/v1/marketplaces/${marketplace}/resolved`)).body
    return item.plugins[0].cloudReadiness
  }

  it("is matched with the organization's connection by URL", async () => {
    const url = `https://match-${(nameCount += 1)}.example/mcp`
    await create({ url, authType: "none" }, stranger)
    expect(await readinessOf({ url })).toMatchObject({ state: "needs_admin_setup", connections: [{ id: null }] })
    const connection = await create({ url: `${url}/` })
    const readiness = await readinessOf({ url: url.replace("https", "HTTPS") })
    expect(readiness).toMatchObject({
      state: "needs_signin",
      nextAction: `Connect ${connection.name} with your own account.`,
      connections: [
        {
          id: connection.id,
          name: connection.name,
          serverName: "s",
          authTypeMismatch: false,
          connectedForMe: false,
          oauthClientConfigured: false,
          oauthClientRequired: false
        }
      ]
    })
    await putCredential(owner.organizationId, connection.id, owner.membershipId)
    expect(await readinessOf({ url })).toMatchObject({
      state: "ready",
      nextAction: null,
      connections: [{ connectedForMe: true, oauthClientConfigured: true }]
    })
    const member = await addMember(plane, owner, "member")
    expect(await readinessOf({ url }, member)).toMatchObject({
      state: "needs_admin_setup",
      connections: [{ id: null, connectedForMe: false }]
    })
    await owner.call("POST", `${path}/${connection.id}/access`, { orgWide: true, role: "viewer" })
    expect(await readinessOf({ url }, member)).toMatchObject({ state: "needs_signin" })
  })

  it("waits for a manager when only a manager can act", async () => {
    const url = () => `https://wait-${(nameCount += 1)}.example`
    const [shared, key, manual, former] = [url(), url(), url(), url()]
    await create({ url: shared, credentialMode: "shared" })
    expect(await readinessOf({ url: shared })).toMatchObject({
      state: "needs_admin_setup",
      connections: [{ id: expect.any(String) }]
    })
    await create({ url: key })
    expect(await readinessOf({ url: key, headers: { Authorization: "Bearer ${KEY}" } })).toMatchObject({
      state: "needs_admin_setup",
      connections: [{ authTypeMismatch: true }]
    })
    await create({ url: manual })
    expect(await readinessOf({ url: manual, oauth: { clientId: "theirs" } })).toMatchObject({
      state: "needs_admin_setup",
      connections: [{ oauthClientRequired: true, oauthClientConfigured: false }]
    })
    const admin = await addMember(plane, owner, "admin")
    const open = await create({ url: former, authType: "none" })
    expect(await readinessOf({ url: former })).toMatchObject({ state: "ready" })
    expect(await readinessOf({ url: former }, admin)).toMatchObject({
      state: "needs_admin_setup",
      nextAction: `Ask a manager of ${open.name} to grant you access.`
    })
    await owner.call("DELETE", `${path}/${open.id}`)
    expect(await readinessOf({ url: former })).toMatchObject({ connections: [{ id: null }] })
    for (const odd of ["${BASE}/mcp", "file:///etc", "https://[", ""]) {
      expect(await readinessOf({ url: odd })).toMatchObject({ connections: [{ id: null }] })
    }
  })
})
