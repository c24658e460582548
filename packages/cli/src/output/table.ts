/** Renders tables and key/value lists. */
import { cell, isObject, member } from "./value.ts"
import { pad, truncate, width } from "./width.ts"

export interface TableStyle {
  /** Maximum width; `undefined` truncates nothing. */
  readonly columns: number | undefined
  readonly colors: boolean
}

const gap = 2
const narrowest = 8

const heading = (column: string): string =>
  column
    .replace(/\./g, " ")
    .replace(/(?<=[a-z\d])[A-Z]/g, (capital) => ` ${capital}`)
    .toUpperCase()

const bold = (text: string, style: TableStyle) => (style.colors ? `\u001b[1m${text}\u001b[0m` : text)

/** Shrinks the widest column first, so that IDs and states stay complete as long as possible. */
const fit = (natural: ReadonlyArray<number>, available: number | undefined): ReadonlyArray<number> => {
  const widths = [...natural]
  if (available === undefined) return widths
  for (;;) {
    const excess = widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1) - available
    const widest = Math.max(...widths)
    if (excess <= 0 || widest <= narrowest) return widths
    const second = Math.max(narrowest, ...widths.filter((each) => each < widest))
    const shared = widths.filter((each) => each === widest).length
    const cut = Math.min(widest - second, Math.ceil(excess / shared)) || 1
    for (const [index, each] of widths.entries()) if (each === widest) widths[index] = each - cut
  }
}

const line = (cells: ReadonlyArray<string>, widths: ReadonlyArray<number>): string =>
  cells
    .map((text, index) => {
      const columns = widths[index] ?? 0
      const cut = truncate(text, columns)
      return index === cells.length - 1 ? cut : pad(cut, columns)
    })
    .join(" ".repeat(gap))

/** The default columns: the first members of a row that fit into one cell. */
export const usualColumns = (rows: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const [first] = rows
  if (!isObject(first)) return []
  return Object.keys(first)
    .filter((name) => first[name] === null || typeof first[name] !== "object")
    .slice(0, 7)
}

export const table = (rows: ReadonlyArray<unknown>, columns: ReadonlyArray<string>, style: TableStyle): string => {
  const headers = columns.map(heading)
  const cells = rows.map((row) => columns.map((column) => cell(member(row, column))))
  const natural = headers.map((head, index) => Math.max(width(head), ...cells.map((row) => width(row[index] ?? ""))))
  const widths = fit(natural, style.columns)
  return [bold(line(headers, widths).trimEnd(), style), ...cells.map((row) => line(row, widths).trimEnd())].join("\n")
}

/** Renders rows with tab-separated, untruncated values, for `cut` and `awk`. */
export const tabSeparated = (rows: ReadonlyArray<unknown>, columns: ReadonlyArray<string>): string =>
  rows.map((row) => columns.map((column) => cell(member(row, column))).join("\t")).join("\n")

export const keyValues = (value: unknown, columns: ReadonlyArray<string>, style: TableStyle): string => {
  const widest = Math.max(0, ...columns.map(width))
  return columns
    .map((column) => {
      const text = cell(member(value, column))
      // IDs, links and secrets are useless if truncated, and some are shown only once.
      const isOneWord = !/\s/.test(text)
      const shown =
        style.columns === undefined || isOneWord
          ? text
          : truncate(text, Math.max(narrowest, style.columns - widest - gap))
      return `${bold(pad(column, widest), style)}${" ".repeat(gap)}${shown}`
    })
    .join("\n")
}
