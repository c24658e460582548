/** Charts of metrics as text: one column per day, one bar per group. They fit the terminal and are readable without colors. */
import { cell, listAt, member, textAt } from "./cell.ts"
import { harmless } from "./harmless.ts"
import type { Pen } from "./readiness.ts"
import { pad, truncate, width } from "./width.ts"

const blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
const columnsWithoutTerminal = 80
const barMin = 8
/** Maximum number of groups in one response. */
const topMax = 50

const paint = (pen: Pen, code: number, text: string) => (pen.colors ? `\u001b[${code}m${text}\u001b[0m` : text)

const numberAt = (value: unknown, path: string): number | null => {
  const found = member(value, path)
  return typeof found === "number" ? found : null
}

/** Formats 1234567 as `1.2M`, a ratio as percent, milliseconds as a duration. */
export const shortFigure = (value: number | null, unit: string): string => {
  if (value === null) return "-"
  if (unit === "ratio") return `${Math.round(value * 1000) / 10} %`
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
  const many = Math.ceil(values.length / Math.max(1, columns))
  if (many <= 1) return values
  return Array.from({ length: Math.ceil(values.length / many) }, (_, index) => {
    const part = values.slice(index * many, (index + 1) * many).filter((value) => value !== null)
    return part.length === 0 ? null : Math.max(...part)
  })
}

/** A sparkline. Zero is a gap, and every larger value is visible. */
export const spark = (values: ReadonlyArray<number | null>, pen: Pen, columns: number, top?: number): string => {
  const shown = squeezed(values, columns)
  const most = top ?? Math.max(0, ...shown.map((value) => value ?? 0))
  return shown
    .map((value) => {
      if (value === null || value <= 0 || most <= 0) return pen.unicode ? " " : "."
      const level = Math.min(8, Math.max(1, Math.ceil((value / most) * 8)))
      return pen.unicode ? (blocks[level - 1] ?? "") : String(Math.min(9, Math.max(1, Math.ceil((value / most) * 9))))
    })
    .join("")
}

const bar = (share: number, pen: Pen, columns: number) =>
  (pen.unicode ? "█" : "#").repeat(share <= 0 ? 0 : Math.max(1, Math.round(share * columns)))

const heightMax = 8

/** A column chart with one cell per day. The label of the first line is the maximum. */
const columnChart = (values: ReadonlyArray<number>, pen: Pen, columns: number): ReadonlyArray<string> => {
  const most = Math.max(1, ...values)
  const scale = String(most).length
  const room = columns - scale - 2
  const shown = squeezed(values, room).map((value) => value ?? 0)
  const wide = Math.max(1, Math.min(2, Math.floor(room / shown.length)))
  const height = Math.min(heightMax, most)
  const lines: Array<string> = []
  for (let row = height; row >= 1; row -= 1) {
    const cells = shown.map((value) => {
      const full = (value / most) * height
      const part = full - (row - 1)
      if (part <= 0) return " ".repeat(wide)
      // Small values are drawn as partial blocks.
      const mark = !pen.unicode ? "#" : part >= 1 ? "█" : (blocks[Math.max(0, Math.ceil(part * 8) - 1)] ?? "█")
      return mark.repeat(wide)
    })
    const label = row === height ? String(most) : ""
    lines.push(`${label.padStart(scale)} ${pen.unicode ? "│" : "|"}${paint(pen, 36, cells.join("").trimEnd())}`)
  }
  lines.push(
    `${"0".padStart(scale)} ${pen.unicode ? "└" : "+"}${(pen.unicode ? "─" : "-").repeat(shown.length * wide)}`
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

/** Renders `admin metrics`: daily active users as a column chart, contributing users and sign-ups as sparklines, then all metrics. */
export const metrics = (body: unknown, pen: Pen): string => {
  const summary = member(body, "summary")
  const series = listAt(summary, "activitySeries")
  const columns = pen.columns ?? columnsWithoutTerminal
  const of = (name: string) => series.map((day) => numberAt(day, name) ?? 0)
  const [first, last] = [textAt(series[0], "day") ?? "", textAt(series.at(-1), "day") ?? ""]
  const margin = Math.max(1, String(Math.max(1, ...of("activeUsers"))).length) + 2
  const room = columns - margin
  const wide = Math.max(1, Math.min(2, Math.floor(room / Math.max(1, series.length))))
  const axis = Math.min(room, Math.ceil(series.length / Math.ceil(series.length / Math.max(1, room))) * wide)
  const gap = " ".repeat(Math.max(1, axis - first.length - last.length))
  const line = (name: string, values: ReadonlyArray<number>, color: number) => {
    const drawn = spark(values, pen, room).replace(/./gu, (mark) => mark.repeat(wide))
    return `${" ".repeat(margin)}${paint(pen, color, drawn.trimEnd())}\n${truncate(`${" ".repeat(margin)}${name}, up to ${Math.max(0, ...values)} per day`, columns)}`
  }
  const names = Math.max(...figures.map(([name]) => name.length))
  const rows = figures.map(([name, parts]) => {
    const told = parts
      .map(([label, path]) => `${cell(member(summary, path))} ${label}`)
      .join(pen.unicode ? " · " : ", ")
    return truncate(`${pad(name, names)}  ${told}`, columns)
  })
  const billing = member(summary, "billingLoaded") === true ? [] : [`${pad("billing", names)}  unknown`]
  return [
    paint(pen, 1, truncate("Daily active users", columns)),
    ...columnChart(of("activeUsers"), pen, columns),
    `${" ".repeat(margin)}${harmless(first)}${gap}${harmless(last)}`,
    "",
    line("made a change or had a task", of("realActiveUsers"), 32),
    line("joined", of("signups"), 35),
    "",
    ...rows,
    ...billing,
    "",
    `as of ${cell(member(body, "generatedAt"))}`
  ].join("\n")
}

/** Renders analytics: a sparkline for the whole time range, then a bar and a sparkline for each group. */
export const analytics = (body: unknown, pen: Pen): string => {
  const of = member(body, "analytics")
  const columns = pen.columns ?? columnsWithoutTerminal
  const unit = textAt(of, "unit") ?? "count"
  const valuesOf = (line: unknown) => listAt(line, "values").map((value) => (typeof value === "number" ? value : null))
  const series = listAt(of, "series")
  const groupBy = textAt(of, "groupBy")
  const groups = numberAt(of, "groups") ?? 0
  const head = `${cell(member(of, "measure"))} by ${cell(member(of, "interval"))}, ${cell(member(of, "from"))} to ${cell(member(of, "to"))}`
  const whole = `total ${shortFigure(numberAt(of, "total"), unit)}`
  const lines = [
    paint(pen, 1, truncate(head, columns)),
    truncate(whole, columns),
    paint(pen, 36, spark(valuesOf(of), pen, columns))
  ]
  if (series.length > 0) {
    const names = series.map((line) => cell(member(line, "label") ?? member(line, "key") ?? "none"))
    const told = series.map((line) => shortFigure(numberAt(line, "total"), unit))
    const nameRoom = Math.min(Math.max(...names.map(width)), Math.max(barMin, Math.floor(columns / 3)))
    const figureRoom = Math.max(...told.map(width))
    const rest = columns - nameRoom - figureRoom - 4
    const barRoom = Math.max(barMin, Math.floor(rest / 2))
    const lineRoom = rest - barRoom - 2
    const most = Math.max(0, ...series.map((line) => numberAt(line, "total") ?? 0))
    const top = Math.max(0, ...series.flatMap(valuesOf).map((value) => value ?? 0))
    lines.push("", paint(pen, 1, truncate(`by ${harmless(groupBy ?? "")}`, columns)))
    for (const [index, line] of series.entries()) {
      const share = most <= 0 ? 0 : (numberAt(line, "total") ?? 0) / most
      const drawn = paint(pen, 36, pad(bar(share, pen, barRoom), barRoom))
      const days = lineRoom < barMin ? "" : `  ${spark(valuesOf(line), pen, lineRoom, top)}`
      const name = pad(truncate(names[index] ?? "", nameRoom), nameRoom)
      lines.push(`${name}  ${(told[index] ?? "").padStart(figureRoom)}  ${drawn}${days}`.trimEnd())
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
