/** Renders the request log of a SCIM directory with the changes of each request. */
import { cell, listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { table, type TableStyle } from "./table.ts"
import { escapeControls } from "./escape.ts"
import { pad } from "./width.ts"

const red = 31
const green = 32
const yellow = 33
const charactersMax = 200

const short = (value: unknown): string => {
  const text = JSON.stringify(value ?? null) ?? "null"
  return escapeControls(text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text)
}

const isNothing = (value: unknown) => value === null || value === undefined

/** `- active: true` and `+ active: false`. An added or removed value has one line. */
const differenceLines = (entry: unknown, style: TextStyle): ReadonlyArray<string> =>
  listAt(entry, "differences").flatMap((difference) => {
    const path = escapeControls(textAt(difference, "path") ?? "?")
    const [before, after] = [member(difference, "before"), member(difference, "after")]
    return [
      ...(isNothing(before) ? [] : [paint(style, red, `    - ${path}: ${short(before)}`)]),
      ...(isNothing(after) ? [] : [paint(style, green, `    + ${path}: ${short(after)}`)])
    ]
  })

/** Renders a table, with the changes of each request below its row. */
export const scimLog = (
  entries: ReadonlyArray<unknown>,
  columns: ReadonlyArray<string>,
  style: TableStyle & TextStyle
): string => {
  const [header = "", ...rows] = table(entries, columns, style).split("\n")
  return [header, ...entries.flatMap((entry, index) => [rows[index] ?? "", ...differenceLines(entry, style)])].join(
    "\n"
  )
}

const colors: Readonly<Record<string, number>> = { refused: red, held: yellow }

/** Renders a new entry while following. Columns are aligned. */
export const scimLogLine = (entry: unknown, style: TextStyle): string => {
  const decision = textAt(entry, "decision") ?? "-"
  const color = colors[decision]
  const label = pad(escapeControls(decision), 9)
  const detail = textAt(entry, "detail")
  return [
    [
      pad(cell(member(entry, "createdAt")), 24),
      color === undefined ? label : paint(style, color, label),
      cell(member(entry, "status")),
      pad(cell(member(entry, "method")), 6),
      cell(member(entry, "path")),
      cell(member(entry, "displayName") ?? "")
    ]
      .filter((part) => part !== "-")
      .join("  "),
    ...(detail === undefined ? [] : [`    ${escapeControls(detail)}`]),
    ...differenceLines(entry, style)
  ].join("\n")
}
