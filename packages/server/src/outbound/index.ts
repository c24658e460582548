export { isPublicAddress, parseRange } from "./address.ts"
export { layerOutbound, OutboundMisconfigured, type OutboundOptions } from "./layer.ts"
export { type Lookup, parseDnsServer } from "./resolver.ts"
