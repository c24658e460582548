/** Renders a response in the selected output format. */
import type { Format } from "../global-flags.ts"
import type { Override } from "../override.ts"
import { isObject, listAt, member, textAt } from "./value.ts"
import { chain } from "./access-explanation.ts"
import { analytics, analyticsLines, metrics, metricsLines } from "./metrics.ts"
import { keyValues, table, type TableStyle, tabSeparated, usualColumns } from "./table.ts"
import { diff } from "./version-diff.ts"
import { escapeJson, escapeLines } from "./escape.ts"
import { toolCall } from "./http-exchange.ts"
import { memories } from "./memory-search.ts"
import { plan, type RequestContext } from "./connector-plan.ts"
import { deliveryHistory, deliveryStatus, deliveryUsage, deviceDetails } from "./delivery.ts"
import { effectivePolicy, policySimulation } from "./desktop-policy.ts"
import { pluginRelease } from "./plugin-release.ts"
import { preview } from "./template-preview.ts"
import { readiness } from "./marketplace-readiness.ts"
import { resolution } from "./mcp-resolution.ts"
import { review } from "./mcp-review.ts"
import { deliveryExplanation, rolloutDetails, rolloutPreview, withdrawal } from "./rollouts.ts"
import { scimLog } from "./scim-log.ts"
import { sso } from "./sso-connection.ts"
import type { Selection } from "./selection.ts"
import { yaml } from "./yaml.ts"

export interface OutputOptions extends TableStyle {
  readonly format: Format | undefined
  readonly quiet: boolean
  /** The values of `--json`, `--jq` and `--template`, instead of a format. */
  readonly selection: Selection | undefined
  /** The command line of the pager for long output. */
  readonly pager: string | undefined
  readonly terminal: boolean
  /** Whether the terminal can show characters beyond ASCII. */
  readonly unicode: boolean
  /** The current time, to compute the days until a certificate expires. */
  readonly now: number
}

export const json = (value: unknown, pretty: boolean): string =>
  escapeJson(JSON.stringify(value ?? null, null, pretty ? 2 : undefined))

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

/** A row with its computed columns. */
const withComputed = (row: unknown, { computed = {} }: Override): unknown =>
  isObject(row)
    ? { ...row, ...Object.fromEntries(Object.entries(computed).map(([column, compute]) => [column, compute(row)])) }
    : row

/** Renders the rows of a list. */
export const renderRows = (rows: ReadonlyArray<unknown>, output: OutputOptions, override: Override): string => {
  if (output.quiet)
    return ids(
      rows.map((row) => (override.subject === undefined ? row : member(row, override.subject))),
      override.id
    )
  if (output.format === "ndjson") return rows.map((row) => json(row, false)).join("\n")
  const columns = override.columns ?? usualColumns(rows)
  if (rows.length === 0) return ""
  if (override.draw === "scimLog" && output.terminal) return scimLog(rows, columns, output)
  const shown = override.computed === undefined ? rows : rows.map((row) => withComputed(row, override))
  if (output.format !== "table" && !output.terminal) return tabSeparated(shown, columns)
  const isFilled = (column: string) => shown.some((row) => (member(row, column) ?? null) !== null)
  const filled = columns.filter((column) => override.sparse?.includes(column) !== true || isFilled(column))
  return table(shown, filled, output, override.priority)
}

/** Whether the format can be written page by page. The others need every row first. */
export const isStreamed = (output: OutputOptions): boolean =>
  output.selection === undefined &&
  (output.quiet || output.format === "ndjson" || (output.format === undefined && !output.terminal))

/** Renders a whole page, for formats that keep the envelope. */
export const renderWhole = (body: unknown, output: OutputOptions): string =>
  output.format === "yaml" ? yaml(body) : json(body, output.terminal)

/** Renderings for terminals of responses whose lists are printed in a pipe. */
const drawings: Readonly<Record<string, (body: unknown, output: OutputOptions) => string>> = {
  delivery: deliveryStatus,
  device: deviceDetails,
  history: deliveryHistory,
  rollout: rolloutDetails,
  rolloutPreview,
  usage: deliveryUsage,
  withdrawal
}

/** Renders a response that is not a list. */
export const renderOne = (
  body: unknown,
  output: OutputOptions,
  override: Override,
  request: RequestContext = { ids: [], body: undefined }
): string => {
  const object = unwrap(body)
  const isDrawn = !output.quiet && (output.format === "table" || (output.format === undefined && output.terminal))
  if (override.draw === "readiness" && isDrawn) return readiness(body, output)
  if (override.draw === "memories" && isDrawn) return memories(body, output, request)
  if (override.rows !== undefined && (output.quiet || (output.format !== "json" && output.format !== "yaml"))) {
    return renderRows(listAt(body, override.rows), output, override)
  }
  if (output.quiet && override.text !== undefined) {
    // Control characters are escaped on a terminal only.
    return output.terminal ? escapeLines(override.text(body)) : override.text(body)
  }
  if (output.quiet && override.secret !== undefined) return textAt(body, override.secret) ?? ""
  if (output.quiet) return ids([override.subject === undefined ? object : member(body, override.subject)])
  if (output.format === "ndjson") return json(object, false)
  if (output.format === "json" || output.format === "yaml") return renderWhole(body, output)
  if (override.draw === "metrics") return isDrawn ? metrics(body, output) : metricsLines(body)
  if (override.draw === "analytics") return isDrawn ? analytics(body, output) : analyticsLines(body)
  if (override.draw === "chain") return chain(body, output, request)
  if (override.draw === "deliveryExplanation") return deliveryExplanation(body, output)
  if (override.draw === "diff") return diff(body, output)
  if (override.draw === "preview" && isDrawn) return preview(body, output)
  if (override.draw === "plan") return plan(body, output, request)
  if (override.draw === "policy") return effectivePolicy(body, output)
  if (override.draw === "simulation") return policySimulation(body, output)
  if (override.draw === "release") return pluginRelease(body, output)
  if (override.draw === "resolution") return resolution(body, output)
  if (override.draw === "review") return review(body, output, request)
  if (override.draw === "sso" && isDrawn) return sso(object, output, output.now)
  if (override.draw === "call") return toolCall(body, output)
  const drawn = drawings[override.draw ?? ""]
  if (drawn !== undefined && isDrawn) return drawn(body, output)
  if (!isObject(object)) return json(body, output.terminal)
  const columns = override.columns ?? Object.keys(object)
  const style = output.terminal || output.format === "table" ? output : undefined
  if (style === undefined && override.listInPipes === true && override.list !== undefined) {
    return tabSeparated(listAt(object, override.list.member), override.list.columns)
  }
  if (style === undefined) {
    return columns
      .map((column) => tabSeparated([{ column, value: member(object, column) }], ["column", "value"]))
      .join("\n")
  }
  const nestedList = override.list
  const rows = nestedList === undefined ? undefined : member(object, nestedList.member)
  const header = keyValues(object, columns, style)
  return nestedList === undefined || !Array.isArray(rows) || rows.length === 0
    ? header
    : `${header}\n\n${table(rows, nestedList.columns, style)}`
}
