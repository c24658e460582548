/**
 * Charts of metrics as text: one column per day, one bar per group. They fit the terminal and are readable without
 * colors.
 */
import { cell, listAt, member, textAt } from "./value.ts"
import { escapeControls } from "./escape.ts"
import type { DrawingStyle } from "./marketplace-readiness.ts"
import { pad, truncate, width } from "./width.ts"

const blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
const columnsWithoutTerminal = 80
const barMin = 8
/** Maximum number of groups in one response. */
const topMax = 50

const paint = (style: DrawingStyle, code: number, text: string) =>
  style.colors ? `\u001b[${code}m${text}\u001b[0m` : text

const numberAt = (value: unknown, path: string): number | null => {
  const number = member(value, path)
  return typeof number === "number" ? number : null
}

/** Formats 1234567 as `1.2M`, a ratio as percent, milliseconds as a duration. */
export const shortFigure = (value: number | null, unit: string): string => {
  if (value === null) return "-"
  if (unit === "ratio") return `${Math.round(value * 1000) / 10}%`
  if (unit === "milliseconds") {
    if (value < 1000) return `${Math.round(value)} ms`
    if (value < 60_000) return `${Math.round(value / 100) / 10} s`
    if (value < 3_600_000) return `${Math.round(value / 6000) / 10} min`
    return `${Math.round(value / 360_000) / 10} h`
  }
  const round = (by: number) => `${Math.round((value / by) * 10) / 10}`
  if (Math.abs(value) >= 1e9) return `${round(1e9)}G`
  if (Math.abs(value) >= 1e6) return `${round(1e6)}M`
  if (Math.abs(value) >= 1e4) return `${round(1e3)}k`
  return String(Math.round(value * 100) / 100)
}

/** Merges neighboring values into their maximum, so that the line fits. */
const squeezed = (values: ReadonlyArray<number | null>, columns: number): ReadonlyArray<number | null> => {
  const groupSize = Math.ceil(values.length / Math.max(1, columns))
  if (groupSize <= 1) return values
  return Array.from({ length: Math.ceil(values.length / groupSize) }, (_, index) => {
    const part = values.slice(index * groupSize, (index + 1) * groupSize).filter((value) => value !== null)
    return part.length === 0 ? null : Math.max(...part)
  })
}

/** A sparkline. Zero is a gap, and every larger value is visible. */
export const spark = (
  values: ReadonlyArray<number | null>,
  style: DrawingStyle,
  columns: number,
  top?: number
): string => {
  const shown = squeezed(values, columns)
  const max = top ?? Math.max(0, ...shown.map((value) => value ?? 0))
  return shown
    .map((value) => {
      if (value === null || value <= 0 || max <= 0) return style.unicode ? " " : "."
      const level = Math.min(8, Math.max(1, Math.ceil((value / max) * 8)))
      return style.unicode ? (blocks[level - 1] ?? "") : String(Math.min(9, Math.max(1, Math.ceil((value / max) * 9))))
    })
    .join("")
}

const bar = (share: number, style: DrawingStyle, columns: number) =>
  (style.unicode ? "█" : "#").repeat(share <= 0 ? 0 : Math.max(1, Math.round(share * columns)))

const heightMax = 8

/** A column chart with one cell per day. The label of the first line is the maximum. */
const columnChart = (values: ReadonlyArray<number>, style: DrawingStyle, columns: number): ReadonlyArray<string> => {
  const max = Math.max(1, ...values)
  const scale = String(max).length
  const available = columns - scale - 2
  const shown = squeezed(values, available).map((value) => value ?? 0)
  const cellWidth = Math.max(1, Math.min(2, Math.floor(available / shown.length)))
  const height = Math.min(heightMax, max)
  const lines: Array<string> = []
  for (let row = height; row >= 1; row -= 1) {
    const cells = shown.map((value) => {
      const full = (value / max) * height
      const part = full - (row - 1)
      if (part <= 0) return " ".repeat(cellWidth)
      // Small values are drawn as partial blocks.
      const mark = !style.unicode ? "#" : part >= 1 ? "█" : (blocks[Math.max(0, Math.ceil(part * 8) - 1)] ?? "█")
      return mark.repeat(cellWidth)
    })
    const label = row === height ? String(max) : ""
    lines.push(`${label.padStart(scale)} ${style.unicode ? "│" : "|"}${paint(style, 36, cells.join("").trimEnd())}`)
  }
  lines.push(
    `${"0".padStart(scale)} ${style.unicode ? "└" : "+"}${(style.unicode ? "─" : "-").repeat(shown.length * cellWidth)}`
  )
  return lines
}

const figures: ReadonlyArray<readonly [name: string, of: ReadonlyArray<readonly [label: string, member: string]>]> = [
  [
    "users",
    [
      ["total", "totalUsers"],
      ["verified", "verifiedUsers"],
      ["admins", "adminCount"]
    ]
  ],
  [
    "joined",
    [
      ["7 days", "recentUsers7d"],
      ["30 days", "recentUsers30d"]
    ]
  ],
  [
    "active",
    [
      ["today", "activeUsers1d"],
      ["7 days", "activeUsers7d"],
      ["30 days", "activeUsers30d"]
    ]
  ],
  [
    "contributing",
    [
      ["today", "realActiveUsers1d"],
      ["7 days", "realActiveUsers7d"],
      ["30 days", "realActiveUsers30d"]
    ]
  ],
  ["recurring", [["30 days", "recurringUsers"]]],
  [
    "inviters",
    [
      ["30 days", "inviters"],
      ["median hours to first invitation", "medianHoursToFirstInvite"]
    ]
  ],
  [
    "workers",
    [
      ["total", "totalWorkers"],
      ["cloud", "cloudWorkers"],
      ["local", "localWorkers"],
      ["users with workers", "usersWithWorkers"]
    ]
  ],
  ["organizations", [["total", "totalOrganizations"]]]
]

/**
 * Renders `admin metrics`: daily active users as a column chart, contributing users and sign-ups as sparklines, then
 * all metrics.
 */
export const metrics = (body: unknown, style: DrawingStyle): string => {
  const summary = member(body, "summary")
  const series = listAt(summary, "activitySeries")
  const columns = style.columns ?? columnsWithoutTerminal
  const of = (name: string) => series.map((day) => numberAt(day, name) ?? 0)
  const [first, last] = [textAt(series[0], "day") ?? "", textAt(series.at(-1), "day") ?? ""]
  const margin = Math.max(1, String(Math.max(1, ...of("activeUsers"))).length) + 2
  const available = columns - margin
  const cellWidth = Math.max(1, Math.min(2, Math.floor(available / Math.max(1, series.length))))
  const axis = Math.min(
    available,
    Math.ceil(series.length / Math.ceil(series.length / Math.max(1, available))) * cellWidth
  )
  const gap = " ".repeat(Math.max(1, axis - first.length - last.length))
  const line = (name: string, values: ReadonlyArray<number>, color: number) => {
    const drawn = spark(values, style, available).replace(/./gu, (mark) => mark.repeat(cellWidth))
    return `${" ".repeat(margin)}${paint(style, color, drawn.trimEnd())}\n${truncate(`${" ".repeat(margin)}${name}, up to ${Math.max(0, ...values)} per day`, columns)}`
  }
  const names = Math.max(...figures.map(([name]) => name.length))
  const rows = figures.map(([name, parts]) => {
    const text = parts
      .map(([label, path]) => `${cell(member(summary, path))} ${label}`)
      .join(style.unicode ? " · " : ", ")
    return truncate(`${pad(name, names)}  ${text}`, columns)
  })
  const billing = member(summary, "billingLoaded") === true ? [] : [`${pad("billing", names)}  unknown`]
  return [
    paint(style, 1, truncate("Daily active users", columns)),
    ...columnChart(of("activeUsers"), style, columns),
    `${" ".repeat(margin)}${escapeControls(first)}${gap}${escapeControls(last)}`,
    "",
    line("contributing (made a change or ran a task)", of("realActiveUsers"), 32),
    line("joined", of("signups"), 35),
    "",
    ...rows,
    ...billing,
    "",
    `as of ${cell(member(body, "generatedAt"))}`
  ].join("\n")
}

/** Renders analytics: a sparkline for the whole time range, then a bar and a sparkline for each group. */
export const analytics = (body: unknown, style: DrawingStyle): string => {
  const of = member(body, "analytics")
  const columns = style.columns ?? columnsWithoutTerminal
  const unit = textAt(of, "unit") ?? "count"
  const valuesOf = (line: unknown) => listAt(line, "values").map((value) => (typeof value === "number" ? value : null))
  const series = listAt(of, "series")
  const groupBy = textAt(of, "groupBy")
  const groups = numberAt(of, "groups") ?? 0
  const title = `${cell(member(of, "measure"))} by ${cell(member(of, "interval"))}, ${cell(member(of, "from"))} to ${cell(member(of, "to"))}`
  const totalLine = `total ${shortFigure(numberAt(of, "total"), unit)}`
  const lines = [
    paint(style, 1, truncate(title, columns)),
    truncate(totalLine, columns),
    paint(style, 36, spark(valuesOf(of), style, columns))
  ]
  if (series.length > 0) {
    const names = series.map((line) => cell(member(line, "label") ?? member(line, "key") ?? "none"))
    const totals = series.map((line) => shortFigure(numberAt(line, "total"), unit))
    const nameRoom = Math.min(Math.max(...names.map(width)), Math.max(barMin, Math.floor(columns / 3)))
    const figureRoom = Math.max(...totals.map(width))
    const remaining = columns - nameRoom - figureRoom - 4
    const barRoom = Math.max(barMin, Math.floor(remaining / 2))
    const lineRoom = remaining - barRoom - 2
    const max = Math.max(0, ...series.map((line) => numberAt(line, "total") ?? 0))
    const top = Math.max(0, ...series.flatMap(valuesOf).map((value) => value ?? 0))
    lines.push("", paint(style, 1, truncate(`by ${escapeControls(groupBy ?? "")}`, columns)))
    for (const [index, line] of series.entries()) {
      const share = max <= 0 ? 0 : (numberAt(line, "total") ?? 0) / max
      const drawn = paint(style, 36, pad(bar(share, style, barRoom), barRoom))
      const days = lineRoom < barMin ? "" : `  ${spark(valuesOf(line), style, lineRoom, top)}`
      const name = pad(truncate(names[index] ?? "", nameRoom), nameRoom)
      lines.push(`${name}  ${(totals[index] ?? "").padStart(figureRoom)}  ${drawn}${days}`.trimEnd())
    }
    const more = groups - series.length
    if (more > 0) lines.push(`and ${more} more${series.length < topMax ? `: --top ${Math.min(topMax, groups)}` : ""}`)
  }
  return [...lines, "", `as of ${cell(member(body, "generatedAt"))}`].join("\n")
}

/** Renders analytics in a pipe: one tab-separated line per step and group. */
export const analyticsLines = (body: unknown): string => {
  const of = member(body, "analytics")
  const steps = listAt(of, "steps")
  const series = listAt(of, "series")
  const rows = (key: string, line: unknown) =>
    listAt(line, "values").map((value, index) => [cell(steps[index]), key, cell(value)].join("\t"))
  return series.length === 0
    ? rows("-", of).join("\n")
    : series.flatMap((line) => rows(cell(member(line, "key")), line)).join("\n")
}

/** Renders metrics in a pipe: tab-separated names and values, then one line per day. */
export const metricsLines = (body: unknown): string => {
  const summary = member(body, "summary")
  const names = typeof summary === "object" && summary !== null ? Object.keys(summary) : []
  return [
    ...names.filter((name) => name !== "activitySeries").map((name) => `${name}\t${cell(member(summary, name))}`),
    ...listAt(summary, "activitySeries").map((day) =>
      ["day", "activeUsers", "realActiveUsers", "signups"].map((name) => cell(member(day, name))).join("\t")
    )
  ].join("\n")
}
