/** Renders the plan of a configuration document: each change field by field, then the problems. */
import { type ChangeAction, changeActions } from "@orgplane/schema/shared/configuration/change-actions"
import { configurationEffects } from "./configuration-effects.ts"
import { isObject, listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { problemLine } from "./document-path.ts"
import { escapeControls } from "./escape.ts"

const [red, green, yellow, faint] = [31, 32, 33, 2]

const signs: Readonly<Record<string, readonly [sign: string, color: number]>> = {
  create: ["+", green],
  update: ["~", yellow],
  delete: ["-", red],
  move: [">", yellow],
  adopt: ["=", faint]
}

const words: Readonly<Record<ChangeAction, readonly [planned: string, done: string]>> = {
  create: ["to create", "created"],
  update: ["to update", "updated"],
  delete: ["to delete", "deleted"],
  move: ["to move", "moved"],
  adopt: ["to adopt", "adopted"]
}

const scalar = (value: unknown): string => escapeControls(JSON.stringify(value) ?? "null")

const isMultiLine = (value: unknown): value is string => typeof value === "string" && value.includes("\n")

/** The elements of `list` that `other` does not have, with duplicates. */
const onlyIn = (list: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const each of other) counts.set(each, (counts.get(each) ?? 0) + 1)
  return list.filter((each) => {
    const count = counts.get(each) ?? 0
    counts.set(each, count - 1)
    return count <= 0
  })
}

/** The lines between the first and the last difference. */
const changedLines = (before: string, after: string) => {
  const [old, now] = [before.split("\n"), after.split("\n")]
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  return { removed: old.slice(start, old.length - end), added: now.slice(start, now.length - end) }
}

/** One line for each element, removed ones first. */
const markedLines = (
  removed: ReadonlyArray<string>,
  added: ReadonlyArray<string>,
  indent: string,
  style: TextStyle
): ReadonlyArray<string> => [
  ...removed.map((each) => `${indent}${paint(style, red, `- ${each}`)}`),
  ...added.map((each) => `${indent}${paint(style, green, `+ ${each}`)}`)
]

const fieldLines = (
  field: string,
  before: unknown,
  after: unknown,
  action: string,
  indent: string,
  style: TextStyle
): ReadonlyArray<string> => {
  const name = escapeControls(field)
  const more = `${indent}  `
  if (action === "create" || action === "delete") {
    const value = action === "create" ? after : before
    // A missing value needs no line.
    if (value === null || value === undefined) return []
    if (isMultiLine(value)) {
      return [
        `${indent}${name}:`,
        ...value
          .replace(/\n$/u, "")
          .split("\n")
          .map((line) => `${more}${escapeControls(line)}`)
      ]
    }
    return [`${indent}${name}: ${scalar(value)}`]
  }
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names
      .filter((each) => JSON.stringify(before[each]) !== JSON.stringify(after[each]))
      .flatMap((each) => fieldLines(`${field}.${each}`, before[each], after[each], action, indent, style))
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, now] = [before.map(scalar), after.map(scalar)]
    const [removed, added] = [onlyIn(old, now), onlyIn(now, old)]
    if (removed.length + added.length > 0) return [`${indent}${name}:`, ...markedLines(removed, added, more, style)]
  }
  if (isMultiLine(before) || isMultiLine(after)) {
    const text = (value: unknown) => (typeof value === "string" ? value : "")
    const { added, removed } = changedLines(text(before), text(after))
    return [`${indent}${name}:`, ...markedLines(removed.map(escapeControls), added.map(escapeControls), more, style)]
  }
  return [`${indent}${name}: ${scalar(before)} ${style.unicode ? "→" : "->"} ${scalar(after)}`]
}

const titleOf = (change: unknown, style: TextStyle): string => {
  const action = textAt(change, "action") ?? ""
  const [sign, color] = signs[action] ?? ["?", faint]
  const [key, name] = [textAt(change, "key"), textAt(change, "name") ?? ""]
  const before = action === "move" ? textAt(listAt(change, "fields")[0], "before") : undefined
  const arrow = style.unicode ? "→" : "->"
  const keys = before === undefined ? key : `${before} ${arrow} ${key ?? ""}`
  const what = [textAt(change, "kind") ?? "", keys].filter((part) => part !== undefined).join(" ")
  const nameText =
    name === "" || name === key || key === undefined ? "" : paint(style, faint, `  ${escapeControls(name)}`)
  return `${paint(style, color, `${sign} ${escapeControls(what)}`)}${nameText}`
}

const changeLines = (change: unknown, style: TextStyle): ReadonlyArray<string> => {
  const action = textAt(change, "action") ?? ""
  const fields = action === "move" ? [] : listAt(change, "fields")
  return [
    titleOf(change, style),
    ...fields.flatMap((field) =>
      fieldLines(textAt(field, "field") ?? "", member(field, "before"), member(field, "after"), action, "    ", style)
    )
  ]
}

const countsOf = (changes: ReadonlyArray<unknown>, tense: 0 | 1): string =>
  changeActions
    .map(
      (action) =>
        [changes.filter((change) => textAt(change, "action") === action).length, words[action][tense]] as const
    )
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(", ")

export interface PlanContext {
  /** The location of a path of the document in its file. */
  readonly locationOf: (path: ReadonlyArray<unknown>) => string | undefined
  /** The command that applies a plan with this digest, if it is shown. */
  readonly applyCommand: ((digest: string) => string) | undefined
}

export const configurationPlan = (plan: unknown, style: TextStyle, context: PlanContext): string => {
  const [changes, problems] = [listAt(plan, "changes"), listAt(plan, "problems")]
  const digest = textAt(plan, "planDigest") ?? ""
  const lines = changes.flatMap((change) => changeLines(change, style))
  const problemLines = problems.map(
    (problem) => `  ${problemLine(problem, context.locationOf(listAt(problem, "path")))}`
  )
  const effects = configurationEffects(plan)
  const counts = changes.length === 0 ? "No changes." : `${countsOf(changes, 0)}.`
  return [
    ...(lines.length === 0 ? [] : [...lines, ""]),
    ...(effects.length === 0 ? [] : [...effects, ""]),
    ...(problems.length === 0
      ? [counts, `digest ${escapeControls(digest)}`]
      : [
          paint(
            style,
            red,
            `The document cannot be applied: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`
          ),
          ...problemLines
        ]),
    ...(problems.length > 0 || changes.length === 0 || context.applyCommand === undefined
      ? []
      : [context.applyCommand(digest)])
  ].join("\n")
}

/** What an apply did. */
export const appliedPlan = (plan: unknown, style: TextStyle): string => {
  const changes = listAt(plan, "changes")
  return changes.length === 0
    ? "No changes."
    : [...changes.map((change) => titleOf(change, style)), "", `Applied: ${countsOf(changes, 1)}.`].join("\n")
}
