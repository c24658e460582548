import * as Context from "effect/Context"

/** Whether the program was told to stop: it still serves, but load balancers must send requests elsewhere. */
export const Stopping = Context.Reference<{ requested: boolean }>("@orgplane/server/http/Stopping", {
  defaultValue: () => ({ requested: false })
})
