export { isPublicAddress, parseRange } from "./address.ts"
export type { Lookup } from "./exchange.ts"
export { layerOutbound, OutboundMisconfigured, type OutboundOptions } from "./layer.ts"
