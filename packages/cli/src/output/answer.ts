/** Renders a response in the selected output format. */
import type { Format } from "../globals.ts"
import type { Override } from "../overrides.ts"
import { isObject, listAt, member, textAt } from "./cell.ts"
import { chain } from "./chain.ts"
import { analytics, analyticsLines, metrics, metricsLines } from "./chart.ts"
import { keyValues, type Paper, tabSeparated, table, usualColumns } from "./columns.ts"
import { diff } from "./diff.ts"
import { harmlessJson, harmlessLines } from "./harmless.ts"
import { toolCall } from "./inspection.ts"
import { memories } from "./memories.ts"
import { type Asked, plan } from "./plan.ts"
import { effectivePolicy, policySimulation } from "./policy.ts"
import { preview } from "./preview.ts"
import { readiness } from "./readiness.ts"
import { resolution } from "./resolution.ts"
import { review } from "./review.ts"
import { scimLog } from "./scim-log.ts"
import { sso } from "./sso.ts"
import { yaml } from "./yaml.ts"

export interface Look extends Paper {
  readonly format: Format | undefined
  readonly quiet: boolean
  readonly terminal: boolean
  /** Whether the terminal can show characters beyond ASCII. */
  readonly unicode: boolean
  /** The current time, for remaining days. */
  readonly now: number
}

export const json = (value: unknown, pretty: boolean): string =>
  harmlessJson(JSON.stringify(value ?? null, null, pretty ? 2 : undefined))

/** The object in a response: the API wraps it in `item`, or in a single member with its name. */
export const unwrap = (body: unknown): unknown => {
  if (!isObject(body)) return body
  const names = Object.keys(body).filter((name) => name !== "ok")
  const [only] = names
  return names.length === 1 && only !== undefined && isObject(body[only]) ? body[only] : body
}

const ids = (rows: ReadonlyArray<unknown>, name = "id"): string =>
  rows
    .map((row) => member(row, name))
    .filter((id) => typeof id === "string")
    .join("\n")

/** Renders the rows of a list. */
export const renderRows = (rows: ReadonlyArray<unknown>, look: Look, override: Override): string => {
  if (look.quiet)
    return ids(
      rows.map((row) => (override.subject === undefined ? row : member(row, override.subject))),
      override.id
    )
  if (look.format === "ndjson") return rows.map((row) => json(row, false)).join("\n")
  const columns = override.columns ?? usualColumns(rows)
  if (rows.length === 0) return ""
  if (override.draw === "scimLog" && look.terminal) return scimLog(rows, columns, look)
  return look.format === "table" || look.terminal ? table(rows, columns, look) : tabSeparated(rows, columns)
}

/** Whether the format can be written page by page. The others need every row first. */
export const isStreamed = (look: Look): boolean =>
  look.quiet || look.format === "ndjson" || (look.format === undefined && !look.terminal)

/** Renders a whole page, for formats that keep the envelope. */
export const renderWhole = (body: unknown, look: Look): string =>
  look.format === "yaml" ? yaml(body) : json(body, look.terminal)

/** Renders a response that is not a list. */
export const renderOne = (
  body: unknown,
  look: Look,
  override: Override,
  asked: Asked = { ids: [], body: undefined }
): string => {
  const about = unwrap(body)
  const isDrawn = !look.quiet && (look.format === "table" || (look.format === undefined && look.terminal))
  if (override.draw === "readiness" && isDrawn) return readiness(body, look)
  if (override.draw === "memories" && isDrawn) return memories(body, look, asked)
  if (override.rows !== undefined && (look.quiet || (look.format !== "json" && look.format !== "yaml"))) {
    return renderRows(listAt(body, override.rows), look, override)
  }
  if (look.quiet && override.text !== undefined) {
    // Control characters are escaped on a terminal only.
    return look.terminal ? harmlessLines(override.text(body)) : override.text(body)
  }
  if (look.quiet && override.secret !== undefined) return textAt(body, override.secret) ?? ""
  if (look.quiet) return ids([override.subject === undefined ? about : member(body, override.subject)])
  if (look.format === "ndjson") return json(about, false)
  if (look.format === "json" || look.format === "yaml") return renderWhole(body, look)
  if (override.draw === "metrics") return isDrawn ? metrics(body, look) : metricsLines(body)
  if (override.draw === "analytics") return isDrawn ? analytics(body, look) : analyticsLines(body)
  if (override.draw === "chain") return chain(body, look, asked)
  if (override.draw === "diff") return diff(body, look)
  if (override.draw === "preview" && isDrawn) return preview(body, look)
  if (override.draw === "plan") return plan(body, look, asked)
  if (override.draw === "policy") return effectivePolicy(body, look)
  if (override.draw === "simulation") return policySimulation(body, look)
  if (override.draw === "resolution") return resolution(body, look)
  if (override.draw === "review") return review(body, look, asked)
  if (override.draw === "sso" && isDrawn) return sso(about, look, look.now)
  if (override.draw === "call") return toolCall(body, look)
  if (!isObject(about)) return json(body, look.terminal)
  const columns = override.columns ?? Object.keys(about)
  const paper = look.terminal || look.format === "table" ? look : undefined
  if (paper === undefined) {
    return columns
      .map((column) => tabSeparated([{ column, value: member(about, column) }], ["column", "value"]))
      .join("\n")
  }
  const listed = override.list
  const rows = listed === undefined ? undefined : member(about, listed.member)
  const head = keyValues(about, columns, paper)
  return listed === undefined || !Array.isArray(rows) || rows.length === 0
    ? head
    : `${head}\n\n${table(rows, listed.columns, paper)}`
}
