import * as Schema from "effect/Schema"
import { DesiredState } from "@orgplane/schema/desired-state"
import { describe, expect, it } from "vitest"
import {
  addMember,
  callWithKey,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeScimToken,
  makeTeam,
  makeWorkerToken,
  makeWorkspace,
  runSql,
  signIn
} from "../../harness.ts"
import { importTools } from "../approvals.fixture.ts"
import { fetched, sha256 as sha256Bytes, unpacked } from "../plugin-archives.fixture.ts"
import { isSigned, polled, requested, sha256, stateOf } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const member = await addMember(plane, owner, "member")
const { pluginId } = await importTools(plane, owner)

describe("GET /v1/me/desired-state", () => {
  it("returns the plugins of a member with a link that needs no credential", async () => {
    const { body } = await stateOf(plane, member.token)
    expect(Schema.decodeUnknownSync(DesiredState)(body)).toEqual(body)
    expect(body).toMatchObject({
      formatVersion: 1,
      organizationId: owner.organizationId,
      orgMembershipId: member.membershipId,
      workerId: null,
      revision: 1,
      truncated: false,
      blocked: [],
      mcpConnections: [],
      models: []
    })
    expect(body.plugins).toMatchObject([
      {
        pluginId,
        name: "tools",
        delivery: "latest_approved",
        mode: "available",
        enabled: false,
        locked: false,
        reason: { rule: "access", assignmentId: null }
      }
    ])
    const [plugin] = body.plugins
    expect(plugin.digest).toMatch(/^[0-9a-f]{64}$/u)
    const archive = await fetched(plane, plugin.archive.url)
    expect([archive.status, sha256Bytes(archive.bytes)]).toEqual([200, plugin.archive.sha256])
    expect(Object.keys(unpacked(archive.bytes).files)).toContain("skills/review/SKILL.md")
  })

  it("has an ETag that is the digest of the canonical body, and a signature that /v1/keys verifies", async () => {
    const response = await requested(plane, member.token)
    const body = JSON.parse(response.text)
    expect(response.etag).toBe(`"${sha256(response.text)}"`)
    expect(response.headers.get("cache-control")).toBe("private, no-cache")
    expect(Object.keys(body)).toEqual(Object.keys(body).toSorted())
    expect(response.headers.get("x-desired-state-key-id")).toBe(body.signingKeyId)
    expect(await isSigned(plane, response)).toBe(true)
    expect(await isSigned(plane, response, { revision: body.revision + 1 })).toBe(false)
    expect(await isSigned(plane, response, { subject: owner.membershipId })).toBe(false)
    expect(await isSigned(plane, { ...response, text: response.text.replace("tools", "fools") })).toBe(false)
  })

  it("responds with 304 and no body while nothing changes", async () => {
    const { etag, text } = await requested(plane, member.token)
    const again = await requested(plane, member.token, { "if-none-match": etag })
    expect([again.status, again.text, again.etag]).toEqual([304, "", etag])
    expect(await polled(plane, member.token, `"other", W/${etag}`)).toBe(304)
    expect(await polled(plane, member.token, "*")).toBe(304)
    expect((await requested(plane, member.token)).text).toBe(text)
  })

  it.each(["abc", '"abc"', "", ",,,", `"${"a".repeat(80)}"`, "W/"])(
    "responds with 200 to the If-None-Match header %j",
    async (header) => expect(await polled(plane, member.token, header)).toBe(200)
  )

  it("is valid for 6 to 12 hours, in a period of which each member has another start", async () => {
    const now = Date.now()
    const { body } = await stateOf(plane, member.token)
    const [start, end] = [Date.parse(body.generatedAt), Date.parse(body.validUntil)]
    expect(end - start).toBe(12 * 3_600_000)
    expect(start).toBeLessThanOrEqual(now)
    expect(end - now).toBeGreaterThan(6 * 3_600_000 - 60_000)
    const other = (await stateOf(plane, owner.token)).body
    expect(other.validUntil).not.toBe(body.validUntil)
    const expires = Number(new URL(body.plugins[0].archive.url).searchParams.get("expires"))
    expect(expires).toBe(Math.floor(end / 1000))
  })

  it("returns the state of the creator to a worker, with its own subject", async () => {
    const worker = await makeWorkerToken(plane, member)
    const response = await requested(plane, worker.token)
    const body = JSON.parse(response.text)
    expect(body).toMatchObject({ orgMembershipId: member.membershipId, workerId: worker.workerId, revision: 1 })
    expect(body.plugins.map(({ name }: { name: string }) => name)).toEqual(["tools"])
    expect(await isSigned(plane, response)).toBe(true)
    expect(await isSigned(plane, response, { subject: member.membershipId })).toBe(false)
    expect(await polled(plane, worker.token, response.etag)).toBe(304)
    expect(response.etag).not.toBe((await requested(plane, member.token)).etag)
    await runSql(
      plane,
      (sql) => sql`UPDATE worker_tokens SET revoked_at = now() WHERE id = ${worker.tokenId}
      AND organization_id = ${owner.organizationId}`
    )
  })

  it("refuses API keys, SCIM tokens, missing and expired credentials, and other organizations", async () => {
    const key = await makeKey(plane, owner, ["plugins:read", "marketplaces:read"])
    const path = "/v1/me/desired-state"
    const byKey = await callWithKey(plane, key.key)("GET", path)
    expect([byKey.status, byKey.body.reason]).toEqual([403, "session_required"])
    const directory = await makeScimToken(plane, owner)
    const byDirectory = await directory.call("GET", path)
    expect([byDirectory.status, byDirectory.body.reason]).toEqual([403, "session_required"])
    expect((await requested(plane, "")).status).toBe(401)
    expect((await requested(plane, "ops_unknown")).status).toBe(401)
    const expired = await signIn(plane, member.userId, owner.organizationId, { lifetimeSeconds: -1 })
    expect((await requested(plane, expired.token)).status).toBe(401)
    const stranger = await makeWorkspace(plane, "Other")
    const foreign = await requested(plane, stranger.token, { "x-organization-id": owner.organizationId })
    expect([foreign.status, JSON.parse(foreign.text).error]).toEqual([404, "organization_not_found"])
    expect((await stateOf(plane, stranger.token)).body.plugins).toEqual([])
  })

  it("refuses a revoked session, and a member who was removed, at the next poll", async () => {
    const leaver = await addMember(plane, owner, "member")
    const { etag } = await requested(plane, leaver.token)
    const session = await signIn(plane, leaver.userId, owner.organizationId)
    expect(await polled(plane, session.token, etag)).toBe(304)
    expect((await leaver.call("DELETE", `/v1/sessions/${session.id}`)).status).toBe(204)
    expect(await polled(plane, session.token, etag)).toBe(401)
    expect((await owner.call("DELETE", `/v1/members/${leaver.membershipId}`)).status).toBe(204)
    expect([401, 404]).toContain(await polled(plane, leaver.token, etag))
    // The credential of this request is cached; the state reads the membership again.
    const { token } = await addMember(plane, owner, "member")
    await requested(plane, token)
  })

  it("lists only what the role of the member may read", async () => {
    const role = await makeRole(owner, ["members:read"])
    const limited = await addMember(plane, owner, role)
    expect((await stateOf(plane, limited.token)).body).toMatchObject({ plugins: [], marketplaces: [] })
    const reader = await addMember(plane, owner, await makeRole(owner, ["plugins:read"]))
    const { body } = await stateOf(plane, reader.token)
    expect([body.plugins.length, body.marketplaces]).toEqual([1, []])
    expect((await fetched(plane, body.plugins[0].archive.url)).status).toBe(200)
  })

  it("names how the member has access to each item", async () => {
    const other = await makeWorkspace(plane, "Reasons")
    const person = await addMember(plane, other, "member")
    const team = await makeTeam(other, [person])
    const created = async (path: string, input: object) => (await other.call("POST", path, input)).body
    const plugin = (await created("/v1/plugins", { name: "Direct" })).item
    await other.call("POST", `/v1/plugins/${plugin.id}/access`, {
      orgMembershipId: person.membershipId,
      role: "viewer"
    })
    const shared = (await created("/v1/plugins", { name: "Shared" })).item
    const marketplaceId = await makeMarketplace(plane, other, [], "Tools")
    expect(
      (await other.call("POST", `/v1/marketplaces/${marketplaceId}/plugins`, { pluginId: shared.id })).status
    ).toBe(201)
    await other.call("POST", `/v1/marketplaces/${marketplaceId}/access`, { teamId: team, role: "viewer" })
    const { body } = await stateOf(plane, person.token)
    const reasons = Object.fromEntries(
      body.plugins.map(({ name, reason }: { name: string; reason: object }) => [name, reason])
    )
    expect(reasons).toEqual({
      direct: { rule: "access", assignmentId: null, via: "member", viaId: person.membershipId },
      shared: { rule: "access", assignmentId: null, via: "marketplace", viaId: marketplaceId }
    })
    expect(body.marketplaces).toMatchObject([
      {
        marketplaceId,
        name: "tools",
        title: "Tools",
        plugins: [{ pluginId: shared.id, name: "shared" }],
        reason: { rule: "access", via: "team", viaId: team }
      }
    ])
    expect(body.plugins.find(({ name }: { name: string }) => name === "shared").marketplaceIds).toEqual([marketplaceId])
    const manifest = await person.call("GET", new URL(body.marketplaces[0].manifestUrl).pathname)
    expect(manifest.body.plugins.map(({ name }: { name: string }) => name)).toEqual(["shared"])
    expect((await stateOf(plane, other.token)).body.plugins[0].reason).toEqual({
      rule: "access",
      assignmentId: null,
      via: "admin",
      viaId: null
    })
  })
})
