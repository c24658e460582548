import * as Layer from "effect/Layer"
import { WebhookQueue } from "./queue.ts"
import { WebhookSender } from "./sender.ts"
import { WebhookRequests } from "./sending.ts"

export const layer = Layer.mergeAll(WebhookQueue.layer, Layer.provideMerge(WebhookSender.layer, WebhookRequests.layer))

export const workers = [WebhookQueue.use(({ worker }) => worker), WebhookSender.use(({ worker }) => worker)]
