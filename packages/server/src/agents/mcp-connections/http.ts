import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forAnyone, forMember, withCreatedStatus, withEtag, withVersion } from "../../infra/http/handlers.ts"
import { callbackResponse } from "../oauth/index.ts"
import { McpResolveService } from "./resolve-service.ts"
import { McpCallService } from "./call-service.ts"
import { McpConnectService } from "./connect-service.ts"
import { McpConnectionsService } from "./service.ts"
import { McpToolsService } from "./tools-service.ts"

const response = <A>(mcpConnection: A) => ({ mcpConnection })

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "mcpConnections",
  Effect.fn(function* (handlers) {
    const connections = yield* McpConnectionsService
    const tools = yield* McpToolsService
    const resolving = yield* McpResolveService
    const calls = yield* McpCallService
    const connect = yield* McpConnectService
    return handlers.handleAll({
      listPresets: forMember((caller, { query }) => resolving.listPresets(caller, query)),
      resolve: forMember((caller, { payload }) => resolving.resolve(caller, payload.query)),
      create: forMember((caller, { payload }) => Effect.map(connections.create(caller, payload), response)),
      list: forMember((caller, { query }) => connections.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(connections.get(caller, params.connectionId), (connection) =>
          response(withVersion(caller, connection))
        )
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(connections.update(caller, params.connectionId, payload), (connection) =>
          response(withEtag(caller, connection))
        )
      ),
      remove: forMember((caller, { params }) => connections.remove(caller, params.connectionId)),
      listAccess: forMember((caller, { params, query }) => connections.listAccess(caller, params.connectionId, query)),
      grantAccess: forMember((caller, { params, payload }) =>
        Effect.map(connections.grantAccess(caller, params.connectionId, payload), ({ grant, isNew }) =>
          withCreatedStatus(caller, isNew, { grant })
        )
      ),
      revokeAccess: forMember((caller, { params }) =>
        connections.revokeAccess(caller, params.connectionId, params.grantId)
      ),
      listTools: forMember((caller, { params, query }) => tools.listTools(caller, params.connectionId, query)),
      getToolPolicy: forMember((caller, { params }) =>
        Effect.map(tools.getToolPolicy(caller, params.connectionId), (toolPolicy) => ({ toolPolicy }))
      ),
      setToolPolicy: forMember((caller, { params, payload }) =>
        Effect.map(tools.setToolPolicy(caller, params.connectionId, payload), (toolPolicy) => ({ toolPolicy }))
      ),
      callTool: forMember((caller, { params, payload }) => calls.callTool(caller, params.connectionId, payload)),
      getReview: forMember((caller, { params }) =>
        Effect.map(tools.getReview(caller, params.connectionId), (review) => ({ review }))
      ),
      decideReview: forMember((caller, { params, payload }) =>
        Effect.map(tools.decideReview(caller, params.connectionId, payload), response)
      ),
      startConnect: forMember((caller, { params, payload }) =>
        Effect.map(connect.startConnect(caller, params.connectionId, payload), (started) => ({ connect: started }))
      ),
      completeConnect: forMember((caller, { params, payload }) =>
        Effect.map(connect.completeConnect(caller, params.connectionId, payload), response)
      ),
      setApiKey: forMember((caller, { params, payload }) =>
        Effect.map(connect.setApiKey(caller, params.connectionId, payload.apiKey), response)
      ),
      disconnect: forMember((caller, { params }) =>
        Effect.map(connect.disconnect(caller, params.connectionId), response)
      ),
      callback: forAnyone((_, { query }) =>
        Effect.map(connect.returnUrlOf(query.state), (returnUrl) => callbackResponse(query, returnUrl))
      ),
      clientMetadata: forAnyone(() => Effect.succeed(connect.metadata))
    })
  })
).pipe(Layer.provide(McpResolveService.layer))
