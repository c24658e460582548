import { PgClient } from "@effect/sql-pg"

/** The one database, whichever engine: PostgreSQL's own client, over a socket or over the engine in process. */
export const SqlDatabase = PgClient.PgClient
export type Sql = PgClient.PgClient
