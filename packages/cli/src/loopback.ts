/** A loopback listener that receives the redirect at the end of a browser sign-in. */
import { createHash, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { exit } from "./exit-code.ts"
import { Failure } from "./failure.ts"

/** Query parameters of the redirect. */
export type RedirectResult =
  | { readonly code: string; readonly iss: string | undefined }
  | { readonly error: string; readonly iss: string | undefined }
  /** A connection test ended. It creates no session. */
  | { readonly tested: true; readonly iss: string | undefined }

/** A PKCE code verifier and its challenge. */
export const makePkce = () => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") }
}

export interface Loopback {
  /** URL that the browser is redirected to. */
  readonly returnTo: string
  /** Resolves with the first redirect that has this state. Other requests are rejected and do not end the wait. */
  readonly expect: (state: string) => Promise<RedirectResult>
  readonly close: () => void
}

const addressBytesMax = 12_288
const headersMillisMax = 10_000
const connectionsMax = 16

const page = (title: string, text: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><h1>${title}</h1><p>${text}</p></body>
</html>
`

const pages = {
  connected: page("Almost done", "You can close this window and return to the terminal."),
  failed: page("Sign-in failed", "You can close this window. The terminal shows the details."),
  notFound: page("Not found", "No sign-in is waiting at this address.")
} as const

const send = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
) => {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
    ...headers
  })
  response.end(body)
}

/** The value of a parameter; undefined if it is empty or repeated. */
const singleValue = (query: URLSearchParams, name: string): string | undefined => {
  const [value, ...others] = query.getAll(name)
  return others.length === 0 && value !== "" ? value : undefined
}

const redirectResultOf = (query: URLSearchParams): RedirectResult | undefined => {
  const [code, error, iss] = [singleValue(query, "code"), singleValue(query, "error"), singleValue(query, "iss")]
  if (error !== undefined) return { error: /^[a-z_]{1,64}$/.test(error) ? error : "unknown", iss }
  if (singleValue(query, "tested") === "true") return { tested: true, iss }
  return code === undefined ? undefined : { code, iss }
}

/** Listens on a free port, at an unguessable path. */
export const listen = async (): Promise<Loopback> => {
  const path = `/${randomBytes(24).toString("base64url")}`
  let host = ""
  let expected: { readonly state: string; readonly resolve: (result: RedirectResult) => void } | undefined

  const handleRequest = (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    const target = request.url ?? ""
    // Another host name means DNS rebinding: a website whose name resolves to this machine.
    const isValidTarget =
      request.headers.host === host && target.length <= addressBytesMax && target.split("?", 1)[0] === path
    if (!isValidTarget) return send(response, 404, pages.notFound)
    if (request.method !== "GET") return send(response, 405, pages.notFound, { allow: "GET" })
    const query = new URL(target, `http://${host}`).searchParams
    const result = redirectResultOf(query)
    if (expected === undefined || singleValue(query, "state") !== expected.state || result === undefined) {
      return send(response, 400, pages.notFound)
    }
    const { resolve } = expected
    expected = undefined
    // Resolves after the page was sent, because the process exits soon after.
    response.once("close", () => resolve(result))
    send(response, 200, "error" in result ? pages.failed : pages.connected)
  }

  const server = createServer(
    { headersTimeout: headersMillisMax, requestTimeout: headersMillisMax, maxHeaderSize: 2 * addressBytesMax },
    handleRequest
  )
  server.maxConnections = connectionsMax
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", () => reject(new Failure(exit.failure, "Cannot open a port on 127.0.0.1. Use --paste.")))
    server.listen({ host: "127.0.0.1", port: 0, exclusive: true }, () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })
  host = `127.0.0.1:${port}`
  return {
    returnTo: `http://${host}${path}`,
    expect: (state) =>
      new Promise((resolve) => {
        expected = { state, resolve }
      }),
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
