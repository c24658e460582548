/** The laws of SQL, judged statement by statement. */
import { partsOf, type Source, type Template } from "./source.ts"

export interface Fault {
  readonly place: string
  readonly what: string
}

/** Words that follow a table's name and are no alias. */
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

const usesOf = (statement: string, tables: ReadonlySet<string>): ReadonlyArray<Use> =>
  [
    ...statement.matchAll(
      /\b(from|join|update|into|using)\s+(?:only\s+)?([a-z_]+)\b(?!\s*\.)(?:\s+(?:as\s+)?([a-z_][a-z0-9_]*))?|,\s*([a-z_]+)\s+([a-z][a-z0-9_]{0,3})(?=\s*(?:,|where\b|\n))/gi
    )
  ].flatMap((match) => {
    const table = (match[2] ?? match[4] ?? "").toLowerCase()
    const alias = (match[3] ?? match[5])?.toLowerCase()
    if (!tables.has(table)) return []
    return [
      {
        table,
        alias: alias === undefined || keywords.has(alias) ? undefined : alias,
        kind: match[1]?.toLowerCase() === "into" ? ("insert" as const) : ("other" as const)
      }
    ]
  })

/** Puts the text of this file's own fragments where they are asked for, so that a statement is judged whole. */
const inlined = (template: Template, fragments: ReadonlyMap<string, string>): string => {
  let text = template.text
  for (let depth = 0; depth < 4; depth++) {
    const next = text.replace(/\$\{(\w+)\((?:[^${}]|\$\{[^{}]*\})*\)\}/g, (whole, name: string) => {
      const fragment = fragments.get(name)
      return fragment === undefined ? whole : ` ${fragment} `
    })
    if (next === text) return text
    text = next
  }
  return text
}

/** SQL templates of a file: `sql`…``, with or without a row type, under whatever name the client has. */
export const statementsOf = (source: Source): ReadonlyArray<Template> =>
  partsOf(source.text).templates.filter(({ tag }) => /(^|\.)sql$/.test(tag))

/**
 * Statements that name a table of the tenants and do not name, for each use of it, the organization: compared with one
 * that is put in, or with that of another table of the same statement.
 */
export const withoutOrganization = (source: Source, tables: ReadonlySet<string>): ReadonlyArray<Fault> => {
  const statements = statementsOf(source)
  const fragments = new Map(statements.flatMap(({ name, text }) => (name === undefined ? [] : [[name, text] as const])))
  return statements.flatMap((template) => {
    const whole = inlined(template, fragments)
    const uses = usesOf(whole, tables)
    const isStatement = /^\s*(?:select|insert|update|delete|with)\b/i.test(whole)
    const anchored = /\borganization_id\s*(?:=|IN)\s*\(?\s*\$\{/i.test(whole)
    return uses.flatMap((use) => {
      // A fragment leans on the statement it is put into, and is judged there.
      if (use.kind === "other" && !anchored && isStatement) {
        return [{ place: `${source.path}:${template.line}`, what: `${use.table} in whatever organization` }]
      }
      const names = use.alias === undefined ? [`(?<![\\w.])`, `\\b${use.table}\\.`] : [`\\b${use.alias}\\.`]
      // In the list of what is inserted; compared with something; or its own, where no other table is there to mean.
      const said =
        use.kind === "insert"
          ? [new RegExp(`into\\s+${use.table}\\b[^()]*\\([^)]*\\borganization_id\\b`, "i")]
          : [...names, ...(uses.length === 1 ? [`(?<![\\w.])`] : [])].flatMap((name) => [
              new RegExp(`${name}organization_id\\s*(?:=|IN\\b|IS NOT DISTINCT)`, "i"),
              new RegExp(`(?:organization_id|\\})\\s*=\\s*${name}organization_id\\b`, "i"),
              new RegExp(`\\([^()]*${name}organization_id\\b[^()]*\\)\\s*(?:=|IN\\b)`, "i")
            ])
      return said.some((pattern) => pattern.test(whole))
        ? []
        : [{ place: `${source.path}:${template.line}`, what: `${use.table} without its organization` }]
    })
  })
}

/** `*` in what is read or returned, and placeholders between quotes. */
export const loose = (source: Source): ReadonlyArray<Fault> =>
  statementsOf(source).flatMap((template) => {
    const place = `${source.path}:${template.line}`
    return [
      ...(/\b(?:select|returning)\s+(?:\w+\.)?\*/i.test(template.text)
        ? [{ place, what: "columns are not named" }]
        : []),
      ...(/'\$\{|\$\{[^{}]*\}'/.test(template.text) ? [{ place, what: "a placeholder stands between quotes" }] : [])
    ]
  })
