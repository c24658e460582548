/** Renders a resolved marketplace: the status of each plugin, and the next steps. */
import { escapeControls } from "./escape.ts"
import { listAt, member, textAt } from "./value.ts"
import { table, type TableStyle } from "./table.ts"

export interface DrawingStyle extends TableStyle {
  /** Whether the terminal can show characters beyond ASCII. */
  readonly unicode: boolean
}

interface State {
  readonly state: string
  readonly words: string
  readonly mark: readonly [fine: string, plain: string]
}

/** States that need attention first. */
const states: ReadonlyArray<State> = [
  { state: "needs_admin_setup", words: "needs setup by an admin", mark: ["!", "!"] },
  { state: "needs_signin", words: "needs your sign-in", mark: ["!", "!"] },
  { state: "not_synced", words: "not synced", mark: ["…", "."] },
  { state: "desktop_only", words: "desktop only", mark: ["▪", "-"] },
  { state: "ready", words: "ready", mark: ["✓", "+"] }
]
const colors: Readonly<Record<string, number>> = { ready: 32, needs_admin_setup: 33, needs_signin: 33 }

const paint = (style: DrawingStyle, code: number | undefined, text: string) =>
  style.colors && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text

const stateOf = (plugin: unknown): State => {
  const name = textAt(plugin, "cloudReadiness.state") ?? "unknown"
  return states.find(({ state }) => state === name) ?? { state: name, words: name, mark: ["?", "?"] }
}

const amount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`

/** `2 skills, 1 hook`. An mcp object is displayed as a server. */
const contentsOf = (plugin: unknown): string => {
  const counts = member(plugin, "componentCounts")
  if (typeof counts !== "object" || counts === null) return ""
  return Object.entries(counts)
    .flatMap(([kind, count]) =>
      typeof count === "number" && count > 0 ? [amount(count, kind === "mcp" ? "server" : kind)] : []
    )
    .join(", ")
}

const serversMax = 3

/** The servers that are not connected yet. */
const missingOf = (plugin: unknown): string => {
  const names = listAt(plugin, "cloudReadiness.connections")
    .filter((connection) => textAt(connection, "url") !== undefined && member(connection, "connectedForMe") !== true)
    .map((connection) => textAt(connection, "serverName") ?? "?")
  const more = names.length - serversMax
  return [...names.slice(0, serversMax), ...(more > 0 ? [`${more} more`] : [])].join(", ")
}

const rowOf = (plugin: unknown, style: DrawingStyle) => {
  const { mark, words } = stateOf(plugin)
  return {
    plugin: textAt(plugin, "name") ?? "",
    readiness: `${style.unicode ? mark[0] : mark[1]} ${words}`,
    contents: contentsOf(plugin),
    missing: missingOf(plugin),
    next: textAt(plugin, "cloudReadiness.nextAction") ?? "",
    id: textAt(plugin, "id") ?? ""
  }
}

const rank = (plugin: unknown) => {
  const index = states.indexOf(stateOf(plugin))
  return index === -1 ? states.length : index
}

/**
 * Renders the marketplace, the number of plugins per state, and one line per plugin. Those that need attention are
 * first.
 */
export const readiness = (body: unknown, style: DrawingStyle): string => {
  const item = member(body, "item")
  const plugins = listAt(item, "plugins")
  const repository = textAt(item, "source.repositoryFullName")
  const from = repository === undefined ? "" : `, from ${repository} ${textAt(item, "source.branch") ?? ""}`.trimEnd()
  const title = `${textAt(item, "marketplace.name") ?? "?"} (${textAt(item, "marketplace.id") ?? "?"})${from}`
  const counted = Map.groupBy(plugins, (plugin) => stateOf(plugin).words)
  const counts = states.flatMap(({ state, words }) => {
    const count = counted.get(words)?.length ?? 0
    return count === 0 ? [] : [paint(style, colors[state], `${count} ${words}`)]
  })
  const summary = [amount(plugins.length, "plugin"), counts.join(", ")].filter((part) => part !== "").join(": ")
  if (plugins.length === 0) return `${escapeControls(title)}\n${summary}`
  const rows = plugins.toSorted((a, b) => rank(a) - rank(b)).map((plugin) => rowOf(plugin, style))
  const columns = ["plugin", "readiness", "contents", "missing", "next", "id"].filter((column) =>
    rows.some((row) => row[column as keyof typeof row] !== "")
  )
  return `${escapeControls(title)}\n${summary}\n\n${table(rows, columns, style)}`
}
