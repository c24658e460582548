/** Single sign-on from a terminal, and the test of an SSO connection. */
import { type Connection, connect } from "./connection.ts"
import { exit, type ExitCode, Failure, usage } from "./failure.ts"
import type { SsoTestChosen } from "./further.ts"
import type { Globals } from "./globals.ts"
import { canAsk, type Io, print, readAll, say } from "./io.ts"
import { type Brought, makeProof } from "./loopback.ts"
import { begunOf, isAddress, ofAddress, throughBrowser } from "./oauth-connect.ts"
import { type Look, renderOne } from "./output/answer.ts"
import { member, textAt } from "./output/cell.ts"
import { harmless } from "./output/harmless.ts"
import { resolveSettings, warnOfPlainHttp } from "./settings.ts"
import { ask, askHidden } from "./terminal.ts"

export interface SsoLogin {
  readonly email: string | undefined
  readonly organizationId: string | undefined
  readonly browser: boolean
  readonly paste: boolean
  readonly quiet: boolean
}

const notSignedIn = "not signed in"

/** The code of the redirect. Throws with the error code if there is none. */
const codeOf = (brought: Brought): string => {
  if ("code" in brought) return brought.code
  if (!("error" in brought)) throw new Failure(exit.failure, "Unexpected response: this may not be an orgplane server.")
  throw new Failure(exit.refused, `The sign-in failed (${brought.error}): ${notSignedIn}.`)
}

/** Reads the code that the page shows, or its URL. */
const carriedCode = async (io: Io, state: string): Promise<string> => {
  const text = canAsk(io)
    ? await askHidden(io, "Code shown on the page (hidden):")
    : ((await readAll(io.stdin)).toString("utf8").trim().split(/\r?\n/)[0]?.trim() ?? "")
  if (text === "") throw new Failure(exit.failure, `No code was entered: ${notSignedIn}.`)
  return isAddress(text) ? ofAddress(text, state).code : text
}

/** Signs in with the identity provider of an organization, or of the domain of an email address. Returns the token. */
export const tokenBySso = async (io: Io, connection: Connection, told: SsoLogin): Promise<string> => {
  const { email, organizationId } = told
  if ((email === undefined) === (organizationId === undefined)) {
    throw usage("--sso requires --email with your email address, or --organization.")
  }
  const { challenge, verifier } = makeProof()
  const begin = async (returnTo: string | undefined) =>
    begunOf(
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
  const come = async () => {
    if (!told.paste) {
      const { begun, brought } = await throughBrowser({
        io,
        purpose: "sign in",
        outcome: notSignedIn,
        browser: told.browser,
        quiet: told.quiet,
        begin
      })
      return { state: begun.state, code: codeOf(brought) }
    }
    const { state, url } = await begin(undefined)
    await say(io, `Open this URL in a browser to sign in:\n\n  ${harmless(url)}\n`)
    return { state, code: await carriedCode(io, state) }
  }
  const { code, state } = await come()
  const body = await connection.send({
    method: "POST",
    path: "/v1/sso/sign-in/complete",
    query: {},
    body: { state, code, codeVerifier: verifier }
  })
  const token = textAt(body, "session.token")
  if (token === undefined) throw new Failure(exit.failure, "Unexpected response: this may not be an orgplane server.")
  return token
}

const shown = { subject: "lastTest", columns: ["ok", "code", "subject", "email", "at"] } as const

/** Tests the connection, prints the result and reports it in the exit code. */
export const testSso = async (io: Io, globals: Globals, look: Look, chosen: SsoTestChosen): Promise<ExitCode> => {
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnOfPlainHttp(io, settings)
  const connection = connect(io, settings, globals.debug)
  const begin = async (returnTo: string | undefined) =>
    begunOf(
      await connection.send(
        { method: "POST", path: "/v1/sso/test", query: {}, body: returnTo === undefined ? {} : { returnTo } },
        { idempotent: true }
      )
    )
  if (chosen.paste) {
    const { url } = await begin(undefined)
    await say(io, `Open this URL in a browser to test the connection:\n\n  ${harmless(url)}\n`)
    if (canAsk(io)) await ask(io, "Press Enter when the browser shows the result:")
    else await readAll(io.stdin)
  } else {
    await throughBrowser({
      io,
      purpose: "test the connection",
      outcome: "the connection was not tested",
      browser: chosen.browser,
      quiet: look.quiet,
      begin
    })
  }
  const body = await connection.send({ method: "GET", path: "/v1/sso", query: {}, body: undefined })
  const lastTest = member(member(body, "sso"), "lastTest")
  await print(io, renderOne({ lastTest }, look, shown))
  return member(lastTest, "ok") === true ? exit.ok : exit.refused
}
