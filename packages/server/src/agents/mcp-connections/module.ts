import * as Layer from "effect/Layer"
import { McpCallService } from "./call-service.ts"
import { McpConnectService } from "./connect-service.ts"
import { McpConnectionsService } from "./service.ts"
import { McpToolsService } from "./tools-service.ts"

export const layer = Layer.mergeAll(McpCallService.layer, McpConnectService.layer).pipe(
  Layer.provideMerge(McpToolsService.layer),
  Layer.provideMerge(McpConnectionsService.layer)
)
