/** Examines an installation, and reports a fix for each problem. It changes nothing. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { configurationFaults, readConfiguration, type Sources } from "../../infra/config/read-configuration.ts"
import { onExistingDatabase } from "../../infra/sql/database.ts"
import { DataDirLocked } from "../../infra/sql/data-dir.ts"
import type { Database } from "../../infra/options.ts"
import { version } from "../../infra/version.ts"
import type { Finding } from "../report.ts"
import { checkConfigFile, checkDataDir, checkDisks } from "./files.ts"
import { checkDatabase } from "./work.ts"

/** The cause and the fix of a failure to use the database, on one line. */
export type DescribeFailure = (cause: Cause.Cause<unknown>, context: { readonly database: Database }) => string

const databaseChecks = ["database", "clock", "schema", "keys", "queue", "webhooks", "orphaned work", "retention"]
const skipped = (message: string): ReadonlyArray<Finding> =>
  databaseChecks.map((check) => ({ check, status: "skipped", message }))

export const examine = (sources: Sources, describe: DescribeFailure): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const faults = configurationFaults(sources)
    if (faults.length > 0) {
      return faults.map((message): Finding => ({ check: "configuration", status: "failed", message }))
    }
    const { dataDir, options } = readConfiguration(sources)
    const directory = resolve(dataDir)
    const { database } = options
    const versions: Finding = {
      check: "version",
      status: "ok",
      message: `orgplane ${version} on Node.js ${process.versions.node}, ${process.platform} ${process.arch}.`
    }
    const files = yield* Effect.promise(() => checkConfigFile(sources))
    const disks = yield* Effect.promise(() => checkDisks(options, directory))
    const opened = onExistingDatabase(database, checkDatabase(options))
    const describeAll = (cause: Cause.Cause<unknown>): Effect.Effect<ReadonlyArray<Finding>> =>
      Effect.succeed([
        { check: "database", status: "failed", message: describe(cause, { database }) },
        ...skipped("The database cannot be used.").filter(({ check }) => check !== "database")
      ])
    if (database.kind === "postgres") {
      return [versions, ...files, ...disks, ...(yield* Effect.catchCause(opened, describeAll))]
    }
    if (database.dataDir === "memory") {
      return [versions, ...files, ...disks, ...skipped("The embedded database is in memory.")]
    }
    const state = yield* Effect.promise(() => checkDataDir(directory))
    const before = [versions, ...files, ...state.findings, ...disks]
    if (!state.hasDatabase) return [...before, ...skipped("There is no database to examine.")]
    const fromDatabase = yield* opened.pipe(
      Effect.map((findings): ReadonlyArray<Finding> => {
        const killed = state.lockFiles.length > 0
        const message = killed
          ? "No process uses the data directory. The lock file of a process that was killed was removed."
          : "No process uses the data directory."
        return [{ check: "lock", status: "ok", message }, ...findings]
      }),
      Effect.catchCause((cause) => {
        const error = Cause.squash(cause)
        if (!(error instanceof DataDirLocked)) return describeAll(cause)
        const holder = error.pid === undefined ? "Another process" : `Process ${error.pid}`
        return Effect.succeed<ReadonlyArray<Finding>>([
          { check: "lock", status: "ok", message: `${holder} uses the data directory.` },
          ...skipped("A running server uses the embedded database. Stop it to run this check.")
        ])
      })
    )
    return [...before, ...fromDatabase]
  })
