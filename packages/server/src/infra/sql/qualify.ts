/** Adds the schema to the names of the control plane's tables, sequences, functions and indexes in SQL text. */

/** The objects of a schema. Their names are written without the schema in the code. */
export interface SchemaObjects {
  readonly names: ReadonlySet<string>
  /** Names that consist of one of these and a number, such as partitions. */
  readonly numbered: ReadonlyArray<string>
}

const tokenPattern = new RegExp(
  [
    String.raw`(?<space>\s+|--[^\n]*)`,
    String.raw`(?<dollar>\$(?<tag>[A-Za-z_]*)\$[^]*?\$\k<tag>\$)`,
    String.raw`(?<text>[eE]?'(?:[^']|'')*')`,
    String.raw`(?<quoted>"(?:[^"]|"")*")`,
    String.raw`(?<word>[A-Za-z_][A-Za-z0-9_]*)`,
    String.raw`(?<other>\$\d+|\d[\w.]*|::|[^])`
  ].join("|"),
  "g"
)

/** Words that the name of a relation, sequence, index or function follows. */
const before = new Set([
  "FROM",
  "JOIN",
  "INTO",
  "UPDATE",
  "TABLE",
  "ONLY",
  "REFERENCES",
  "EXISTS",
  "USING",
  "SEQUENCE",
  "FUNCTION",
  "LIKE",
  "PARTITION",
  "ANALYZE",
  "TRUNCATE",
  "VACUUM"
])
/** Functions whose text argument is the name of a relation. */
const named = new Set(["nextval", "currval", "setval", "to_regclass"])

/** Statements in which the name of a table follows ON. */
const definitions = new Set(["ALTER", "COMMENT", "CREATE", "DROP", "GRANT", "REVOKE"])
/** What follows `name AS` in a common table expression. */
const afterCommonTable = new Set(["(", "MATERIALIZED", "NOT"])

interface Token {
  /** Its place among the parts of the text. */
  readonly part: number
  readonly text: string
  /** In upper case; empty if the token is quoted. */
  readonly word: string
  /** Without quotes, if the token is an identifier. */
  readonly name: string | undefined
}

const end: Token = { part: -1, text: "", word: "", name: undefined }

/**
 * Returns SQL text in which each unqualified name of an object has the schema. Names are recognized by their position: the
 * same word can also be a column or an alias. `current_schema()` becomes the schema, whatever the search path is.
 */
export const qualify = (text: string, schema: string, { names, numbered }: SchemaObjects): string => {
  const quotedSchema = `"${schema.replaceAll('"', '""')}"`
  const schemaText = `'${schema.replaceAll("'", "''")}'`
  const isKnown = (name: string) =>
    names.has(name) || numbered.some((start) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
  const qualified = (name: string) => `${quotedSchema}.${name}`

  const run = (source: string, isBody: boolean): string => {
    const parts: Array<string> = []
    const tokens: Array<Token> = []
    for (const match of source.matchAll(tokenPattern)) {
      const [token] = match
      const { dollar, quoted, space, tag = "", word } = match.groups ?? {}
      const delimiter = `$${tag}$`
      parts.push(
        dollar === undefined
          ? token
          : `${delimiter}${run(token.slice(delimiter.length, -delimiter.length), true)}${delimiter}`
      )
      if (space !== undefined) continue
      tokens.push({
        part: parts.length - 1,
        text: token,
        name: quoted?.slice(1, -1) ?? word,
        word: quoted === undefined ? token.toUpperCase() : ""
      })
    }
    const at = (index: number): Token => tokens[index] ?? end
    const isDefinition = isBody || definitions.has(at(0).word)
    const commonTables = new Set(
      tokens.flatMap(({ name }, index) =>
        name !== undefined && at(index + 1).word === "AS" && afterCommonTable.has(at(index + 2).word) ? [name] : []
      )
    )
    /** Whether a name at this place is that of an object. */
    const isPlace = (index: number, commaAt: number): boolean => {
      const previous = at(index - 1).word
      return (
        before.has(previous) ||
        (previous === "ON" && isDefinition) ||
        (previous === "OF" && at(index - 2).word === "PARTITION") ||
        (previous === "," && commaAt === index - 1) ||
        tokens.length === 1
      )
    }
    /** A comma after a table, after which another one can follow. */
    let commaAt = -1
    for (const [index, { name, part, text: token, word }] of tokens.entries()) {
      if (token.startsWith("'")) {
        const relation = token.slice(1, -1)
        const isRelation =
          (at(index - 1).text === "(" && named.has(at(index - 2).text.toLowerCase())) ||
          (at(index + 1).text === "::" && at(index + 2).word === "REGCLASS")
        if (isRelation && isKnown(relation)) parts[part] = `'${qualified(relation)}'`
        continue
      }
      if (word === "CURRENT_SCHEMA" && at(index + 1).text === "(" && at(index + 2).text === ")") {
        parts[part] = `${schemaText}::name`
        parts[at(index + 1).part] = ""
        parts[at(index + 2).part] = ""
        continue
      }
      if (name === undefined || at(index - 1).text === "." || at(index + 1).text === ".") continue
      const isDroppedIndex =
        (at(index - 1).word === "INDEX" && at(index - 2).word === "DROP" && word !== "IF") ||
        (at(index - 1).word === "EXISTS" && at(index - 3).word === "INDEX" && at(index - 4).word === "DROP")
      if (!isDroppedIndex && (!isKnown(name) || commonTables.has(name) || !isPlace(index, commaAt))) continue
      parts[part] = qualified(token)
      let next = index + 1
      if (at(next).word === "AS") next += 1
      if (at(next).name !== undefined) next += 1
      commaAt = at(next).text === "," ? next : -1
    }
    return parts.join("")
  }
  return run(text, false)
}
