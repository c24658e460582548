import * as Context from "effect/Context"

/**
 * Whose work a statement is, for engines that serve one statement at a time: an organization's, that of an address that
 * has not said who it is, or the server's own.
 */
export const Share = Context.Reference<string>("@orgplane/server/sql/Share", { defaultValue: () => "server" })
