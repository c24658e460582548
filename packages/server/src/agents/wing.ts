/** Tools, models and memory for agents, and their telemetry. Each module is built on the ones below it. */
import * as Layer from "effect/Layer"
import * as llmProviders from "./llm-providers/module.ts"
import * as mcpConnections from "./mcp-connections/module.ts"
import * as memory from "./memory/module.ts"
import * as oauth from "./oauth/module.ts"
import * as telemetry from "./telemetry/module.ts"
import * as cloudWorkers from "./workers/module.ts"

export const layer = Layer.mergeAll(llmProviders.layer, mcpConnections.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(oauth.layer, telemetry.layer, cloudWorkers.layer))
)

export const workers = [...cloudWorkers.workers, ...memory.workers, ...telemetry.workers]
