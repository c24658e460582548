/** Names and colors of the states of content. */
import type {
  ConnectorInstance,
  ConnectorSyncEvent,
  DeliveryMode,
  ObjectType,
  PluginReleaseState,
  SyncStatus
} from "@orgplane/client"
import type { Tone } from "../../design/ui.tsx"

type Options<Value extends string> = ReadonlyArray<readonly [value: Value, label: string]>

export const instanceTones: Readonly<Record<ConnectorInstance["status"], Tone>> = {
  active: "good",
  disabled: "neutral",
  archived: "neutral",
  error: "bad"
}

export const instanceNames: Readonly<Record<ConnectorInstance["status"], string>> = {
  active: "active",
  disabled: "paused",
  archived: "archived",
  error: "error"
}

export const syncTones: Readonly<Record<SyncStatus, Tone>> = {
  queued: "neutral",
  running: "neutral",
  completed: "good",
  partial: "warn",
  failed: "bad",
  ignored: "neutral",
  review_required: "warn",
  rejected: "neutral"
}

export const syncNames: Readonly<Record<SyncStatus, string>> = {
  queued: "queued",
  running: "running",
  completed: "completed",
  partial: "partial",
  failed: "failed",
  ignored: "ignored",
  review_required: "pending approval",
  rejected: "rejected"
}

export const triggerNames: Readonly<Record<ConnectorSyncEvent["trigger"], string>> = {
  setup: "connected",
  enable: "resumed",
  apply: "import",
  manual: "manual",
  webhook: "push",
  reconcile: "periodic check",
  retry: "retry",
  resync: "full resync",
  mapping: "mapping",
  rollback: "rollback"
}

export const isOngoing = ({ status }: Pick<ConnectorSyncEvent, "status">): boolean =>
  status === "queued" || status === "running"

export const objectTypes: Options<ObjectType> = [
  ["skill", "Skill"],
  ["agent", "Agent"],
  ["command", "Command"],
  ["tool", "Tool"],
  ["mcp", "MCP server"],
  ["hook", "Hook"],
  ["context", "Context"],
  ["custom", "Custom"]
]

export const deliveryModes: Options<DeliveryMode> = [
  ["auto", "Serve every change at once"],
  ["hold_growth", "Hold new and changed capabilities for approval"],
  ["hold_all", "Hold every change for approval"]
]

export const releaseStates: Options<PluginReleaseState> = [
  ["pending", "Pending approval"],
  ["approved", "Approved"],
  ["rejected", "Rejected"],
  ["superseded", "Replaced"]
]

/** The choices of a filter, whose empty one is the releases that are pending approval. */
export const releaseFilters: Options<PluginReleaseState | "all"> = [...releaseStates, ["all", "All: the history"]]

export const releaseTones: Readonly<Record<PluginReleaseState, Tone>> = {
  pending: "warn",
  approved: "good",
  rejected: "bad",
  superseded: "neutral"
}

/** One of the options; the fallback for any other text, such as one from the URL. */
export const optionOf = <Value extends string, Fallback>(
  options: Options<Value>,
  text: string | undefined,
  fallback: Fallback
): Value | Fallback => options.find(([value]) => value === text)?.[0] ?? fallback

export const labelOf = <Value extends string>(options: Options<Value>, value: Value): string =>
  options.find(([each]) => each === value)?.[1] ?? value

export const shortRevision = (revision: string | null): string => (revision === null ? "none" : revision.slice(0, 12))

export const branchOf = (ref: string): string => ref.replace(/^refs\/heads\//, "")

/** What was typed into an optional field; undefined if it is empty. */
export const filled = (text: string): string | undefined => (text.trim() === "" ? undefined : text.trim())
