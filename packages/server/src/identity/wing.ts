/** Callers, their permissions, and the audit log. Each module is built on the ones below it. */
import * as Layer from "effect/Layer"
import * as access from "./access/module.ts"
import * as audit from "./audit/module.ts"
import * as auth from "./auth/module.ts"
import * as bootstrap from "./bootstrap/module.ts"
import * as eventStreams from "./event-streams/module.ts"
import * as webhookEndpoints from "./webhook-endpoints/module.ts"

export const layer = Layer.mergeAll(bootstrap.layer, webhookEndpoints.layer, eventStreams.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(access.layer, audit.layer)),
  Layer.provideMerge(auth.layer)
)

export const workers = [...audit.workers, ...webhookEndpoints.workers, ...eventStreams.workers]
