/** Parses one configuration file, and finds the line and column of each value. */
import { documentBytesMax } from "../configuration/limits.ts"
import { type Faults, type Path, type Place, placeText, UnreadableFiles } from "./faults.ts"
import { isObject } from "./is-object.ts"
import { type Environment, hasVariable, withVariables } from "./variables.ts"
import type { YamlAlias, YamlLibrary, YamlMap } from "./yaml.ts"

const depthMax = 50
const nodesMax = 500_000
/** No document of the largest size has more. */
const charactersMax = documentBytesMax

export interface SourceText {
  /** As it is shown. */
  readonly name: string
  readonly text: string
  readonly isJson: boolean
}

export interface Source extends SourceText {
  readonly value: Readonly<Record<string, unknown>>
  readonly placeOf: (path: Path) => Place
}

/** What all files together may contain, with the values that aliases repeat. */
export class Budget {
  #nodes = nodesMax
  #characters = charactersMax

  spend(characters: number, place: Place): void {
    this.#nodes -= 1
    this.#characters -= characters
    if (this.#nodes < 0 || this.#characters < 0) {
      throw new UnreadableFiles(
        `${placeText(place)}: The configuration is too large: at most ${nodesMax} values and ${charactersMax} characters are allowed, including those that aliases repeat.`
      )
    }
  }
}

export interface ParseContext {
  readonly yaml: YamlLibrary
  readonly faults: Faults
  readonly budget: Budget
  /** Undefined to leave variables as they are. */
  readonly environment: Environment | undefined
}

const yamlMessages: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "contains several documents. Write each to its own file"
}

/** Parses the text with positions. Anything that is not plain data is a fault. */
const parseDocument = ({ isJson, name, text }: SourceText, { faults, yaml }: ParseContext) => {
  const { LineCounter, parseDocument: parse } = yaml
  const lines = new LineCounter()
  const place = (offset: number): Place => {
    const { col, line } = lines.linePos(offset)
    return { file: name, line: Math.max(1, line), column: Math.max(1, col) }
  }
  let document: ReturnType<typeof parse>
  try {
    document = parse(text, {
      lineCounter: lines,
      prettyErrors: false,
      // Versions and schemas that a file selects itself would change how it is read.
      schema: "core",
      merge: false,
      // The walk finds them in less time.
      uniqueKeys: false
    })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UnreadableFiles(`${name}: The file is nested too deeply: at most ${depthMax} levels are allowed.`)
  }
  for (const { code, message, pos } of [...document.errors, ...document.warnings]) {
    faults.add(place(pos[0]), [], yamlMessages[code] ?? `is not valid YAML: ${message}`)
  }
  if (isJson && document.errors.length === 0) {
    try {
      JSON.parse(text)
    } catch (error) {
      faults.add(place(0), [], `is not valid JSON: ${error instanceof Error ? error.message : ""}`)
    }
  }
  return { document, place }
}

type Parsed = ReturnType<typeof parseDocument>

/** Converts the nodes of a document to values, in the order of the text. */
const makeReader = ({ place }: Parsed, { budget, environment, faults, yaml }: ParseContext) => {
  const { isAlias, isMap, isNode, isScalar, isSeq } = yaml
  const anchors = new Map<string, unknown>()
  const targets = new Map<unknown, unknown>()
  const seen = new Set<unknown>()
  const placeOfNode = (node: unknown): Place => place(isNode(node) ? (node.range?.[0] ?? 0) : 0)

  const targetOf = (node: YamlAlias): unknown => {
    if (!targets.has(node)) targets.set(node, anchors.get(node.source))
    return targets.get(node)
  }

  const textOf = (text: string, node: unknown, path: Path): string => {
    if (environment === undefined) return text
    if (path.at(-1) === "key" || path[0] === "moved") {
      if (hasVariable(text)) faults.add(placeOfNode(node), path, "must not contain a variable, because it is a key")
      return text
    }
    return withVariables(text, environment, (problem) => faults.add(placeOfNode(node), path, problem))
  }

  const mapOf = (node: YamlMap, path: Path, depth: number): unknown => {
    const entries = new Map<string, unknown>()
    const places = new Map<string, Place>()
    for (const { key, value } of node.items) {
      const at = placeOfNode(key)
      const name = isScalar(key) ? key.value : undefined
      if (typeof name !== "string") {
        faults.add(at, path, "has a member whose name is not text. Write the name in quotes")
        continue
      }
      const first = places.get(name)
      if (first !== undefined) {
        faults.add(at, [...path, name], `is already set in ${placeText(first)}`)
        continue
      }
      if (environment !== undefined && hasVariable(name)) {
        faults.add(at, [...path, name], "must not contain a variable, because it is a name")
      }
      places.set(name, at)
      budget.spend(name.length, at)
      entries.set(name, read(value, [...path, name], depth + 1))
    }
    return Object.fromEntries(entries)
  }

  const read = (node: unknown, path: Path, depth: number): unknown => {
    const at = placeOfNode(node)
    budget.spend(0, at)
    if (depth > depthMax) {
      throw new UnreadableFiles(
        `${placeText(at)}: The value is nested too deeply: at most ${depthMax} levels are allowed.`
      )
    }
    if (isAlias(node)) {
      const target = targetOf(node)
      if (target !== undefined) return read(target, path, depth + 1)
      faults.add(at, path, `refers to the anchor '${node.source}', which is not defined before it`)
      return null
    }
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
    // A node that an alias repeats has this anchor already.
    if (anchor !== undefined && !seen.has(node)) anchors.set(anchor, node)
    seen.add(node)
    if (isMap(node)) return mapOf(node, path, depth)
    if (isSeq(node)) return node.items.map((item, index) => read(item, [...path, index], depth + 1))
    const value = isScalar(node) ? node.value : null
    if (typeof value === "string") {
      const text = textOf(value, node, path)
      budget.spend(text.length, at)
      return text
    }
    if (typeof value === "number" && !Number.isFinite(value)) faults.add(at, path, "must be a finite number")
    else if (typeof value !== "number" && typeof value !== "boolean" && value !== null) {
      faults.add(at, path, "must be text, a number, true, false, null, a list or an object")
      return null
    }
    return value
  }

  /** The position of a member is that of its name. */
  const placeOf = (root: unknown, path: Path): Place => {
    let node = root
    let at = placeOfNode(root)
    for (const part of path) {
      if (isAlias(node)) node = targetOf(node)
      const name = String(part)
      const pair = isMap(node) ? node.items.find((each) => isScalar(each.key) && each.key.value === name) : undefined
      const next = isSeq(node) && typeof part === "number" ? node.items[part] : pair?.value
      if (next === undefined && pair === undefined) break
      at = placeOfNode(pair === undefined ? next : pair.key)
      node = next
    }
    return at
  }
  return { read, placeOf, placeOfNode }
}

/** Parses one file. Faults are added to the context, which the caller checks. */
export const parseSource = <Text extends SourceText>(source: Text, context: ParseContext): Text & Source => {
  const parsed = parseDocument(source, context)
  const root = parsed.document.contents
  const reader = makeReader(parsed, context)
  const value = reader.read(root, [], 0)
  if (!isObject(value)) {
    context.faults.add(
      reader.placeOfNode(root),
      [],
      root === null ? "is empty" : "must be an object with members such as 'version'"
    )
  }
  return { ...source, value: isObject(value) ? value : {}, placeOf: (path) => reader.placeOf(root, path) }
}
