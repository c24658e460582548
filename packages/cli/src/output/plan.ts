/** Renders a plan: added, changed and removed objects, conflicts, and the command that applies it. */
import { listAt, member, textAt } from "./cell.ts"
import { type Pen, paint } from "./chain.ts"
import { harmless } from "./harmless.ts"
import { pad, width } from "./width.ts"

/** The parts of the request that rendering needs. */
export interface Asked {
  readonly ids: ReadonlyArray<string>
  readonly body: unknown
  readonly query?: Readonly<Record<string, unknown>>
}

const green = 32
const yellow = 33
const red = 31
const faint = 2

const shortRevision = (revision: string) => harmless(revision.slice(0, 12))

const textOf = (change: unknown, pen: Pen): string => {
  const [name, was, pointer] = [textAt(change, "name") ?? "", textAt(change, "was"), textAt(change, "pointer")]
  const arrow = pen.unicode ? "→" : "->"
  const place = pointer === undefined ? name : `${name}#${pointer}`
  return harmless(was === undefined ? place : `${was} ${arrow} ${place}`)
}

const kindOf = (change: unknown): string => textAt(change, "objectType") ?? textAt(change, "kind") ?? ""

const linesOf = (changes: ReadonlyArray<unknown>, sign: string, color: number, pen: Pen): ReadonlyArray<string> => {
  const kinds = changes.map((change) =>
    textAt(change, "kind") === "mapping" ? `${kindOf(change)} mapping` : kindOf(change)
  )
  const columns = Math.max(0, ...kinds.map((kind) => width(harmless(kind))))
  return changes.map((change, index) => {
    const key = textAt(change, "kind") === "plugin" ? undefined : textAt(change, "pluginKey")
    const owner = key === undefined ? "" : paint(pen, faint, `  ${harmless(key)}`)
    return `${paint(pen, color, `${sign} ${pad(harmless(kinds[index] ?? ""), columns)}  ${textOf(change, pen)}`)}${owner}`
  })
}

const conflictLines = (body: unknown, pen: Pen): ReadonlyArray<string> =>
  listAt(body, "item.conflicts").map((conflict) => {
    const about = [textAt(conflict, "pluginKey"), textAt(conflict, "name")].filter((part) => part !== undefined)
    const what = about.length === 0 ? "" : ` (${about.join(", ")})`
    return paint(pen, yellow, `! ${harmless(`${textAt(conflict, "message") ?? ""}${what}`)}`)
  })

const totalOf = (body: unknown, list: string): number =>
  ["marketplaces", "plugins", "mappings", "objects"].reduce((sum, kind) => {
    const count = member(body, `item.counts.${list}.${kind}`)
    return sum + (typeof count === "number" ? count : 0)
  }, 0)

/** Quotes a shell argument. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The command that applies the plan, and fails if the plan is outdated. */
const applyCommand = ({ body, ids }: Asked, digest: string): string => {
  const flag = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`--${name}`, quoted(harmless(value))]
  return [
    "orgplane connectors apply",
    quoted(harmless(ids[0] ?? "")),
    // An empty selection has no flag.
    ...listAt(body, "selectedKeys").flatMap((key) => (typeof key === "string" ? flag("select", key) : [])),
    ...(member(body, "autoImportNewPlugins") === true ? ["--auto-import-new-plugins"] : []),
    ...flag("marketplace-id", textAt(body, "marketplaceId")),
    ...flag("share", textAt(body, "share")),
    ...flag("connector-target-id", textAt(body, "connectorTargetId")),
    ...flag("plan-digest", digest)
  ].join(" ")
}

export const plan = (body: unknown, pen: Pen, asked: Asked): string => {
  const [revision, base] = [textAt(body, "item.revision") ?? "", textAt(body, "item.baseRevision")]
  const digest = textAt(body, "item.digest") ?? ""
  const changes = [
    ...linesOf(listAt(body, "item.added"), "+", green, pen),
    ...linesOf(listAt(body, "item.changed"), "~", yellow, pen),
    ...linesOf(listAt(body, "item.removed"), "-", red, pen)
  ]
  const conflicts = conflictLines(body, pen)
  const warnings = listAt(body, "item.warnings").map((warning) => paint(pen, faint, `  ${harmless(String(warning))}`))
  const [added, changed, removed] = [totalOf(body, "added"), totalOf(body, "changed"), totalOf(body, "removed")]
  const unchanged = member(body, "item.counts.unchangedObjects")
  const head = `Revision ${shortRevision(revision)}${base === undefined ? "" : `, currently imported: ${shortRevision(base)}`}`
  const more =
    member(body, "item.truncated") === true ? [paint(pen, faint, "  more changes are counted but not shown")] : []
  return [
    paint(pen, faint, head),
    ...(changes.length === 0 ? [] : ["", ...changes, ...more]),
    ...(conflicts.length === 0 ? [] : ["", ...conflicts]),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
    "",
    added + changed + removed === 0
      ? "No changes."
      : `${added} to add, ${changed} to change, ${removed} to remove; ${typeof unchanged === "number" ? unchanged : 0} objects unchanged.`,
    `digest ${harmless(digest)}`,
    ...(added + changed + removed === 0 ? [] : [applyCommand(asked, digest)])
  ].join("\n")
}
