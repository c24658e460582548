/** Renders rollouts: their rings, the comparisons that can pause them, and which release a member receives. */
import { paint, type TextStyle } from "./access-explanation.ts"
import { amount, numberAt } from "./delivery.ts"
import { escapeControls } from "./escape.ts"
import { relativeTime } from "./relative-time.ts"
import { keyValues, table, type TableStyle } from "./table.ts"
import { cell, isObject, listAt, member, textAt } from "./value.ts"

type Style = TableStyle & TextStyle

/** `1.4.0`, or `release 7` if the author of the plugin states no version. */
export const releaseOf = (rollout: unknown): string =>
  textAt(rollout, "version") ?? `release ${numberAt(rollout, "releaseNumber")}`

const pauseReasons: Readonly<Record<string, string>> = {
  manual: "manually",
  install_failures: "installations fail more often than before",
  usage_failures: "more users have failures than before"
}

/** The state, with the reason of a pause. */
export const stateText = (rollout: unknown): string => {
  const state = (textAt(rollout, "state") ?? "?").replace("_", " ")
  const reason = textAt(rollout, "pauseReason")
  const emergency = member(rollout, "emergency") === true ? ", released to all members at once" : ""
  return `${state}${reason === undefined ? "" : `: ${pauseReasons[reason] ?? reason}`}${emergency}`
}

/** `Pilot (1 of 3)` */
export const ringText = (rollout: unknown): string => {
  const of = `${numberAt(rollout, "ringNumber")} of ${numberAt(rollout, "ringCount")}`
  const ring = textAt(rollout, "ring")
  return ring === undefined ? of : `${ring} (${of})`
}

/** The time, with its distance from now on a terminal. */
const timeText = (time: string, style: Style): string =>
  style.terminal === true ? `${time} (${relativeTime(time, style.now ?? 0)})` : time

/** `0.25`, `2.1`, `140` */
const figure = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)))

/** `3 of 40 installations failed; previous release: 1 of 200; evidence 2.1 of 100` */
export const comparisonText = (comparison: unknown, subject: string): string => {
  const count = (name: string) => numberAt(comparison, name)
  const isEmpty = count("reports") === 0
  return [
    isEmpty ? `no ${subject} yet` : `${count("failed")} of ${count("reports")} ${subject} failed`,
    count("baselineReports") === 0
      ? "previous release: no results"
      : `previous release: ${count("baselineFailed")} of ${count("baselineReports")}`,
    `evidence ${figure(count("evidence"))} of ${figure(count("threshold"))}`,
    ...(member(comparison, "enough") === true ? [] : ["too few results to pause"])
  ].join("; ")
}

const comparisonLines = (rollout: unknown, style: Style): ReadonlyArray<string> => {
  const line = (name: string, subject: string) => {
    const comparison = member(rollout, name) ?? null
    if (comparison === null) return []
    const isCrossed =
      member(comparison, "enough") === true && numberAt(comparison, "evidence") >= numberAt(comparison, "threshold")
    const text = comparisonText(comparison, subject)
    return [isCrossed ? paint(style, 31, text) : text]
  }
  const lines = [...line("installations", "installations"), ...line("usage", "users")]
  return lines.length === 0 ? [] : ["", "Compared with the previous release:", ...lines.map((each) => `  ${each}`)]
}

const stepNames: Readonly<Record<string, string>> = {
  ring_started: "ring started",
  rolled_back: "rolled back"
}

const columns = [
  "id",
  "plugin",
  "release",
  "state",
  "ring",
  "startsAt",
  "nextRingAt",
  "comment",
  "createdAt",
  "endedAt"
]
const sometimes = new Set(["startsAt", "nextRingAt", "comment", "endedAt"])

export const rolloutDetails = (body: unknown, style: Style): string => {
  const rollout = member(body, "item")
  const row = {
    ...(isObject(rollout) ? rollout : {}),
    plugin: `${textAt(rollout, "pluginName") ?? "?"} (${textAt(rollout, "pluginId") ?? "?"})`,
    release: `${releaseOf(rollout)} (${textAt(rollout, "releaseId") ?? "?"})`,
    state: stateText(rollout),
    ring: ringText(rollout)
  }
  const shown = columns.filter((column) => !sometimes.has(column) || textAt(rollout, column) !== undefined)
  const rings = listAt(rollout, "rings").map((ring) => ({
    ring: textAt(ring, "name"),
    state: textAt(ring, "state"),
    startedAt: member(ring, "startedAt"),
    soakEndsAt: member(ring, "soakEndsAt")
  }))
  const steps = listAt(rollout, "steps").map((step) => ({
    at: member(step, "at"),
    step: stepNames[textAt(step, "step") ?? ""] ?? textAt(step, "step"),
    ring: member(step, "ring"),
    by: textAt(step, "byOrgMembershipId") ?? "-",
    reason: textAt(step, "reason")
  }))
  return [
    keyValues(row, shown, style),
    ...(rings.length === 0
      ? []
      : ["", table(rings, ["ring", "state", "startedAt", "soakEndsAt"], style, ["ring", "state"])]),
    ...comparisonLines(rollout, style),
    ...(steps.length === 0
      ? []
      : ["", table(steps, ["at", "step", "ring", "by", "reason"], style, ["at", "step", "ring"])])
  ].join("\n")
}

export const rolloutPreview = (body: unknown, style: Style): string => {
  const preview = member(body, "item")
  const rings = listAt(preview, "rings").map((ring) => ({
    ring: textAt(ring, "name"),
    members: numberAt(ring, "memberCount"),
    receive: numberAt(ring, "receiveCount"),
    turnedOn: numberAt(ring, "enabledCount"),
    devices: numberAt(ring, "deviceCount"),
    startsAt: member(ring, "startsAt") ?? "after a promotion"
  }))
  const sentence = (name: string, [one, several]: readonly [string, string], because: string) => {
    const count = numberAt(preview, name)
    return count === 0 ? [] : [`${amount(count, "member")} ${count === 1 ? one : several}${because}`]
  }
  const others = [
    ...sentence("pinnedCount", ["keeps", "keep"], " a release that an assignment pins."),
    ...sentence("blockedCount", ["does", "do"], " not receive it, because an assignment blocks the plugin."),
    ...sentence("withoutAccessCount", ["does", "do"], " not receive it, because the plugin is not visible to them.")
  ]
  return [
    table(rings, ["ring", "members", "receive", "turnedOn", "devices", "startsAt"], style, [
      "ring",
      "receive",
      "startsAt"
    ]),
    ...(others.length === 0 ? [] : ["", ...others])
  ].join("\n")
}

const versionText = (release: unknown): string => {
  const [version, id] = [textAt(release, "version"), textAt(release, "releaseId")]
  if (version === undefined) return id === undefined ? "the latest content" : `the release ${id}`
  return id === undefined ? `version ${version}` : `version ${version} (${id})`
}

const becauseOf = (explanation: unknown): string => {
  const release = versionText(explanation)
  const assignmentId = textAt(explanation, "assignmentId")
  const assignment = assignmentId === undefined ? "an assignment" : `the assignment ${assignmentId}`
  const ring = textAt(explanation, "ring") ?? "?"
  switch (textAt(explanation, "rule")) {
    case "no_access":
      return "The member does not receive the plugin, because the member cannot see it."
    case "blocked":
      return `The member does not receive the plugin, because ${assignment} blocks it.`
    case "not_served":
      return "The member does not receive the plugin, because no release of it is served."
    case "off":
      return assignmentId === undefined
        ? "The member does not receive the plugin, because it is not turned on."
        : `The member does not receive the plugin, because it is not turned on. The assignment ${assignmentId} applies.`
    case "auto":
      return "The member receives the latest content, because the delivery mode of the plugin is auto."
    case "pinned":
      return `The member receives ${release}, because ${assignment} pins it.`
    case "pinned_not_stored":
      return `The member receives no new release, because ${assignment} pins a release whose files are no longer stored.`
    case "ring":
      return `The member receives ${release}, because the rollout has reached the member's ring ${ring}.`
    case "served":
      return `The member receives ${release}, which is the served release.`
    default:
      return `The member receives ${release} (${textAt(explanation, "rule") ?? "?"}).`
  }
}

const withheldOf = (explanation: unknown, style: Style): ReadonlyArray<string> => {
  const newer = member(explanation, "newer") ?? null
  if (newer === null) return []
  const text = versionText(newer)
  const release = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
  const expectedAt = textAt(newer, "expectedAt")
  const rolloutId = textAt(newer, "rolloutId")
  const rollout = rolloutId === undefined ? "its rollout" : `the rollout ${rolloutId}`
  const ring = textAt(explanation, "ring") ?? "?"
  const arrives =
    expectedAt === undefined
      ? ""
      : ` The member receives it at ${timeText(expectedAt, style)} if nothing pauses the rollout.`
  switch (textAt(newer, "reason")) {
    case "waits_for_approval":
      return [`${release} is pending approval.`]
    case "rejected":
      return [`${release} was rejected or withdrawn.`]
    case "scheduled":
      return [`${release} is scheduled: ${rollout} has not started.${arrives}`]
    case "soaking":
      return [`${release} is in an earlier ring than the member's ring ${ring}.${arrives}`]
    case "waits_for_results":
      return [
        `${release} waits because ${rollout} needs more results: too many failures, but too few reports to pause it.`
      ]
    case "waits_for_promotion":
      return [`${release} waits for the promotion of ${rollout} to the member's ring ${ring}.`]
    case "frozen":
      return [`${release} waits for the end of a freeze.${arrives}`]
    case "paused":
      return [`${release} waits because ${rollout} is paused.`]
    case "rolled_back":
      return [`${release} was rolled back.`]
    case "pinned":
      return [`${release} is available, but the member keeps the pinned release.`]
    default:
      return [`${release} is not delivered yet (${textAt(newer, "reason") ?? "?"}).${arrives}`]
  }
}

/** One sentence for the release that the member receives, and one for the newer release. */
export const deliveryExplanation = (body: unknown, style: Style): string => {
  const explanation = member(body, "item")
  return [becauseOf(explanation), ...withheldOf(explanation, style)].map(escapeControls).join("\n")
}

export const withdrawal = (body: unknown): string => {
  const item = member(body, "item")
  const served = textAt(item, "servedReleaseId")
  const list = (name: string) => listAt(item, name).map(cell).join(", ")
  const [rollouts, assignments] = [list("rolloutIds"), list("unpinnedAssignmentIds")]
  return [
    served === undefined
      ? "The release is withdrawn. Members no longer receive the plugin."
      : `The release is withdrawn. Members now receive the release ${cell(served)}.`,
    ...(rollouts === "" ? [] : [`Canceled rollouts: ${rollouts}`]),
    ...(assignments === "" ? [] : [`Assignments that no longer pin a release: ${assignments}`])
  ].join("\n")
}
