/** Single sign-on from a terminal, and the test of an SSO connection. */
import { type Connection, connectSignedIn } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { SsoTestInvocation } from "./invocation.ts"
import type { Globals } from "./global-flags.ts"
import { canPrompt, type Io, notify, readAll } from "./io.ts"
import { makePkce, type RedirectResult } from "./loopback.ts"
import { codeFromUrl, isUrl, runBrowserFlow, startedSignIn } from "./browser-sign-in.ts"
import { printOne } from "./output/print.ts"
import type { OutputOptions } from "./output/render.ts"
import { member, textAt } from "./output/value.ts"
import { escapeControls } from "./output/escape.ts"
import { prompt, promptHidden } from "./terminal.ts"

export interface SsoLogin {
  readonly email: string | undefined
  readonly organizationId: string | undefined
  readonly browser: boolean
  readonly paste: boolean
  readonly quiet: boolean
}

const notSignedIn = "You are not signed in"

/** The code of the redirect. Throws with the error code if there is none. */
const codeOf = (redirect: RedirectResult): string => {
  if ("code" in redirect) return redirect.code
  if (!("error" in redirect))
    throw new Failure(exit.failure, "Unexpected response: the server might not be an orgplane server.")
  throw new Failure(exit.refused, `Sign-in failed: ${redirect.error}. ${notSignedIn}.`)
}

/** Reads the code that the page shows, or its URL. */
const readCode = async (io: Io, state: string): Promise<string> => {
  const text = canPrompt(io)
    ? await promptHidden(io, "Code shown on the page, or the page's full URL (hidden):")
    : ((await readAll(io.stdin)).toString("utf8").trim().split(/\r?\n/)[0]?.trim() ?? "")
  if (text === "") throw new Failure(exit.failure, `No code was entered. ${notSignedIn}.`)
  return isUrl(text) ? codeFromUrl(text, state).code : text
}

/** Signs in with the identity provider of an organization, or of the domain of an email address. Returns the token. */
export const tokenBySso = async (io: Io, connection: Connection, options: SsoLogin): Promise<string> => {
  const { email, organizationId } = options
  if ((email === undefined) === (organizationId === undefined)) {
    throw usage("--sso requires --email with your email address, or --organization.")
  }
  const { challenge, verifier } = makePkce()
  const start = async (returnTo: string | undefined) =>
    startedSignIn(
      await connection.send({
        method: "POST",
        path: "/v1/sso/sign-in",
        query: {},
        body: {
          ...(email === undefined ? { organizationId } : { email }),
          codeChallenge: challenge,
          ...(returnTo === undefined ? {} : { returnTo })
        }
      })
    )
  const authorize = async () => {
    if (!options.paste) {
      const { started, redirect } = await runBrowserFlow({
        io,
        purpose: "sign in",
        outcome: notSignedIn,
        browser: options.browser,
        quiet: options.quiet,
        start
      })
      return { state: started.state, code: codeOf(redirect) }
    }
    const { state, url } = await start(undefined)
    await notify(io, `Open this URL in a browser to sign in:\n\n  ${escapeControls(url)}\n`)
    return { state, code: await readCode(io, state) }
  }
  const { code, state } = await authorize()
  const body = await connection.send({
    method: "POST",
    path: "/v1/sso/sign-in/complete",
    query: {},
    body: { state, code, codeVerifier: verifier }
  })
  const token = textAt(body, "session.token")
  if (token === undefined)
    throw new Failure(exit.failure, "Unexpected response: the server might not be an orgplane server.")
  return token
}

const testResult = { subject: "lastTest", columns: ["ok", "code", "subject", "email", "at"] } as const

/** Tests the connection, prints the result and reports it in the exit code. */
export const testSso = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: SsoTestInvocation
): Promise<ExitCode> => {
  const connection = await connectSignedIn(io, globals)
  const start = async (returnTo: string | undefined) =>
    startedSignIn(
      await connection.send(
        { method: "POST", path: "/v1/sso/test", query: {}, body: returnTo === undefined ? {} : { returnTo } },
        { idempotent: true }
      )
    )
  if (invocation.paste) {
    const { url } = await start(undefined)
    await notify(io, `Open this URL in a browser to test the connection:\n\n  ${escapeControls(url)}\n`)
    if (canPrompt(io)) await prompt(io, "Press Enter when the browser shows the result:")
    else await readAll(io.stdin)
  } else {
    await runBrowserFlow({
      io,
      purpose: "test the connection",
      outcome: "The connection was not tested",
      browser: invocation.browser,
      quiet: output.quiet,
      start
    })
  }
  const body = await connection.send({ method: "GET", path: "/v1/sso", query: {}, body: undefined })
  const lastTest = member(member(body, "sso"), "lastTest")
  await printOne(io, { lastTest }, output, testResult)
  return member(lastTest, "ok") === true ? exit.ok : exit.refused
}
