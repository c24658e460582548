import { AuditChain } from "./chain.ts"

export const layer = AuditChain.layer

export const workers = [AuditChain.use((chain) => chain.worker)]
