/** Gets the desired state from the server, or the last valid one if the server cannot be reached. */
import { connect, type Connection } from "../connection.ts"
import { exit } from "../exit-code.ts"
import { describeFailure, Failure } from "../failure.ts"
import type { Globals } from "../global-flags.ts"
import type { Io } from "../io.ts"
import type { Settings } from "../settings.ts"
import { type DesiredState, publicKeysOf, type StoredState } from "./state.ts"
import { checkKey, checkSuccession, verifiedState } from "./verify.ts"

const bodyBytesMax = 64 * 1024 * 1024
const archiveBytesMax = 150 * 1024 * 1024

export interface CurrentState {
  readonly stored: StoredState
  readonly state: DesiredState
  /** `new`: received now. `confirmed`: unchanged. `offline`: the server could not be reached. */
  readonly origin: "new" | "confirmed" | "offline"
  /** Why the server could not be reached, and other facts to report. */
  readonly notes: ReadonlyArray<string>
}

const bytesOf = async (stream: ReadableStream<Uint8Array>, max: number, what: string): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > max) throw new Failure(exit.failure, `${what} is larger than ${max / 1024 / 1024} MiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const get = (path: string, query: Readonly<Record<string, string>> = {}) => ({
  method: "GET",
  path,
  query,
  body: undefined
})

/** Whether the last state may be used instead: the server is down, and does not reject the request. */
const isOutage = (error: unknown): boolean => {
  const { exitCode, status } = describeFailure(error)
  return exitCode === exit.network || (status !== undefined && (status >= 500 || status === 429 || status === 408))
}

const isNotModified = (error: unknown) => describeFailure(error).status === 304

/** Undefined if the state has not changed. */
const receive = async (
  connection: Connection,
  etag: string | undefined
): Promise<Omit<StoredState, "keys" | "server" | "receivedAt"> | undefined> => {
  const { data, response } = await connection
    .download(get("/v1/me/desired-state"), etag === undefined ? {} : { ifNoneMatch: etag })
    .catch((error: unknown) => {
      if (isNotModified(error)) return { data: undefined, response: undefined }
      throw error
    })
  if (data === undefined || response === undefined) return undefined
  const [signature, keyId] = ["x-desired-state-signature", "x-desired-state-key-id"].map((name) =>
    response.headers.get(name)
  )
  const body = (await bytesOf(data, bodyBytesMax, "The desired state")).toString("utf8")
  if (typeof signature !== "string" || typeof keyId !== "string") {
    throw new Failure(exit.failure, "Verification of the desired state failed: the response has no signature.")
  }
  return { body, etag: response.headers.get("etag") ?? "-", signature, keyId }
}

export const currentState = async (
  io: Io,
  globals: Globals,
  settings: Settings,
  stored: StoredState | undefined
): Promise<CurrentState> => {
  const { baseUrl } = settings
  if (stored !== undefined && stored.server !== baseUrl) {
    throw new Failure(
      exit.conflict,
      `This machine has the desired state of ${stored.server}, not of ${baseUrl}. Use the profile of the first one, or run 'orgplane agents remove' first.`
    )
  }
  const last = stored === undefined ? undefined : verifiedState(stored, stored.keys)
  const connection = connect(io, settings, globals)
  try {
    const received = await receive(connection, stored?.etag)
    if (received === undefined) {
      if (stored === undefined || last === undefined) throw new Failure(exit.failure, "The server returned no state.")
      if (Date.parse(last.validUntil) <= io.now()) {
        throw new Failure(
          exit.failure,
          `The server confirmed the desired state, but it expired at ${last.validUntil}. Check the clock of this machine. Nothing was changed.`
        )
      }
      return { stored, state: last, origin: "confirmed", notes: [] }
    }
    const previousKey = stored?.keys.find(({ kid }) => kid === received.keyId)
    // Keys are accepted only from the server that has accepted the credential, and only while it publishes them.
    const published = publicKeysOf(await connection.send(get("/v1/keys")))
    const keys = published.filter(({ kid }) => kid === received.keyId)
    for (const key of keys) checkKey(key, previousKey, io.now())
    const state = verifiedState(received, keys)
    checkSuccession(last, state, io.now())
    return {
      stored: { ...received, keys, server: baseUrl, receivedAt: new Date(io.now()).toISOString() },
      state,
      origin: "new",
      notes:
        stored === undefined || previousKey !== undefined
          ? []
          : [`The server signs with a new key: ${received.keyId} instead of ${stored.keyId}.`]
    }
  } catch (error) {
    if (io.signal.aborted || !isOutage(error) || stored === undefined || last === undefined) throw error
    const reason = describeFailure(error).message.replace(/\.$/, "")
    if (Date.parse(last.validUntil) <= io.now()) {
      throw new Failure(
        exit.network,
        `${reason}. The last desired state expired at ${last.validUntil}. What was applied is kept, and nothing was changed.`
      )
    }
    return {
      stored,
      state: last,
      origin: "offline",
      notes: [
        `${reason}. Using revision ${last.revision}, received at ${stored.receivedAt}, valid until ${last.validUntil}.`
      ]
    }
  }
}

/** Downloads an archive. Its link contains its authorization, so no credential is sent. */
export const downloadArchive = async (
  io: Io,
  globals: Globals,
  settings: Settings,
  link: string,
  plugin: string
): Promise<Buffer> => {
  const url = URL.canParse(link) ? new URL(link) : undefined
  // As private as the connection that is configured. The signed digest protects the content.
  if (url === undefined || !["https:", new URL(settings.baseUrl).protocol].includes(url.protocol)) {
    throw new Failure(exit.failure, `The archive of ${plugin} is not at an https URL. Nothing was changed.`)
  }
  const connection = connect(
    io,
    { baseUrl: url.origin, credential: undefined, organization: undefined },
    // The link would be in the log.
    { ...globals, debug: false }
  )
  try {
    const stream = await connection.stream(get(url.pathname, Object.fromEntries(url.searchParams)))
    return await bytesOf(stream, archiveBytesMax, `The archive of ${plugin}`)
  } catch (error) {
    if (io.signal.aborted || error instanceof Failure) throw error
    const { exitCode, message } = describeFailure(error)
    throw new Failure(exitCode, `Cannot download the archive of ${plugin}: ${message} Nothing was changed.`)
  }
}
