import * as Context from "effect/Context"

/** Gives the statements of a request, such as an export, the timeout of background work. */
export const backgroundStatementMillis = 70_000

/**
 * For statements that are expected to take long, such as those of a migration. They use a separate connection even
 * outside a transaction, so that no request waits behind them.
 */
export const longStatementMillis = 24 * 3_600_000

/** A statement on a shared connection delays the others on it, so it has this timeout. */
export const sharedStatementMillisMax = 15_000

/**
 * How long the client waits for one statement, in milliseconds, before it closes the connection. Requests set a shorter
 * timeout; the default is longer than PostgreSQL's own statement timeout.
 */
export const StatementMillisMax = Context.Reference<number>("@orgplane/server/sql/StatementMillisMax", {
  defaultValue: () => backgroundStatementMillis
})
