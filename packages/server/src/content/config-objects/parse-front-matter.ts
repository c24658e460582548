import { cleanJson, isJsonObject, type Json, type JsonObject } from "./parse-json.ts"
import { dataOfYaml, readYaml, yamlTokensMax } from "./read-yaml.ts"

export interface FrontMatter {
  /** Null if the text has no front matter. */
  readonly data: JsonObject | null
  readonly body: string
  readonly warnings: ReadonlyArray<string>
}

export const frontMatterLengthMax = 32 * 1024

/**
 * The YAML between the first two `---` lines, those lines, and the rest of the text; or why there is no front matter.
 */
export type Split =
  | {
      readonly has: "head"
      readonly open: string
      readonly yaml: string
      readonly close: string
      readonly body: string
    }
  | { readonly has: "nothing" | "unclosed" }

/** Separates the front matter of a Markdown text from the body. */
export const splitFrontMatter = (text: string): Split => {
  const start = /^\uFEFF?---[ \t]*\r?\n/u.exec(text)
  if (start === null) return { has: "nothing" }
  const from = start[0].length
  const end = /^---[ \t]*(?:\r?\n|$)/mu.exec(text.slice(from, from + frontMatterLengthMax))
  if (end === null) return { has: "unclosed" }
  return {
    has: "head",
    open: start[0],
    yaml: text.slice(from, from + end.index),
    close: end[0],
    body: text.slice(from + end.index + end[0].length)
  }
}

/** Splits a Markdown text into the YAML between its first two `---` lines and the rest. */
export const readFrontMatter = (text: string): FrontMatter => {
  const split = splitFrontMatter(text)
  if (split.has === "head") return { ...readMembers(split.yaml), body: split.body }
  if (split.has === "nothing") return { data: null, body: text.replace(/^\uFEFF/u, ""), warnings: [] }
  return {
    data: null,
    body: text,
    warnings: [`The front matter has no closing "---" within ${frontMatterLengthMax} characters.`]
  }
}

const ignored = (reason: string): Pick<FrontMatter, "data" | "warnings"> => ({
  data: null,
  warnings: [`The front matter ${reason} and is ignored.`]
})

const readMembers = (yaml: string): Pick<FrontMatter, "data" | "warnings"> => {
  let value: unknown = readPlainLines(yaml)
  if (value === null) {
    const read = readYaml(yaml)
    if (!read.ok && read.fault === "syntax") return readLines(yaml, read.code)
    if (!read.ok && read.fault === "tokens") return ignored(`has more than ${yamlTokensMax} YAML tokens`)
    if (!read.ok) return ignored("is nested too deeply")
    const data = dataOfYaml(read.document)
    if (data === undefined) return ignored("expands to too many characters or values")
    value = data.value
  }
  if (value === null || value === undefined) return { data: {}, warnings: [] }
  const clean = cleanJson(value)
  if (!clean.ok) return { data: null, warnings: [`The front matter ${clean.reason} and is ignored.`] }
  if (!isJsonObject(clean.value))
    return { data: null, warnings: ["The front matter is not a YAML mapping and is ignored."] }
  return { data: clean.value, warnings: clean.warnings.map((warning) => `The front matter ${warning}.`) }
}

/** A line that YAML reads as a name and a string in any context: it contains no indicator, quote or comment. */
const plainLine = /^([A-Za-z][\w-]{0,63}): +([A-Za-z][A-Za-z\d !$%&'()*+,./;<=>?@[\]^_`{|}~"-]*)$/u
/** Words that YAML's core schema does not read as strings. */
const plainWord = /^(?:null|true|false)$/iu

/**
 * Most front matter is a few plain lines, and an import reads thousands of files, so this avoids the YAML parser. Null
 * if the text may need it.
 */
const readPlainLines = (yaml: string): Record<string, Json> | null => {
  const data: Record<string, Json> = {}
  const lines = yaml.split(/\r?\n/u)
  if (lines.at(-1) === "") lines.pop()
  if (lines.length === 0) return null
  for (const line of lines) {
    const match = plainLine.exec(line)
    const text = match?.[2]?.trimEnd()
    if (match?.[1] === undefined || text === undefined) return null
    if (plainWord.test(text) || Object.hasOwn(data, match[1])) return null
    data[match[1]] = text
  }
  return data
}

/**
 * Many agent files contain `description: Use when: …`, which is not valid YAML. Their top-level lines are unambiguous,
 * so they are read as strings.
 */
const readLines = (yaml: string, code: string): Pick<FrontMatter, "data" | "warnings"> => {
  const data: Record<string, Json> = {}
  for (const line of yaml.split(/\r?\n/u)) {
    const match = /^([A-Za-z][\w-]{0,63}):[ \t]+(\S.*)$/u.exec(line)
    if (match?.[1] === undefined || match[2] === undefined) continue
    const text = match[2].trim()
    const plain = /^(["'])(.*)\1$/u.exec(text)?.[2] ?? text
    // Block and flow values require a YAML parser; a partial value would be misleading.
    if (!/^[|>[{&*!]/u.test(plain) && !Object.hasOwn(data, match[1])) data[match[1]] = plain
  }
  const clean = cleanJson(data)
  const warning = `The front matter is not valid YAML (${code}); its plain lines are read as text.`
  return { data: clean.ok && isJsonObject(clean.value) ? clean.value : {}, warnings: [warning] }
}
