import * as Context from "effect/Context"

/**
 * The owner of a statement, for engines that serve one statement at a time: an organization, an unauthenticated
 * address, or the server itself.
 */
export const Share = Context.Reference<string>("@orgplane/server/sql/Share", { defaultValue: () => "server" })
