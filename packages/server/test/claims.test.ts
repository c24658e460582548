import { createClient, UnauthorizedError } from "@orgplane/client"
import { createPublicKey } from "node:crypto"
import { describe, expect, it } from "vitest"
import { call, makeControlPlane } from "./harness.ts"

/** People of a host application, named by a header. */
const people: Record<string, { email: string | null; emailVerified: boolean }> = {
  ada: { email: "ada@example.com", emailVerified: true },
  bob: { email: "bob@example.com", emailVerified: true },
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
  const made = await call(plane)(
    "POST",
    "/v1/bootstrap/workspace",
    { workspaceName: "Acme", claimRoles: ["owner", "member"], ...input },
    { "x-bootstrap-token": "the operator's own token" }
  )
  expect(made.status).toBe(201)
  const claim = (role: string): string =>
    made.body.claimLinks.find((link: { role: string }) => link.role === role).token
  const agent = createClient({
    baseUrl: "http://localhost",
    token: made.body.session.token,
    fetch: plane.fetch,
    retries: 0
  })
  return { agent, claim, organizationId: made.body.organization.id as string }
}

const as = (person: string) => (path: string, token: string) =>
  call(plane)("POST", `/v1/bootstrap/claims/${path}`, { token }, { "x-person": person })

describe("POST /v1/bootstrap/claims/accept", () => {
  it("makes the workspace permanent, signs its agent out, and ends the other owner links", async () => {
    const { agent, claim, organizationId } = await workspace()
    expect((await agent.organizations.get()).organization.provisional).toBe(true)
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

  it("uses a link once, also when two people follow it together", async () => {
    const { claim } = await workspace()
    const answers = await Promise.all([as("ada")("accept", claim("member")), as("bob")("accept", claim("member"))])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
  })

  it("refuses an address that is not proved, or not the one the link was made for, and leaves the link good", async () => {
    const { claim } = await workspace({ ownerEmail: "Ada@Example.com" })
    expect((await as("eve")("accept", claim("owner"))).body.reason).toBe("email_not_verified")
    expect((await as("bob")("accept", claim("owner"))).body.reason).toBe("email_mismatch")
    expect((await as("ada")("accept", claim("owner"))).status).toBe(200)
  })

  it("refuses a second membership, a stranger and a link that never was", async () => {
    const { claim } = await workspace()
    await as("ada")("accept", claim("owner"))
    expect((await as("ada")("accept", claim("member"))).body.error).toBe("member_exists")
    expect((await as("nobody")("accept", claim("member"))).status).toBe(401)
    expect((await as("bob")("accept", "opc_nothing")).body.error).toBe("claim_not_found")
  })
})

describe("GET /v1/keys", () => {
  it("answers the same Ed25519 keys each time", async () => {
    const first = await call(plane)("GET", "/v1/keys")
    expect(first.body.keys).toHaveLength(1)
    expect(createPublicKey({ key: first.body.keys[0], format: "jwk" }).asymmetricKeyType).toBe("ed25519")
    expect((await call(plane)("GET", "/v1/keys")).text).toBe(first.text)
  })
})
