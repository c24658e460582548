import * as Context from "effect/Context"

/** The peer's address, when a host application accepted the request and passes it on. */
export const PeerAddress = Context.Reference<string | undefined>("@orgplane/server/http/PeerAddress", {
  defaultValue: () => undefined
})
