import * as Effect from "effect/Effect"
import { migrate } from "../../packages/server/src/infra/sql/migrate.ts"
import { migrations } from "../../packages/server/src/infra/sql/migrations/index.ts"
import { layerPglite } from "../../packages/server/src/infra/sql/pglite.ts"

/** Creates an embedded database with the current schema in a data directory. */
export const migratedDatabase = (dataDir: string): Promise<unknown> =>
  Effect.runPromise(Effect.provide(migrate(migrations), layerPglite({ dataDir })))
