/**
 * What people see who open a mailed link, or come back from a code host. The secret of a mail stands in the link's fragment, which reaches no server: a script of
 * the page shows it, to be copied into the client of one's choice. The page sends nothing and signs nobody in.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Settings } from "../../infra/config/settings.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"

interface LinkPage {
  readonly path: `/${string}`
  readonly title: string
  /** Plain words, each a paragraph. */
  readonly says: ReadonlyArray<string>
  /** Unless told the secret stands in the fragment; a code host sends its own in the query. */
  readonly from?: "query"
  /** Members of the fragment or query, what they look like, and what they are called. */
  readonly shows: ReadonlyArray<{ readonly member: string; readonly label: string; readonly pattern: string }>
  /** Lines for a shell; `{member}` is what the link holds. */
  readonly commands: (publicUrl: string) => ReadonlyArray<string>
  /** What is done after the command asks. */
  readonly then: string
}

const tokenOf = (prefix: string) => `^${prefix}_[0-9A-Za-z]{49}$`

export const pages: ReadonlyArray<LinkPage> = [
  {
    path: "/sign-in",
    title: "Sign in",
    says: [
      "This link was mailed to you because somebody asked to sign in with your address. Type the code where you asked for it; it is good for ten minutes and works once.",
      "If it was not you, close this page: without the code nobody can sign in as you, so tell it to nobody."
    ],
    shows: [
      { member: "code", label: "Your code", pattern: "^[2-9A-HJ-NP-Z]{8}$" },
      { member: "challenge", label: "Belongs to the request", pattern: "^[\\w-]{16,64}$" }
    ],
    commands: (publicUrl) => [`orgplane login --base-url ${publicUrl} --challenge={challenge}`],
    then: "It asks for the code."
  },
  {
    path: "/invitation",
    title: "You are invited",
    says: [
      "This link invites you to join an organization. To accept, sign in with the address that it was mailed to, then hand the token below to your client.",
      "The link works once and is for you alone: whoever has it can see who invited you, so pass it on to nobody."
    ],
    shows: [{ member: "token", label: "Your invitation", pattern: tokenOf("opi") }],
    commands: (publicUrl) => [`orgplane login --base-url ${publicUrl}`, "orgplane invitations accept --token -"],
    then: "It asks for the token."
  },
  {
    path: "/claim",
    title: "Claim a workspace",
    says: [
      "This link hands you a workspace that was made for you, perhaps by an agent. To claim it, sign in with an e-mail address, then hand the token below to your client.",
      "Whoever uses it first has the workspace: pass it on only to whom it is meant for."
    ],
    shows: [{ member: "token", label: "Your claim", pattern: tokenOf("opc") }],
    commands: (publicUrl) => [`orgplane login --base-url ${publicUrl}`, "orgplane bootstrap accept-claim --token -"],
    then: "It asks for the token."
  },
  {
    path: "/installed",
    title: "The app is installed",
    from: "query",
    says: [
      "The code host sent you back after installing the app. Hand the code below to the client in which you began, in the same session and within ten minutes: then the repositories can be connected.",
      "If you did not begin this yourself, close this page: nothing is connected by looking at it."
    ],
    shows: [
      { member: "code", label: "Your code", pattern: "^[\\w-]{8,255}$" },
      { member: "installation_id", label: "Installation", pattern: "^\\d{1,16}$" },
      { member: "state", label: "Belongs to the request", pattern: "^[\\w-]{43}$" }
    ],
    commands: () => [
      "orgplane connectors complete-install --state={state} --installation-id={installation_id} --code -"
    ],
    then: "It asks for the code."
  }
]

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? "")

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0;display:grid;place-items:center;min-height:100vh}
main{max-width:38rem;padding:2rem 1.25rem}
h1{font-size:1.5rem;margin:0 0 1rem}
dt{font-size:.875rem;opacity:.75}
dd{margin:0 0 1rem}
code{font:1rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere;-webkit-user-select:all;user-select:all}
dd code{font-size:1.125rem}
pre{margin:0 0 .5rem;padding:.75rem;border:1px solid;border-radius:.5rem;white-space:pre-wrap}`

/**
 * Only what looks like what we mail is shown: the page ends in a command line, and a fragment is anybody's to write.
 * Then the address forgets it, so that it is not kept by the browser's history.
 */
const script = `"use strict";
const part = document.body.dataset.from === "query" ? location.search : location.hash;
const told = new URLSearchParams(part.slice(1));
const slots = [...document.querySelectorAll("[data-member]")];
const isWhole = slots.every((slot) => new RegExp(slot.dataset.pattern).test(told.get(slot.dataset.member) ?? ""));
if (isWhole) {
  for (const slot of slots) slot.textContent = told.get(slot.dataset.member);
  for (const line of document.querySelectorAll("[data-line]")) {
    line.textContent = line.dataset.line.replace(/\\{(\\w+)\\}/g, (_, member) => told.get(member));
  }
  history.replaceState(null, "", location.pathname);
}
document.getElementById(isWhole ? "whole" : "broken").hidden = false;`

const hashOf = (text: string) => `'sha256-${sha256Bytes(text).toString("base64")}'`

/** Nothing is loaded or sent anywhere: one style and one script, each named by its digest. */
export const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** One page, whole: it needs no other file. */
export const linkPage = (page: LinkPage, publicUrl: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(page.title)}</title>
<style>${style}</style>
</head>
<body${page.from === undefined ? "" : ` data-from="${page.from}"`}>
<main>
<h1>${escaped(page.title)}</h1>
${page.says.map((text) => `<p>${escaped(text)}</p>`).join("\n")}
<div id="whole" hidden>
<dl>
${page.shows.map(({ label, member, pattern }) => `<dt>${escaped(label)}</dt><dd><code data-member="${member}" data-pattern="${escaped(pattern)}"></code></dd>`).join("\n")}
</dl>
<p>On a command line:</p>
${page
  .commands(publicUrl)
  .map((line) => `<pre><code data-line="${escaped(line)}"></code></pre>`)
  .join("\n")}
<p>${escaped(page.then)}</p>
</div>
<p id="broken" hidden>${
  page.from === undefined
    ? "This link is not whole. Open it once more from the letter, with everything that follows the # sign."
    : "The code host sent nothing that can be handed on. Begin once more."
}</p>
<noscript><p>What you need stands in the address of this page, after the ${page.from === undefined ? "#" : "?"} sign. To have it shown here, allow scripts.</p></noscript>
</main>
<script>${script}</script>
</body>
</html>
`

/** The pages at the addresses that letters name; a host that has its own never sends anybody here. */
export const layerLinkPages = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { publicUrl } = yield* Settings
    for (const page of pages) {
      const response = HttpServerResponse.text(linkPage(page, publicUrl), {
        contentType: "text/html; charset=utf-8",
        headers: {
          "cache-control": "no-store",
          "content-security-policy": policy,
          "cross-origin-opener-policy": "same-origin"
        }
      })
      yield* router.add("GET", page.path, Effect.succeed(response))
    }
  })
)
