/** The status of a configuration run, what it would change, and who started it. */
import type { ConfigurationRun, ConfigurationRunStatus, ConfigurationRunSummary } from "@orgplane/client"
import { Badge, type Tone } from "../../design/ui.tsx"

const statuses: Readonly<Record<ConfigurationRunStatus, readonly [label: string, tone: Tone]>> = {
  queued: ["queued", "neutral"],
  running: ["running", "neutral"],
  unchanged: ["unchanged", "good"],
  planned: ["differs", "warn"],
  applied: ["applied", "good"],
  held: ["pending approval", "warn"],
  rejected: ["rejected", "bad"],
  superseded: ["superseded", "neutral"],
  failed: ["failed", "bad"]
}

export const runStatuses = Object.entries(statuses).map(([value, [label]]) => [value, label] as const)

export const isRunStatus = (value: string | undefined): value is ConfigurationRunStatus =>
  value !== undefined && value in statuses

export const RunStatus = ({ status }: { readonly status: ConfigurationRunStatus }) => {
  const [label, tone] = statuses[status]
  return <Badge tone={tone}>{label}</Badge>
}

/** Runs whose status changes without a request. */
export const isActive = ({ status }: ConfigurationRun): boolean => status === "queued" || status === "running"

const counted: ReadonlyArray<readonly [keyof ConfigurationRunSummary, string]> = [
  ["delete", "to remove"],
  ["create", "to create"],
  ["update", "to update"],
  ["move", "to move"],
  ["adopt", "to adopt"]
]

export const summaryText = (summary: ConfigurationRunSummary | null): string => {
  if (summary === null) return ""
  const parts = counted.filter(([name]) => summary[name] > 0).map(([name, label]) => `${summary[name]} ${label}`)
  return parts.length === 0 ? "no changes" : parts.join(", ")
}

const triggers: Readonly<Record<ConfigurationRun["trigger"], string>> = {
  source: "the source was set",
  webhook: "a push",
  reconcile: "the regular check of branches",
  manual: "a member"
}

export const triggerText = (trigger: ConfigurationRun["trigger"]): string => triggers[trigger]

export const Revision = ({ revision }: { readonly revision: string | null }) =>
  revision === null ? <span className="muted">not read</span> : <code title={revision}>{revision.slice(0, 12)}</code>
