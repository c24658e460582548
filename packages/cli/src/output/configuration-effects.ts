/** Renders the effects of a configuration plan: access by object, desktop settings, and changes that would be held for approval. */
import { numberAt } from "./delivery.ts"
import { escapeControls } from "./escape.ts"
import { listAt, member, textAt } from "./value.ts"

const objectsShown = 20
const sentencesShown = 5

const membersOf = (count: number) => `${count} ${count === 1 ? "member" : "members"}`

const accessLines = (access: unknown): ReadonlyArray<string> => {
  const count = numberAt(access, "memberCount")
  if (count === 0) return []
  const objects = new Map<string, { gained: number; lost: number; changed: number }>()
  for (const change of listAt(access, "changes")) {
    const title = `${textAt(change, "object.kind") ?? ""} ${textAt(change, "object.name") ?? ""}`
    const counts = objects.get(title) ?? { gained: 0, lost: 0, changed: 0 }
    objects.set(title, counts)
    if (member(change, "from") === null) counts.gained += 1
    else if (member(change, "to") === null) counts.lost += 1
    else counts.changed += 1
  }
  const lines = [...objects].slice(0, objectsShown).map(([title, { changed, gained, lost }]) => {
    const parts = [
      ...(gained > 0 ? [`${membersOf(gained)} would gain access`] : []),
      ...(lost > 0 ? [`${membersOf(lost)} would lose access`] : []),
      ...(changed > 0 ? [`${membersOf(changed)} would get another role`] : [])
    ]
    return `  ${escapeControls(title)}: ${parts.join(", ")}`
  })
  const isCut = objects.size > objectsShown || member(access, "truncated") === true
  return [
    `Access of ${membersOf(count)} would change:`,
    ...lines,
    ...(isCut ? ["  More changes are in the JSON output."] : [])
  ]
}

const settingLine = (setting: unknown): string => {
  const [on, off] = [numberAt(setting, "turnedOn"), numberAt(setting, "turnedOff")]
  const parts = [...(on > 0 ? [`on for ${on}`] : []), ...(off > 0 ? [`off for ${off}`] : [])]
  const detail = parts.length === 0 ? membersOf(numberAt(setting, "memberCount")) : parts.join(", ")
  return `  ${escapeControls(textAt(setting, "setting") ?? "")}: ${detail}`
}

const policyLines = (policies: unknown): ReadonlyArray<string> => {
  const count = numberAt(policies, "memberCount")
  return count === 0
    ? []
    : [`Desktop settings of ${membersOf(count)} would change:`, ...listAt(policies, "settings").map(settingLine)]
}

const heldLines = (held: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const lines = held.slice(0, objectsShown).flatMap((release) => {
    const [sentences, count] = [listAt(release, "capabilities"), numberAt(release, "capabilityCount")]
    const shown = sentences.slice(0, sentencesShown).map((sentence) => `    + ${escapeControls(String(sentence))}`)
    const more = count - shown.length
    return [
      `  plugin ${escapeControls(textAt(release, "plugin.name") ?? "")}`,
      ...shown,
      ...(more > 0 ? [`    + ${more} more in the JSON output`] : [])
    ]
  })
  const isCut = held.length > objectsShown
  return held.length === 0
    ? []
    : ["Would be held for approval:", ...lines, ...(isCut ? ["  More plugins are in the JSON output."] : [])]
}

const names = {
  access: "Changes of access",
  desktopPolicies: "Changes of desktop settings",
  held: "Changes that would be held for approval"
} as const
const permissions = { access: "access:read", desktopPolicies: "desktopPolicies:read", held: "approvals:read" } as const

const reasonText = (effect: keyof typeof names, reason: string): string => {
  switch (reason) {
    case "permission_required":
      return `the permission ${permissions[effect]} is required`
    case "too_much":
      return "a limit of the comparison is exceeded"
    case "timeout":
      return "the comparison timed out"
    default:
      return "an internal error occurred. See the log of the server"
  }
}

/** Why effects are missing. */
const missingLines = (plan: unknown): ReadonlyArray<string> =>
  (["access", "desktopPolicies", "held"] as const).flatMap((effect) => {
    const reason = textAt(plan, `effects.notComputed.${effect}`)
    return reason === undefined ? [] : [`${names[effect]} are not shown: ${reasonText(effect, reason)}.`]
  })

/** Empty if there are no changes, or no effects. */
export const configurationEffects = (plan: unknown): ReadonlyArray<string> => [
  ...accessLines(member(plan, "effects.access")),
  ...policyLines(member(plan, "effects.desktopPolicies")),
  ...heldLines(listAt(plan, "effects.held")),
  ...(listAt(plan, "changes").length === 0 ? [] : missingLines(plan))
]
