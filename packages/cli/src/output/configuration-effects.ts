/** Renders the effects of a configuration plan on members: access by object, and desktop settings. */
import { numberAt } from "./delivery.ts"
import { escapeControls } from "./escape.ts"
import { listAt, member, textAt } from "./value.ts"

const objectsShown = 20

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

/** Empty if there are no effects, or if the caller does not have the permission to read them. */
export const configurationEffects = (plan: unknown): ReadonlyArray<string> => [
  ...accessLines(member(plan, "effects.access")),
  ...policyLines(member(plan, "effects.desktopPolicies"))
]
