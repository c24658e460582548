import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Database } from "../options.ts"
import { SqlDatabase } from "./client.ts"
import { migrate } from "./migrate.ts"
import { migrations } from "./migrations/index.ts"
import { Notices } from "./notices.ts"
import { layerPglite } from "./pglite.ts"
import { layerPostgres } from "./postgres.ts"

/** Number of the last migration this release knows. */
export const schemaVersion = Object.keys(migrations).length

const layerClient = (database: Database) =>
  database.kind === "pglite"
    ? layerPglite({
        dataDir: database.dataDir,
        ...(database.snapshot === undefined ? {} : { snapshot: database.snapshot })
      })
    : layerPostgres({
        url: database.url,
        ...(database.maxConnections === undefined ? {} : { maxConnections: database.maxConnections })
      })

/**
 * An embedded database has one process at a time, so whoever held jobs or branches before is gone: they are free at once
 * instead of when their time is up.
 */
const freeOrphans = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  yield* sql`UPDATE connector_targets SET lease_holder = NULL, lease_until = NULL WHERE lease_holder IS NOT NULL`
  const [queue] = yield* sql<{ there: boolean }>`SELECT to_regclass('effect_queue') IS NOT NULL AS there`
  if (queue?.there === true) {
    yield* sql`UPDATE effect_queue SET acquired_at = NULL, acquired_by = NULL
      WHERE state = 'pending' AND acquired_at IS NOT NULL`
  }
})

const layerMigrated = (database: Database) =>
  Layer.effectDiscard(Effect.andThen(migrate(migrations), database.kind === "pglite" ? freeOrphans : Effect.void))

/** The database, brought to this release's schema, and the notices its processes send each other. */
export const layerDatabase = (database: Database) =>
  Notices.layer({ beatMillis: 1000 }).pipe(
    Layer.provideMerge(layerMigrated(database)),
    Layer.provideMerge(layerClient(database))
  )
