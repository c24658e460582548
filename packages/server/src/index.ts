/** The orgplane control plane, embedded: `ControlPlane.make(options)` for any host, `ControlPlane.layer` for Effect. */
export * as ControlPlane from "./control-plane.ts"
export { toNodeHandler } from "./node-handler.ts"
export type { ControlPlaneOptions, Database } from "./options.ts"
export * from "./ports/index.ts"
export type { Peer } from "./start.ts"
