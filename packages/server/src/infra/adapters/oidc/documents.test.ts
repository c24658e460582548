import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import { Outbound, OutboundFailed, type OutboundRequest, type OutboundResponse } from "../../ports/outbound.ts"
import { type OidcConnection, OidcProviders } from "../../ports/sso.ts"
import { layerOidc } from "./index.ts"

const connection = (organizationId: string, issuer = "https://idp.example"): OidcConnection => ({
  organizationId,
  issuer,
  clientId: "us",
  clientSecret: null,
  scopes: ["openid"]
})
const begun = {
  redirectUri: "https://us.example/callback",
  state: "state",
  nonce: "nonce",
  codeVerifier: Redacted.make("v".repeat(43))
}
const response = (url: string, body: unknown): OutboundResponse => ({
  status: 200,
  statusText: "OK",
  url,
  headers: { "content-type": "application/json" },
  rawHeaders: [],
  sent: { method: "GET", rawHeaders: [] },
  phaseMillis: { wait: 0, lookup: 0, connect: 0, secure: 0, headers: 0, body: 0 },
  body: new TextEncoder().encode(JSON.stringify(body))
})
const documentOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`
})

/** Providers behind an outbound client that records each request and responds with `reply`. */
const withProviders = <A>(
  reply: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundFailed>,
  work: (providers: typeof OidcProviders.Service, requests: ReadonlyArray<string>) => Effect.Effect<A, unknown>
) => {
  const requests: Array<string> = []
  const outbound = Layer.succeed(Outbound, {
    request: (request) => {
      requests.push(`${request.organizationId} ${request.url}`)
      return reply(request)
    },
    start: () => Effect.die(new Error("Nothing is read partially.")),
    stream: () => Effect.die(new Error("Nothing is streamed.")),
    closeIdle: () => Effect.void
  })
  return Effect.flatMap(OidcProviders, (providers) => work(providers, requests)).pipe(
    Effect.provide(Layer.provide(layerOidc, outbound)),
    Effect.runPromise
  )
}
const open = Deferred.makeUnsafe<void>()
const described = ({ url }: OutboundRequest) => Effect.succeed(response(url, documentOf(new URL(url).origin)))

it("requests a provider's document once for concurrent sign-ins, separately for each organization", () =>
  withProviders(described, (providers, requests) =>
    Effect.gen(function* () {
      const begin = (organizationId: string) => providers.begin(connection(organizationId), begun)
      yield* Effect.all(["org_a", "org_a", "org_b", "org_a", "org_b"].map(begin), {
        concurrency: "unbounded",
        discard: true
      })
      yield* begin("org_a")
      const url = "https://idp.example/.well-known/openid-configuration"
      expect(requests.toSorted()).toEqual([`org_a ${url}`, `org_b ${url}`])
    })
  ))

it("fails all waiting sign-ins when the provider is unavailable, and requests it again for the next one", () => {
  let isAway = true
  return withProviders(
    (request) =>
      isAway
        ? Effect.andThen(Effect.yieldNow, new OutboundFailed({ code: "unreachable", message: "Nobody is there." }))
        : described(request),
    (providers, requests) =>
      Effect.gen(function* () {
        const begin = Effect.exit(providers.begin(connection("org_a"), begun))
        const exits = yield* Effect.all([begin, begin, begin], { concurrency: "unbounded" })
        expect(exits.map(({ _tag }) => _tag)).toEqual(["Failure", "Failure", "Failure"])
        expect(requests).toHaveLength(1)
        isAway = false
        expect((yield* begin)._tag).toBe("Success")
        expect(requests).toHaveLength(2)
      })
  )
})

it("completes the other sign-ins when the first one is interrupted", () =>
  withProviders(
    (request) => Effect.andThen(Deferred.await(open), described(request)),
    (providers, requests) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(providers.begin(connection("org_a"), begun), { startImmediately: true })
        const second = yield* Effect.forkChild(providers.begin(connection("org_a"), begun), { startImmediately: true })
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(open, undefined)
        expect(yield* Fiber.join(second)).toMatch(/^https:\/\/idp\.example\/authorize\?/)
        expect(requests).toHaveLength(1)
      })
  ))

it("caches one document for an organization that changes its issuer repeatedly", () =>
  withProviders(described, (providers, requests) =>
    Effect.gen(function* () {
      const begin = (issuer: string) => providers.begin(connection("org_a", issuer), begun)
      yield* begin("https://one.example")
      yield* begin("https://two.example")
      yield* begin("https://two.example")
      expect(requests).toHaveLength(2)
      yield* begin("https://one.example")
      expect(requests).toHaveLength(3)
    })
  ))
