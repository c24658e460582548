/**
 * The client under test: an orgplane server that this script drives through its API, like a user with a browser. The
 * conformance suite runs it with the URL of its MCP server as the last argument; it exits with 0 when all tools
 * returned a result.
 */

const planeUrl = process.env["ORGPLANE_COUNTERPART_URL"] ?? ""
const token = process.env["ORGPLANE_COUNTERPART_TOKEN"] ?? ""
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
const serverUrl = process.argv.at(-1) ?? ""

/** The client that the suite registered in advance. */
const context: { readonly client_id?: string; readonly client_secret?: string } = JSON.parse(
  process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"
)

interface Connection {
  readonly id: string
}
interface Tool {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }
}
interface Diagnostic {
  readonly code: string
  readonly message: string
  readonly connectUrl?: string
}

class Refused extends Error {
  readonly diagnostic: Diagnostic | undefined
  constructor(message: string, diagnostic: Diagnostic | undefined) {
    super(message)
    this.diagnostic = diagnostic
  }
}

const ask = async <A>(method: string, path: string, body?: unknown): Promise<A> => {
  const response = await fetch(`${planeUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) {
    const { diagnostic } = JSON.parse(text) as { readonly diagnostic?: Diagnostic }
    throw new Refused(`${method} ${path}: ${response.status} ${text.slice(0, 2000)}`, diagnostic)
  }
  return JSON.parse(text) as A
}

/** A browser without a person: follows redirects until one leads back to the callback. */
const browse = async (start: string): Promise<URLSearchParams> => {
  let url = new URL(start)
  for (let redirects = 0; redirects < 10; redirects++) {
    const { headers, status } = await fetch(url, { redirect: "manual" })
    const location = headers.get("location")
    if (location === null) throw new Error(`The authorization server returned ${status} without a redirect.`)
    url = new URL(location, url)
    if (url.pathname.endsWith("/v1/mcp-connections/callback")) return url.searchParams
  }
  throw new Error("The authorization server redirects in a loop.")
}

const connect = async (id: string): Promise<void> => {
  const started = await ask<{ readonly connect: { readonly url: string } }>(
    "POST",
    `/v1/mcp-connections/${id}/connect/start`,
    {}
  )
  const callback = await browse(started.connect.url)
  const iss = callback.get("iss")
  await ask("POST", `/v1/mcp-connections/${id}/connect/complete`, {
    state: callback.get("state"),
    code: callback.get("code"),
    ...(iss === null ? {} : { iss })
  })
}

/** Signs in again for additional scopes for as long as orgplane reports that it helps. */
const connected = async <A>(id: string, work: () => Promise<A>): Promise<A> => {
  for (let signIns = 0; ; signIns++) {
    try {
      return await work()
    } catch (cause) {
      const isStepUp = cause instanceof Refused && cause.diagnostic?.code === "insufficient_scope"
      if (!isStepUp || cause.diagnostic?.connectUrl === undefined || signIns >= 10) throw cause
      await connect(id)
    }
  }
}

const argumentsFor = (tool: Tool): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(tool.inputSchema.properties ?? {}).map(([name, { type }]) => [
      name,
      type === "number" || type === "integer" ? 2 : type === "boolean" ? true : "text"
    ])
  )

const { client_id: clientId, client_secret: clientSecret } = context
const { mcpConnection } = await ask<{ readonly mcpConnection: Connection }>("POST", "/v1/mcp-connections", {
  name: `${scenario} ${serverUrl} ${Date.now()}`.slice(-255),
  url: serverUrl,
  authType: scenario.startsWith("auth/") ? "oauth" : "none",
  ...(clientId === undefined
    ? {}
    : { oauthClient: { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) } })
})
const { id } = mcpConnection
if (scenario.startsWith("auth/")) await connect(id)
const { items } = await connected(id, () =>
  ask<{ readonly items: ReadonlyArray<Tool> }>("GET", `/v1/mcp-connections/${id}/tools`)
)
for (const tool of items) {
  await connected(id, () =>
    ask("POST", `/v1/mcp-connections/${id}/tools/call`, { toolName: tool.name, arguments: argumentsFor(tool) })
  )
}
