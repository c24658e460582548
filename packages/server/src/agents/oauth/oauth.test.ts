import fc from "fast-check"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { retentionDefaults } from "../../infra/config/retention.ts"
import { pluginBoundsDefault, Settings } from "../../infra/config/settings.ts"
import { Outbound, type OutboundRequest } from "../../infra/ports/outbound.ts"
import { challengeOf } from "./challenge.ts"
import { AuthorizationDiscovery, type Inspect } from "./discovery.ts"
import { coversServer, issuerMetadataUrls, resourceMetadataUrls, sameIssuer } from "./well-known.ts"

const documentOf = (issuer: string, more: object = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ["S256"],
  ...more
})

/** Runs discovery on a simulated internet with only these documents. */
const inspect = async (documents: Readonly<Record<string, unknown>>, input: Partial<Inspect> = {}) => {
  const requests: Array<OutboundRequest> = []
  const internet = Layer.succeed(Outbound, {
    request: (request) =>
      Effect.sync(() => {
        requests.push(request)
        const document = documents[request.url]
        const text = typeof document === "string" ? document : JSON.stringify(document ?? {})
        const status = document === undefined ? 404 : 200
        return {
          status,
          statusText: "",
          url: request.url,
          headers: {},
          rawHeaders: [],
          sent: { method: "GET", rawHeaders: [] },
          phaseMillis: { wait: 0, lookup: 0, connect: 0, secure: 0, headers: 0, body: 0 },
          body: new TextEncoder().encode(text)
        }
      }),
    start: () => Effect.die("unused"),
    stream: () => Effect.die("nothing is streamed"),
    closeIdle: () => Effect.void
  })
  const settings = Layer.succeed(Settings, {
    publicUrl: "https://control.example",
    pathPrefix: "",
    links: { signIn: "", invitation: "", claim: "" },
    consoleUrl: null,
    corsOrigins: new Set<string>(),
    mayBePlainHttp: () => false,
    bootstrap: { kind: "off" },
    defaultPlan: "enterprise",
    platformAdmins: new Set<string>(),
    metricsToken: null,
    webhookSecrets: [],
    reconcileSeconds: 0,
    pluginBounds: pluginBoundsDefault,
    telemetry: { types: new Set<string>(), retentionDays: 400 },
    retention: retentionDefaults,
    storageQuotas: {},
    controlPlaneUrl: "http://localhost",
    heartbeatSeconds: 30,
    disk: null,
    version: "0",
    schemaVersion: 0
  })
  const authorization = await Effect.runPromise(
    Effect.flatMap(AuthorizationDiscovery, (discovery) =>
      discovery.inspect({ url: "https://mcp.example/deep/mcp", organizationId: "org_1", ...input })
    ).pipe(Effect.provide(AuthorizationDiscovery.layer.pipe(Layer.provide([internet, settings]))))
  )
  return {
    authorization,
    requests: requests.map(({ url }) => url),
    destinations: new Set(requests.map((one) => one.destination))
  }
}

const inserted = "https://mcp.example/.well-known/oauth-protected-resource/deep/mcp"
const root = "https://mcp.example/.well-known/oauth-protected-resource"
const resource = { resource: "https://mcp.example/deep/mcp", authorization_servers: ["https://as.example/tenant"] }
const layouts = [
  "https://as.example/.well-known/oauth-authorization-server/tenant",
  "https://as.example/.well-known/openid-configuration/tenant",
  "https://as.example/tenant/.well-known/openid-configuration"
]

describe("the discovery of OAuth metadata", () => {
  it.each(layouts)("finds metadata at each standard location, in order: %s", async (place) => {
    const { requests, destinations, authorization } = await inspect({
      [inserted]: resource,
      [place]: documentOf("https://as.example/tenant", { registration_endpoint: "https://as.example/register" })
    })
    expect(requests).toEqual([inserted, ...layouts.slice(0, layouts.indexOf(place) + 1)])
    expect(destinations).toEqual(new Set(["supplied"]))
    expect(authorization.usable?.issuer).toBe("https://as.example/tenant")
    expect(authorization.availableRegistrationMethods).toEqual(["pre_registered", "dynamic"])
    expect(authorization).toMatchObject({
      resource: resource.resource,
      requestedResource: resource.resource,
      warnings: []
    })
  })

  it("tries the location in the challenge, then with the path, then at the root", async () => {
    const challenge = 'Bearer resource_metadata="https://mcp.example/meta", scope="a b"'
    const named = await inspect({ "https://mcp.example/meta": resource }, { challenge })
    expect(named.requests[0]).toBe("https://mcp.example/meta")
    expect(named.authorization.requiredScopes).toEqual(["a", "b"])
    const atRoot = await inspect({ [root]: { ...resource, resource: "https://mcp.example", scopes_supported: ["c"] } })
    expect(atRoot.requests.slice(0, 2)).toEqual([inserted, root])
    expect(atRoot.authorization).toMatchObject({ requestedResource: "https://mcp.example", recommendedScopes: ["c"] })
  })

  it("accepts a server of the previous revision as its own, and assumes no endpoints", async () => {
    const own = "https://mcp.example/.well-known/oauth-authorization-server"
    const { authorization } = await inspect({ [own]: documentOf("https://mcp.example") })
    expect(authorization).toMatchObject({ resource: null, requestedResource: "https://mcp.example/deep/mcp" })
    expect(authorization.usable?.tokenEndpoint).toBe("https://mcp.example/token")
    const nothing = await inspect({})
    expect(nothing.authorization.usable).toBeNull()
    expect(nothing.authorization.warnings.map(({ code }) => code)).toEqual(["authorization_server_unknown"])
  })

  it("does not fall back to the server's own metadata when a document describes another server", async () => {
    const own = "https://mcp.example/.well-known/oauth-authorization-server"
    const lie = { ...resource, resource: "https://other.example/" }
    const { requests, authorization } = await inspect({
      [inserted]: lie,
      [root]: lie,
      [own]: documentOf("https://mcp.example")
    })
    expect(authorization.usable).toBeNull()
    expect(requests).toEqual([inserted, root])
    expect(authorization.warnings[0]?.code).toBe("resource_mismatch")
  })

  it("survives deeply nested and invalid documents", async () => {
    const deep = `{"issuer":${"[".repeat(50_000)}${"]".repeat(50_000)}}`
    for (const text of [deep, "[]", "null", "1", "<html>", "{", "\u0000"]) {
      const { authorization } = await inspect({ [inserted]: resource, [layouts[0] ?? ""]: text })
      expect(authorization.usable).toBeNull()
    }
  })

  it("reports the available client registration methods", async () => {
    const by = async (more: object) =>
      (await inspect({ [inserted]: resource, [layouts[0] ?? ""]: documentOf("https://as.example/tenant", more) }))
        .authorization
    const document = await by({ client_id_metadata_document_supported: true })
    expect(document.availableRegistrationMethods).toEqual(["pre_registered", "client_id_metadata_document"])
    const none = await by({})
    expect(none.availableRegistrationMethods).toEqual(["pre_registered"])
    expect(none.manualRequirements).toMatchObject([{ code: "oauth_client", required: true }])
  })
})

describe("well-known addresses", () => {
  it("match the standards", () => {
    expect(resourceMetadataUrls(new URL("https://a.example/"))).toEqual([
      "https://a.example/.well-known/oauth-protected-resource"
    ])
    expect(issuerMetadataUrls(new URL("https://a.example"))).toEqual([
      "https://a.example/.well-known/oauth-authorization-server",
      "https://a.example/.well-known/openid-configuration"
    ])
  })
  it("apply to a server and to URLs below them", () => {
    const covers = (text: string) => coversServer(text, new URL("https://a.example/one/two"))
    expect(["https://a.example/one/two", "https://a.example/one", "https://a.example"].map(covers)).toEqual([
      true,
      true,
      true
    ])
    const others = [
      "https://a.example/on",
      "https://a.example/one/two/three",
      "http://a.example",
      "https://b.example",
      "x"
    ]
    expect(others.map(covers)).toEqual([false, false, false, false, false])
  })
  it("identify an issuer with or without the slash of an empty path, and no other", () => {
    expect(sameIssuer("https://a.example", "https://a.example/")).toBe(true)
    expect(sameIssuer("https://a.example/b", "https://a.example/b/")).toBe(false)
    expect(sameIssuer("https://a.example", "https://A.example")).toBe(false)
  })
})

describe("a WWW-Authenticate challenge", () => {
  it("is found among others, quoted or not", () => {
    expect(
      challengeOf(
        'Negotiate abc==, Basic realm="a, b", bearer error=invalid_token, scope="x y", resource_metadata="https://a/\\"b"'
      )
    ).toEqual({
      resourceMetadata: 'https://a/"b',
      scopes: ["x", "y"],
      error: "invalid_token",
      isBearer: true
    })
    expect(challengeOf("Bearer")).toEqual({ resourceMetadata: null, scopes: [], error: null, isBearer: true })
    expect(challengeOf(undefined).resourceMetadata).toBeNull()
  })
  it("is parsed exactly, whatever surrounds it", () => {
    const word = fc.stringMatching(/^[a-z_]{1,12}$/)
    const value = fc.stringMatching(/^[ !#-[\]-~]{0,40}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(word, value), { maxLength: 5 }), value, (others, url) => {
        const rest = others.filter(([name]) => !["resource_metadata", "bearer"].includes(name))
        const text = `Bearer ${[...rest, ["resource_metadata", url]].map(([name, value]) => `${name}="${value}"`).join(", ")}`
        expect(challengeOf(text).resourceMetadata).toBe(url)
      })
    )
  })
  it("is parsed from any text quickly and without errors", () => {
    fc.assert(fc.property(fc.string({ maxLength: 2000, unit: "binary" }), (text) => void challengeOf(text)))
    challengeOf("Bearer ".repeat(100_000))
    challengeOf(`Bearer a="${"\\".repeat(100_000)}`)
  })
})
