/** OAuth sign-in from a terminal: a browser on this machine with a loopback redirect, or a pasted code. */
import type { Connection } from "./connection.ts"
import { exit } from "./exit-code.ts"
import { Failure } from "./failure.ts"
import { canPrompt, type Io, notify, readAll } from "./io.ts"
import { listen, type RedirectResult } from "./loopback.ts"
import { textAt } from "./output/value.ts"
import { escapeControls } from "./output/escape.ts"
import { startProgress } from "./progress.ts"
import { prompt, promptHidden } from "./terminal.ts"

/** How long a started sign-in is valid on the server. */
const waitMillisMax = 600_000

export interface SignIn {
  readonly io: Io
  readonly connection: Connection
  /** Name of the connection in messages. */
  readonly name: string
  /** Path of the POST request that starts the sign-in. `completePath` completes it. */
  readonly startPath: string
  readonly completePath: string
  readonly browser: boolean
  readonly paste: boolean
  readonly quiet: boolean
}

export interface StartedSignIn {
  readonly url: string
  readonly state: string
}

interface AuthorizationCode {
  readonly code: string
  readonly iss: string | undefined
}

/** Reads the response that starts a sign-in. `at` is the path prefix of its members. */
export const startedSignIn = (body: unknown, at = ""): StartedSignIn => {
  const [url, state] = [textAt(body, `${at}url`), textAt(body, `${at}state`)]
  if (url === undefined || state === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new Failure(exit.failure, "Unexpected response: the server might not be an orgplane server.")
  }
  return { url: new URL(url).href, state }
}

const startSignIn = async ({ connection, startPath }: SignIn, returnTo: string | undefined): Promise<StartedSignIn> => {
  const body = await connection.send(
    { method: "POST", path: startPath, query: {}, body: returnTo === undefined ? {} : { returnTo } },
    { idempotent: true }
  )
  return startedSignIn(body, "connect.")
}

const completeSignIn = ({ completePath, connection }: SignIn, state: string, code: string, iss: string | undefined) =>
  connection.send(
    { method: "POST", path: completePath, query: {}, body: { state, code, ...(iss === undefined ? {} : { iss }) } },
    { idempotent: true }
  )

/** The code of the redirect. Throws with the reason if there is none. */
const codeOf = (redirect: RedirectResult, name: string): AuthorizationCode => {
  if ("code" in redirect) return redirect
  if (!("error" in redirect))
    throw new Failure(exit.failure, "Unexpected response: the server might not be an orgplane server.")
  throw redirect.error === "access_denied"
    ? new Failure(exit.refused, `Access was denied in the browser. ${escapeControls(name)} is not connected.`)
    : new Failure(
        exit.failure,
        `The authorization server returned the error '${redirect.error}'. ${escapeControls(name)} is not connected.`
      )
}

export const isUrl = (text: string) => /^https?:\/\//i.test(text)

/** The code and the issuer in the final URL of the browser. */
export const codeFromUrl = (address: string, state: string): AuthorizationCode => {
  const query = URL.parse(address)?.searchParams
  const code = query?.get("code") ?? ""
  if (code === "" || query?.get("state") !== state) {
    throw new Failure(
      exit.failure,
      "The pasted URL does not belong to this sign-in. Run the command again and paste the final URL from the browser."
    )
  }
  return { code, iss: query.get("iss") ?? undefined }
}

/** Reads the code and optional issuer that the page shows, or its URL. Scripts pass one per line. */
const readCode = async (io: Io, state: string): Promise<AuthorizationCode> => {
  const lines = canPrompt(io) ? undefined : (await readAll(io.stdin)).toString("utf8").trim().split(/\r?\n/)
  const first =
    lines?.[0]?.trim() ?? (await promptHidden(io, "Code shown on the page, or the page's full URL (hidden):"))
  if (first === "") throw new Failure(exit.failure, "No code was entered. Nothing was connected.")
  if (isUrl(first)) return codeFromUrl(first, state)
  const issuer = lines === undefined ? await prompt(io, "Issuer, if the page shows one:") : (lines[1]?.trim() ?? "")
  return { code: first, iss: issuer === "" ? undefined : issuer }
}

const signInByPaste = async (signIn: SignIn): Promise<unknown> => {
  const { io } = signIn
  const started = await startSignIn(signIn, undefined)
  await notify(
    io,
    `Open this URL in a browser to connect ${escapeControls(signIn.name)}:\n\n  ${escapeControls(started.url)}\n`
  )
  const { code, iss } = await readCode(io, started.state)
  return completeSignIn(signIn, started.state, code, iss)
}

export interface BrowserFlow {
  readonly io: Io
  /** For messages: the purpose of the URL, and the consequence of a failure. */
  readonly purpose: string
  readonly outcome: string
  readonly browser: boolean
  readonly quiet: boolean
  readonly start: (returnTo: string) => Promise<StartedSignIn>
}

/** Opens the browser and waits up to ten minutes for the redirect to a loopback port. */
export const runBrowserFlow = async (
  flow: BrowserFlow
): Promise<{ readonly started: StartedSignIn; readonly redirect: RedirectResult }> => {
  const { io, quiet } = flow
  const loopback = await listen()
  try {
    const started = await flow.start(loopback.returnTo)
    const redirected = loopback.expect(started.state)
    const isOpened = flow.browser && io.err.isTerminal && io.openBrowser(started.url)
    await notify(
      io,
      `${isOpened ? "Opened a browser. If it did not appear, open this" : "Open this"} URL to ${flow.purpose}:\n\n  ${escapeControls(started.url)}\n`
    )
    const progress = await startProgress(io, "Waiting for the browser", quiet)
    let redirect: RedirectResult | undefined
    try {
      redirect = await Promise.race([redirected, io.sleep(waitMillisMax).then(() => undefined)])
    } finally {
      await progress.stop()
    }
    if (redirect === undefined) {
      throw new Failure(
        exit.failure,
        `The sign-in was not completed within ten minutes. ${flow.outcome}. If the browser is on another machine, use --paste.`
      )
    }
    return { started, redirect }
  } finally {
    loopback.close()
  }
}

const signInByBrowser = async (signIn: SignIn): Promise<unknown> => {
  const name = escapeControls(signIn.name)
  const { started, redirect } = await runBrowserFlow({
    io: signIn.io,
    purpose: `connect ${name}`,
    outcome: `${name} is not connected`,
    browser: signIn.browser,
    quiet: signIn.quiet,
    start: (returnTo) => startSignIn(signIn, returnTo)
  })
  const { code, iss } = codeOf(redirect, signIn.name)
  return completeSignIn(signIn, started.state, code, iss)
}

/** Signs in and returns the response of the completion. */
export const signInByOAuth = (signIn: SignIn): Promise<unknown> =>
  signIn.paste ? signInByPaste(signIn) : signInByBrowser(signIn)
