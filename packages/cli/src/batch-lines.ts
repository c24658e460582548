/** Reads the lines of a file or a pipe: CSV, or one JSON object per line. */
import { usage } from "./failure.ts"
import { isObject } from "./output/value.ts"

/** One line: its values, or its error. */
export type Line =
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly error: string }

const linesMax = 10_000

/** The cells of one line of CSV; undefined if a quote is not closed. */
const cellsOf = (line: string): ReadonlyArray<string> | undefined => {
  const cells: Array<string> = []
  let rest = line
  for (;;) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*(,|$)/.exec(rest)
    const bare = quoted ?? /^([^",]*)(,|$)/.exec(rest)
    if (bare === null) return undefined
    const [match, text = "", comma] = bare
    cells.push(quoted === null ? text.trim() : text.replaceAll('""', '"'))
    if (comma === "") return cells
    rest = rest.slice(match.length)
  }
}

const fromJson = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Blank lines and lines that start with `#` are ignored. If the first line of CSV contains only column names, it is the
 * header. Without a header, the columns are in the given order. Empty cells are omitted.
 */
export const readLines = (text: string, columns: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .map((each, index) => ({ line: index + 1, text: each.trim() }))
    .filter((each) => each.text !== "" && !each.text.startsWith("#"))
  if (lines.length > linesMax) throw usage(`The input has ${lines.length} lines. At most ${linesMax} are allowed.`)
  const [first] = lines
  if (first === undefined) throw usage("The input has no lines.")
  if (first.text.startsWith("{")) {
    return lines.map(({ line, text }) => {
      const value = fromJson(text)
      return value === undefined ? { line, error: "is not a JSON object" } : { line, value }
    })
  }
  const names = cellsOf(first.text)?.map((name) => columns.find((each) => each.toLowerCase() === name.toLowerCase()))
  const hasHeader = names !== undefined && names.every((name) => name !== undefined)
  const columnNames = hasHeader ? names : columns
  return lines.slice(hasHeader ? 1 : 0).map(({ line, text }) => {
    const cells = cellsOf(text)
    if (cells === undefined) return { line, error: "has an unclosed quote" }
    if (cells.length > columnNames.length) return { line, error: `has more than ${columnNames.length} columns` }
    const entries = cells.flatMap((cell, index) => (cell === "" ? [] : [[columnNames[index] ?? "", cell] as const]))
    return { line, value: Object.fromEntries(entries) }
  })
}
