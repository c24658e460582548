/** Renders tables and key/value lists. */
import { cell, isObject, member } from "./value.ts"
import { relativeTime } from "./relative-time.ts"
import { pad, truncate, width } from "./width.ts"

export interface TableStyle {
  /** Maximum width; `undefined` truncates nothing. */
  readonly columns: number | undefined
  readonly colors: boolean
  /** Shows times relative to now. */
  readonly terminal?: boolean
  /** The current time in milliseconds since the epoch. */
  readonly now?: number
}

const gap = 2
const narrowest = 8

const heading = (column: string): string =>
  column
    .replace(/\./g, " ")
    .replace(/(?<=[a-z\d])[A-Z]/g, (capital) => ` ${capital}`)
    .toUpperCase()

const bold = (text: string, style: TableStyle) => (style.colors ? `\u001b[1m${text}\u001b[0m` : text)

const sum = (widths: ReadonlyArray<number>) =>
  widths.reduce((total, each) => total + each, 0) + gap * Math.max(0, widths.length - 1)

interface Column {
  readonly index: number
  readonly width: number
  /** The smallest width to which it can be cut. */
  readonly least: number
}

/** Shrinks the widest columns first. Returns undefined if their smallest widths do not fit. */
const shrink = (columns: ReadonlyArray<Column>, available: number): ReadonlyArray<Column> | undefined => {
  let shown = columns
  for (;;) {
    const excess = sum(shown.map(({ width }) => width)) - available
    if (excess <= 0) return shown
    const flexible = shown.filter(({ least, width }) => width > least)
    const widest = Math.max(0, ...flexible.map(({ width }) => width))
    if (widest === 0) return undefined
    const among = flexible.filter(({ width }) => width === widest)
    const next = Math.max(
      ...among.map(({ least }) => least),
      ...flexible.map(({ width }) => (width < widest ? width : 0))
    )
    const cut = Math.min(widest - next, Math.ceil(excess / among.length))
    shown = shown.map((column) => (among.includes(column) ? { ...column, width: widest - cut } : column))
  }
}

const idPattern = /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** How many columns of the highest priority are always shown. */
const alwaysShown = 2

/**
 * Which columns are shown, and how wide. IDs and times are shown whole or not at all. If the columns do not fit, those of
 * the lowest priority are omitted.
 */
const fit = (
  columns: ReadonlyArray<Column>,
  priority: ReadonlyArray<number>,
  available: number | undefined
): ReadonlyArray<Column> => {
  if (available === undefined) return columns
  for (let count = columns.length; ; count -= 1) {
    const kept = new Set(priority.slice(0, count))
    const shown = columns.filter(({ index }) => kept.has(index))
    const fitting = shrink(shown, available)
    if (fitting !== undefined) return fitting
    // The terminal is narrower than an ID and a short name: the line is longer than the terminal.
    if (count <= alwaysShown) return shown.map((column) => ({ ...column, width: column.least }))
  }
}

/** The indexes of all columns, most important first: the given ones, or else the first ID and the column after it. */
const priorityOf = (
  columns: ReadonlyArray<string>,
  given: ReadonlyArray<string>,
  isId: ReadonlyArray<boolean>
): ReadonlyArray<number> => {
  const id = Math.max(0, isId.indexOf(true))
  const first = given.length === 0 ? [id, id + 1] : given.map((column) => columns.indexOf(column))
  return [...new Set([...first, ...columns.keys()])].filter((index) => index >= 0 && index < columns.length)
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

/** `priority` are the columns to show on a narrow terminal, most important first. The first one is not truncated. */
export const table = (
  rows: ReadonlyArray<unknown>,
  columns: ReadonlyArray<string>,
  style: TableStyle,
  priority: ReadonlyArray<string> = []
): string => {
  const headers = columns.map(heading)
  const values = rows.map((row) => columns.map((column) => cell(member(row, column))))
  const isAll = (index: number, pattern: RegExp) => {
    const filled = values.map((row) => row[index] ?? "-").filter((text) => text !== "-")
    return filled.length > 0 && filled.every((text) => pattern.test(text))
  }
  const isId = columns.map((_, index) => isAll(index, idPattern))
  const isTime = columns.map((_, index) => isAll(index, timePattern))
  const cells = values.map((row) =>
    row.map((text, index) =>
      // An absent value stays `-`.
      isTime[index] && style.terminal === true && text !== "-" ? relativeTime(text, style.now ?? 0) : text
    )
  )
  const all = headers.map((head, index): Column => {
    const natural = Math.max(width(head), ...cells.map((row) => width(row[index] ?? "")))
    const isWhole = isId[index] === true || isTime[index] === true || columns[index] === priority[0]
    return { index, width: natural, least: isWhole ? natural : Math.min(natural, Math.max(narrowest, width(head))) }
  })
  const shown = fit(all, priorityOf(columns, priority, isId), style.columns)
  const widths = shown.map(({ width }) => width)
  const lineOf = (texts: ReadonlyArray<string>) =>
    line(
      shown.map(({ index }) => texts[index] ?? ""),
      widths
    ).trimEnd()
  return [bold(lineOf(headers), style), ...cells.map(lineOf)].join("\n")
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
      const isRelative = style.terminal === true && timePattern.test(text)
      const age = isRelative ? ` (${relativeTime(text, style.now ?? 0)})` : ""
      return `${bold(pad(column, widest), style)}${" ".repeat(gap)}${shown}${age}`
    })
    .join("\n")
}
