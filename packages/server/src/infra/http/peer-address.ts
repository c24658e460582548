import * as Context from "effect/Context"

/** Address at the other end of the connection, where a host application that took the request says it. */
export const PeerAddress = Context.Reference<string | undefined>("@orgplane/server/http/PeerAddress", {
  defaultValue: () => undefined
})
