/** The architecture rules for SQL, checked statement by statement. */
import { partsOf, type Source, type Template } from "./source.ts"

export interface Fault {
  readonly place: string
  readonly what: string
}

/** Keywords that can follow a table's name, and so are not aliases. */
const keywords = new Set(
  "as set where on using values select returning join left right inner cross full group order limit for union except natural default lateral do offset having window with and or".split(
    " "
  )
)

interface Use {
  readonly table: string
  readonly alias: string | undefined
  readonly kind: "insert" | "other"
}

/** A table whose name is a placeholder counts as a tenant's table. */
const named = "table_named_elsewhere"

const withNames = (statement: string): string =>
  statement.replace(/\b(from|join|update|into)(\s+)\$\{sql\([^{}]*\)\}/gi, `$1$2${named}`)

const usesOf = (statement: string, tables: ReadonlySet<string>): ReadonlyArray<Use> =>
  [
    ...withNames(statement).matchAll(
      /\b(from|join|update|into|using)\s+(?:only\s+)?([a-z_]+)\b(?!\s*\.)(?:\s+(?:as\s+)?([a-z_][a-z0-9_]*))?|,\s*([a-z_]+)\s+([a-z][a-z0-9_]{0,3})(?=\s*(?:,|where\b|\n))/gi
    )
  ].flatMap((match) => {
    const table = (match[2] ?? match[4] ?? "").toLowerCase()
    const alias = (match[3] ?? match[5])?.toLowerCase()
    if (table !== named && !tables.has(table)) return []
    return [
      {
        table,
        alias: alias === undefined || keywords.has(alias) ? undefined : alias,
        kind: match[1]?.toLowerCase() === "into" ? ("insert" as const) : ("other" as const)
      }
    ]
  })

/** Inlines the file's own fragments, so that the complete statement is checked. */
const inlined = (template: Template, fragments: ReadonlyMap<string, string>): string => {
  let text = template.text
  for (let depth = 0; depth < 4; depth++) {
    const next = text.replace(/\$\{(\w+)\((?:[^${}]|\$\{[^{}]*\})*\)\}/g, (whole, name: string) => {
      // A template that contains a call of its own name, such as that of a local function, would grow with each step.
      const fragment = name === template.name ? undefined : fragments.get(name)
      return fragment === undefined ? whole : ` ${fragment} `
    })
    if (next === text) return text
    text = next
  }
  return text
}

/** SQL templates of a file: `sql`…``, with or without a row type, whatever the client is called. */
export const statementsOf = (source: Source): ReadonlyArray<Template> =>
  partsOf(source.text).templates.filter(({ tag }) => /(^|\.)sql$/.test(tag))

/** A placeholder: an organization that the caller is known to belong to. */
const given = "${"

/** Each comparison of organizations in a statement, as its two sides. A table without alias is "". */
const comparisonsOf = (statement: string, bare: ReadonlySet<string>): ReadonlyArray<readonly [string, string]> => {
  const nameOf = (alias: string | undefined) => {
    const name = (alias ?? "").replace(".", "").toLowerCase()
    return bare.has(name) ? "" : name
  }
  const side = String.raw`(?:(\$\{)|(\w+\.)?organization_id\b)`
  return [
    ...statement.matchAll(
      new RegExp(
        String.raw`(?:(?<=\})()|(\w+\.)?\borganization_id)\s*(?:=|IN|IS NOT DISTINCT FROM)\s*\(?\s*${side}`,
        "gi"
      )
    )
  ].map((match) => [
    match[1] === undefined ? nameOf(match[2]) : given,
    match[3] === undefined ? nameOf(match[4]) : given
  ])
}

/**
 * Statements with a tenant's table that is not restricted to one organization: its organization must be compared with a
 * placeholder, or with the organization of another restricted table. A fragment may also use a table of its enclosing
 * statement.
 */
export const withoutOrganization = (
  source: Source,
  tables: ReadonlySet<string>,
  shared: ReadonlyArray<Template> = []
): ReadonlyArray<Fault> => {
  const statements = statementsOf(source)
  const fragments = new Map(
    [...shared, ...statements].flatMap(({ name, text }) => (name === undefined ? [] : [[name, text] as const]))
  )
  return statements.flatMap((template) => {
    const whole = inlined(template, fragments)
    const uses = usesOf(whole, tables)
    if (uses.length === 0) return []
    const place = `${source.path}:${template.line}`
    const isStatement = /^\s*(?:select|insert|update|delete|with)\b/i.test(whole)
    const bare = new Set(uses.filter(({ alias }) => alias === undefined).map(({ table }) => table))
    const comparisons = comparisonsOf(whole, bare)
    const own = new Set(uses.map(({ alias }) => alias ?? ""))
    const outer = isStatement ? [] : comparisons.flat().filter((name) => !own.has(name))
    const held = new Set([given, ...outer])
    for (let before = 0; before < held.size;) {
      before = held.size
      for (const [left, right] of comparisons) {
        if (held.has(left)) held.add(right)
        else if (held.has(right)) held.add(left)
      }
    }
    return uses.flatMap((use) => {
      if (use.kind === "insert") {
        const names = new RegExp(`into\\s+${use.table}\\b[^()]*\\([^)]*\\borganization_id\\b`, "i")
        return names.test(withNames(whole)) ? [] : [{ place, what: `${use.table} without its organization` }]
      }
      const key = use.alias ?? ""
      // A name that refers to several tables of one statement needs as many comparisons.
      const needed = uses.filter((other) => other.kind !== "insert" && (other.alias ?? "") === key).length
      const compared = comparisons.filter((sides) => sides.includes(key)).length
      if (compared < needed) return [{ place, what: `${use.table} without its organization` }]
      return !held.has(key) ? [{ place, what: `${use.table} of any organization` }] : []
    })
  })
}

/** `*` in selected or returned columns, and placeholders inside quotes. */
export const loose = (source: Source): ReadonlyArray<Fault> =>
  statementsOf(source).flatMap((template) => {
    const place = `${source.path}:${template.line}`
    return [
      ...(/\b(?:select|returning)\s+(?:\w+\.)?\*/i.test(template.text)
        ? [{ place, what: "columns are not named" }]
        : []),
      ...(/'\$\{|\$\{[^{}]*\}'/.test(template.text) ? [{ place, what: "a placeholder is inside quotes" }] : [])
    ]
  })
