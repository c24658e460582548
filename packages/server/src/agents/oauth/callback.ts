/** What a browser gets that comes back from an authorization server: sent on, or shown what to hand in. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { sha256Bytes } from "../../infra/crypto/digest.ts"

/** What the server put into the address; anybody can write such an address. */
export interface Brought {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

const charactersMax = 4096

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? "")

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0;display:grid;place-items:center;min-height:100vh}
main{max-width:38rem;padding:2rem 1.25rem}
h1{font-size:1.5rem;margin:0 0 1rem}
dt{font-size:.875rem;opacity:.75}
dd{margin:0 0 1rem}
code{font:1rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere;-webkit-user-select:all;user-select:all}`

const policy = `default-src 'none'; style-src 'sha256-${sha256Bytes(style).toString("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** On every answer to such a browser, a page or the way on. */
export const browserHeaders = {
  "cache-control": "no-store",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

/** A page of ours for a browser that came back; it loads nothing and is kept nowhere. */
export const browserPage = (
  title: string,
  says: ReadonlyArray<string>,
  shows: ReadonlyArray<readonly [string, string]>,
  status = 200
) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${says.map((text) => `<p>${escaped(text)}</p>`).join("\n")}
${shows.length === 0 ? "" : `<dl>\n${shows.map(([label, text]) => `<dt>${escaped(label)}</dt><dd><code>${escaped(text)}</code></dd>`).join("\n")}\n</dl>`}
</main>
</body>
</html>
`,
    { status, contentType: "text/html; charset=utf-8", headers: browserHeaders }
  )

/** The status of error pages: programs and monitoring read the status, not the page. */
export const pageStatus = { refused: 403, gone: 410 } as const

/** Names of OAuth's errors are words; whatever else stands there is not shown. */
const errorOf = (text: string) => (/^[a-z_]{1,64}$/.test(text) ? text : "unknown")

const isShort = (text: string | undefined) => text === undefined || text.length <= charactersMax

/** Whether a state can be one of ours. */
export const isState = (state: string | undefined): state is string => state !== undefined && /^[\w-]{43}$/.test(state)

const lost = () =>
  browserPage(
    "Nothing to connect",
    ["This address belongs to no sign-in that is under way: it may be over, or have been used. Begin once more."],
    [],
    pageStatus.gone
  )

/**
 * The answer to a browser. `returnTo` is what the start of the sign-in said, null where it said nothing, and undefined
 * when there is no such sign-in: then nothing of the address is repeated.
 */
export const callbackAnswer = (brought: Brought, returnTo: string | null | undefined) => {
  const { code, error, iss, state } = brought
  if (returnTo === undefined || !isState(state) || !isShort(code) || !isShort(iss)) return lost()
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
        "The authorization server sent you back without a code. Nothing was connected; begin once more where you began.",
        `It said: ${errorOf(error ?? "invalid_request")}`
      ],
      [],
      pageStatus.refused
    )
  }
  return browserPage(
    "Almost connected",
    [
      "Hand what stands below to the client in which you began, in the same session and within ten minutes.",
      "If you did not begin this yourself, close this page: nothing is connected by looking at it."
    ],
    [["State", state], ["Code", code], ...(iss === undefined ? [] : [["Issuer", iss] as const])]
  )
}
