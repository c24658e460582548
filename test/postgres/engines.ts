import { layerPglite } from "../../packages/server/src/infra/sql/pglite.ts"
import { layerPostgres } from "../../packages/server/src/infra/sql/postgres.ts"
import { startPostgres } from "./start.ts"

/** Both engines, for suites that must pass on each. */
export const engines = [
  {
    name: "PGlite",
    open: async () => ({ layer: layerPglite({ dataDir: "memory" }), close: async () => {} })
  },
  {
    name: "PostgreSQL",
    open: async () => {
      const server = await startPostgres()
      return { layer: layerPostgres({ url: server.url }), close: server.stop }
    }
  }
] as const
