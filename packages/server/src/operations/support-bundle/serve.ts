/** Reads the state of an embedded database from the server that uses it, because no other process can open it. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import type { SqlClient } from "effect/sql/SqlClient"
import { text } from "node:stream/consumers"
import { askServer, refuse, type Respond } from "../../infra/operator-channel/index.ts"
import { readConfiguration, type Sources } from "../../infra/config/read-configuration.ts"
import type { ControlPlaneOptions, Database } from "../../infra/options.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { codeOf } from "../../infra/sql/failure-code.ts"
import { type DescribeFailure, examine } from "../doctor/index.ts"
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
              Effect.logWarning("The state of the database could not be read for an operator command.", cause),
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
          ? "The running server runs another release. Use the orgplane-server of that release."
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

/** The state that a running server read from the embedded database. Undefined if no server listens. */
export const askIfEmbedded = (database: Database, signal: AbortSignal) =>
  database.kind === "postgres" || database.dataDir === "memory"
    ? Effect.undefined
    : Effect.promise(() => askForState(resolve(database.dataDir), signal))

export type Served = Effect.Success<ReturnType<typeof askIfEmbedded>>

/** Replaces the checks that the doctor skipped, because a running server uses the database, with those of the server. */
export const withServed = (findings: ReadonlyArray<Finding>, served: Served): ReadonlyArray<Finding> => {
  if (served === undefined || "omitted" in served) return findings
  const examined = new Set(served.findings.map(({ check }) => check))
  return [...findings.filter(({ check, status }) => status !== "skipped" || !examined.has(check)), ...served.findings]
}

/** Runs all checks of the doctor. A running server runs the checks of its embedded database. */
export const examineServed = Effect.fnUntraced(function* (sources: Sources, describe: DescribeFailure) {
  const findings = yield* examine(sources, describe)
  if (!findings.some(({ status }) => status === "skipped")) return findings
  const { database } = readConfiguration(sources).options
  const served = yield* Effect.scoped(Effect.flatMap(Effect.abortSignal, (signal) => askIfEmbedded(database, signal)))
  if (served === undefined || !("omitted" in served)) return withServed(findings, served)
  return findings.map((one): Finding => (one.status === "skipped" ? { ...one, message: served.omitted } : one))
})
