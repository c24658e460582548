/** The responses to a browser that returns from an authorization server: a redirect to the client, or an HTML page. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { escapeHtml } from "../../infra/http/html.ts"

/** The query parameters of the callback. They are untrusted: anyone can construct such a URL. */
export interface CallbackParameters {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

const charactersMax = 4096

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0;display:grid;place-items:center;min-height:100vh}
main{max-width:38rem;padding:2rem 1.25rem}
h1{font-size:1.5rem;margin:0 0 1rem}
dt{font-size:.875rem;opacity:.75}
dd{margin:0 0 1rem}
code{font:1rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere;-webkit-user-select:all;user-select:all}`

const policy = `default-src 'none'; style-src 'sha256-${sha256Bytes(style).toString("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The headers of every callback response, page or redirect. */
export const browserHeaders = {
  "cache-control": "no-store",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

/** A callback page. It loads no resources and must not be cached. */
export const browserPage = (
  title: string,
  paragraphs: ReadonlyArray<string>,
  values: ReadonlyArray<readonly [string, string]>,
  status = 200
) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join("\n")}
${values.length === 0 ? "" : `<dl>\n${values.map(([label, text]) => `<dt>${escapeHtml(label)}</dt><dd><code>${escapeHtml(text)}</code></dd>`).join("\n")}\n</dl>`}
</main>
</body>
</html>
`,
    { status, contentType: "text/html; charset=utf-8", headers: browserHeaders }
  )

/** The status of error pages: programs and monitoring read the status, not the page. */
export const pageStatus = { refused: 403, gone: 410 } as const

/** OAuth error codes match this pattern; anything else is not shown. */
const errorOf = (text: string) => (/^[a-z_]{1,64}$/.test(text) ? text : "unknown")

const isShort = (text: string | undefined) => text === undefined || text.length <= charactersMax

/** Whether a value has the form of a state that this server issues. */
export const isState = (state: string | undefined): state is string => state !== undefined && /^[\w-]{43}$/.test(state)

const invalidStatePage = () =>
  browserPage(
    "Sign-in not found",
    ["No sign-in matches this link: it has expired or was already completed. Start the connection again."],
    [],
    pageStatus.gone
  )

/**
 * The response to the browser. `returnTo` is the URL given when the sign-in started, null when none was given, and
 * undefined when no such sign-in exists; in that case no query parameter is shown.
 */
export const callbackResponse = (parameters: CallbackParameters, returnTo: string | null | undefined) => {
  const { code, error, iss, state } = parameters
  if (returnTo === undefined || !isState(state) || !isShort(code) || !isShort(iss)) return invalidStatePage()
  if (returnTo !== null) {
    const url = new URL(returnTo)
    url.searchParams.set("state", state)
    if (error === undefined && code !== undefined) {
      url.searchParams.set("code", code)
    } else {
      url.searchParams.set("error", errorOf(error ?? "invalid_request"))
    }
    if (iss !== undefined) url.searchParams.set("iss", iss)
    return HttpServerResponse.empty({ status: 303, headers: { ...browserHeaders, location: url.href } })
  }
  if (error !== undefined || code === undefined) {
    return browserPage(
      "Not connected",
      [
        "The authorization server returned no authorization code. Nothing was connected. Start again in your client.",
        `Error: ${errorOf(error ?? "invalid_request")}`
      ],
      [],
      pageStatus.refused
    )
  }
  return browserPage(
    "Almost connected",
    [
      "Enter these values in the client where you started the connection. Use the same session, and do it within ten minutes.",
      "If you did not start this connection, close this page. Opening this page does not connect anything."
    ],
    [["State", state], ["Code", code], ...(iss === undefined ? [] : [["Issuer", iss] as const])]
  )
}
