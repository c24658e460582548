import * as Context from "effect/Context"

/** Gives the statements of a request, such as an export, as much time as work in the background has. */
export const backgroundStatementMillis = 70_000

/**
 * Of statements that may rightly take long, such as those of a migration. Outside a transaction they have a connection to
 * themselves too, so that no request waits behind one.
 */
export const longStatementMillis = 24 * 3_600_000

/** A statement that shares a connection holds up the others on it, so none takes longer than this. */
export const sharedStatementMillisMax = 15_000

/**
 * How long the client waits for one statement, in milliseconds, before it gives the connection up. Requests are given less;
 * without that it is more than the server itself lets a statement take.
 */
export const StatementMillisMax = Context.Reference<number>("@orgplane/server/sql/StatementMillisMax", {
  defaultValue: () => backgroundStatementMillis
})
