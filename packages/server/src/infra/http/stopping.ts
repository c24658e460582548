import * as Context from "effect/Context"

/** Whether shutdown has begun: the program still serves, but load balancers must send requests elsewhere. */
export const Stopping = Context.Reference<{ requested: boolean }>("@orgplane/server/http/Stopping", {
  defaultValue: () => ({ requested: false })
})
