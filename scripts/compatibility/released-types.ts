/**
 * Keeps the declarations of a release's client in the form in which the compiler compares them with the current client:
 * `node scripts/compatibility/released-types.ts <declarations> <folder>`.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const closing: Readonly<Record<string, string>> = { "(": ")", "{": "}", "[": "]", "<": ">" }

/** The index after the bracket that closes the one at a position. An arrow is not a bracket. */
const afterBracket = (text: string, from: number): number => {
  const open: Array<string> = []
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? ""
    if (closing[character] !== undefined) open.push(closing[character] ?? "")
    else if (character === open.at(-1) && !(character === ">" && text[at - 1] === "=")) {
      open.pop()
      if (open.length === 0) return at + 1
    }
  }
  throw new Error("A bracket is not closed.")
}

/** The index of the semicolon that ends a declaration. */
const endOf = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text[at] !== ";") {
    const character = text[at] ?? ""
    at = closing[character] === undefined ? at + 1 : afterBracket(text, at)
  }
  return at
}

/**
 * Clients accept any text where a response has an enumeration, so a release may add values. A single literal, which
 * distinguishes alternatives, stays.
 */
export const withOpenEnumerations = (text: string): string =>
  text.replaceAll(/"[^"\n]*"(?: \| "[^"\n]*")+/gu, (union) => `${union} | (string & {})`)

/**
 * Methods as properties: the compiler compares parameters of methods in both directions, and would accept a new required
 * field. `responses` are the types that a result refers to in the module `Responses`.
 */
export const withStrictMethods = (text: string, responses: ReadonlySet<string> = new Set()): string => {
  const method = /^( +)(\w+)(?=[<(])/gmu
  let result = ""
  let last = 0
  for (let match = method.exec(text); match !== null; match = method.exec(text)) {
    const [start, indent = "", name = ""] = match
    const generic = match.index + start.length
    const parameters = text[generic] === "<" ? afterBracket(text, generic) : generic
    const colon = afterBracket(text, parameters)
    if (name === "constructor" || text[colon] !== ":") continue
    const end = endOf(text, colon + 2)
    const type = text.slice(colon + 2, end)
    const open =
      responses.size === 0
        ? type
        : withOpenEnumerations(type).replaceAll(/(?<!["\w.])[A-Z]\w*(?!["\w])/gu, (word) =>
            responses.has(word) ? `Responses.${word}` : word
          )
    result += `${text.slice(last, match.index)}${indent}readonly ${name}: ${text.slice(generic, colon)} => ${open}`
    last = end
    method.lastIndex = end
  }
  return result + text.slice(last)
}

/** The modules that the entry point of the client reaches, apart from the operations and their types. */
const modules = [
  "call",
  "client-options",
  "create",
  "embedded",
  "errors",
  "index",
  "page",
  "telemetry",
  "telemetry-api",
  "transport"
] as const

const toJs = (text: string) => text.replaceAll(/(?<=from ")(\.{1,2}\/[\w/-]+)\.ts(?=")/gu, "$1.js")

/** The kept files by name, from the declarations that the compiler wrote without comments. */
export const releasedTypes = (read: (name: string) => string): Readonly<Record<string, string>> => {
  const types = read("generated/types.d.ts")
  const names = new Set([...types.matchAll(/^export (?:interface|type) (\w+)/gmu)].map(([, name = ""]) => name))
  const operations = withStrictMethods(read("generated/operations.d.ts"), names)
  const files = {
    ...Object.fromEntries(modules.map((name) => [`${name}.d.ts`, withStrictMethods(read(`${name}.d.ts`))])),
    "generated/types.d.ts": types,
    "generated/responses.d.ts": withOpenEnumerations(types),
    "generated/operations.d.ts": `import type * as Responses from "./responses.ts";\n${operations}`
  }
  const index = read("index.d.ts")
  const exported = new Set([
    ...names,
    ...[...files["generated/operations.d.ts"].matchAll(/^export interface (\w+)/gmu)].map(([, name = ""]) => name),
    ...[...index.matchAll(/^export (?:type )?\{([^}]+)\}/gmu)].flatMap(([, list = ""]) =>
      list.split(",").map((name) => name.replace("type ", "").trim())
    )
  ])
  const list = [...exported].filter((name) => /^[A-Z]/u.test(name)).toSorted()
  return {
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [name, toJs(text)])),
    "exported-types.ts": `/** The types that this release exported. */\nexport type {\n  ${list.join(",\n  ")}\n} from "../../../packages/client/src/index.ts"\n`
  }
}

if (import.meta.main) {
  const [from = "", to = ""] = process.argv.slice(2)
  const files = releasedTypes((name) => readFileSync(join(from, name), "utf8"))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(join(to, name), text)
  }
}
