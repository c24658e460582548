export { isPublicAddress, parseRange } from "./address.ts"
export { layerDnsText } from "./dns-text.ts"
export { layerOutbound, OutboundMisconfigured, type OutboundOptions } from "./layer.ts"
export { type Lookup, parseDnsServer } from "./resolver.ts"
