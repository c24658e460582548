import { attentionKindNames, attentionKinds, attentionPerKindMax } from "@orgplane/schema/attention"
import { catalog, type Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { AttentionService } from "../../src/operations/attention/service.ts"
import { letIn } from "../agents/mcp.fixture.ts"
import { succeeded } from "../content/rollouts.fixture.ts"
import { verifyDomain } from "../enterprise/scim.fixture.ts"
import {
  addMember,
  call,
  makeConnector,
  makeControlPlane,
  makeKey,
  makeRole,
  makeScimToken,
  makeWorkspace,
  mintSession,
  type Person,
  runSql,
  type Workspace
} from "../harness.ts"
import { createEndpoint } from "../identity/webhook-endpoints.fixture.ts"
import { counted, memberOf } from "../infra/statements.fixture.ts"
import { cases } from "./attention.fixture.ts"

const plane = await makeControlPlane({ outbound: letIn })
const stranger = await makeWorkspace(plane)

const attentionOf = (person: Pick<Person, "call">, query = "") =>
  succeeded(person as Person, "GET", `/v1/attention${query}`)
const nothing = { items: [], nextCursor: null, counts: [] }

const withRole = async (owner: Person, permissions: ReadonlyArray<string>): Promise<Workspace> =>
  addMember(plane, owner, await makeRole(owner, permissions))

describe("a kind of item", () => {
  it.each(attentionKindNames)("%s is listed for callers who can resolve it, until it is resolved", async (kind) => {
    const { make, needsGrant, permissions } = cases[kind]
    const { detail, id, name, owner, parentId, resolve } = await make(plane)
    const { object, parent, severity } = attentionKinds[kind]
    const startedBy = Date.now()
    const listed = await attentionOf(owner, `?kind=${kind}`)
    expect(listed).toEqual({
      items: [
        {
          kind,
          severity,
          object: { kind: object, id, name },
          parent: parent === null ? null : { kind: parent, id: parentId },
          detail: detail ?? null,
          since: expect.any(String),
          expiresAt: severity === "expiring" ? expect.any(String) : null
        }
      ],
      nextCursor: null,
      counts: [{ kind, severity, count: 1, truncated: false }]
    })
    expect(Date.parse(listed.items[0].since)).toBeLessThanOrEqual(startedBy + 1000)
    const listedAll = await attentionOf(owner)
    expect(listedAll.items).toEqual(expect.arrayContaining(listed.items))
    // A member with these permissions sees it, unless a grant is needed; with fewer permissions, never.
    const seen = needsGrant === true ? nothing : listed
    expect(await attentionOf(await withRole(owner, permissions), `?kind=${kind}`)).toEqual(seen)
    for (const missing of permissions) {
      const fewer = permissions.filter((permission) => permission !== missing)
      expect(await attentionOf(await withRole(owner, fewer), `?kind=${kind}`)).toEqual(nothing)
    }
    expect((await attentionOf(await addMember(plane, owner, "admin"), `?kind=${kind}`)).counts).toHaveLength(1)
    expect(await attentionOf(stranger)).toEqual(nothing)
    await resolve()
    expect(await attentionOf(owner, `?kind=${kind}`)).toEqual(nothing)
  })
})

describe("attention.list", () => {
  it("is empty for a member without permissions, and requires a credential", async () => {
    const owner = await makeWorkspace(plane)
    await makeKey(plane, owner, ["plugins:read"], { expiresAt: new Date(Date.now() + 60_000).toISOString() })
    expect(await attentionOf(await addMember(plane, owner, "member"))).toEqual(nothing)
    expect(await attentionOf(await withRole(owner, []))).toEqual(nothing)
    expect((await call(plane)("GET", "/v1/attention")).status).toBe(401)
  })

  it("rejects unknown kinds and severities and names the allowed ones", async () => {
    for (const [query, allowed] of [
      ["kind=syncs", "sync_failed"],
      ["severity=high", "expiring"],
      ["limit=101", "100"]
    ] as const) {
      const { body, status } = await stranger.call("GET", `/v1/attention?${query}`)
      expect([status, body.error, JSON.stringify(body)]).toEqual([
        400,
        "invalid_request",
        expect.stringContaining(allowed)
      ])
      expect(JSON.stringify(body.details)).toContain(query.split("=")[0])
    }
    expect((await stranger.call("GET", "/v1/attention?cursor=AAAA")).status).toBe(400)
  })

  it("filters by severity, and lists decisions first, then failures, then what expires", async () => {
    const owner = await makeWorkspace(plane)
    const { connectorSyncEventId: failed } = await makeConnector(plane, owner, "First")
    const { connectorSyncEventId: held } = await makeConnector(plane, owner, "Second")
    const key = await makeKey(plane, owner, ["plugins:read"])
    await runSql(plane, (sql) =>
      Effect.all([
        sql`UPDATE sync_events SET status = 'failed' WHERE id = ${failed}`,
        sql`UPDATE sync_events SET status = 'review_required' WHERE id = ${held}`,
        sql`UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() + interval '1 day'
          WHERE id = ${key.id}`
      ])
    )
    const kindsOf = async (query: string) =>
      (await attentionOf(owner, query)).items.map(({ kind }: { kind: string }) => kind)
    expect(await kindsOf("")).toEqual(["sync_approval", "sync_failed", "api_key_expiring"])
    expect(await kindsOf("?severity=decision")).toEqual(["sync_approval"])
    expect(await kindsOf("?severity=failing")).toEqual(["sync_failed"])
    expect(await kindsOf("?severity=expiring")).toEqual(["api_key_expiring"])
    expect(await kindsOf("?severity=expiring&kind=sync_failed")).toEqual([])
    // A disabled connector needs no attention.
    const { parent } = (await attentionOf(owner, "?kind=sync_failed")).items[0]
    await owner.client.connectors.disable(parent.id)
    expect(await kindsOf("")).toEqual(["sync_approval", "api_key_expiring"])
  })

  it("lists for an API key what its permissions cover", async () => {
    const owner = await makeWorkspace(plane)
    const { connectorSyncEventId } = await makeConnector(plane, owner)
    await runSql(
      plane,
      (sql) => sql`UPDATE sync_events SET status = 'review_required' WHERE id = ${connectorSyncEventId}`
    )
    const manager = await makeKey(plane, owner, ["connectors:read", "connectors:write", "connectors:manage"])
    const reader = await makeKey(plane, owner, ["connectors:read", "connectors:write"])
    expect((await attentionOf(manager)).items).toMatchObject([{ object: { id: connectorSyncEventId } }])
    expect(await attentionOf(reader)).toEqual(nothing)
  })

  it("lists for a session from an API key only kinds whose groups it can use", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["plugins:read"])
    const { connectorSyncEventId } = await makeConnector(plane, owner)
    await runSql(plane, (sql) =>
      Effect.all([
        sql`UPDATE sync_events SET status = 'failed' WHERE id = ${connectorSyncEventId}`,
        sql`UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() + interval '1 day'
          WHERE id = ${key.id}`
      ])
    )
    const minted = await mintSession(plane, owner, owner.membershipId)
    const kinds = (await attentionOf(minted)).items.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(["sync_failed"])
    expect((await minted.call("GET", "/v1/api-keys")).body.reason).toBe("session_required")
  })

  it("lists an object for members with a sufficient grant on it", async () => {
    const owner = await makeWorkspace(plane)
    const { connectorInstanceId, connectorSyncEventId } = await makeConnector(plane, owner)
    await runSql(plane, (sql) => sql`UPDATE sync_events SET status = 'partial' WHERE id = ${connectorSyncEventId}`)
    const member = await withRole(owner, ["connectors:read", "connectors:write"])
    const grant = (role: "viewer" | "editor") =>
      owner.client.connectors.grantAccess(connectorInstanceId, { orgMembershipId: member.membershipId, role })
    await grant("viewer")
    expect(await attentionOf(member)).toEqual(nothing)
    await grant("editor")
    expect((await attentionOf(member)).items).toMatchObject([
      { kind: "sync_failed", detail: "Branch main: Some files were skipped." }
    ])
  })

  it("no longer lists a release that the caller has approved, while it waits for another approval", async () => {
    const { id, owner } = await cases.release_approval.make(plane)
    const admin = await addMember(plane, owner, "admin")
    await runSql(
      plane,
      (
        sql
      ) => sql`INSERT INTO plugin_release_approvals (organization_id, release_id, plugin_id, membership_id, created_at)
        SELECT organization_id, id, plugin_id, ${admin.membershipId}, now() FROM plugin_releases WHERE id = ${id}`
    )
    expect(await attentionOf(admin)).toEqual(nothing)
    expect((await attentionOf(owner)).items).toMatchObject([{ kind: "release_approval", object: { id } }])
  })

  it("lists a personal credential that no longer works for its member only", async () => {
    const owner = await makeWorkspace(plane)
    const { mcpConnection } = await succeeded(owner, "POST", "/v1/mcp-connections", {
      name: "Mail",
      url: "https://mcp.example/mcp",
      authType: "apikey",
      credentialMode: "per_member"
    })
    const [member, other] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const at = `/v1/mcp-connections/${mcpConnection.id}`
    await succeeded(owner, "POST", `${at}/access`, { role: "viewer", orgWide: true })
    // A member who never connected it needs no attention.
    expect(await attentionOf(member)).toEqual(nothing)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO oauth_credentials (organization_id, purpose, subject_id, membership_id, kind, status,
          status_reason, key_id, nonce, ciphertext, created_at, updated_at)
        VALUES (${owner.organizationId}, 'mcp', ${mcpConnection.id}, ${member.membershipId}, 'api_key',
          'reconnect_required', 'The server rejected the key.', 'k', ''::bytea, ''::bytea, now(), now())`
    )
    expect((await attentionOf(member)).items).toMatchObject([
      { kind: "mcp_connection_disconnected", object: { name: "Mail" }, detail: "The server rejected the key." }
    ])
    expect(await attentionOf(other)).toEqual(nothing)
    expect(await attentionOf(owner)).toEqual(nothing)
  })

  it("counts a lifetime of at most 30 days by its last quarter", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await makeKey(plane, owner, ["plugins:read"])
    const isListed = async (days: number, left: number) => {
      await runSql(
        plane,
        (sql) => sql`UPDATE api_keys SET created_at = now() - make_interval(hours => ${(days - left) * 24}),
          expires_at = now() + make_interval(hours => ${left * 24}) WHERE id = ${id}`
      )
      return (await attentionOf(owner)).items.length === 1
    }
    expect(await isListed(365, 31)).toBe(false)
    expect(await isListed(365, 29)).toBe(true)
    expect(await isListed(8, 3)).toBe(false)
    expect(await isListed(8, 1)).toBe(true)
    const { items } = await attentionOf(owner)
    expect(Date.parse(items[0].expiresAt) - Date.parse(items[0].since)).toBe(2 * 86_400_000)
    // An expired key no longer does.
    expect(await isListed(8, -1)).toBe(false)
  })

  it("returns pages of all items, oldest first, and at most 100 of a kind", async () => {
    const owner = await makeWorkspace(plane)
    const count = attentionPerKindMax + 3
    const ids = Array.from({ length: count }, () => makeId("cin"))
    await runSql(plane, (sql) =>
      Effect.forEach(
        ids,
        (id, index) =>
          sql`INSERT INTO connector_instances (organization_id, id, connector_account_id, adapter, remote_id, name, status,
            remote_state, remote_seen_at, repository_full_name, created_at, updated_at)
          VALUES (${owner.organizationId}, ${id}, ${id}, 'git', ${id}, ${id}, 'error', 'deleted',
            now() - make_interval(mins => ${count - (index % 50)}), ${id}, now(), now())`
      )
    )
    const listed = []
    for await (const item of owner.client.attention.list({ limit: 7 })) listed.push(item)
    expect(listed).toHaveLength(attentionPerKindMax)
    expect(new Set(listed.map(({ object }) => object.id)).size).toBe(attentionPerKindMax)
    expect(listed.map(({ since }) => since)).toEqual(listed.map(({ since }) => since).toSorted())
    const { counts, items, nextCursor } = await attentionOf(owner, "?limit=100")
    expect([items.length, nextCursor]).toEqual([attentionPerKindMax, null])
    expect(items).toEqual(listed)
    expect(counts).toEqual([
      { kind: "connector_failed", severity: "failing", count: attentionPerKindMax, truncated: true }
    ])
  })

  it("lists exactly the kinds whose permissions a role has, whatever the filter and the size of the pages", async () => {
    const owner = await makeWorkspace(plane)
    const { organizationId } = owner
    await makeKey(plane, owner, ["plugins:read"])
    await succeeded(owner, "POST", "/v1/invitations", { email: "ada@acme.example", role: "member" })
    await createEndpoint(owner, "https://hooks.example/orgplane", { types: ["team.create"] })
    await succeeded(owner, "POST", "/v1/event-streams", {
      name: "SIEM",
      destination: { kind: "https", url: "https://siem.example/events", token: "a-token-of-the-siem" }
    })
    await makeScimToken(plane, owner)
    await verifyDomain(plane, owner, "subset.example")
    await makeConnector(plane, owner)
    await runSql(plane, (sql) =>
      Effect.all([
        sql`UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() + interval '1 day'
          WHERE organization_id = ${organizationId}`,
        sql`UPDATE invitations SET created_at = now() - interval '6 days', expires_at = now() + interval '1 day'
          WHERE organization_id = ${organizationId}`,
        sql`UPDATE webhook_endpoints SET state = 'disabled', pause_reason = 'gone', due_at = NULL
          WHERE organization_id = ${organizationId}`,
        sql`UPDATE event_streams SET failing_since = now(), next_attempt_at = now() + interval '1 hour'
          WHERE organization_id = ${organizationId}`,
        sql`UPDATE scim_tokens SET created_at = now() - interval '9 days', expires_at = now() + interval '1 day'
          WHERE organization_id = ${organizationId}`,
        sql`UPDATE domains SET status = 'lapsed' WHERE organization_id = ${organizationId}`,
        sql`UPDATE connector_accounts SET status = 'error' WHERE organization_id = ${organizationId}`
      ])
    )
    const kinds = [
      "connector_account_failed",
      "webhook_endpoint_failing",
      "event_stream_failing",
      "sso_domain_failing",
      "api_key_expiring",
      "invitation_expiring",
      "scim_token_expiring"
    ] as const
    const pool = [...new Set(kinds.flatMap((kind) => cases[kind].permissions))]
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(pool),
        fc.constantFrom(undefined, "decision", "failing", "expiring"),
        fc.integer({ min: 1, max: 4 }),
        async (permissions, severity, limit) => {
          const member = await withRole(owner, permissions)
          const seen = kinds.filter(
            (kind) =>
              cases[kind].permissions.every((permission) => permissions.includes(permission)) &&
              (severity ?? attentionKinds[kind].severity) === attentionKinds[kind].severity
          )
          const listed = []
          for await (const { kind } of member.client.attention.list({
            limit,
            ...(severity === undefined ? {} : { severity })
          })) {
            listed.push(kind)
          }
          expect(listed).toEqual(seen)
          const { counts } = await attentionOf(member, severity === undefined ? "" : `?severity=${severity}`)
          expect(counts.map(({ kind }: { kind: string }) => kind)).toEqual(seen)
        }
      ),
      { numRuns: 25 }
    )
  })

  it("sends one statement for each kind that the caller can see", async () => {
    const owner = await makeWorkspace(plane)
    const count = async (permissions: ReadonlyArray<Permission>, query: object = {}) =>
      (
        await counted(
          plane,
          Effect.flatMap(AttentionService.make, (attention) => attention.list(memberOf(owner, ...permissions), query))
        )
      ).count
    const all = catalog.map(({ permission }) => permission)
    expect(await count(all)).toBe(attentionKindNames.length)
    expect(await count(all, { kind: "sync_failed" })).toBe(1)
    expect(await count(cases.api_key_expiring.permissions)).toBe(1)
    expect(await count([])).toBe(0)
  })

  it("shows a long text of another system in one line of 300 characters", async () => {
    const owner = await makeWorkspace(plane)
    const { connectorSyncEventId } = await makeConnector(plane, owner)
    const message = `a\u202Eb\n${"𝄞".repeat(2000)}`
    await runSql(
      plane,
      (sql) => sql`UPDATE sync_events SET status = 'failed', error_code = 'internal', error_message = ${message}
        WHERE id = ${connectorSyncEventId}`
    )
    const { detail } = (await attentionOf(owner)).items[0]
    expect([...detail]).toHaveLength(300)
    expect(detail).toMatch(/^Branch main: a b 𝄞+…$/u)
  })
})

it("is documented kind by kind", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/attention.md"), "utf8")
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+) \| `([\w.]+)` \|$/gm)].map(([, kind, means, next]) => [
    kind,
    means,
    next
  ])
  expect(rows).toEqual(
    attentionKindNames.map((kind) => {
      const { means, next } = attentionKinds[kind]
      return [kind, `${means[0]?.toUpperCase()}${means.slice(1)}`, next]
    })
  )
})
