/** The parts of a rollout: its rings with their progress, the comparisons that can pause it, and its steps. */
import type { RolloutComparison, RolloutDetails, RolloutPreview, RolloutState } from "@orgplane/client"
import { Facts, Progress } from "../../design/facts.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Time, type Tone } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

export const rolloutStates: ReadonlyArray<readonly [state: RolloutState, label: string]> = [
  ["scheduled", "Scheduled"],
  ["active", "Active"],
  ["paused", "Paused"],
  ["completed", "Completed"],
  ["rolled_back", "Rolled back"],
  ["superseded", "Superseded"],
  ["cancelled", "Canceled"]
]

const tones: Readonly<Record<RolloutState, Tone>> = {
  scheduled: "neutral",
  active: "good",
  paused: "warn",
  completed: "good",
  rolled_back: "bad",
  superseded: "neutral",
  cancelled: "neutral"
}

export const StateBadge = ({ state }: { readonly state: RolloutState }) => (
  <Badge tone={tones[state]}>{rolloutStates.find(([value]) => value === state)?.[1] ?? state}</Badge>
)

export const isOpenState = (state: RolloutState): boolean =>
  state === "scheduled" || state === "active" || state === "paused"

export const pauseTexts = {
  manual: "Paused by a member or an API key.",
  install_failures: "Installations fail more often than those of the previous release.",
  usage_failures: "The release fails for more people than the previous one."
} as const

const ringStates = {
  waiting: { label: "waiting", tone: "neutral" },
  soaking: { label: "soaking", tone: "warn" },
  done: { label: "done", tone: "good" },
  ended: { label: "ended", tone: "bad" }
} as const

export const Rings = ({
  preview,
  rollout: { nextRingAt, rings, state }
}: {
  readonly rollout: RolloutDetails
  readonly preview: RolloutPreview | undefined
}) => (
  <ol className="rings" aria-label="Rings">
    {rings.map(({ name, soakEndsAt, startedAt, state: ringState }, index) => {
      const reach = preview?.rings.find((each) => each.name === name)
      const isNext = ringState === "waiting" && rings[index - 1]?.state !== "waiting"
      return (
        <li
          className="ring"
          key={name}
          data-state={ringState}
          aria-current={ringState === "soaking" ? "step" : undefined}
        >
          <span className="row spread">
            <strong>{name}</strong>
            <Badge tone={ringStates[ringState].tone}>{ringStates[ringState].label}</Badge>
          </span>
          <span className="muted">
            {reach === undefined
              ? " "
              : `${plural(reach.enabledCount, "member")}, ${plural(reach.deviceCount, "device")}`}
          </span>
          {startedAt !== null && (
            <span>
              Started <Time at={startedAt} />
            </span>
          )}
          {soakEndsAt !== null && (
            <span>
              Soak time ends <Time at={soakEndsAt} />
            </span>
          )}
          {isNext && state === "active" && (
            <span>{nextRingAt === null ? "Waits for a decision or results" : <Starts at={nextRingAt} />}</span>
          )}
        </li>
      )
    })}
  </ol>
)

const Starts = ({ at }: { readonly at: string }) => (
  <>
    Starts <Time at={at} />
  </>
)

const percent = (part: number, whole: number) => (whole === 0 ? "no results" : `${((100 * part) / whole).toFixed(1)}%`)

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })

export const Comparison = ({
  comparison,
  title
}: {
  readonly title: string
  readonly comparison: RolloutComparison
}) => {
  const { baselineFailed, baselineRate, baselineReports, enough, evidence, failed, reports, threshold } = comparison
  return (
    <div className="stack">
      <h3>{title}</h3>
      <Facts
        rows={[
          ["This release", `${failed} of ${reports} failed (${percent(failed, reports)})`],
          [
            "Previous release",
            `${baselineFailed} of ${baselineReports} failed (${percent(baselineFailed, baselineReports)})`
          ],
          ["Compared with", `a failure rate of ${number.format(100 * baselineRate)}%`],
          [
            "Evidence",
            <Progress
              key="evidence"
              label={`Evidence of ${title.toLowerCase()}`}
              value={Number(Math.min(evidence, threshold).toFixed(2))}
              total={threshold}
            />
          ]
        ]}
      />
      <p className="muted">
        {enough
          ? `At ${number.format(threshold)}, the rollout is paused.`
          : "There are too few results to pause the rollout."}
      </p>
    </div>
  )
}

const stepTexts = {
  created: "Created",
  scheduled: "Scheduled",
  ring_started: "Ring started",
  paused: "Paused",
  resumed: "Resumed",
  released: "Released to everyone",
  completed: "Completed",
  rolled_back: "Rolled back",
  superseded: "Superseded",
  cancelled: "Canceled"
} as const

export const Steps = ({ steps }: { readonly steps: RolloutDetails["steps"] }) => (
  <SimpleTable
    label="Steps, newest first"
    columns={[
      { name: "Step", cell: ({ ring, step }) => (ring === null ? stepTexts[step] : `${stepTexts[step]}: ${ring}`) },
      { name: "When", cell: ({ at }) => <Time at={at} /> },
      {
        name: "By",
        cell: ({ byOrgMembershipId }) =>
          byOrgMembershipId === null ? (
            <span className="muted">orgplane or an API key</span>
          ) : (
            <Name kind="member" id={byOrgMembershipId} />
          )
      },
      { name: "Reason", cell: ({ reason }) => reason ?? "" }
    ]}
    rows={[...steps].reverse()}
    idOf={({ at, ring, step }) => `${at} ${step} ${ring ?? ""}`}
  />
)
