/** Requests that need a secret whose key was lost fail with the reason and the fix. */
import { afterAll, describe, expect, it } from "vitest"
import { makeConnection, reachesLoopback, startOAuthWorld, visit } from "../agents/oauth.fixture.ts"
import {
  atProvider,
  clientId,
  clientSecret,
  comeBack,
  connectSso,
  resultOf,
  returnTo,
  serveStandIn,
  startSso,
  testSso
} from "../enterprise/sso.fixture.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { loseKeyOf } from "./lost-key.fixture.ts"

const plane = await makeControlPlane({ workers: false, outbound: reachesLoopback })
const standIn = await serveStandIn()
const world = await startOAuthWorld()
afterAll(() => standIn.close())

describe("if its key is lost", () => {
  it("the client secret of an MCP connection must be set again by a manager", async () => {
    const owner = await makeWorkspace(plane)
    const oauthClient = { clientId: "by hand", clientSecret: "a secret of ours" }
    const id = await makeConnection(owner, { url: world.mcpUrl, oauthClient })
    const start = () => owner.call("POST", `/v1/mcp-connections/${id}/connect/start`, {})
    expect((await start()).status).toBe(200)
    await loseKeyOf(plane, owner, "sealed_values")
    const refused = await start()
    expect([refused.status, refused.body.error]).toEqual([409, "connection_not_ready"])
    expect(refused.body.message).toBe(
      "not_connected: The client secret cannot be decrypted, because the secret key of the server was lost. A manager must set it again."
    )
    expect((await owner.call("PATCH", `/v1/mcp-connections/${id}`, { oauthClient })).status).toBe(200)
    expect((await start()).status).toBe(200)
  })

  it("a sign-in at an MCP server must be started again", async () => {
    const owner = await makeWorkspace(plane)
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const start = () => owner.call("POST", `/v1/mcp-connections/${id}/connect/start`, {})
    const complete = async (url: string) =>
      owner.call("POST", `/v1/mcp-connections/${id}/connect/complete`, Object.fromEntries(await visit(url)))
    const { url } = (await start()).body.connect
    await loseKeyOf(plane, owner, "oauth_states")
    const refused = await complete(url)
    expect([refused.status, refused.body.details[0].path]).toEqual([400, ["body", "state"]])
    expect(refused.body.details[0].message).toContain("that this session started for the connection")
    expect((await complete((await start()).body.connect.url)).status).toBe(200)
  })

  it("an SSO client secret must be set again by an administrator", async () => {
    const owner = await makeWorkspace(plane)
    await connectSso(plane, owner, standIn, { domain: "lost.example" })
    const underWay = await startSso(plane, { organizationId: owner.organizationId })
    await loseKeyOf(plane, owner, "sso_connections")
    const back = resultOf(await comeBack(plane, await atProvider(underWay.body.url)))
    expect(back.get("error")).toBe("provider_invalid")
    for (const start of [startSso(plane, owner), owner.call("POST", "/v1/sso/test", { returnTo })]) {
      const refused = await start
      expect([refused.status, refused.body]).toEqual([
        502,
        {
          error: "sso_provider_failed",
          code: "provider_invalid",
          message:
            "The client secret cannot be decrypted, because the secret key of the server was lost. An administrator must set it again."
        }
      ])
    }
    const settings = { issuer: standIn.issuer, clientId, clientSecret }
    expect((await owner.call("PUT", "/v1/sso/oidc", settings)).status).toBe(200)
    expect((await testSso(plane, owner)).lastTest.ok).toBe(true)
  })

  it("an SSO sign-in in progress must be started again", async () => {
    const owner = await makeWorkspace(plane)
    await connectSso(plane, owner, standIn, { domain: "underway.example" })
    const underWay = await startSso(plane, { organizationId: owner.organizationId })
    await loseKeyOf(plane, owner, "sso_sign_ins")
    const refused = await comeBack(plane, await atProvider(underWay.body.url))
    expect(resultOf(refused).get("error")).toBe("expired")
    const again = await startSso(plane, { organizationId: owner.organizationId })
    expect(resultOf(await comeBack(plane, await atProvider(again.body.url))).get("code")).not.toBeNull()
  })
})
