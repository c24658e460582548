/** What desktop policies let somebody do and why, and what a change of them would do. */
import { isObject, listAt, member, textAt } from "./cell.ts"
import { type Paper, table, tabSeparated } from "./columns.ts"

export interface PolicyPaper extends Paper {
  /** People read it: words instead of values, and who lost. */
  readonly terminal: boolean
  readonly format: string | undefined
  readonly unicode: boolean
}

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

const winnerWords: Readonly<Record<string, string>> = {
  unstated: "no policy states it",
  only: "the only one",
  priority: "higher priority",
  specificity: "assigned more closely",
  age: "older",
  id: "smaller id"
}

const loserWords: Readonly<Record<string, string>> = {
  priority: "lower priority",
  specificity: "assigned less closely",
  age: "younger",
  id: "larger id"
}

const isForPeople = (paper: PolicyPaper) => paper.terminal || paper.format === "table"

const rowsOf = (rows: Rows, columns: ReadonlyArray<string>, paper: PolicyPaper): string =>
  isForPeople(paper) ? table(rows, columns, paper) : tabSeparated(rows, columns)

/** `off`, or the prompts in quotes. */
const valueText = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "on" : "off"
  if (!Array.isArray(value)) return ""
  const prompts = value.map((prompt) => JSON.stringify(isObject(prompt) ? prompt["prompt"] : prompt))
  return prompts.length === 0 ? "none" : prompts.join(", ")
}

/** What a person knows it by: its name, or its id where names are not for them; a policy to be made has no id. */
const policyText = (source: unknown): string => {
  if (!isObject(source)) return "-"
  const [name, id] = [textAt(source, "policyName"), textAt(source, "id")]
  return `${name ?? id ?? "?"} (priority ${String(source["priority"])}, ${textAt(source, "through") ?? "?"})`
}

const settingsOf = (policy: unknown): Rows =>
  (isObject(policy) ? Object.entries(policy) : [])
    .filter(([setting]) => setting !== "onboardingPromptDescriptions")
    .map(([setting, value]) => ({ setting, value: valueText(value) }))

/** A row for each setting; explained also the winner and the rule, and below them whoever lost. */
export const effectivePolicy = (body: unknown, paper: PolicyPaper): string => {
  const explained = listAt(body, "explanation")
  if (explained.length === 0) return rowsOf(settingsOf(member(body, "desktopPolicy")), ["setting", "value"], paper)
  if (!isForPeople(paper)) {
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
      lost: policyText(loser),
      value: valueText(member(loser, "value")),
      because: loserWords[textAt(loser, "lostBy") ?? ""] ?? member(loser, "lostBy")
    }))
  )
  const more = explained.flatMap((one) => {
    const [count, told] = [member(one, "loserCount"), listAt(one, "losers").length]
    return typeof count === "number" && count > told
      ? [`${count - told} more lost on ${textAt(one, "setting") ?? "?"}.`]
      : []
  })
  return [
    table(decided, ["setting", "value", "winner", "rule"], paper),
    ...(losers.length === 0 ? [] : ["", table(losers, ["setting", "lost", "value", "because"], paper)]),
    ...(more.length === 0 ? [] : ["", ...more])
  ].join("\n")
}

const amount = (count: unknown, noun: string) => `${String(count)} ${noun}${count === 1 ? "" : "s"}`

const sideText = (side: unknown): string => {
  const winner = member(side, "winner")
  return `${valueText(member(side, "value"))}${isObject(winner) ? ` by ${policyText(winner)}` : ""}`
}

/** How many would have another value of what, and then each of them, before and after. */
export const policySimulation = (body: unknown, paper: PolicyPaper): string => {
  const changes = listAt(body, "simulation.changes")
  if (!isForPeople(paper)) {
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
  if (count === 0) return "Nothing would change for anybody."
  const counted = listAt(body, "simulation.settings").map((one) => ({
    setting: member(one, "setting"),
    members: member(one, "memberCount"),
    turnedOn: member(one, "turnedOn"),
    turnedOff: member(one, "turnedOff")
  }))
  const told = changes.map((change) => ({
    member: member(change, "orgMembershipId"),
    setting: member(change, "setting"),
    before: sideText(member(change, "before")),
    after: sideText(member(change, "after"))
  }))
  const rest =
    member(body, "simulation.truncated") === true ? ["", `The first ${told.length} of ${String(count)} changes.`] : []
  return [
    `${amount(count, "setting")} would change, of ${amount(members, "member")}; nothing has been changed.`,
    "",
    table(counted, ["setting", "members", "turnedOn", "turnedOff"], paper),
    "",
    table(told, ["member", "setting", "before", "after"], paper),
    ...rest
  ].join("\n")
}
