/** An MCP server and its authorization server on loopback, which behave correctly or maliciously as configured. */
import { createHash, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"
import { call, type TestPlane, type Workspace } from "../harness.ts"

/** The behavior of the servers; tests change it at run time. */
export interface Behavior {
  /** Overrides of the metadata members; undefined removes a member. */
  metadata: Readonly<Record<string, unknown>>
  /** Overrides of the protected resource metadata. */
  resource: Readonly<Record<string, unknown>>
  /** The metadata URL in the server's challenge. */
  resourceMetadata: string
  /** Handles a request instead of the server; false leaves it to the server. */
  instead: (path: string, response: ServerResponse) => boolean
  /** The issuer in the callback; null for none. */
  iss: string | null | undefined
  /** Overrides of the token response. */
  token: Readonly<Record<string, unknown>>
  tokenStatus: number
  /** The delay of the token endpoint before it checks the grant. */
  slowMillis: number
  expiresIn: number
  hasRefreshToken: boolean
  /**
   * Scopes that a tool call needs; without them the response is 403 `insufficient_scope`. `{token}` is the credential.
   */
  callScopes: ReadonlyArray<string>
  /** Whether a sign-in grants what it requests. */
  grantsScopes: boolean
  /** The challenge of the 401; undefined for the usual one. */
  challenge: string | undefined
  /** Members of the registration response. */
  registration: Readonly<Record<string, unknown>>
}

export interface TokenRequest {
  readonly parameters: URLSearchParams
  readonly authorization: string | undefined
}

export interface OAuthWorld {
  readonly origin: string
  readonly mcpUrl: string
  readonly behavior: Behavior
  /** Every request to the token endpoint, in order. */
  readonly tokenRequests: ReadonlyArray<TokenRequest>
  readonly registrations: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly revoked: ReadonlyArray<string>
  /** The requested paths. */
  readonly requestedPaths: ReadonlyArray<string>
  /** The number of requests with a credential to the MCP server. */
  readonly shown: () => number
  /** Whether a refresh token was used twice, which revokes its family. */
  readonly isReused: () => boolean
  /** Invalidates all access tokens. */
  readonly endTokens: () => void
  readonly reset: () => void
  readonly renewals: () => number
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

const usual = (): Behavior => ({
  metadata: {},
  resource: {},
  resourceMetadata: "/.well-known/oauth-protected-resource/mcp",
  instead: () => false,
  iss: undefined,
  token: {},
  tokenStatus: 200,
  slowMillis: 0,
  expiresIn: 3600,
  hasRefreshToken: true,
  callScopes: [],
  grantsScopes: true,
  challenge: undefined,
  registration: {}
})

const secret = () => randomBytes(16).toString("base64url")

export const startOAuthWorld = async (): Promise<OAuthWorld> => {
  const behavior = usual()
  const tokenRequests: Array<TokenRequest> = []
  const registrations: Array<Readonly<Record<string, unknown>>> = []
  const revoked: Array<string> = []
  const requestedPaths: Array<string> = []
  const codes = new Map<string, URLSearchParams>()
  const access = new Map<string, ReadonlyArray<string>>()
  const refresh = new Map<string, "live" | "used">()
  let isReused = false
  let renewals = 0
  let shown = 0
  let origin = ""

  const grant = (resource: string | null, scope: string | null) => {
    const accessToken = `access-${secret()}`
    access.set(accessToken, scope?.split(" ") ?? [])
    const refreshToken = `refresh-${secret()}`
    refresh.set(refreshToken, "live")
    return {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: behavior.expiresIn,
      scope: "tools:read",
      ...(behavior.hasRefreshToken ? { refresh_token: refreshToken } : {}),
      ...(resource === null ? {} : { resource }),
      ...behavior.token
    }
  }

  const token = async (request: IncomingMessage, response: ServerResponse) => {
    const parameters = new URLSearchParams(await readBody(request))
    tokenRequests.push({ parameters, authorization: request.headers.authorization })
    if (behavior.tokenStatus !== 200) return send(response, behavior.tokenStatus, { error: "server_error" })
    if (parameters.get("grant_type") === "refresh_token") {
      renewals += 1
      if (behavior.slowMillis > 0) await new Promise((resolve) => setTimeout(resolve, behavior.slowMillis))
      const given = parameters.get("refresh_token") ?? ""
      if (refresh.get(given) === "used") {
        isReused = true
        refresh.clear()
      }
      if (refresh.get(given) !== "live") return send(response, 400, { error: "invalid_grant" })
      refresh.set(given, "used")
      return send(response, 200, grant(parameters.get("resource"), null))
    }
    const begun = codes.get(parameters.get("code") ?? "")
    codes.delete(parameters.get("code") ?? "")
    const challenge = createHash("sha256")
      .update(parameters.get("code_verifier") ?? "")
      .digest("base64url")
    const isRight =
      begun !== undefined &&
      begun.get("code_challenge") === challenge &&
      begun.get("redirect_uri") === parameters.get("redirect_uri") &&
      begun.get("resource") === parameters.get("resource")
    return isRight
      ? send(response, 200, grant(parameters.get("resource"), begun.get("scope")))
      : send(response, 400, { error: "invalid_grant" })
  }

  const authorize = (url: URL, response: ServerResponse) => {
    const code = secret()
    codes.set(code, url.searchParams)
    const back = new URL(url.searchParams.get("redirect_uri") ?? "")
    back.searchParams.set("code", code)
    back.searchParams.set("state", url.searchParams.get("state") ?? "")
    const iss = behavior.iss === undefined ? origin : behavior.iss
    if (iss !== null) back.searchParams.set("iss", iss)
    response.writeHead(302, { location: back.href })
    response.end()
  }

  const mcp = async (request: IncomingMessage, response: ServerResponse) => {
    const message = JSON.parse((await readBody(request)) || "{}")
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
    if (request.headers.authorization !== undefined) shown += 1
    const isKey = request.headers["x-key"] === "the right key"
    if (!isKey && (given === undefined || !access.has(given))) {
      return send(
        response,
        401,
        {},
        {
          "www-authenticate":
            behavior.challenge ?? `Bearer resource_metadata="${origin}${behavior.resourceMetadata}", scope="tools:read"`
        }
      )
    }
    const granted = behavior.grantsScopes ? (access.get(given ?? "") ?? []) : []
    if (message.method === "tools/call" && !behavior.callScopes.every((scope) => granted.includes(scope))) {
      const words = behavior.callScopes.join(" ").replaceAll("{token}", given ?? "")
      const challenge = `Bearer error="insufficient_scope", scope="${words}"`
      return send(response, 403, { error: "insufficient_scope" }, { "www-authenticate": challenge })
    }
    const sendResult = (result: unknown) => send(response, 200, { jsonrpc: "2.0", id: message.id, result })
    if (message.method === "initialize") {
      return sendResult({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "fixture", version: "1" }
      })
    }
    if (message.method === "tools/list") {
      return sendResult({
        tools: [{ name: "echo", description: "Echoes its input.", inputSchema: { type: "object" } }]
      })
    }
    if (message.method === "tools/call") return sendResult({ content: [{ type: "text", text: "again" }] })
    if (message.id === undefined) {
      response.writeHead(202)
      return response.end()
    }
    return send(response, 200, { jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } })
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", origin)
    const { pathname } = url
    requestedPaths.push(pathname)
    if (behavior.instead(pathname, response)) return
    if (pathname === "/.well-known/oauth-protected-resource/mcp") {
      send(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin], ...behavior.resource })
    } else if (pathname === "/.well-known/oauth-authorization-server") {
      send(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        revocation_endpoint: `${origin}/revoke`,
        code_challenge_methods_supported: ["S256"],
        response_types_supported: ["code"],
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
        authorization_response_iss_parameter_supported: true,
        ...behavior.metadata
      })
    } else if (pathname === "/authorize") authorize(url, response)
    else if (pathname === "/token") void token(request, response)
    else if (pathname === "/register") {
      void readBody(request).then((text) => {
        const wish: Record<string, unknown> = JSON.parse(text)
        registrations.push(wish)
        send(response, 201, { ...wish, client_id: `client-${registrations.length}`, ...behavior.registration })
      })
    } else if (pathname === "/revoke") {
      void readBody(request).then((text) => {
        revoked.push(new URLSearchParams(text).get("token") ?? "")
        response.writeHead(200)
        response.end()
      })
    } else if (pathname === "/mcp") void mcp(request, response)
    else send(response, 404, {})
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    origin,
    mcpUrl: `${origin}/mcp`,
    behavior,
    tokenRequests,
    registrations,
    revoked,
    requestedPaths,
    isReused: () => isReused,
    endTokens: () => access.clear(),
    renewals: () => renewals,
    shown: () => shown,
    reset: () => {
      Object.assign(behavior, usual())
      isReused = false
      renewals = 0
      shown = 0
      for (const list of [tokenRequests, registrations, revoked, requestedPaths]) list.length = 0
    }
  }
}

/** The settings that let a control plane reach the test servers. */
export const reachesLoopback = { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }

let connections = 0

export const makeConnection = async (person: Workspace, input: object): Promise<string> => {
  const response = await person.call("POST", "/v1/mcp-connections", {
    name: `Connection ${(connections += 1)}`,
    authType: "oauth",
    ...input
  })
  if (response.status !== 201) throw new Error(`Making a connection ended with ${response.status}: ${response.text}`)
  return response.body.mcpConnection.id
}

/** The callback parameters that the authorization server returns through the browser. */
export const visit = async (url: string): Promise<URLSearchParams> => {
  const response = await fetch(url, { redirect: "manual" })
  const location = response.headers.get("location")
  if (location === null) throw new Error(`The authorization server answered ${response.status}.`)
  return new URL(location).searchParams
}

/** Runs a complete sign-in: start, browser, completion. */
export const connectAs = async (person: Workspace, connectionId: string) => {
  const started = await person.call("POST", `/v1/mcp-connections/${connectionId}/connect/start`, {})
  if (started.status !== 200) return started
  const callbackParameters = await visit(started.body.connect.url)
  return person.call(
    "POST",
    `/v1/mcp-connections/${connectionId}/connect/complete`,
    Object.fromEntries(callbackParameters)
  )
}

/** A browser request to the callback. */
export const atCallback = (plane: TestPlane, query: Record<string, string>) =>
  call(plane)("GET", `/v1/mcp-connections/callback?${new URLSearchParams(query).toString()}`)
