import * as Effect from "effect/Effect"
import { install } from "../../packages/server/src/infra/sql/database.ts"
import { layerPglite } from "../../packages/server/src/infra/sql/pglite.ts"

/** Creates an embedded database with the current schema in a data directory. */
export const migratedDatabase = (dataDir: string): Promise<unknown> =>
  Effect.runPromise(Effect.provide(install(), layerPglite({ dataDir })))
