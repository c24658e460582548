/** A simulated OpenID Connect provider that tests can manipulate, and a browser. */
import { createHash, randomBytes } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as jose from "jose"
import { makeId } from "../../src/infra/ids.ts"
import {
  type TestResponse,
  call,
  type Person,
  runSql,
  someAddress,
  type TestPlane,
  type Workspace
} from "../harness.ts"

export interface Claims {
  readonly [name: string]: unknown
}

export interface StandIn {
  readonly issuer: string
  /** The user at the browser, as claims. */
  person: Claims
  /** Modifies the claims before they are signed. */
  bend: (claims: Claims) => Claims
  /** Creates the token of the claims. Default: signed with the provider's key. */
  sign: (claims: Claims) => Promise<string>
  /** Modifies the discovery document. */
  describe: (document: Claims) => Claims
  /** The userinfo response; 401 when undefined. */
  userinfo: Claims | undefined
  /** The error in the redirect instead of a code. */
  error: string | undefined
  /** Additional parameters of the redirect. */
  back: Readonly<Record<string, string>>
  /** The response of the token endpoint instead of a token. */
  tokenResponse: { readonly status: number; readonly body: unknown } | undefined
  /** Signs with a new key from now on, the only one that is published. */
  readonly rotate: () => Promise<void>
  readonly ownKey: () => { readonly key: jose.CryptoKey; readonly kid: string }
  /** The number of requests by path. */
  readonly requestCounts: Map<string, number>
  readonly close: () => Promise<unknown>
  /** Removes all manipulations. */
  readonly reset: () => void
}

export const clientId = "orgplane-at-the-provider"
export const clientSecret = "a secret of 32 characters & more: %"

const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

export const serveStandIn = async (): Promise<StandIn> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let kid = 0
  const makeKey = async () => {
    const { privateKey, publicKey } = await jose.generateKeyPair("RS256", { extractable: true })
    kid += 1
    return {
      key: privateKey,
      kid: `key-${kid}`,
      jwk: { ...(await jose.exportJWK(publicKey)), kid: `key-${kid}`, use: "sig" }
    }
  }
  let own = await makeKey()
  const codes = new Map<string, URLSearchParams>()
  const requestCounts = new Map<string, number>()
  const nobody = { sub: "nobody" }
  const standIn: StandIn = {
    issuer,
    person: nobody,
    bend: (claims) => claims,
    sign: (claims) => new jose.SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", kid: own.kid }).sign(own.key),
    describe: (document) => document,
    userinfo: undefined,
    error: undefined,
    back: {},
    tokenResponse: undefined,
    rotate: async () => {
      own = await makeKey()
    },
    ownKey: () => own,
    requestCounts,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
    reset: () => Object.assign(standIn, { ...unbent })
  }
  const unbent = { ...standIn }

  const token = async (body: URLSearchParams, authorization: string | undefined) => {
    const grant = codes.get(body.get("code") ?? "")
    codes.delete(body.get("code") ?? "")
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url")
    const [id, secret] = Buffer.from(authorization?.replace(/^Basic /, "") ?? "", "base64")
      .toString()
      .split(":")
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")))
    const isKnown = (id === clientId && secret === clientSecret) || body.get("client_secret") === clientSecret
    if (!isKnown) return { status: 401, body: { error: "invalid_client" } }
    if (grant === undefined || grant.get("code_challenge") !== challenge) {
      return { status: 400, body: { error: "invalid_grant" } }
    }
    if (grant.get("redirect_uri") !== body.get("redirect_uri")) return { status: 400, body: { error: "invalid_grant" } }
    const now = Math.floor(Date.now() / 1000)
    const claims = standIn.bend({
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.get("nonce"),
      ...standIn.person
    })
    return {
      status: 200,
      body: { access_token: "an-access-token", token_type: "Bearer", id_token: await standIn.sign(claims) }
    }
  }

  server.on("request", (request, response) => {
    const url = new URL(request.url ?? "", issuer)
    requestCounts.set(url.pathname, (requestCounts.get(url.pathname) ?? 0) + 1)
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(
          response,
          200,
          standIn.describe({
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/userinfo`,
            jwks_uri: `${issuer}/keys`,
            id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
            token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
            authorization_response_iss_parameter_supported: true
          })
        )
      case "/keys":
        return json(response, 200, { keys: [own.jwk] })
      case "/userinfo":
        return standIn.userinfo === undefined ? json(response, 401, {}) : json(response, 200, standIn.userinfo)
      case "/authorize": {
        const code = randomBytes(16).toString("base64url")
        codes.set(code, url.searchParams)
        const back = new URL(url.searchParams.get("redirect_uri") ?? "")
        back.searchParams.set("state", url.searchParams.get("state") ?? "")
        back.searchParams.set("iss", issuer)
        if (standIn.error === undefined) back.searchParams.set("code", code)
        else back.searchParams.set("error", standIn.error)
        for (const [name, value] of Object.entries(standIn.back)) back.searchParams.set(name, value)
        response.writeHead(302, { location: back.href })
        return response.end()
      }
      case "/token": {
        let text = ""
        request.on("data", (chunk: Buffer) => (text += chunk.toString()))
        return request.on("end", () => {
          void token(new URLSearchParams(text), request.headers.authorization).then((tokenResult) => {
            const { body, status } = standIn.tokenResponse ?? tokenResult
            json(response, status, body)
          })
        })
      }
      default:
        return json(response, 404, {})
    }
  })
  return standIn
}

/** A domain that the organization has verified. */
export const verifyDomain = async (plane: TestPlane, owner: Person, domain: string, status = "verified") => {
  await runSql(
    plane,
    (sql) => sql`INSERT INTO domains (organization_id, id, domain, status, token, verified_at, created_at, updated_at)
      VALUES (${owner.organizationId}, ${makeId("dom")}, ${domain}, ${status}, 'a token', now(), now(), now())`
  )
}

/** Gives a user a verified email address, like an email code would. */
export const giveEmail = (plane: TestPlane, { userId }: Pick<Workspace, "userId">, email: string) =>
  runSql(plane, (sql) => sql`UPDATE users SET email = ${email}, email_verified = true WHERE id = ${userId}`)

export const s256 = (verifier: string) => createHash("sha256").update(verifier).digest("base64url")
export const verifier = "a verifier of the caller's, which has to have 43 characters"

/** The redirect of the provider's page. */
export const atProvider = async (url: string): Promise<URL> => {
  const response = await fetch(url, { redirect: "manual" })
  return new URL(response.headers.get("location") ?? "")
}

/** The browser at our callback. */
export const comeBack = (plane: TestPlane, url: URL): Promise<TestResponse> =>
  call(plane, undefined, someAddress())("GET", url.pathname + url.search)

/** The state with a code or an error, from a page or a redirect. */
export const resultOf = (response: TestResponse): URLSearchParams =>
  response.status === 303
    ? new URL(response.headers.get("location") ?? "").searchParams
    : new URLSearchParams(
        [...response.text.matchAll(/<dt>(\w+)<\/dt><dd><code>([\w-]+)<\/code>/g)].map(([, name = "", value = ""]) => [
          name.toLowerCase(),
          value
        ])
      )

export const returnTo = "http://127.0.0.1:9/waiting"

/** Starts a sign-in; `from` is an organization or an email address. */
export const startSso = (plane: TestPlane, who: { organizationId: string } | { email: string }) =>
  call(plane, undefined, someAddress())("POST", "/v1/sso/sign-in", { ...who, codeChallenge: s256(verifier), returnTo })

/** From the start to what the browser hands to the client. */
export const goThrough = async (plane: TestPlane, who: { organizationId: string } | { email: string }) => {
  const started = await startSso(plane, who)
  if (started.status !== 200) throw new Error(`The sign-in began with ${started.status}: ${started.text}`)
  const back = await comeBack(plane, await atProvider(started.body.url))
  return { state: started.body.state as string, back, result: resultOf(back) }
}

export const complete = (plane: TestPlane, state: string, code: string | null, codeVerifier = verifier) =>
  call(plane, undefined, someAddress())("POST", "/v1/sso/sign-in/complete", {
    state,
    code: code ?? "none",
    codeVerifier
  })

/** Signs in the user at the provider and returns the session. */
export const signInBySso = async (plane: TestPlane, who: { organizationId: string } | { email: string }) => {
  const { result, state } = await goThrough(plane, who)
  const response = await complete(plane, state, result.get("code"))
  if (response.status !== 201) throw new Error(`${result.get("error")}: ${response.text}`)
  return {
    response,
    userId: response.body.user.id as string,
    token: response.body.session.token as string,
    call: call(plane, response.body.session.token)
  }
}

/** A test of the connection by its owner. Returns `lastTest`. */
export const testSso = async (plane: TestPlane, owner: Person) => {
  const begun = await owner.call("POST", "/v1/sso/test", { returnTo })
  if (begun.status !== 200) throw new Error(`The test began with ${begun.status}: ${begun.text}`)
  const back = await comeBack(plane, await atProvider(begun.body.url))
  const { body } = await owner.call("GET", "/v1/sso")
  return { back, result: resultOf(back), lastTest: body.sso.lastTest }
}

/** A connection that is tested and enabled by its owner. */
export const connectSso = async (
  plane: TestPlane,
  owner: Workspace,
  standIn: StandIn,
  settings: { readonly domain: string; readonly jit?: { readonly enabled: boolean; readonly role?: string } }
) => {
  await verifyDomain(plane, owner, settings.domain)
  const email = `owner@${settings.domain}`
  await giveEmail(plane, owner, email)
  const put = await owner.call("PUT", "/v1/sso/oidc", {
    issuer: standIn.issuer,
    clientId,
    clientSecret,
    ...(settings.jit === undefined ? {} : { jit: settings.jit })
  })
  if (put.status !== 200) throw new Error(`The connection was not set: ${put.text}`)
  standIn.person = { sub: `owner of ${owner.organizationId}`, email, email_verified: true }
  const { lastTest } = await testSso(plane, owner)
  if (lastTest?.ok !== true) throw new Error(`The test ended with ${JSON.stringify(lastTest)}`)
  const enabled = await owner.call("POST", "/v1/sso/enable")
  if (enabled.status !== 200) throw new Error(`It was not enabled: ${enabled.text}`)
}
