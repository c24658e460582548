import { type Document, Lexer, parseDocument, visit } from "yaml"

/**
 * The parser takes about 10 µs per token without yielding, and a text of a few kilobytes can have ten thousand tokens.
 * Front matter written by people has a few hundred.
 */
export const yamlTokensMax = 5000

/** Maximum characters and values of the data after alias expansion: eight times the limit for front matter. */
export const yamlExpandedMax = 262_144

export type YamlRead =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly fault: "depth" | "tokens" }
  | { readonly ok: false; readonly fault: "syntax"; readonly code: string }

/** The parser is recursive, so nesting is limited before it runs. */
const isNestedTooDeeply = (yaml: string): boolean =>
  (yaml.match(/[[{]/gu)?.length ?? 0) > 1000 || /(?:-[ \t]+){65}/u.test(yaml)

const hasMoreTokens = (yaml: string, max: number): boolean => {
  let count = 0
  for (const _ of new Lexer().lex(yaml)) {
    count += 1
    if (count > max) return true
  }
  return false
}

/** The parser's own check compares every pair of keys. */
const hasDuplicateKey = (document: Document): boolean => {
  let isDuplicate = false
  visit(document, {
    Map: (_, map) => {
      const names = new Set<unknown>()
      for (const { key } of map.items) {
        const name = typeof key === "object" && key !== null && "value" in key ? key.value : key
        if (names.has(name)) isDuplicate = true
        names.add(name)
      }
      return isDuplicate ? visit.BREAK : undefined
    }
  })
  return isDuplicate
}

/** Parses untrusted YAML. Depth and tokens are limited before the parser runs. */
export const readYaml = (yaml: string, tokensMax = yamlTokensMax): YamlRead => {
  if (isNestedTooDeeply(yaml)) return { ok: false, fault: "depth" }
  if (hasMoreTokens(yaml, tokensMax)) return { ok: false, fault: "tokens" }
  try {
    const document = parseDocument(yaml, {
      schema: "core",
      logLevel: "silent",
      prettyErrors: false,
      stringKeys: true,
      uniqueKeys: false
    })
    const [error] = document.errors
    if (error !== undefined) return { ok: false, fault: "syntax", code: error.code }
    return hasDuplicateKey(document) ? { ok: false, fault: "syntax", code: "DUPLICATE_KEY" } : { ok: true, document }
  } catch {
    // The nesting exceeds the stack.
    return { ok: false, fault: "depth" }
  }
}

/** The data of a document; undefined if its aliases expand to more than `yamlExpandedMax`. */
export const dataOfYaml = (document: Document): { readonly value: unknown } | undefined => {
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 50 })
  } catch {
    return undefined
  }
  // Aliases share their value here; copying or serializing the data repeats it.
  let left = yamlExpandedMax
  const open: Array<unknown> = [value]
  while (open.length > 0 && left >= 0) {
    const node = open.pop()
    left -= typeof node === "string" ? node.length + 1 : 1
    if (Array.isArray(node)) {
      left -= node.length
      if (left >= 0) for (const item of node) open.push(item)
    } else if (typeof node === "object" && node !== null) {
      for (const [name, member] of Object.entries(node)) {
        left -= name.length
        open.push(member)
      }
    }
  }
  return left < 0 ? undefined : { value }
}
