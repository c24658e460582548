import * as Context from "effect/Context"

/** The peer's address, if a host application accepted the request and forwarded it. */
export const PeerAddress = Context.Reference<string | undefined>("@orgplane/server/http/PeerAddress", {
  defaultValue: () => undefined
})
