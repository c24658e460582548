import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { Pipeline } from "./pipeline.ts"

/** The database client, for both engines: PostgreSQL's client, over a socket or over the in-process engine. */
export const SqlDatabase = PgClient.PgClient
export type Sql = PgClient.PgClient

const pipelines = new WeakMap<Sql, Pipeline>()

/** Registers the pipeline that runs a client's statements outside transactions. */
export const pipelinedBy = (sql: Sql, pipeline: Pipeline) => pipelines.set(sql, pipeline)
/** The pipeline of a client; the embedded database has none. */
export const pipelineOf = (sql: Sql): Pipeline | undefined => pipelines.get(sql)

type Open = Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
const opens = new WeakMap<Sql, Open>()

/** Registers how connections outside a client's pools are opened. */
export const openedBy = (sql: Sql, open: Open) => opens.set(sql, open)

/** Opens a separate connection to a client's database, outside its pools. */
export const openConnection = (sql: Sql): Open => {
  const { multiplex: _, ...config } = sql.config
  return opens.get(sql) ?? PgConnection.make(config)
}
