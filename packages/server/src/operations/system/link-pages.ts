/**
 * Pages for links in emails and for redirects from a code host. The secret of an emailed link is in the URL fragment,
 * which is not sent to any server. A script shows it, so that the user can copy it into a client. The page sends no
 * requests and does not sign anyone in.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Settings } from "../../infra/config/settings.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { escapeHtml } from "../../infra/http/html.ts"

interface LinkPage {
  readonly path: `/${string}`
  readonly title: string
  /** Plain text, one item per paragraph. */
  readonly paragraphs: ReadonlyArray<string>
  /** The part of the URL with the secret. Default: the fragment. A code host uses the query. */
  readonly source?: "query"
  /** Parameters of the fragment or query, with their patterns and labels. */
  readonly fields: ReadonlyArray<{ readonly member: string; readonly label: string; readonly pattern: string }>
  /** The page of the console that does the same, below its URL. */
  readonly console?: `/${string}`
  /** Shell commands; `{member}` is replaced by the parameter's value. */
  readonly commands: (publicUrl: string) => ReadonlyArray<string>
  /** The instruction shown after the commands. */
  readonly afterCommands: string
}

const tokenOf = (prefix: string) => `^${prefix}_[0-9A-Za-z]{49}$`

export const pages: ReadonlyArray<LinkPage> = [
  {
    path: "/sign-in",
    title: "Sign in",
    paragraphs: [
      "You received this link because someone asked to sign in with your email address. Enter the code where you started to sign in. The code expires ten minutes after it was sent and can be used once.",
      "If you did not ask for it, close this page. Do not share the code: anyone with it can sign in as you."
    ],
    fields: [
      { member: "code", label: "Your code", pattern: "^[2-9A-HJ-NP-Z]{8}$" },
      { member: "challenge", label: "Sign-in request", pattern: "^[\\w-]{16,64}$" }
    ],
    console: "/sign-in",
    commands: (publicUrl) => [`orgplane login --base-url ${publicUrl} --challenge={challenge}`],
    afterCommands: "Enter the code when the command asks for it."
  },
  {
    path: "/invitation",
    title: "You've been invited",
    paragraphs: [
      "This link invites you to join an organization. To accept the invitation, sign in with the email address that received it, then enter the token below in your client.",
      "The link can be used once. Do not share it: anyone with the link can see who invited you."
    ],
    fields: [{ member: "token", label: "Your invitation token", pattern: tokenOf("opi") }],
    console: "/invitation",
    commands: (publicUrl) => [`orgplane login --base-url ${publicUrl}`, "orgplane invitations accept --token -"],
    afterCommands: "Enter the token when the command asks for it."
  },
  {
    path: "/claim",
    title: "Claim a workspace",
    paragraphs: [
      "This link lets you claim a workspace that was created for you, for example by an agent. To claim it, sign in with an email address, then enter the token below in your client.",
      "The first person to use the link joins the workspace with the role of the link, which can be owner. Share it only with the intended person."
    ],
    fields: [{ member: "token", label: "Your claim token", pattern: tokenOf("opc") }],
    console: "/claim",
    commands: (publicUrl) => [`orgplane login --base-url ${publicUrl}`, "orgplane bootstrap accept-claim --token -"],
    afterCommands: "Enter the token when the command asks for it."
  },
  {
    path: "/installed",
    title: "App installed",
    source: "query",
    paragraphs: [
      "The code host sent you here after you installed the app. Enter the code below in the client where you started the installation, in the same session and within ten minutes. You can then connect repositories.",
      "If you did not start the installation, close this page. Opening this page does not connect anything."
    ],
    fields: [
      { member: "code", label: "Your code", pattern: "^[\\w-]{8,255}$" },
      { member: "installation_id", label: "Installation", pattern: "^\\d{1,16}$" },
      { member: "state", label: "Installation request", pattern: "^[\\w-]{43}$" }
    ],
    commands: () => [
      "orgplane connectors complete-install --state={state} --installation-id={installation_id} --code -"
    ],
    afterCommands: "Enter the code when the command asks for it."
  }
]

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
 * Values that do not match the expected pattern are not shown, because anyone can write a fragment and the page ends
 * with a command line. After the values are shown, the URL is cleared, so
 * that the browser's history does not keep the secret.
 */
const script = `"use strict";
const part = document.body.dataset.from === "query" ? location.search : location.hash;
const parameters = new URLSearchParams(part.slice(1));
const fields = [...document.querySelectorAll("[data-member]")];
const isComplete = fields.every((field) => new RegExp(field.dataset.pattern).test(parameters.get(field.dataset.member) ?? ""));
if (isComplete) {
  for (const field of fields) field.textContent = parameters.get(field.dataset.member);
  for (const line of document.querySelectorAll("[data-line]")) {
    line.textContent = line.dataset.line.replace(/\\{(\\w+)\\}/g, (_, member) => parameters.get(member));
  }
  for (const link of document.querySelectorAll("[data-console]")) {
    link.hash = new URLSearchParams(fields.map((field) => [field.dataset.member, field.textContent])).toString();
  }
  history.replaceState(null, "", location.pathname);
}
document.getElementById(isComplete ? "complete" : "incomplete").hidden = false;`

const hashOf = (text: string) => `'sha256-${sha256Bytes(text).toString("base64")}'`

/** Nothing is loaded or sent; the one style and the one script are allowed by their digests. */
export const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** A complete page without external resources. */
export const linkPage = (page: LinkPage, publicUrl: string, consoleUrl: string | null): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.title)}</title>
<style>${style}</style>
</head>
<body${page.source === undefined ? "" : ` data-from="${page.source}"`}>
<main>
<h1>${escapeHtml(page.title)}</h1>
${page.paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join("\n")}
<div id="complete" hidden>
<dl>
${page.fields.map(({ label, member, pattern }) => `<dt>${escapeHtml(label)}</dt><dd><code data-member="${member}" data-pattern="${escapeHtml(pattern)}"></code></dd>`).join("\n")}
</dl>
${consoleUrl === null || page.console === undefined ? "" : `<p><a data-console href="${escapeHtml(consoleUrl + page.console)}">Continue in the console</a></p>\n`}<p>On the command line:</p>
${page
  .commands(publicUrl)
  .map((line) => `<pre><code data-line="${escapeHtml(line)}"></code></pre>`)
  .join("\n")}
<p>${escapeHtml(page.afterCommands)}</p>
</div>
<p id="incomplete" hidden>${
  page.source === undefined
    ? "This link is incomplete. Open it again from the email, including everything after the # sign."
    : "The response from the code host is incomplete. Start the installation again."
}</p>
<noscript><p>Enable JavaScript to show the code or token. It is also in the URL of this page, after the ${page.source === undefined ? "#" : "?"} sign.</p></noscript>
</main>
<script>${script}</script>
</body>
</html>
`

/** The pages that emailed links open. They are not used if the host application configures its own. */
export const layerLinkPages = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { consoleUrl, publicUrl } = yield* Settings
    for (const page of pages) {
      const response = HttpServerResponse.text(linkPage(page, publicUrl, consoleUrl), {
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
