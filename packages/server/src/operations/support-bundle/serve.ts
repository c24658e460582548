/** Reads the state of an embedded database from the server that uses it, because no other process can open it. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { text } from "node:stream/consumers"
import { askServer, refuse, type Respond } from "../../infra/operator-channel/index.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { codeOf } from "../../infra/sql/failure-code.ts"
import { checkDatabase } from "../doctor/work.ts"
import type { Finding } from "../report.ts"
import { type DatabaseReading, readDatabase } from "./repo.ts"

export const statePath = "/state"

export interface ServedState {
  readonly database: DatabaseReading
  /** The checks of the doctor that need the database. */
  readonly findings: ReadonlyArray<Finding>
}

const timeoutMillis = 30_000

export const stateResponder = Effect.fnUntraced(function* (options: ControlPlaneOptions) {
  const context = yield* Effect.context<Sql | SqlClient>()
  const respond: Respond = async (_, response, signal) => {
    await Effect.runPromise(
      Effect.all({ database: readDatabase, findings: checkDatabase(options) }).pipe(
        Effect.matchCauseEffect({
          onSuccess: (state: ServedState) =>
            Effect.sync(
              () => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(state))
            ),
          onFailure: (cause) =>
            Effect.andThen(
              Effect.logWarning("The state of the database could not be read for a support bundle.", cause),
              Effect.sync(() =>
                refuse(response, 500, "The server could not read its database. Its log has the reason.")
              )
            )
        }),
        Effect.provideContext(context)
      ),
      { signal }
    )
  }
  return respond
})

/** The state, or why the server did not send it; undefined if none listens. */
export const askForState = async (
  dataDir: string,
  signal: AbortSignal
): Promise<ServedState | { readonly omitted: string } | undefined> => {
  const limit = AbortSignal.timeout(timeoutMillis)
  try {
    const response = await askServer(dataDir, statePath, AbortSignal.any([signal, limit]))
    if (response === undefined) return undefined
    const body = await text(response)
    // Both ends of this channel are from the same installation.
    if (response.statusCode === 200) return JSON.parse(body) as ServedState
    return {
      omitted:
        response.statusCode === 404
          ? "The running server runs another release. Use its own orgplane-server support-bundle."
          : "The running server could not read its database. Its log has the reason."
    }
  } catch (cause) {
    if (signal.aborted) throw cause
    return {
      omitted: limit.aborted
        ? `The running server did not read its database within ${timeoutMillis / 1000} s.`
        : `The running server did not send the state of its database (${codeOf(cause) ?? "unknown error"}).`
    }
  }
}
