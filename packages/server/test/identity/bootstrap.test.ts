/** An unclaimed workspace. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { call, makeConnector, makeControlPlane, rowCounts, withServices, type Workspace } from "../harness.ts"
import { anAddress } from "../infra/http-world.ts"

const plane = await makeControlPlane({
  workers: false,
  publicUrl: "https://plane.example",
  bootstrap: "open",
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    return Promise.resolve(
      subject === null ? null : { subject, name: subject, email: `${subject}@example.com`, emailVerified: true }
    )
  }
})

const bootstrap = (body: unknown, headers: Record<string, string> = {}, on = plane) =>
  call(on, undefined, anAddress())("POST", "/v1/bootstrap/workspace", body, headers)
const preview = (token: string, address = anAddress()) =>
  call(plane, undefined, address)("POST", "/v1/bootstrap/claims/preview", { token })
const accept = (token: string, person: string) =>
  call(plane)("POST", "/v1/bootstrap/claims/accept", { token }, { "x-person": person })
const makeBootstrapped = async (body: object = {}) => {
  const response = await bootstrap({ workspaceName: "Acme", ...body })
  expect(response.status).toBe(201)
  return { ...response.body, ask: call(plane, response.body.session.token) }
}
const run = (statement: (sql: typeof SqlDatabase.Service) => Effect.Effect<unknown, unknown>) =>
  withServices(plane, Effect.flatMap(SqlDatabase, statement))

describe("POST /v1/bootstrap/workspace", () => {
  it("returns an unclaimed workspace, a working session, and a claim link for an owner", async () => {
    const { ask, claimLinks, ok, organization, session } = await makeBootstrapped()
    expect(ok).toBe(true)
    expect(organization).toMatchObject({ name: "Acme", provisional: true, plan: "enterprise" })
    const day = 24 * 3600 * 1000
    for (const at of [organization.provisionalExpiresAt, session.expiresAt, claimLinks[0].expiresAt]) {
      expect(Math.abs(Date.parse(at) - Date.parse(organization.createdAt) - day)).toBeLessThan(60_000)
    }
    expect(claimLinks).toEqual([
      {
        id: expect.stringMatching(/^inv_/),
        role: "owner",
        token: expect.stringMatching(/^opc_/),
        url: `https://plane.example/claim#token=${claimLinks[0].token}`,
        expiresAt: expect.any(String)
      }
    ])
    expect((await ask("GET", "/v1/organization")).body.organization.id).toBe(organization.id)
    expect((await ask("POST", "/v1/plugins", { name: "By the agent" })).status).toBe(201)
    const { items } = (await ask("GET", "/v1/members")).body
    expect(items.map(({ role }: { role: string }) => role)).toEqual(["owner"])
  })

  it("creates a link for each requested role, and always one for an owner", async () => {
    const roles = async (claimRoles: ReadonlyArray<string>) =>
      (await makeBootstrapped({ claimRoles })).claimLinks.map(({ role }: { role: string }) => role)
    expect(await roles(["member", "admin", "member"])).toEqual(["owner", "member", "admin", "member"])
    expect(await roles(["admin", "owner"])).toEqual(["admin", "owner"])
    expect(await roles([])).toEqual(["owner"])
  })

  it("rejects an invalid name and creates nothing", async () => {
    const before = await rowCounts(plane)
    for (const body of [
      {},
      { workspaceName: "A" },
      { workspaceName: "A".repeat(121) },
      { workspaceName: "Acme\u0000" },
      { workspaceName: "Acme", claimRoles: ["king"] },
      { workspaceName: "Acme", claimRoles: Array.from({ length: 11 }, () => "member") },
      { workspaceName: "Acme", ownerEmail: "nobody" },
      { workspaceName: "Acme", ownerEmail: "a b@example.com" },
      { workspaceName: "Acme", ownerEmail: null }
    ]) {
      const response = await bootstrap(body)
      expect([body, response.status, response.body.error]).toEqual([body, 400, "invalid_request"])
    }
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("stores secrets as digests and never returns them again", async () => {
    const { ask, claimLinks, session } = await makeBootstrapped({ claimRoles: ["owner", "member"] })
    const secrets = [session.token, ...claimLinks.map(({ token }: { token: string }) => token)]
    for (const path of ["/v1/organization", "/v1/sessions", "/v1/members", "/v1/audit-events"]) {
      const { text } = await ask("GET", path)
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
    const rows = await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql<{ row: string }>`SELECT claims::text AS row FROM claims
          UNION ALL SELECT sessions::text FROM sessions UNION ALL SELECT audit_events::text FROM audit_events`
      )
    )
    for (const secret of secrets) expect(rows.filter(({ row }) => row.includes(secret))).toEqual([])
  })

  it("allows an unclaimed workspace one connector", async () => {
    const { ask, organization } = await makeBootstrapped()
    const { body } = await ask("GET", "/v1/members")
    const agent = { organizationId: organization.id, membershipId: body.items[0].id } as Workspace
    await makeConnector(plane, agent)
    const second = await ask("POST", "/v1/connectors/codehost/setup", { adapter: "git", cloneUrl: plane.repositories })
    expect([second.status, second.body.error]).toEqual([409, "quota_exceeded"])
  })

  it("is gone when it is not claimed in time", async () => {
    const { ask, claimLinks, organization } = await makeBootstrapped({ claimRoles: ["owner", "member"] })
    await run((sql) => sql`UPDATE organizations SET provisional_until = now() WHERE id = ${organization.id}`)
    expect((await ask("GET", "/v1/organization")).status).toBe(401)
    for (const { token } of claimLinks) expect((await accept(token, "late")).body.error).toBe("claim_not_found")
  })
})

describe("POST /v1/bootstrap/claims/preview", () => {
  it("returns what a link grants, any number of times, and does not use it up", async () => {
    const { claimLinks } = await makeBootstrapped({ claimRoles: ["owner", "member"] })
    for (const { expiresAt, role, token } of [...claimLinks, ...claimLinks]) {
      const response = await preview(token)
      expect([response.status, response.body]).toEqual([200, { organizationName: "Acme", role, expiresAt }])
    }
    expect((await accept(claimLinks[0].token, "owner-of-preview")).status).toBe(200)
  })

  it("returns the same response for a used, expired or unknown link", async () => {
    const { claimLinks } = await makeBootstrapped({ claimRoles: ["owner", "member", "admin"] })
    const [used, over, tampered] = claimLinks.map(({ token }: { token: string }) => token)
    const missing = await preview(makeToken("opc"))
    expect(missing.status).toBe(404)
    await accept(used, "first")
    await run((sql) => sql`UPDATE claims SET expires_at = now() WHERE role = 'member'`)
    for (const token of [used, over, `${tampered}x`, tampered.slice(0, -1), "opc_", makeToken("ops")]) {
      const response = await preview(token)
      expect([response.status, response.text]).toEqual([404, missing.text])
      const accepted = await accept(token, "second")
      expect([accepted.status, accepted.text]).toEqual([404, missing.text])
    }
    for (const token of ["", "x".repeat(513), "\u0000"]) expect((await preview(token)).status).toBe(400)
  })

  it("limits requests to 60 per minute and source IP address", async () => {
    const address = anAddress()
    const statuses: Array<number> = []
    for (let n = 0; n < 61; n++) statuses.push((await preview(makeToken("opc"), address)).status)
    expect(statuses.slice(0, 60).every((status) => status === 404)).toBe(true)
    expect(statuses[60]).toBe(429)
  })
})

describe("workspace creation", async () => {
  const closed = await makeControlPlane({ workers: false, bootstrap: "off" })
  const guarded = await makeControlPlane({ workers: false, bootstrap: { token: "the operator's own token" } })

  it("is rejected when bootstrapping is disabled", async () => {
    const before = await rowCounts(closed)
    for (const headers of [{}, { "x-bootstrap-token": "" }] as ReadonlyArray<Record<string, string>>) {
      const response = await bootstrap({ workspaceName: "Acme" }, headers, closed)
      expect([response.status, response.body.reason]).toEqual([403, "permission_required"])
    }
    expect(await rowCounts(closed)).toEqual(before)
  })

  it("requires the operator's token when one is configured, without a rate limit", async () => {
    const before = await rowCounts(guarded)
    for (const token of [undefined, "", "another", "the operator's own token ", "the operator's own toke"]) {
      const headers: Record<string, string> = token === undefined ? {} : { "x-bootstrap-token": `${token}.` }
      const response = await bootstrap({ workspaceName: "Acme" }, headers, guarded)
      expect([token, response.status]).toEqual([token, 403])
    }
    expect(await rowCounts(guarded)).toEqual(before)
    for (let n = 0; n < 7; n++) {
      const response = await call(guarded, undefined, "192.0.2.1")(
        "POST",
        "/v1/bootstrap/workspace",
        { workspaceName: "Acme" },
        { "x-bootstrap-token": "the operator's own token" }
      )
      expect(response.status).toBe(201)
    }
  })

  it("counts wrong tokens as failed authentications of the source address", async () => {
    const guess = (token: string, address: string) =>
      call(guarded, undefined, address)(
        "POST",
        "/v1/bootstrap/workspace",
        { workspaceName: "Acme" },
        { "x-bootstrap-token": token }
      )
    const statuses: Array<number> = []
    for (let n = 0; n < 62; n++) statuses.push((await guess(`guess ${n}`, "192.0.2.77")).status)
    expect(statuses.slice(0, 60).every((status) => status === 403)).toBe(true)
    expect(statuses.slice(60)).toEqual([429, 429])
    // Other addresses are not affected.
    expect((await guess("another guess", "192.0.2.78")).status).toBe(403)
  })

  it("is rejected while 100 workspaces wait to be claimed", async () => {
    await withServices(
      guarded,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql`INSERT INTO organizations (id, name, plan, provisional_until, created_at, updated_at)
          SELECT 'org_' || n, 'Waiting', 'free', now() + interval '1 hour', now(), now() FROM generate_series(1, 93) n`
      )
    )
    const ask = () => bootstrap({ workspaceName: "Acme" }, { "x-bootstrap-token": "the operator's own token" }, guarded)
    const response = await ask()
    expect([response.status, response.body.error]).toEqual([409, "quota_exceeded"])
    await withServices(
      guarded,
      Effect.flatMap(SqlDatabase, (sql) => sql`UPDATE organizations SET provisional_until = now() WHERE id = 'org_1'`)
    )
    expect([(await ask()).status, (await ask()).status]).toEqual([201, 409])
  })
})

describe("an unclaimed workspace", () => {
  it("stores at most 50 MB and calls code hosts 20 times a minute", async () => {
    const { ask, organization } = await makeBootstrapped()
    const create = (rawSourceText: string) =>
      ask("POST", "/v1/config-objects", { input: { type: "context", rawSourceText } })
    // Texts that do not compress, because the quota counts stored bytes. In several statements, which are short also on a
    // busy machine.
    for (let part = 0; part < 10; part += 1) {
      const created = await create(`# Part ${part}`)
      expect(created.status).toBe(201)
      await run(
        (sql) => sql`UPDATE config_object_versions
          SET source_text = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 160000) i)
          WHERE organization_id = ${organization.id} AND config_object_id = ${created.body.item.id}`
      )
    }
    const refused = await create("# One more")
    expect([refused.status, refused.body.error]).toEqual([409, "quota_exceeded"])
    const setup = () => ask("POST", "/v1/connectors/codehost/setup", { adapter: "git", cloneUrl: plane.repositories })
    for (let index = 0; index < 20; index += 1) expect((await setup()).status).toBe(400)
    const limited = await setup()
    expect([limited.status, limited.body.error]).toEqual([429, "rate_limited"])
    expect(limited.headers.get("retry-after")).toMatch(/^\d+$/)
  })
})
