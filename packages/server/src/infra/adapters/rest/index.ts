export { originsOf } from "./api.ts"
export { readAppKey } from "./app-key.ts"
export { type CodeHostRestOptions, findOwnApp, layerCodeHostRest, layerNoCodeHostRest } from "./code-host-rest.ts"
