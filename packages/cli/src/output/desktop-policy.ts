/** Renders the effective desktop policy of a member with explanations, and simulations of policy changes. */
import { isObject, listAt, member, textAt } from "./value.ts"
import { table, type TableStyle, tabSeparated } from "./table.ts"

export interface PolicyStyle extends TableStyle {
  /** Whether to print words instead of values, and the overridden policies. */
  readonly terminal: boolean
  readonly format: string | undefined
  readonly unicode: boolean
}

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

const winnerWords: Readonly<Record<string, string>> = {
  unstated: "not set by any policy",
  only: "only policy",
  priority: "higher priority",
  specificity: "more specific assignment",
  age: "older",
  id: "smaller ID"
}

const loserWords: Readonly<Record<string, string>> = {
  priority: "lower priority",
  specificity: "less specific assignment",
  age: "newer",
  id: "larger ID"
}

const isForPeople = (style: PolicyStyle) => style.terminal || style.format === "table"

const rowsOf = (rows: Rows, columns: ReadonlyArray<string>, style: PolicyStyle): string =>
  isForPeople(style) ? table(rows, columns, style) : tabSeparated(rows, columns)

/** Renders a setting: `on`, `off`, or the prompts in quotes. */
const valueText = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "on" : "off"
  if (!Array.isArray(value)) return ""
  const prompts = value.map((prompt) => JSON.stringify(isObject(prompt) ? prompt["prompt"] : prompt))
  return prompts.length === 0 ? "none" : prompts.join(", ")
}

/** A policy's name, or its ID if the caller is not allowed to see names. A simulated new policy has no ID. */
const policyText = (source: unknown): string => {
  if (!isObject(source)) return "-"
  const [name, id] = [textAt(source, "policyName"), textAt(source, "id")]
  return `${name ?? id ?? "?"} (priority ${String(source["priority"])}, ${textAt(source, "through") ?? "?"})`
}

const settingsOf = (policy: unknown): Rows =>
  (isObject(policy) ? Object.entries(policy) : [])
    .filter(([setting]) => setting !== "onboardingPromptDescriptions")
    .map(([setting, value]) => ({ setting, value: valueText(value) }))

/**
 * Renders one row per setting. With explanations, also renders the deciding policy and rule, and the overridden
 * policies.
 */
export const effectivePolicy = (body: unknown, style: PolicyStyle): string => {
  const explained = listAt(body, "explanation")
  if (explained.length === 0) return rowsOf(settingsOf(member(body, "desktopPolicy")), ["setting", "value"], style)
  if (!isForPeople(style)) {
    return tabSeparated(
      explained.map((one) => ({
        setting: member(one, "setting"),
        value: valueText(member(one, "value")),
        winner: member(one, "winner.id"),
        rule: member(one, "rule")
      })),
      ["setting", "value", "winner", "rule"]
    )
  }
  const decided = explained.map((one) => ({
    setting: member(one, "setting"),
    value: valueText(member(one, "value")),
    winner: policyText(member(one, "winner")),
    rule: winnerWords[textAt(one, "rule") ?? ""] ?? member(one, "rule")
  }))
  const losers = explained.flatMap((one) =>
    listAt(one, "losers").map((loser) => ({
      setting: member(one, "setting"),
      overridden: policyText(loser),
      value: valueText(member(loser, "value")),
      reason: loserWords[textAt(loser, "lostBy") ?? ""] ?? member(loser, "lostBy")
    }))
  )
  const more = explained.flatMap((one) => {
    const [count, listedCount] = [member(one, "loserCount"), listAt(one, "losers").length]
    if (typeof count !== "number" || count <= listedCount) return []
    const [unlisted, setting] = [count - listedCount, textAt(one, "setting") ?? "?"]
    return unlisted === 1
      ? [`1 more policy for ${setting} was overridden.`]
      : [`${unlisted} more policies for ${setting} were overridden.`]
  })
  return [
    table(decided, ["setting", "value", "winner", "rule"], style),
    ...(losers.length === 0 ? [] : ["", table(losers, ["setting", "overridden", "value", "reason"], style)]),
    ...(more.length === 0 ? [] : ["", ...more])
  ].join("\n")
}

const amount = (count: unknown, noun: string) => `${String(count)} ${noun}${count === 1 ? "" : "s"}`

const sideText = (side: unknown): string => {
  const winner = member(side, "winner")
  return `${valueText(member(side, "value"))}${isObject(winner) ? ` by ${policyText(winner)}` : ""}`
}

/** Renders a simulation: counts per setting, then each change before and after. */
export const policySimulation = (body: unknown, style: PolicyStyle): string => {
  const changes = listAt(body, "simulation.changes")
  if (!isForPeople(style)) {
    return tabSeparated(
      changes.map((change) => ({
        member: member(change, "orgMembershipId"),
        setting: member(change, "setting"),
        before: valueText(member(change, "before.value")),
        after: valueText(member(change, "after.value")),
        won: member(change, "before.winner.id"),
        wins: member(change, "after.winner.id")
      })),
      ["member", "setting", "before", "after", "won", "wins"]
    )
  }
  const [count, members] = [member(body, "simulation.changeCount"), member(body, "simulation.memberCount")]
  if (count === 0) return "No member's settings would change."
  const settings = listAt(body, "simulation.settings").map((one) => ({
    setting: member(one, "setting"),
    members: member(one, "memberCount"),
    turnedOn: member(one, "turnedOn"),
    turnedOff: member(one, "turnedOff")
  }))
  const rows = changes.map((change) => ({
    member: member(change, "orgMembershipId"),
    setting: member(change, "setting"),
    before: sideText(member(change, "before")),
    after: sideText(member(change, "after"))
  }))
  const rest =
    member(body, "simulation.truncated") === true
      ? ["", `Showing the first ${rows.length} of ${String(count)} changes.`]
      : []
  return [
    `${amount(count, "setting")} would change for ${amount(members, "member")}. This is a simulation.`,
    "",
    table(settings, ["setting", "members", "turnedOn", "turnedOff"], style),
    "",
    table(rows, ["member", "setting", "before", "after"], style),
    ...rest
  ].join("\n")
}
