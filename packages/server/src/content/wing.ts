/** Plugins and other content for agents, and the repositories it comes from. Each module is built on the ones below it. */
import * as Layer from "effect/Layer"
import * as approvals from "./approvals/module.ts"
import * as connectors from "./connectors/module.ts"
import * as devices from "./devices/module.ts"
import * as plugins from "./plugins/module.ts"
import * as rollouts from "./rollouts/module.ts"
import * as webhooks from "./webhooks/module.ts"

export const layer = webhooks.layer.pipe(
  Layer.provideMerge(connectors.layer),
  Layer.provideMerge(plugins.layer),
  Layer.provideMerge(approvals.layer),
  Layer.provideMerge(rollouts.layer),
  Layer.provideMerge(devices.layer)
)

export const workers = [
  ...approvals.workers,
  ...connectors.workers,
  ...devices.workers,
  ...rollouts.workers,
  ...webhooks.workers
]
