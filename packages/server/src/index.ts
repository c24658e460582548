/**
 * The orgplane control plane, embedded: `ControlPlane.make(options)` for any application, `ControlPlane.layer` for
 * Effect.
 */
export * as ControlPlane from "./control-plane.ts"
export type { AuditAction } from "@orgplane/schema/shared/audit-actions"
export type { Change, ChangeOptions, Subscription } from "./changes.ts"
export { toNodeHandler } from "./node-handler.ts"
export type { ControlPlaneOptions, Database } from "./infra/options.ts"
export * from "./infra/ports/index.ts"
export type { Peer } from "./start.ts"
