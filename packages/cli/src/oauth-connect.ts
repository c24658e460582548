/** OAuth sign-in from a terminal: a browser on this machine with a loopback redirect, or a pasted code. */
import type { Connection } from "./connection.ts"
import { exit, Failure } from "./failure.ts"
import { canAsk, type Io, readAll, say } from "./io.ts"
import { listen, type Brought } from "./loopback.ts"
import { textAt } from "./output/cell.ts"
import { harmless } from "./output/harmless.ts"
import { startProgress } from "./progress.ts"
import { ask, askHidden } from "./terminal.ts"

/** As long as the server keeps a started sign-in. */
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

export interface Begun {
  readonly url: string
  readonly state: string
}

interface Carried {
  readonly code: string
  readonly iss: string | undefined
}

/** Reads the response to a started sign-in. `at` is the path prefix of its members. */
export const begunOf = (body: unknown, at = ""): Begun => {
  const [url, state] = [textAt(body, `${at}url`), textAt(body, `${at}state`)]
  if (url === undefined || state === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new Failure(exit.failure, "Unexpected response: this may not be an orgplane server.")
  }
  return { url: new URL(url).href, state }
}

const begin = async ({ connection, startPath }: SignIn, returnTo: string | undefined): Promise<Begun> => {
  const body = await connection.send(
    { method: "POST", path: startPath, query: {}, body: returnTo === undefined ? {} : { returnTo } },
    { idempotent: true }
  )
  return begunOf(body, "connect.")
}

const complete = ({ completePath, connection }: SignIn, state: string, code: string, iss: string | undefined) =>
  connection.send(
    { method: "POST", path: completePath, query: {}, body: { state, code, ...(iss === undefined ? {} : { iss }) } },
    { idempotent: true }
  )

/** The code of the redirect. Throws with the reason if there is none. */
const codeOf = (brought: Brought, name: string): Carried => {
  if ("code" in brought) return brought
  if (!("error" in brought)) throw new Failure(exit.failure, "Unexpected response: this may not be an orgplane server.")
  throw brought.error === "access_denied"
    ? new Failure(exit.refused, `Access was denied in the browser. ${harmless(name)} is not connected.`)
    : new Failure(
        exit.failure,
        `The authorization server returned the error '${brought.error}'. ${harmless(name)} is not connected.`
      )
}

export const isAddress = (text: string) => /^https?:\/\//i.test(text)

/** The code and the issuer in the final URL of the browser. */
export const ofAddress = (address: string, state: string): Carried => {
  const query = URL.parse(address)?.searchParams
  const code = query?.get("code") ?? ""
  if (code === "" || query?.get("state") !== state) {
    throw new Failure(exit.failure, "The pasted URL does not belong to this sign-in. Nothing was connected.")
  }
  return { code, iss: query.get("iss") ?? undefined }
}

/** Reads the code and optional issuer that the page shows, or its URL. Scripts pass one per line. */
const carried = async (io: Io, state: string): Promise<Carried> => {
  const lines = canAsk(io) ? undefined : (await readAll(io.stdin)).toString("utf8").trim().split(/\r?\n/)
  const first = lines?.[0]?.trim() ?? (await askHidden(io, "Code shown on the page, or the page's full URL (hidden):"))
  if (first === "") throw new Failure(exit.failure, "No code was entered. Nothing was connected.")
  if (isAddress(first)) return ofAddress(first, state)
  const issuer = lines === undefined ? await ask(io, "Issuer, if the page shows one:") : (lines[1]?.trim() ?? "")
  return { code: first, iss: issuer === "" ? undefined : issuer }
}

const carriedOver = async (signIn: SignIn): Promise<unknown> => {
  const { io } = signIn
  const begun = await begin(signIn, undefined)
  await say(io, `Open this URL in a browser to connect ${harmless(signIn.name)}:\n\n  ${harmless(begun.url)}\n`)
  const { code, iss } = await carried(io, begun.state)
  return complete(signIn, begun.state, code, iss)
}

export interface Trip {
  readonly io: Io
  /** For messages: why the URL is opened, and what did not happen after a failure. */
  readonly purpose: string
  readonly outcome: string
  readonly browser: boolean
  readonly quiet: boolean
  readonly begin: (returnTo: string) => Promise<Begun>
}

/** Opens the browser and waits up to ten minutes for the redirect to a loopback port. */
export const throughBrowser = async (trip: Trip): Promise<{ readonly begun: Begun; readonly brought: Brought }> => {
  const { io, quiet } = trip
  const loopback = await listen()
  try {
    const begun = await trip.begin(loopback.returnTo)
    const coming = loopback.expect(begun.state)
    const isOpened = trip.browser && io.err.isTerminal && io.openBrowser(begun.url)
    await say(
      io,
      `${isOpened ? "Opened a browser. If it did not appear, open this" : "Open this"} URL to ${trip.purpose}:\n\n  ${harmless(begun.url)}\n`
    )
    const progress = await startProgress(io, "Waiting for the browser", quiet)
    let brought: Brought | undefined
    try {
      brought = await Promise.race([coming, io.sleep(waitMillisMax).then(() => undefined)])
    } finally {
      await progress.stop()
    }
    if (brought === undefined) {
      throw new Failure(
        exit.failure,
        `The sign-in was not completed within ten minutes: ${trip.outcome}. If the browser is on another machine, use --paste.`
      )
    }
    return { begun, brought }
  } finally {
    loopback.close()
  }
}

const byBrowser = async (signIn: SignIn): Promise<unknown> => {
  const name = harmless(signIn.name)
  const { begun, brought } = await throughBrowser({
    io: signIn.io,
    purpose: `connect ${name}`,
    outcome: `${name} is not connected`,
    browser: signIn.browser,
    quiet: signIn.quiet,
    begin: (returnTo) => begin(signIn, returnTo)
  })
  const { code, iss } = codeOf(brought, signIn.name)
  return complete(signIn, begun.state, code, iss)
}

/** Signs in and returns the response of the completion. */
export const signInByOAuth = (signIn: SignIn): Promise<unknown> =>
  signIn.paste ? carriedOver(signIn) : byBrowser(signIn)
