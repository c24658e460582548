/** Renders a plan: added, changed and removed objects, changes of capabilities, conflicts, and the command that applies it. */
import { shellQuoted } from "../shell.ts"
import { listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { capabilityLines } from "./capability-changes.ts"
import { escapeControls } from "./escape.ts"
import { pad, width } from "./width.ts"

/** The parts of the request that rendering needs. */
export interface RequestContext {
  readonly ids: ReadonlyArray<string>
  readonly body: unknown
  readonly query?: Readonly<Record<string, unknown>>
}

const green = 32
const yellow = 33
const red = 31
const faint = 2

const shortRevision = (revision: string) => escapeControls(revision.slice(0, 12))

const textOf = (change: unknown, style: TextStyle): string => {
  const [name, previousName, pointer] = [textAt(change, "name") ?? "", textAt(change, "was"), textAt(change, "pointer")]
  const arrow = style.unicode ? "→" : "->"
  const place = pointer === undefined ? name : `${name}#${pointer}`
  return escapeControls(previousName === undefined ? place : `${previousName} ${arrow} ${place}`)
}

const kindOf = (change: unknown): string => textAt(change, "objectType") ?? textAt(change, "kind") ?? ""

const linesOf = (
  changes: ReadonlyArray<unknown>,
  sign: string,
  color: number,
  style: TextStyle
): ReadonlyArray<string> => {
  const kinds = changes.map((change) =>
    textAt(change, "kind") === "mapping" ? `${kindOf(change)} mapping` : kindOf(change)
  )
  const columns = Math.max(0, ...kinds.map((kind) => width(escapeControls(kind))))
  return changes.map((change, index) => {
    const key = textAt(change, "kind") === "plugin" ? undefined : textAt(change, "pluginKey")
    const owner = key === undefined ? "" : paint(style, faint, `  ${escapeControls(key)}`)
    return `${paint(style, color, `${sign} ${pad(escapeControls(kinds[index] ?? ""), columns)}  ${textOf(change, style)}`)}${owner}`
  })
}

const conflictLines = (body: unknown, style: TextStyle): ReadonlyArray<string> =>
  listAt(body, "item.conflicts").map((conflict) => {
    const about = [textAt(conflict, "pluginKey"), textAt(conflict, "name")].filter((part) => part !== undefined)
    const what = about.length === 0 ? "" : ` (${about.join(", ")})`
    return paint(style, yellow, `! ${escapeControls(`${textAt(conflict, "message") ?? ""}${what}`)}`)
  })

/** The capabilities that the plan adds, changes and removes in each plugin. */
const pluginLines = (body: unknown, style: TextStyle): ReadonlyArray<string> => {
  const blocks = listAt(body, "item.capabilities").flatMap((plugin) => {
    const problem = textAt(plugin, "problem")
    const lines = [
      ...(problem === undefined ? [] : [paint(style, yellow, `! Not compared: ${escapeControls(problem)}`)]),
      ...capabilityLines(plugin, style)
    ]
    const name = escapeControls(textAt(plugin, "name") ?? "")
    return lines.length === 0 ? [] : [`  ${name}`, ...lines.map((line) => `    ${line}`)]
  })
  return blocks.length === 0 ? [] : ["Capabilities", ...blocks]
}

const totalOf = (body: unknown, list: string): number =>
  ["marketplaces", "plugins", "mappings", "objects"].reduce((sum, kind) => {
    const count = member(body, `item.counts.${list}.${kind}`)
    return sum + (typeof count === "number" ? count : 0)
  }, 0)

/** The command that applies the plan, and fails if the plan is outdated. */
const applyCommand = ({ body, ids }: RequestContext, digest: string): string => {
  const flag = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`--${name}`, shellQuoted(escapeControls(value))]
  return [
    "orgplane connectors apply",
    shellQuoted(escapeControls(ids[0] ?? "")),
    // An empty selection has no flag.
    ...listAt(body, "selectedKeys").flatMap((key) => (typeof key === "string" ? flag("select", key) : [])),
    ...(member(body, "autoImportNewPlugins") === true ? ["--auto-import-new-plugins"] : []),
    ...flag("marketplace-id", textAt(body, "marketplaceId")),
    ...flag("share", textAt(body, "share")),
    ...flag("connector-target-id", textAt(body, "connectorTargetId")),
    ...flag("plan-digest", digest)
  ].join(" ")
}

export const plan = (body: unknown, style: TextStyle, request: RequestContext): string => {
  const [revision, base] = [textAt(body, "item.revision") ?? "", textAt(body, "item.baseRevision")]
  const digest = textAt(body, "item.digest") ?? ""
  const changes = [
    ...linesOf(listAt(body, "item.added"), "+", green, style),
    ...linesOf(listAt(body, "item.changed"), "~", yellow, style),
    ...linesOf(listAt(body, "item.removed"), "-", red, style)
  ]
  const capabilities = pluginLines(body, style)
  const conflicts = conflictLines(body, style)
  const warnings = listAt(body, "item.warnings").map((warning) =>
    paint(style, faint, `  ${escapeControls(String(warning))}`)
  )
  const [added, changed, removed] = [totalOf(body, "added"), totalOf(body, "changed"), totalOf(body, "removed")]
  const unchanged = member(body, "item.counts.unchangedObjects")
  const title = `Revision ${shortRevision(revision)}${base === undefined ? "" : `, currently imported: ${shortRevision(base)}`}`
  const more =
    member(body, "item.truncated") === true ? [paint(style, faint, "  more changes are counted but not shown")] : []
  return [
    paint(style, faint, title),
    ...(changes.length === 0 ? [] : ["", ...changes, ...more]),
    ...(capabilities.length === 0 ? [] : ["", ...capabilities]),
    ...(conflicts.length === 0 ? [] : ["", ...conflicts]),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
    "",
    added + changed + removed === 0
      ? "No changes."
      : `${added} to add, ${changed} to change, ${removed} to remove; ${typeof unchanged === "number" ? unchanged : 0} objects unchanged.`,
    `digest ${escapeControls(digest)}`,
    ...(added + changed + removed === 0 ? [] : [applyCommand(request, digest)])
  ].join("\n")
}
