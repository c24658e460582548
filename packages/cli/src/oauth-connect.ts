/** A sign-in by OAuth from a terminal: a browser elsewhere on this machine, or a code that somebody carries over. */
import type { Connection } from "./connection.ts"
import { exit, Failure } from "./failure.ts"
import { canAsk, type Io, readAll, say } from "./io.ts"
import { listen, type Brought } from "./loopback.ts"
import { textAt } from "./output/cell.ts"
import { harmless } from "./output/harmless.ts"
import { startProgress } from "./progress.ts"
import { ask, askHidden } from "./terminal.ts"

/** As long as the server keeps a sign-in that was begun. */
const waitMillisMax = 600_000

export interface SignIn {
  readonly io: Io
  readonly connection: Connection
  /** What is connected, for the sentences that people read. */
  readonly name: string
  /** `POST` to begin; its sister is `completePath`. */
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

/** What a server answers to the beginning of a sign-in; `at` is where it says so. */
export const begunOf = (body: unknown, at = ""): Begun => {
  const [url, state] = [textAt(body, `${at}url`), textAt(body, `${at}state`)]
  if (url === undefined || state === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new Failure(exit.failure, "The server does not answer like an orgplane server.")
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

/** The code of what came, or why there is none. */
const codeOf = (brought: Brought, name: string): Carried => {
  if ("code" in brought) return brought
  if (!("error" in brought)) throw new Failure(exit.failure, "The server does not answer like an orgplane server.")
  throw brought.error === "access_denied"
    ? new Failure(exit.refused, `Access was denied in the browser; ${harmless(name)} is not connected.`)
    : new Failure(
        exit.failure,
        `The authorization server sent the browser back with '${brought.error}'; ${harmless(name)} is not connected.`
      )
}

export const isAddress = (text: string) => /^https?:\/\//i.test(text)

/** The code and the issuer of the address that the browser ended at. */
export const ofAddress = (address: string, state: string): Carried => {
  const query = URL.parse(address)?.searchParams
  const code = query?.get("code") ?? ""
  if (code === "" || query?.get("state") !== state) {
    throw new Failure(exit.failure, "What was pasted is not the end of this sign-in; nothing was connected.")
  }
  return { code, iss: query.get("iss") ?? undefined }
}

/** What the page shows: a code and perhaps an issuer, or the address of it all. A script gives a line each. */
const carried = async (io: Io, state: string): Promise<Carried> => {
  const lines = canAsk(io) ? undefined : (await readAll(io.stdin)).toString("utf8").trim().split(/\r?\n/)
  const first =
    lines?.[0]?.trim() ?? (await askHidden(io, "Code, as the page shows it, or its whole address (unseen):"))
  if (first === "") throw new Failure(exit.failure, "No code was given; nothing was connected.")
  if (isAddress(first)) return ofAddress(first, state)
  const issuer = lines === undefined ? await ask(io, "Issuer, where the page shows one:") : (lines[1]?.trim() ?? "")
  return { code: first, iss: issuer === "" ? undefined : issuer }
}

const carriedOver = async (signIn: SignIn): Promise<unknown> => {
  const { io } = signIn
  const begun = await begin(signIn, undefined)
  await say(io, `Open this address in a browser to connect ${harmless(signIn.name)}:\n\n  ${harmless(begun.url)}\n`)
  const { code, iss } = await carried(io, begun.state)
  return complete(signIn, begun.state, code, iss)
}

export interface Trip {
  readonly io: Io
  /** Of the sentences that people read: what the address is opened for, and what did not happen. */
  readonly purpose: string
  readonly outcome: string
  readonly browser: boolean
  readonly quiet: boolean
  readonly begin: (returnTo: string) => Promise<Begun>
}

/** To a page elsewhere and back to a port of this machine; ten minutes at most. */
export const throughBrowser = async (trip: Trip): Promise<{ readonly begun: Begun; readonly brought: Brought }> => {
  const { io, quiet } = trip
  const loopback = await listen()
  try {
    const begun = await trip.begin(loopback.returnTo)
    const coming = loopback.expect(begun.state)
    const isOpened = trip.browser && io.err.isTerminal && io.openBrowser(begun.url)
    await say(
      io,
      `${isOpened ? "A browser was opened; if you do not see it, open this" : "Open this"} address to ${trip.purpose}:\n\n  ${harmless(begun.url)}\n`
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
        `Nobody came back from the browser in ten minutes; ${trip.outcome}. A browser on another machine cannot come back here: use --paste.`
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

/** Signs in; answers what the completion did. */
export const signInByOAuth = (signIn: SignIn): Promise<unknown> =>
  signIn.paste ? carriedOver(signIn) : byBrowser(signIn)
