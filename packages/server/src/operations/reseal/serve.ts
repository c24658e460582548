/** Rotates the keys of a running server with an embedded database, which no other process can open. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { KeyRing } from "../../infra/crypto/key-ring.ts"
import { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import { askServer, refuse, type Respond } from "../../infra/operator-channel/index.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { keyFileOf, secretKeysOf } from "../../infra/secret-keys.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { RotationRefused, type RotationRequest, type RotationResult, rotateKeys } from "./rotate.ts"
import { type RotationStatus, statusOfKeys } from "./status.ts"

export interface SigningKeyResult {
  /** The ID of the key that signs from now on, and those of the keys that only verify since then. */
  readonly created: string
  readonly retired: ReadonlyArray<string>
}

export type KeysResult = RotationResult | RotationStatus | SigningKeyResult

export const keysPath = "/rotate-keys"

/** The lines of a response: progress, followed by the result or the reason for a failure. */
type Line =
  | { readonly done: number; readonly total: number }
  | { readonly result: KeysResult }
  | { readonly message: string }

export const rotateSigningKey = Effect.flatMap(SigningKeys, (keys) => keys.rotate)

const actions = ["rotate", "finish", "status", "signing-key"] as const
export type Action = (typeof actions)[number]

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Only the process of an embedded database needs this operation. */
export const keysResponder = Effect.fnUntraced(function* (options: ControlPlaneOptions) {
  const context = yield* Effect.context<Sql | KeyRing | SigningKeys>()
  const keyFile = keyFileOf(options)
  const respond: Respond = async (request, response, signal) => {
    const { searchParams } = new URL(request.url ?? "/", "http://operator")
    const action = actions.find((name) => name === searchParams.get("action"))
    if (action === undefined) return refuse(response, 404, "Unknown operation.")
    response.writeHead(200, { "content-type": "application/x-ndjson" })
    const write = (line: Line) => void response.write(`${JSON.stringify(line)}\n`)
    const show: RotationRequest["show"] = (done, total) => write({ done, total })
    const newest = searchParams.get("newest") ?? undefined
    const operation: Effect.Effect<KeysResult, unknown, Sql | KeyRing | SigningKeys> =
      action === "status"
        ? Effect.flatMap(secretKeysOf(options, true), statusOfKeys)
        : action === "signing-key"
          ? rotateSigningKey
          : rotateKeys({ action, keyFile, newest, show })
    const exit = await Effect.runPromiseExit(
      operation.pipe(
        Effect.tapError((error) =>
          error instanceof RotationRefused ? Effect.void : Effect.logWarning("The key rotation failed.", error)
        ),
        Effect.provideContext(context)
      ),
      { signal }
    )
    write(Exit.isSuccess(exit) ? { result: exit.value } : { message: messageOf(Cause.squash(exit.cause)) })
    response.end()
  }
  return respond
})

/** Asks the server that uses a data directory. Undefined if none listens. */
export const askForRotation = async (
  dataDir: string,
  request: { readonly action: Action; readonly newest: string | undefined },
  show: RotationRequest["show"],
  signal: AbortSignal
): Promise<KeysResult | undefined> => {
  const query = new URLSearchParams({ action: request.action })
  if (request.newest !== undefined) query.set("newest", request.newest)
  const response = await askServer(dataDir, `${keysPath}?${query.toString()}`, signal)
  if (response === undefined) return undefined
  let text = ""
  const read = (line: string): KeysResult | undefined => {
    // Both ends of this channel are from the same installation.
    const value = JSON.parse(line) as Line
    if ("message" in value) {
      throw new RotationRefused({
        message:
          response.statusCode === 404
            ? "The running server runs another release. Restart it with this release, and run the command again."
            : value.message
      })
    }
    if ("result" in value) return value.result
    show(value.done, value.total)
    return undefined
  }
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk as string
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
      const result = read(text.slice(0, end))
      if (result !== undefined) return result
      text = text.slice(end + 1)
    }
  }
  if (text !== "") read(text)
  throw new RotationRefused({
    message: "The server stopped before the rotation was complete. Run the command again to continue."
  })
}
