import * as Layer from "effect/Layer"
import { AuditChain } from "./chain.ts"
import { ChangeFeed } from "./feed.ts"

export const layer = Layer.mergeAll(AuditChain.layer, ChangeFeed.layer)

export const workers = [AuditChain.use((chain) => chain.worker)]
