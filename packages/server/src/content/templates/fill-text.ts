import { type Document, visit } from "yaml"
import { splitFrontMatter } from "../config-objects/parse-front-matter.ts"
import { dataOfYaml, readYaml, yamlExpandedMax } from "../config-objects/read-yaml.ts"
import type { ObjectType } from "@orgplane/schema/connectors"
import { readJson } from "../config-objects/parse-json.ts"
import { textForm } from "../config-objects/parse.ts"
import { hasBraces, type Piece, readPieces } from "./placeholders.ts"

/** Values by variable name. */
export type Values = ReadonlyMap<string, string>

/** A parsed text: the variables it uses, and the function that inserts their values. */
export interface Prepared {
  readonly names: ReadonlySet<string>
  readonly fill: (values: Values, budget: Budget) => Filled
}

export type Fault = { readonly ok: false; readonly reason: string }
export type Filled = { readonly ok: true; readonly text: string } | Fault
type Ready = { readonly ok: true; readonly prepared: Prepared } | Fault

/**
 * Remaining characters of an instantiation. Without this limit, a short template with many placeholders could grow to
 * any size.
 */
export interface Budget {
  left: number
}

const fault = (reason: string): Fault => ({ ok: false, reason })
const tooLong = fault("becomes too long")

const isSpent = (budget: Budget, characters: number): boolean => {
  budget.left -= characters
  return budget.left < 0
}

const fillPieces = (
  pieces: ReadonlyArray<Piece>,
  values: Values,
  budget: Budget,
  write: (value: string) => string
): Filled => {
  const parts: Array<string> = []
  for (const piece of pieces) {
    const part = piece.kind === "variable" ? write(values.get(piece.name) ?? "") : piece.text
    if (isSpent(budget, part.length)) return tooLong
    parts.push(part)
  }
  return { ok: true, text: parts.join("") }
}

const namesIn = (pieces: ReadonlyArray<Piece>): ReadonlySet<string> =>
  new Set(pieces.flatMap((piece) => (piece.kind === "variable" ? [piece.name] : [])))

const asIs = (value: string) => value
/** Inside a JSON string. */
const inJson = (value: string) => JSON.stringify(value).slice(1, -1)

/** A text without structure: values are inserted unchanged. */
export const preparePlain = (text: string, write: (value: string) => string = asIs): Ready => {
  const read = readPieces(text)
  if (!read.ok) return read
  const { pieces } = read
  return {
    ok: true,
    prepared: { names: namesIn(pieces), fill: (values, budget) => fillPieces(pieces, values, budget, write) }
  }
}

/** A JSON text with the depth limit of config objects. */
const parsed = (text: string): { readonly value: unknown } | undefined => {
  const read = readJson(text)
  return read.ok ? { value: read.value } : undefined
}

/** Whether a field name contains braces. Placeholders are not allowed in field names. */
export const namesHoldBraces = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(namesHoldBraces)
    : typeof value === "object" &&
      value !== null &&
      Object.entries(value).some(([name, member]) => hasBraces(name) || namesHoldBraces(member))

/** In valid JSON, `{{` can only be inside strings. */
const prepareJson = (text: string, value: unknown): Ready =>
  namesHoldBraces(value) ? fault("has a placeholder in a member name") : preparePlain(text, inJson)

/** Characters that some YAML readers treat as a line break or reject. */
const odd = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu
const quoted = (text: string) =>
  JSON.stringify(text).replace(odd, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Text that every YAML reader treats as the same string without quotes, even inside brackets. */
const plain = /^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/u
const isPlain = (text: string) =>
  text.length <= 500 && plain.test(text) && !/^(?:null|true|false|yes|no|on|off|y|n)$/iu.test(text)

/** Limits for YAML with placeholders, because the parser is slow and does not yield. */
const yamlLengthMax = 65_536
const yamlTokensMax = 10_000
/** Each placeholder is parsed as a stand-in word that is longer than the placeholder. */
const standInsMax = 1000
/** Maximum characters of the YAML after substitution, because it is parsed again. */
const filledLengthMax = 262_144
const tooManyValues = fault(`would have more than ${filledLengthMax} characters of YAML with these values`)

const dataOf = (document: Document): string | undefined => {
  const data = dataOfYaml(document)
  return data === undefined ? undefined : JSON.stringify(data.value)
}

/**
 * A prefix that does not occur in the text, as short as possible, because each placeholder is replaced by a word that
 * starts with it.
 */
const freeStem = (text: string): string => {
  const usedStems = new Set(text.match(/zq\d+q/gu))
  let number = 0
  while (usedStems.has(`zq${number}q`)) number += 1
  return `zq${number}q`
}

interface Place {
  readonly from: number
  readonly to: number
  readonly value: string
  readonly isPlain: boolean
}

/**
 * Parses YAML with a word in place of each placeholder to find their positions: each must be inside a string value.
 * Values are quoted if necessary, and the result is parsed again and compared with the expected data.
 */
const prepareYaml = (yaml: string): Ready => {
  const read = readPieces(yaml)
  if (!read.ok) return read
  const { pieces } = read
  if (yaml.length > yamlLengthMax) return fault(`has placeholders and more than ${yamlLengthMax} characters of YAML`)
  const standIns = pieces.filter(({ kind }) => kind !== "text").length
  if (standIns > standInsMax) return fault(`has more than ${standInsMax} placeholders in YAML`)
  const stem = freeStem(yaml)
  const source = pieces.map((piece, index) => (piece.kind === "text" ? piece.text : `${stem}${index}x`)).join("")
  const parsed = readYaml(source, yamlTokensMax)
  if (!parsed.ok) {
    const isTooMany = parsed.fault === "tokens"
    return fault(`has placeholders and ${isTooMany ? `more than ${yamlTokensMax} YAML tokens` : "is not valid YAML"}`)
  }
  const { document } = parsed
  const words = new RegExp(`${stem}(\\d+)x`, "gu")
  const places: Array<Place> = []
  let placeholderCount = 0
  visit(document, {
    Scalar: (key, node) => {
      if (key === "key" || typeof node.value !== "string" || !node.range) return
      const count = node.value.match(words)?.length ?? 0
      if (count === 0) return
      placeholderCount += count
      const [from, to] = node.range
      places.push({ from, to, value: node.value, isPlain: node.type === "PLAIN" })
    }
  })
  if (placeholderCount !== standIns) {
    return fault("has a placeholder outside a text value")
  }
  const pattern = dataOf(document)
  if (pattern === undefined) return fault("has placeholders and is too large after its aliases are expanded")

  const fill = (values: Values, budget: Budget): Filled => {
    let isTooLong = false
    const put = (text: string, write: (value: string) => string, own: Budget) =>
      text.replace(words, (_, index: string) => {
        const piece = pieces[Number(index)]
        const value = piece === undefined ? "" : piece.kind === "variable" ? (values.get(piece.name) ?? "") : piece.text
        const part = write(value)
        if (isTooLong || isSpent(own, part.length) || isSpent(budget, part.length)) {
          isTooLong = true
          return ""
        }
        return part
      })
    if (isSpent(budget, source.length)) return tooLong
    const filled: Budget = { left: filledLengthMax - source.length }
    let text = ""
    let from = 0
    for (const place of places) {
      const value = put(place.value, asIs, filled)
      const end = source.slice(place.from, place.to).endsWith("\n") ? "\n" : ""
      text += source.slice(from, place.from) + (place.isPlain && isPlain(value) ? value : quoted(value)) + end
      from = place.to
    }
    text += source.slice(from)
    // An alias repeats the value of its anchor.
    const meant = isTooLong ? "" : put(pattern, inJson, { left: 2 * yamlExpandedMax })
    if (isTooLong) return tooManyValues
    const result = readYaml(text, yamlTokensMax)
    if (!result.ok || dataOf(result.document) !== meant)
      return fault("would change the structure of the YAML with these values")
    return { ok: true, text }
  }
  return { ok: true, prepared: { names: namesIn(pieces), fill } }
}

const prepareProse = (text: string): Ready => {
  const split = splitFrontMatter(text)
  if (split.has !== "head") return preparePlain(text)
  const head = hasBraces(split.yaml) ? prepareYaml(split.yaml) : preparePlain(split.yaml)
  if (!head.ok) return fault(`has front matter that ${head.reason}`)
  const body = preparePlain(split.body)
  if (!body.ok) return body
  return {
    ok: true,
    prepared: {
      names: new Set([...head.prepared.names, ...body.prepared.names]),
      fill: (values, budget) => {
        const yaml = head.prepared.fill(values, budget)
        if (!yaml.ok) return fault(`has front matter that ${yaml.reason}`)
        const rest = body.prepared.fill(values, budget)
        if (!rest.ok) return rest
        const result = splitFrontMatter(split.open + yaml.text + split.close + rest.text)
        return result.has === "head" && result.yaml === yaml.text && result.body === rest.text
          ? { ok: true, text: split.open + yaml.text + split.close + rest.text }
          : fault("would have different front matter with these values")
      }
    }
  }
}

/** The format that readers use for a text. Values must not change it. */
const formOf = (objectType: ObjectType, fileName: string | null, text: string): string => {
  const form = textForm(objectType, fileName, text)
  if (form === "maybe-json") return parsed(text) === undefined ? "nothing" : "json"
  if (form === "prose") return splitFrontMatter(text).has
  return form === "other" && /\.ya?ml$/iu.test(fileName ?? "") ? "yaml" : form
}

/** Prepares a text by its format: a placeholder may only be where a value cannot change the structure. */
export const prepareText = (objectType: ObjectType, fileName: string | null, text: string): Ready => {
  if (!hasBraces(text)) return preparePlain(text)
  const form = formOf(objectType, fileName, text)
  if (form === "json") {
    const json = parsed(text)
    return json === undefined ? fault("has placeholders and is not valid JSON") : prepareJson(text, json.value)
  }
  if (form === "yaml") return prepareYaml(text)
  return form === "head" ? prepareProse(text) : preparePlain(text)
}

/** Whether a filled text has the same format as the template's text, under its filled file name. */
export const isSameForm = (
  objectType: ObjectType,
  before: { readonly fileName: string | null; readonly text: string },
  after: { readonly fileName: string | null; readonly text: string }
): boolean => formOf(objectType, before.fileName, before.text) === formOf(objectType, after.fileName, after.text)
