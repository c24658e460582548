/** A third-party OpenID Connect provider with our test users, and a control plane on a port. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { Provider } from "oidc-provider"
import { makeId } from "../../src/infra/ids.ts"
import { toNodeHandler } from "../../src/index.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { start } from "../../src/start.ts"

const listen = async (make: (origin: string) => RequestListener | Promise<RequestListener>) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on("request", await make(origin))
  return {
    origin,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}

export interface OidcServer {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The user at the browser. */
  person: { readonly sub: string; readonly email: string; readonly email_verified: boolean; readonly name?: string }
  /** What the user does at the consent page. */
  consent: "allow" | "deny"
  readonly close: () => Promise<unknown>
}

/** Has one client, whose redirect URI is `redirectUri`. */
export const serveOidc = async (redirectUri: string): Promise<OidcServer> => {
  const clientId = "orgplane"
  const clientSecret = "a secret that only this provider and our client have"
  const listening = await listen((origin) => {
    const provider = new Provider(origin, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri],
          grant_types: ["authorization_code"],
          response_types: ["code"]
        }
      ],
      features: { devInteractions: { enabled: false } },
      claims: { email: ["email", "email_verified"], profile: ["name"] },
      // Included in the ID token, not only in userinfo.
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...server.person, sub }) }),
      cookies: { keys: ["a key for cookies in tests"] },
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 }
    })
    const handle = provider.callback()
    return (request, response) => {
      if (request.url?.startsWith("/interaction/") !== true) return void handle(request, response)
      void (async () => {
        const details = await provider.interactionDetails(request, response)
        const accountId = server.person.sub
        if (server.consent === "deny") {
          return provider.interactionFinished(request, response, { error: "access_denied" })
        }
        if (details.prompt.name === "login") {
          return provider.interactionFinished(request, response, { login: { accountId } })
        }
        const grant = new provider.Grant({ accountId, clientId })
        grant.addOIDCScope("openid email profile")
        return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
      })()
    }
  })
  const server: OidcServer = {
    issuer: listening.origin,
    clientId,
    clientSecret,
    person: { sub: "nobody", email: "nobody@example.com", email_verified: true },
    consent: "allow",
    close: listening.close
  }
  return server
}

/** A control plane on a port that may call loopback addresses, with an owner and a verified domain. */
export const serveSsoPlane = async (domain: string) => {
  let plane: Awaited<ReturnType<typeof start>> | undefined
  const listening = await listen(async (origin) => {
    plane = await start({
      database: { kind: "pglite", dataDir: "memory" },
      publicUrl: origin,
      outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
      logLevel: "none"
    })
    return toNodeHandler(plane)
  })
  const response = await fetch(`${listening.origin}/v1/bootstrap/workspace`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workspaceName: "Acme" })
  })
  const { organization, session } = (await response.json()) as {
    readonly organization: { readonly id: string }
    readonly session: { readonly token: string }
  }
  if (plane === undefined) throw new Error("There is no control plane.")
  // As if the workspace were claimed and the domain verified.
  await Effect.runPromise(
    Effect.provideContext(
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* sql`UPDATE organizations SET provisional_until = NULL WHERE id = ${organization.id}`
        yield* sql`UPDATE memberships SET role = 'owner' WHERE organization_id = ${organization.id}`
        yield* sql`INSERT INTO domains (organization_id, id, domain, status, token, verified_at, created_at, updated_at)
          VALUES (${organization.id}, ${makeId("dom")}, ${domain}, 'verified', 'a token', now(), now(), now())`
      }),
      plane.services
    )
  )
  const ending = plane
  return {
    origin: listening.origin,
    organizationId: organization.id,
    token: session.token,
    callback: `${listening.origin}/v1/sso/oidc/${organization.id}/callback`,
    close: async () => {
      await listening.close()
      await ending.dispose()
    }
  }
}
