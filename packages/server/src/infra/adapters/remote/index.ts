export { layerRemoteContent, type RemoteContentOptions } from "./remote-content.ts"
export { mirrorOriginsOf, parseRemoteSource, type RemoteSourceRule } from "./rules.ts"
