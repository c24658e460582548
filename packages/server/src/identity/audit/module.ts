import * as Layer from "effect/Layer"
import { AuditChain } from "./chain.ts"
import { ChangeFeed } from "./feed.ts"

export const layer = ChangeFeed.layer.pipe(Layer.provideMerge(AuditChain.layer))

export const workers = [AuditChain.use((chain) => chain.worker)]
