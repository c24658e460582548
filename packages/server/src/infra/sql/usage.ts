import type * as Context from "effect/Context"
import { readCounter, readGauge } from "../metrics/metrics.ts"
import type { Sql } from "./client.ts"

/** How a database client is used. */
export interface Usage {
  readonly inUse: number
  readonly idle: number
  readonly max: number
  readonly waiting: number
  /** How often no connection became available in time, or the wait queue was full. */
  readonly timeouts: number
  readonly statements: number
  readonly errors: number
}

const usages = new WeakMap<Sql, () => Usage>()

/** Registers how the usage of a client is read. */
export const measuredBy = (sql: Sql, read: () => Usage) => usages.set(sql, read)

/** How a client is used; undefined for an embedded database. */
export const usageOf = (sql: Sql): Usage | undefined => usages.get(sql)?.()

/** Registers the metrics of a client's connections and statements. */
export const watchDatabase = (context: Context.Context<never>, sql: Sql): void => {
  const read = usages.get(sql)
  if (read === undefined) return
  readGauge(context, "orgplane_database_connections", { state: "in_use" }, () => read().inUse)
  readGauge(context, "orgplane_database_connections", { state: "idle" }, () => read().idle)
  readGauge(context, "orgplane_database_connections_max", {}, () => read().max)
  readGauge(context, "orgplane_database_waiting", {}, () => read().waiting)
  readCounter(context, "orgplane_database_timeouts_total", {}, () => read().timeouts)
  readCounter(context, "orgplane_database_statements_total", {}, () => read().statements)
  readCounter(context, "orgplane_database_errors_total", {}, () => read().errors)
}
