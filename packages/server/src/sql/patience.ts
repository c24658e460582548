import * as Context from "effect/Context"

/**
 * How long the client waits for one statement, in milliseconds, before it gives the connection up. Requests are given less;
 * without that it is more than the server itself lets a statement take.
 */
export const StatementMillisMax = Context.Reference<number>("@orgplane/server/sql/StatementMillisMax", {
  defaultValue: () => 70_000
})

/** Of work that may rightly take long: a migration, a summary, the verification of a whole audit. */
export const longStatementMillis = 3_600_000
