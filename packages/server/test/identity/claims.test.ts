import { createClient, UnauthorizedError } from "@orgplane/client"
import { createPublicKey } from "node:crypto"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { SigningKeys } from "../../src/infra/crypto/signing-keys.ts"
import { call, makeControlPlane, withServices } from "../harness.ts"

/** Users of a host application, identified by a header. */
const people: Record<string, { email: string | null; emailVerified: boolean }> = {
  ada: { email: "ada@example.com", emailVerified: true },
  bob: { email: "bob@example.com", emailVerified: true },
  zoe: { email: "Zoë@Bücher.example", emailVerified: true },
  iris: { email: "iris@xn--bcher-kva.example", emailVerified: true },
  eve: { email: "ada@example.com", emailVerified: false }
}

const plane = await makeControlPlane({
  bootstrap: { token: "the operator's own token" },
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    const person = subject === null ? undefined : people[subject]
    return Promise.resolve(subject === null || person === undefined ? null : { subject, name: subject, ...person })
  }
})

const workspace = async (input: object = {}) => {
  const response = await call(plane)(
    "POST",
    "/v1/bootstrap/workspace",
    { workspaceName: "Acme", claimRoles: ["owner", "member"], ...input },
    { "x-bootstrap-token": "the operator's own token" }
  )
  expect(response.status).toBe(201)
  const claim = (role: string): string =>
    response.body.claimLinks.find((link: { role: string }) => link.role === role).token
  const agent = createClient({
    baseUrl: "http://localhost",
    token: response.body.session.token,
    fetch: plane.fetch,
    retries: 0
  })
  const claimLinks: ReadonlyArray<{ token: string }> = response.body.claimLinks
  const links = claimLinks.map((link) => link.token)
  const agentCall = call(plane, response.body.session.token)
  return { agent, agentCall, claim, links, organizationId: response.body.organization.id as string }
}

const as = (person: string) => (path: string, token: string) =>
  call(plane)("POST", `/v1/bootstrap/claims/${path}`, { token }, { "x-person": person })

describe("POST /v1/bootstrap/claims/accept", () => {
  it("creates an API key for the agent on request, with access to what the agent created and nothing else", async () => {
    const { agent, claim } = await workspace()
    const plugin = await agent.plugins.create({ name: "Of the agent" })
    const take = (token: string, keepAgent: object) =>
      call(plane)("POST", "/v1/bootstrap/claims/accept", { token, keepAgent }, { "x-person": "ada" })
    const asMember = await take(claim("member"), { permissions: ["plugins:read"] })
    expect([asMember.status, asMember.body.details?.[0].path]).toEqual([400, ["body", "keepAgent"]])
    expect((await take(claim("owner"), { permissions: ["plugins:fly"] })).status).toBe(400)
    const accepted = await take(claim("owner"), { name: "Builder", permissions: ["plugins:write", "plugins:read"] })
    expect(accepted.status).toBe(200)
    expect(accepted.headers.get("cache-control")).toBe("no-store")
    expect(accepted.body.apiKey).toMatchObject({
      name: "Builder",
      permissions: ["plugins:read", "plugins:write"],
      createdByOrgMembershipId: accepted.body.member.id
    })
    const asKey = call(plane)
    const key = { "x-api-key": accepted.body.key }
    expect((await asKey("GET", `/v1/plugins/${plugin.id}`, undefined, key)).status).toBe(200)
    expect((await asKey("GET", "/v1/config-objects", undefined, key)).body.reason).toBe("permission_required")
    const headers = { "x-person": "ada", "x-organization-id": accepted.body.organization.id }
    const other = await asKey("POST", "/v1/plugins", { name: "Of the owner" }, headers)
    expect((await asKey("GET", `/v1/plugins/${other.body.item.id}`, undefined, key)).status).toBe(404)
    await expect(agent.organizations.get()).rejects.toBeInstanceOf(UnauthorizedError)
  })

  it("makes the workspace permanent, signs out its agent, and expires the other owner links", async () => {
    const { agent, claim, organizationId } = await workspace()
    expect((await agent.organizations.get()).provisional).toBe(true)
    const accepted = await as("ada")("accept", claim("owner"))
    expect(accepted.status).toBe(200)
    expect(accepted.body.organization).toMatchObject({ id: organizationId, provisional: false })
    expect(accepted.body.member).toMatchObject({ role: "owner", email: "ada@example.com" })
    await expect(agent.organizations.get()).rejects.toBeInstanceOf(UnauthorizedError)
    const mine = await call(plane)("GET", "/v1/organization", undefined, {
      "x-person": "ada",
      "x-organization-id": organizationId
    })
    expect(mine.body.organization.id).toBe(organizationId)
    expect((await as("bob")("accept", claim("owner"))).status).toBe(404)
    expect((await as("bob")("accept", claim("member"))).body.member.role).toBe("member")
  })

  it("accepts a link once, also from two people concurrently", async () => {
    const { claim } = await workspace()
    const responses = await Promise.all([as("ada")("accept", claim("member")), as("bob")("accept", claim("member"))])
    expect(responses.map((response) => response.status).sort()).toEqual([200, 404])
  })

  it("creates one owner when two owner links are used concurrently", async () => {
    for (let round = 0; round < 5; round++) {
      const { links } = await workspace({ claimRoles: ["owner", "owner"] })
      const [one = "", two = ""] = links
      const responses = await Promise.all([as("ada")("accept", one), as("bob")("accept", two)])
      expect(responses.map((response) => response.status).sort()).toEqual([200, 404])
    }
  })

  it("rejects an unverified email address, or one that the link is not for, and keeps the link valid", async () => {
    const { claim } = await workspace({ ownerEmail: "Ada@Example.com" })
    expect((await as("eve")("accept", claim("owner"))).body.reason).toBe("email_not_verified")
    expect((await as("bob")("accept", claim("owner"))).body.reason).toBe("email_mismatch")
    expect((await as("ada")("accept", claim("owner"))).status).toBe(200)
  })

  it("compares email addresses as mail servers do, and rejects undeliverable ones", async () => {
    const { claim } = await workspace({ ownerEmail: "ZOË@xn--bcher-kva.EXAMPLE" })
    expect((await as("zoe")("accept", claim("owner"))).status).toBe(200)
    const refused = await call(plane)(
      "POST",
      "/v1/bootstrap/workspace",
      { workspaceName: "Acme", ownerEmail: "zoe@a%b.example" },
      { "x-bootstrap-token": "the operator's own token" }
    )
    expect([refused.status, refused.body.details?.[0].path]).toEqual([400, ["body", "ownerEmail"]])
  })

  it("ensures that the agent cannot add an owner before the claim", async () => {
    const { agentCall, claim, organizationId } = await workspace({ claimRoles: ["member"] })
    const refused = [403, "provisional_organization"]
    const invited = await agentCall("POST", "/v1/invitations", {
      email: "eve@evil.example",
      role: "owner",
      send: false
    })
    expect([invited.status, invited.body.reason]).toEqual(refused)
    const { id } = (await as("bob")("accept", claim("member"))).body.member
    const raised = await agentCall("PATCH", `/v1/members/${id}`, { role: "owner" })
    expect([raised.status, raised.body.reason]).toEqual(refused)
    const batch = await agentCall("POST", "/v1/members/batch", {
      items: [{ action: "setRole", orgMembershipId: id, role: "owner" }]
    })
    expect(batch.body.results).toMatchObject([{ ok: false, error: { code: "provisional_organization" } }])
    const handed = await agentCall("POST", "/v1/organization/transfer-ownership", { orgMembershipId: id })
    expect([handed.status, handed.body.reason]).toEqual(refused)
    expect((await agentCall("PATCH", `/v1/members/${id}`, { role: "admin" })).status).toBe(200)
    const claimed = await as("ada")("accept", claim("owner"))
    expect(claimed.status).toBe(200)
    const ada = { "x-person": "ada", "x-organization-id": organizationId }
    const owners = await call(plane)("GET", "/v1/members?role=owner", undefined, ada)
    expect(owners.body.items.map((member: { id: string }) => member.id)).toEqual([claimed.body.member.id])
    // After the claim, the owner can.
    expect((await call(plane)("PATCH", `/v1/members/${id}`, { role: "owner" }, ada)).status).toBe(200)
  })

  it("accepts an internationalized email address in any spelling", async () => {
    const { claim } = await workspace({ ownerEmail: "Iris@Bücher.example" })
    expect((await as("bob")("accept", claim("owner"))).body.reason).toBe("email_mismatch")
    expect((await as("iris")("accept", claim("owner"))).status).toBe(200)
  })

  it("rejects a second membership, an anonymous caller and an unknown link", async () => {
    const { claim } = await workspace()
    await as("ada")("accept", claim("owner"))
    expect((await as("ada")("accept", claim("member"))).body.error).toBe("member_exists")
    expect((await as("nobody")("accept", claim("member"))).status).toBe(401)
    expect((await as("bob")("accept", "opc_nothing")).body.error).toBe("claim_not_found")
  })
})

describe("GET /v1/keys", () => {
  it("returns the same Ed25519 keys each time", async () => {
    const first = await call(plane)("GET", "/v1/keys")
    expect(first.body.keys).toHaveLength(1)
    expect(createPublicKey({ key: first.body.keys[0], format: "jwk" }).asymmetricKeyType).toBe("ed25519")
    expect((await call(plane)("GET", "/v1/keys")).text).toBe(first.text)
  })

  it("returns when each key was created and replaced", async () => {
    const keysOf = async () => (await call(plane)("GET", "/v1/keys")).body.keys
    const [first] = await keysOf()
    expect(first.retiredAt).toBeNull()
    await withServices(
      plane,
      Effect.flatMap(SigningKeys, ({ rotate }) => Effect.orDie(rotate))
    )
    const [next, retired] = await keysOf()
    expect([next.retiredAt, retired]).toEqual([null, { ...first, retiredAt: next.createdAt }])
    expect(Date.parse(next.createdAt)).toBeGreaterThan(Date.parse(first.createdAt))
  })
})
