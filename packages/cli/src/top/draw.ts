/** The state of a server as lines of text. */
import { escapeControls } from "../output/escape.ts"
import { pad, truncate, width } from "../output/width.ts"
import type { Summary } from "./summary.ts"

export interface DrawOptions {
  readonly columns: number
  /** All lines if undefined. */
  readonly rows: number | undefined
  readonly colors: boolean
  /** The last line, such as the available keys. */
  readonly footer: string | undefined
}

const labelColumns = 14
const nameColumns = 34

const number = (value: number): string =>
  Number.isInteger(value) || value >= 10 ? Math.round(value).toString() : value.toFixed(1)
const perSecond = (value: number): string => `${number(value)}/s`
const percent = (share: number): string => `${number(share * 100)}%`
const seconds = (value: number | null): string =>
  value === null ? "-" : value < 1 ? `${Math.round(value * 1000)} ms` : `${number(value)} s`
const bytes = (value: number): string =>
  value < 2 ** 30 ? `${Math.round(value / 2 ** 20)} MiB` : `${(value / 2 ** 30).toFixed(1)} GiB`
const duration = (value: number): string => {
  const [days, hours, minutes] = [
    Math.floor(value / 86_400),
    Math.floor(value / 3600) % 24,
    Math.floor(value / 60) % 60
  ]
  if (days > 0) return `${days}d ${hours}h`
  return hours > 0 ? `${hours}h ${minutes}m` : `${minutes}m ${Math.floor(value) % 60}s`
}

const ageOf = (since: string, now: string): string =>
  duration(Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000))

const counts = (values: Readonly<Record<string, number>>): ReadonlyArray<string> =>
  Object.entries(values).map(([name, value]) => `${name} ${number(value)}`)

/** For a metric with many values of its label. */
const nonZero = (values: Readonly<Record<string, number>>): ReadonlyArray<string> => {
  const parts = counts(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0)))
  return parts.length === 0 ? ["none"] : parts
}

export const draw = (summary: Summary, { colors, columns, footer, rows }: DrawOptions): ReadonlyArray<string> => {
  const style = (code: number, text: string) => (colors ? `\u001b[${code}m${text}\u001b[0m` : text)
  const bold = (text: string) => style(1, text)
  const { audit, database, mails, operations, pending, process, queues, readiness, requests } = summary
  const { syncsPerMinute, webhooksPerMinute, workers } = summary
  const row = (label: string, parts: ReadonlyArray<string>, isBad = false) => {
    const text = truncate(parts.map(escapeControls).join("   "), Math.max(10, columns - labelColumns))
    return `${bold(pad(label, labelColumns))}${isBad ? style(31, text) : text}`
  }
  const header = (name: string, cells: ReadonlyArray<string>) =>
    bold(truncate(`${pad(name, nameColumns)}${cells.map((cell) => cell.padStart(9)).join("")}`, columns))
  const line = (name: string, cells: ReadonlyArray<string>) =>
    truncate(
      `${pad(truncate(escapeControls(name), nameColumns - 1), nameColumns)}${cells.map((cell) => cell.padStart(9)).join("")}`,
      columns
    )
  const title = escapeControls(
    `orgplane ${summary.version} (${summary.engine})   ${summary.server}   up ${duration(summary.uptimeSeconds)}`
  )
  const time = summary.time.slice(11, 19)
  const space = columns - width(title) - time.length
  const share = requests.perSecond === 0 ? 0 : requests.errorsPerSecond / requests.perSecond
  const { p50, p95, p99 } = requests.latencySeconds
  const top = [
    space > 0 ? `${bold(title)}${" ".repeat(space)}${time}` : bold(truncate(title, columns)),
    "",
    row(
      "Health",
      [
        readiness.status === "ready" ? "ready" : "not ready",
        ...readiness.failed.map(
          ({ check, message, since }) =>
            `${check} failed${since === null ? "" : ` for ${ageOf(since, summary.time)}`}${message === "" ? "" : `: ${message}`}`
        )
      ],
      readiness.status !== "ready" || readiness.failed.length > 0
    ),
    row(
      "Requests",
      [
        perSecond(requests.perSecond),
        `errors ${perSecond(requests.errorsPerSecond)} (${percent(share)})`,
        `p50 ${seconds(p50)}`,
        `p95 ${seconds(p95)}`,
        `p99 ${seconds(p99)}`
      ],
      requests.errorsPerSecond > 0
    ),
    row(
      "Database",
      [
        ...(database.readable ? [] : ["cannot be read"]),
        `connections ${database.connectionsInUse}/${database.connectionsMax}`,
        `waiting ${database.waiting}`,
        `timeouts ${perSecond(database.timeoutsPerSecond)}`,
        `statements ${perSecond(database.statementsPerSecond)}`,
        bytes(database.bytes)
      ],
      !database.readable || database.timeoutsPerSecond > 0
    ),
    row("Process", [
      `CPU ${percent(process.cpu)}`,
      `event loop ${percent(process.eventLoopUtilization)}`,
      `delay p99 ${seconds(process.eventLoopDelayP99Seconds)}`,
      `memory ${bytes(process.memoryBytes)}`,
      `heap ${bytes(process.heapBytes)}`
    ]),
    row("Syncs/min", counts(syncsPerMinute)),
    row("Webhooks/min", nonZero(webhooksPerMinute)),
    row("Emails/min", [...counts(mails.perMinute), `waiting ${mails.waiting}`]),
    row("Pending", counts(pending)),
    row("Workers", counts(workers), (workers["failed"] ?? 0) > 0),
    row("Audit", [`unsealed ${audit.unsealedEvents}`, `lag ${seconds(audit.sealLagSeconds)}`]),
    "",
    header("QUEUE", ["WAITING", "RUNNING", "DELAYED", "OLDEST"]),
    ...queues.map(({ delayed, oldestSeconds, queue, running, waiting }) =>
      line(queue, [String(waiting), String(running), String(delayed), seconds(oldestSeconds)])
    ),
    "",
    header("OPERATION", ["REQ/S", "ERR/S", "P50", "P95"]),
    ...operations.map(({ errorsPerSecond, operation, p50Seconds, p95Seconds, requestsPerSecond }) =>
      line(operation, [number(requestsPerSecond), number(errorsPerSecond), seconds(p50Seconds), seconds(p95Seconds)])
    )
  ]
  const last = footer === undefined ? [] : [truncate(escapeControls(footer), columns)]
  return rows === undefined ? [...top, ...last] : [...top.slice(0, Math.max(1, rows - last.length)), ...last]
}
