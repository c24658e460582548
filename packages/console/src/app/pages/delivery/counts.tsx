/** Installations by state, as a bar and as numbers. */
import type { InstallationCounts, InstallState } from "@orgplane/client"
import type { Tone } from "../../design/ui.tsx"
import "./delivery.css"

export const installStates: ReadonlyArray<readonly [state: InstallState, label: string, meaning: string]> = [
  ["running", "Running", "The release in the desired state is installed."],
  ["behind", "Behind", "Another release is installed."],
  ["missing", "Missing", "Nothing of the plugin is installed."],
  ["failed", "Failed", "The release could not be installed."],
  ["offline", "Offline", "The device has not reported for 24 hours."]
]

export const stateTones: Readonly<Record<InstallState | "unwanted", Tone>> = {
  running: "good",
  behind: "warn",
  missing: "warn",
  failed: "bad",
  offline: "neutral",
  unwanted: "warn"
}

export const failureTexts = {
  download: "The archive could not be downloaded.",
  integrity: "The archive does not have the expected digest.",
  content: "The content of the archive is not valid.",
  storage: "There is not enough space, or the disk cannot be written.",
  settings: "The settings of the agent could not be changed.",
  other: "Another reason."
} as const

export const failures = ["download", "integrity", "content", "storage", "settings", "other"] as const

export const Shares = ({ counts }: { readonly counts: InstallationCounts }) => (
  <div className="shares" aria-hidden="true">
    {installStates.map(([state]) => (
      <span
        key={state}
        data-state={state}
        style={{ width: `${(100 * counts[state]) / Math.max(1, counts.wanted)}%` }}
      />
    ))}
  </div>
)

export const Counts = ({ counts }: { readonly counts: InstallationCounts }) => (
  <div className="stack">
    <Shares counts={counts} />
    <ul className="shares-legend">
      {installStates.map(([state, label, meaning]) => (
        <li key={state} data-state={state} title={meaning}>
          {label}: {counts[state].toLocaleString("en")}
        </li>
      ))}
    </ul>
  </div>
)

/** A narrow bar with "running of wanted", for rows. */
export const RunningOf = ({ counts }: { readonly counts: InstallationCounts }) => (
  <span className="running-of">
    <span>
      {counts.running.toLocaleString("en")} of {counts.wanted.toLocaleString("en")}
    </span>
    <Shares counts={counts} />
  </span>
)
