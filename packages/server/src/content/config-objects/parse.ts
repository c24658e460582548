import { readFrontMatter } from "./parse-front-matter.ts"
import { atPointer, cleanJson, isJsonObject, type Json, type JsonObject, readJson } from "./parse-json.ts"
import { firstHeading, firstLine, firstParagraph } from "./parse-markdown.ts"
import { type ObjectType, payloadOf, searchWords } from "./parse-payload.ts"
import { boundedLine, boundedText } from "./parse-text.ts"
import { skillMemberFaults } from "./skill-front-matter.ts"

export const titleLengthMax = 255
export const descriptionLengthMax = 2000
export const searchTextLengthMax = 10_000
/** Equal to the maximum number of UTF-8 bytes; longer texts are rejected earlier. */
const textLengthMax = 1024 * 1024
const schemaVersion = "1"

export interface ParseInput {
  readonly objectType: ObjectType
  /** A name or a repository path; null for an object that was created manually. */
  readonly fileName: string | null
  readonly text: string | null
  /** The location of the object in a JSON text; the rest of the text is not its content. */
  readonly pointer?: string | null
  readonly metadata?: JsonObject | null
  /** A payload that the caller sends, instead of one that is read from the text. */
  readonly payload?: JsonObject | null
}

export interface Parsed {
  readonly title: string
  readonly description: string | null
  readonly searchText: string
  readonly normalizedPayloadJson: JsonObject
  readonly schemaVersion: string
  readonly warnings: ReadonlyArray<string>
  /** Why the text is invalid for its type, so that tools may not load it; null if it is valid. */
  readonly ingestionError: string | null
}

const sentence = (fault: string) => `${fault.slice(0, 1).toUpperCase()}${fault.slice(1)}.`

interface Content {
  readonly payload: JsonObject
  /** Members that can provide the name and description of the object. */
  readonly head: JsonObject
  /** The prose of a text; null if the text is not prose. */
  readonly body: string | null
  readonly search: string
  readonly warnings: ReadonlyArray<string>
}

/** Reads the title, description, payload and search text of an object. Accepts any text and returns warnings. */
export const parseContent = (input: ParseInput): Parsed => {
  const text = (input.text ?? "").slice(0, textLengthMax)
  const content = contentOf(input, text)
  const warnings = [...content.warnings]
  const cleaned = input.payload === undefined || input.payload === null ? null : cleanJson(input.payload)
  if (cleaned?.ok === false) warnings.push(`The payload ${cleaned.reason} and is ignored.`)
  const payload = cleaned?.ok === true && isJsonObject(cleaned.value) ? cleaned.value : null
  const normalizedPayloadJson = payload ?? content.payload
  const sources = [content.head, payload ?? {}, input.metadata ?? {}]

  const prose = content.body
  const title =
    firstOf(sources, ["title", "displayName", "name"], titleLengthMax) ||
    (prose === null ? "" : boundedLine(firstHeading(prose) || firstLine(prose), titleLengthMax)) ||
    namedAfter(input.objectType, normalizedPayloadJson) ||
    boundedLine(stem(input.fileName), titleLengthMax) ||
    `Untitled ${input.objectType}`
  const description =
    boundedText(
      firstOf(sources, ["description", "summary"], descriptionLengthMax) ||
        (prose === null ? "" : firstParagraph(prose)),
      descriptionLengthMax
    ) || null

  const faults = input.objectType === "skill" && input.text !== null ? skillMemberFaults(content.head) : []
  for (const fault of faults) warnings.push(sentence(fault))
  const words = payload === null ? "" : searchWords(input.objectType, payload, searchTextLengthMax)
  return {
    title,
    description,
    searchText: boundedLine([title, description ?? "", content.search, words].join("\n"), searchTextLengthMax),
    normalizedPayloadJson,
    schemaVersion,
    warnings: [...new Set(warnings.map((warning) => boundedLine(warning, 500)))].slice(0, 20),
    ingestionError: faults.length === 0 ? null : boundedLine(faults.map(sentence).join(" "), 500)
  }
}

/**
 * The format of a text, by its object type and file name: JSON; JSON if it parses, otherwise prose without front
 * matter; prose with optional front matter; or another kind of file.
 */
export const textForm = (
  objectType: ObjectType,
  fileName: string | null,
  text: string
): "json" | "maybe-json" | "prose" | "other" => {
  const name = fileName ?? ""
  if (objectType === "mcp" || objectType === "hook" || /\.json$/iu.test(name)) return "json"
  if ((objectType === "custom" || objectType === "tool") && /^\s*[{[]/u.test(text)) return "maybe-json"
  // A YAML file or a patch can also start with three dashes.
  return /\.[^./]+$/u.test(name) && !/\.(?:md|mdx|markdown|txt)$/iu.test(name) ? "other" : "prose"
}

const contentOf = (input: ParseInput, text: string): Content => {
  const { objectType } = input
  const pointer = input.pointer ?? null
  const nothing: Content = { payload: {}, head: {}, body: null, search: "", warnings: [] }
  if (input.text === null) return nothing
  if (text.startsWith("version https://git-lfs.github.com/spec/")) {
    return { ...nothing, warnings: ["The text is a Git LFS pointer, not the file itself."] }
  }
  const form = pointer === null ? textForm(objectType, input.fileName, text) : "json"
  if (form === "json" || form === "maybe-json") {
    return jsonContent(objectType, text, pointer, form === "json") ?? { ...nothing, body: text, search: text }
  }
  if (form === "other") return { ...nothing, search: text }
  const { body, data, warnings } = readFrontMatter(text)
  return { payload: data === null ? {} : { frontMatter: data }, head: data ?? {}, body, search: body, warnings }
}

/** Null if a text that looks like JSON is not valid JSON. */
const jsonContent = (
  objectType: ObjectType,
  text: string,
  pointer: string | null,
  certain: boolean
): Content | null => {
  const read = readJson(text)
  if (!read.ok) {
    // The raw text is not indexed: it may contain a server's credentials.
    return certain ? { payload: {}, head: {}, body: null, search: "", warnings: [`The text ${read.reason}.`] } : null
  }
  const value: Json | undefined = pointer === null ? read.value : atPointer(read.value, pointer)
  if (value === undefined) {
    const warnings = [`The text has no value at ${JSON.stringify((pointer ?? "").slice(0, 100))}.`]
    return { payload: {}, head: {}, body: null, search: "", warnings }
  }
  const { payload, warnings } = payloadOf(objectType, value)
  return {
    payload,
    // The members of a bare server list are servers, not a title.
    head: objectType !== "mcp" && isJsonObject(value) ? value : {},
    body: null,
    search: searchWords(objectType, payload, searchTextLengthMax),
    warnings: [...read.warnings.map((warning) => `The text ${warning}.`), ...warnings]
  }
}

const firstOf = (sources: ReadonlyArray<JsonObject>, names: ReadonlyArray<string>, max: number): string => {
  for (const source of sources) {
    for (const name of names) {
      const value = Object.hasOwn(source, name) ? source[name] : null
      const text = typeof value === "string" ? (max > titleLengthMax ? boundedText : boundedLine)(value, max) : ""
      if (text !== "") return text
    }
  }
  return ""
}

/** Files such as `.mcp.json` have the same name everywhere, so the object is named after its content. */
const namedAfter = (objectType: ObjectType, payload: JsonObject): string => {
  const member = objectType === "mcp" ? payload["servers"] : objectType === "hook" ? payload["hooks"] : null
  const names = isJsonObject(member) ? Object.keys(member) : []
  if (names.length === 0) return ""
  return boundedLine(`${objectType === "mcp" ? "MCP" : "Hooks"}: ${names.slice(0, 50).join(", ")}`, titleLengthMax)
}

const stem = (fileName: string | null): string => {
  const parts = (fileName ?? "").split("/").filter((part) => part !== "")
  const name = parts.at(-1) ?? ""
  // A skill is named after its folder. Other files keep their extension unless they are prose.
  if (name === "SKILL.md") return parts.at(-2) ?? ""
  return name.replace(/\.(?:md|mdx|markdown|txt)$/iu, "")
}
