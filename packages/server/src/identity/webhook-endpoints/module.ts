import * as Layer from "effect/Layer"
import { WebhookQueue } from "./queue.ts"
import { WebhookSender } from "./sender.ts"

export const layer = Layer.mergeAll(WebhookQueue.layer, WebhookSender.layer)

export const workers = [WebhookQueue.use(({ worker }) => worker), WebhookSender.use(({ worker }) => worker)]
