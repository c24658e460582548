import type { CompleteConnect, SetApiKey } from "@orgplane/schema/mcp-connect"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { forAnyone, forMember } from "../http/handlers.ts"
import type { Brought } from "../oauth/index.ts"
import type { McpConnectService } from "./connect-service.ts"

interface Of<P> {
  readonly params: { readonly connectionId: Id<"emc"> }
  readonly payload: P
}

/** Handlers of the group for what a credential comes and goes by. */
export const connectHandlers = (connect: McpConnectService["Service"]) => ({
  startConnect: forMember((caller, { params, payload }: Of<{ readonly returnTo?: string }>) =>
    Effect.map(connect.startConnect(caller, params.connectionId, payload), (started) => ({ connect: started }))
  ),
  completeConnect: forMember((caller, { params, payload }: Of<typeof CompleteConnect.Type>) =>
    Effect.map(connect.completeConnect(caller, params.connectionId, payload), (mcpConnection) => ({ mcpConnection }))
  ),
  setApiKey: forMember((caller, { params, payload }: Of<typeof SetApiKey.Type>) =>
    Effect.map(connect.setApiKey(caller, params.connectionId, payload.apiKey), (mcpConnection) => ({ mcpConnection }))
  ),
  disconnect: forMember((caller, { params }: Pick<Of<never>, "params">) =>
    Effect.map(connect.disconnect(caller, params.connectionId), (mcpConnection) => ({ mcpConnection }))
  ),
  callback: forAnyone((_, { query }: { readonly query: Brought }) => connect.callback(query)),
  clientMetadata: forAnyone(() => Effect.succeed(connect.metadata))
})
