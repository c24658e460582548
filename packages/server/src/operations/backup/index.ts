/** Backups of the embedded database: the part in the server, and the commands. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { rm } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { refuse, type Respond } from "../../infra/operator-channel/index.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { archiveOf } from "./archive.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { Pglite } from "../../infra/sql/pglite.ts"
import { BackupFailed } from "./failure.ts"
import { type Summary, summaryOf } from "./manifest.ts"
import { snapshotName, withSnapshot } from "./snapshot.ts"

/** The operation, and the header of its response with a `ServedSummary` as JSON. */
export const backupPath = "/backup"
export const summaryHeader = "orgplane-backup"

export interface ServedSummary extends Summary {
  readonly pausedMillis: number
}

export const freeMinMiBOf = ({ diskFreeMinMiB = 256 }: Pick<ControlPlaneOptions, "diskFreeMinMiB">) => diskFreeMinMiB

const messageOf = (error: unknown): string =>
  error instanceof BackupFailed || error instanceof Error ? error.message : String(error)

/** Streams a backup to the operator while the server runs. Undefined if the database has no data directory. */
export const backupResponder = Effect.fnUntraced(function* (options: ControlPlaneOptions) {
  const { database } = options
  if (database.kind !== "pglite" || database.dataDir === "memory") return undefined
  const dataDir = resolve(database.dataDir)
  // Left by a server that was killed during a backup.
  yield* Effect.promise(() => rm(join(dataDir, snapshotName), { recursive: true, force: true }).catch(() => {}))
  // The type of the services does not tell which engine the database has.
  const pglite = yield* Effect.serviceOption(Pglite)
  if (Option.isNone(pglite)) return undefined
  const context = yield* Effect.context<Sql>()

  const backup = (response: ServerResponse, signal: AbortSignal) =>
    withSnapshot({ dataDir, freeMinMiB: freeMinMiBOf(options), signal }, ({ directory, manifest, pausedMillis }) =>
      Effect.gen(function* () {
        const summary: ServedSummary = { ...summaryOf(manifest), pausedMillis }
        response.writeHead(200, {
          "content-type": "application/x-tar",
          [summaryHeader]: JSON.stringify(summary)
        })
        yield* Effect.tryPromise({
          try: () => pipeline(archiveOf(directory, manifest, signal), response, { signal, end: false }),
          catch: (cause) => cause
        })
        yield* Effect.logInfo(`Sent a backup of ${summary.bytes} bytes. Requests waited for ${pausedMillis} ms.`)
      })
    ).pipe(
      Effect.catch((error) => {
        const message = messageOf(error)
        if (!response.headersSent && !signal.aborted) refuse(response, 500, message)
        else response.destroy()
        return Effect.logWarning(`A backup failed: ${signal.aborted ? "it was canceled" : message}.`)
      })
    )

  const respond: Respond = async (_, response, signal) => {
    await Effect.runPromise(
      backup(response, signal).pipe(Effect.provideService(Pglite, pglite.value), Effect.provideContext(context))
    )
    // The response ends after the copy is deleted, so that the next backup can begin when this one has ended.
    if (!response.writableEnded) response.end()
  }
  return respond
})
