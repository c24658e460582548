/** The words for the states of workers. */
import type { WorkerDestination, WorkerStatus } from "@orgplane/client"
import { Badge, type Tone } from "../../design/ui.tsx"

export const workerStatuses: Readonly<Record<WorkerStatus, readonly [Tone, string]>> = {
  provisioning: ["warn", "starting"],
  healthy: ["good", "healthy"],
  failed: ["bad", "failed"],
  stopped: ["neutral", "stopped"]
}

export const destinations: Readonly<Record<WorkerDestination, string>> = {
  local: "on a member's machine",
  cloud: "in this installation"
}

export const WorkerStatusBadge = ({ status }: { readonly status: WorkerStatus }) => {
  const [tone, name] = workerStatuses[status]
  return <Badge tone={tone}>{name}</Badge>
}

export const isOneOf = <Name extends string>(
  names: Readonly<Record<Name, unknown>>,
  value: string | undefined
): value is Name => value !== undefined && Object.hasOwn(names, value)
