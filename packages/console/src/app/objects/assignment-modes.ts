/** The modes of assignments. */
import type { AssignmentMode } from "@orgplane/client"
import type { Tone } from "../design/ui.tsx"

export const modes: ReadonlyArray<readonly [value: AssignmentMode, label: string, meaning: string]> = [
  ["required", "Required", "The plugin is on, and members cannot turn it off."],
  ["default_on", "On by default", "The plugin is on, and members may turn it off."],
  ["available", "Available", "The plugin is off, and members may turn it on."],
  ["blocked", "Blocked", "Members cannot use the plugin. A block wins over every other assignment."]
]

export const modeTones: Readonly<Record<AssignmentMode, Tone>> = {
  required: "good",
  default_on: "good",
  available: "neutral",
  blocked: "bad"
}

export const modeLabel = (mode: AssignmentMode): string => modes.find(([value]) => value === mode)?.[1] ?? mode
