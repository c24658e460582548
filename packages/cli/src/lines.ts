/** What a file or a pipe says line by line: CSV, or one JSON object a line. */
import { usage } from "./failure.ts"
import { isObject } from "./output/cell.ts"

/** One line: what it holds, or what is wrong with it. */
export type Line =
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly wrong: string }

const linesMax = 10_000

/** The cells of one line of CSV; undefined when a quote is not closed. */
const cellsOf = (line: string): ReadonlyArray<string> | undefined => {
  const cells: Array<string> = []
  let rest = line
  for (;;) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*(,|$)/.exec(rest)
    const bare = quoted ?? /^([^",]*)(,|$)/.exec(rest)
    if (bare === null) return undefined
    const [whole, text = "", comma] = bare
    cells.push(quoted === null ? text.trim() : text.replaceAll('""', '"'))
    if (comma === "") return cells
    rest = rest.slice(whole.length)
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
 * Blank lines and those that begin with `#` say nothing. A first line of CSV that names columns is a head; without one
 * the columns come in the order given. Cells that are empty are absent.
 */
export const readLines = (text: string, columns: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .map((each, index) => ({ line: index + 1, text: each.trim() }))
    .filter((each) => each.text !== "" && !each.text.startsWith("#"))
  if (lines.length > linesMax) throw usage(`There are ${lines.length} lines; ${linesMax} is the most at once.`)
  const [first] = lines
  if (first === undefined) throw usage("There is no line to do.")
  if (first.text.startsWith("{")) {
    return lines.map(({ line, text }) => {
      const value = fromJson(text)
      return value === undefined ? { line, wrong: "is not a JSON object" } : { line, value }
    })
  }
  const names = cellsOf(first.text)?.map((name) => columns.find((each) => each.toLowerCase() === name.toLowerCase()))
  const hasHead = names !== undefined && names.every((name) => name !== undefined)
  const heads = hasHead ? names : columns
  return lines.slice(hasHead ? 1 : 0).map(({ line, text }) => {
    const cells = cellsOf(text)
    if (cells === undefined) return { line, wrong: "has a quote that is not closed" }
    if (cells.length > heads.length) return { line, wrong: `has more than ${heads.length} columns` }
    const told = cells.flatMap((cell, index) => (cell === "" ? [] : [[heads[index] ?? "", cell] as const]))
    return { line, value: Object.fromEntries(told) }
  })
}
