/** Renders a release of a plugin: its status, the changes of its capabilities, and the command that approves it. */
import { paint, type TextStyle } from "./access-explanation.ts"
import { capabilityLines } from "./capability-changes.ts"
import { escapeControls } from "./escape.ts"
import { keyValues, type TableStyle } from "./table.ts"
import { isObject, member, textAt } from "./value.ts"

const yellow = 33

const approvalsOf = (release: unknown): string => {
  const [approvals, required] = [member(release, "approvals"), member(release, "approvalsRequired")]
  return typeof approvals === "number" && typeof required === "number" && required > 1
    ? ` (${approvals} of ${required} approvals)`
    : ""
}

/** The review or approval that a pending release needs, or the state of another release. */
export const statusOf = (release: unknown): string => {
  const state = textAt(release, "state") ?? "?"
  if (state !== "pending") return member(release, "served") === true ? "served" : state
  const need =
    textAt(release, "problem") !== undefined
      ? "needs review: cannot be compared"
      : member(release, "needsReview") === true
        ? "needs review: new capabilities"
        : "needs approval: no new capabilities"
  return need + approvalsOf(release)
}

const sometimes = ["version", "problem", "sourceRevisionRef"]
const ofDecision = ["decidedAt", "decidedBecause", "decidedByOrgMembershipId", "comment"]

const columnsOf = (release: unknown): ReadonlyArray<string> => {
  const given = (columns: ReadonlyArray<string>) => columns.filter((column) => textAt(release, column) !== undefined)
  return [
    "id",
    "name",
    "number",
    "pluginId",
    ...given(sometimes),
    "status",
    "createdAt",
    ...given(ofDecision),
    "digest"
  ]
}

const comparisonLines = (release: unknown, style: TextStyle): ReadonlyArray<string> => {
  const comparison = member(release, "comparison") ?? null
  if (comparison === null) {
    return textAt(release, "problem") === undefined
      ? []
      : [
          "",
          paint(
            style,
            yellow,
            "! The capabilities cannot be compared, because no archive of the plugin can be created."
          )
        ]
  }
  const lines = capabilityLines(comparison, style)
  return lines.length === 0
    ? ["", "The capabilities are the same as in the release that was served before."]
    : ["", "Compared with the release that was served before:", ...lines.map((line) => `  ${line}`)]
}

/** The release with its comparison. */
export const reviewedRelease = (release: unknown, style: TableStyle & TextStyle): string => {
  const rows = isObject(release) ? { ...release, status: statusOf(release) } : {}
  return [keyValues(rows, columnsOf(release), style), ...comparisonLines(release, style)].join("\n")
}

/** The command that approves exactly this release, if it can be approved. */
const approveLines = (release: unknown): ReadonlyArray<string> => {
  const [id, digest] = [textAt(release, "id"), textAt(release, "digest")]
  const isOpen = ["pending", "rejected"].includes(textAt(release, "state") ?? "")
  return id === undefined || digest === undefined || !isOpen
    ? []
    : ["", escapeControls(`orgplane approvals approve ${id} --digest ${digest}`)]
}

export const pluginRelease = (body: unknown, style: TableStyle & TextStyle): string => {
  const release = member(body, "item")
  return [reviewedRelease(release, style), ...approveLines(release)].join("\n")
}
