import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "./harness.ts"
import { complete, connectSso, goThrough, serveStandIn, signInBySso } from "./sso.fixture.ts"

const plane = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
const standIn = await serveStandIn()
afterAll(() => standIn.close())
beforeEach(() => standIn.reset())

describe("a sign-in", () => {
  it("makes whoever comes with an address of a verified domain a member, and knows them by their subject again", async () => {
    const owner = await makeWorkspace(plane)
    await connectSso(plane, owner, standIn, { domain: "joined.example", jit: { enabled: true } })
    standIn.person = { sub: "ada", email: "Ada@joined.example", email_verified: true, name: "Ada" }
    const ada = await signInBySso(plane, { email: "ada@joined.example" })
    expect(ada.answer.body).toMatchObject({
      organizationId: owner.organizationId,
      user: { email: "ada@joined.example", emailVerified: true, name: "Ada" }
    })
    const self = await ada.call("GET", "/v1/organization")
    expect(self.status).toBe(200)
    // Whatever address is told of them now.
    standIn.person = { sub: "ada", email: "ada.lovelace@elsewhere.example", email_verified: true }
    const again = await signInBySso(plane, { organizationId: owner.organizationId })
    expect(again.userId).toBe(ada.userId)
    const { brought, state } = await goThrough(plane, { organizationId: owner.organizationId })
    expect((await complete(plane, state, brought.get("code"))).status).toBe(201)
    expect((await complete(plane, state, brought.get("code"))).status).toBe(400)
  })
})
