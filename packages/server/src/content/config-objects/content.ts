import type { ConfigObject } from "@orgplane/schema/config-objects"
import { type InvalidDetail, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import { contentDigest } from "./content-digest.ts"
import { nameParts } from "./file-name.ts"
import { cleanJson } from "./parse-json.ts"
import { cut } from "./parse-text.ts"
import { type Parsed, parseContent } from "./parse.ts"
import { skillFaults, skillMemberFaults, statedFrontMatter } from "./skill-front-matter.ts"

/** The content of a version as the caller sends it, below `body.input`. */
export interface StatedContent {
  readonly rawSourceText?: string
  readonly normalizedPayloadJson?: JsonObject
  readonly schemaVersion?: string
  readonly metadata?: JsonObject
}

/** The parsed and validated content of a version. */
export interface Content {
  readonly parsed: Parsed
  readonly text: string | null
  readonly payload: JsonObject
  readonly schemaVersion: string
  readonly digest: string
  readonly fileName: string | null
  readonly relativePath: string | null
}

/** The columns of a version that its content determines. */
export const columnsOf = (content: Content) => ({
  title: content.parsed.title,
  description: content.parsed.description,
  searchText: content.parsed.searchText,
  ...nameParts(content.fileName),
  relativePath: content.relativePath,
  schemaVersion: content.schemaVersion,
  payload: content.payload,
  text: content.text,
  digest: content.digest
})

const text = (value: unknown, maximum: number): string | undefined =>
  typeof value === "string" && value !== "" ? cut(value, maximum) : undefined

/**
 * Validates a skill: the front matter of its text, or of its payload if there is no text. A payload without front
 * matter is in the caller's own format and is not validated.
 */
const skillDetails = (input: StatedContent): ReadonlyArray<InvalidDetail> => {
  const detailsOf = (path: ReadonlyArray<string>, faults: ReadonlyArray<string>): ReadonlyArray<InvalidDetail> =>
    faults.map((message) => ({ path: ["body", "input", ...path], message, code: "invalid_skill_front_matter" }))
  if (input.rawSourceText !== undefined) return detailsOf(["rawSourceText"], skillFaults(input.rawSourceText))
  const frontMatter = statedFrontMatter(input.normalizedPayloadJson ?? null)
  return frontMatter === undefined
    ? []
    : detailsOf(["normalizedPayloadJson", "frontMatter"], skillMemberFaults(frontMatter))
}

/** Parses the content that the caller sends. Members that it omits keep their current values. */
export const readContent = Effect.fnUntraced(function* (
  objectType: ConfigObject["objectType"],
  input: StatedContent,
  current: { readonly fileName: string | null; readonly relativePath: string | null }
) {
  // Values that the caller sends are stored or rejected, never dropped silently.
  const cleaned = cleanJson(input.normalizedPayloadJson ?? null)
  if (!cleaned.ok) return yield* InvalidRequest.at(["body", "input", "normalizedPayloadJson"], cleaned.reason)
  const details = objectType === "skill" ? skillDetails(input) : []
  if (details.length > 0) return yield* new InvalidRequest({ details })
  const metadata = input.metadata ?? {}
  const relativePath = text(metadata["relativePath"], 1024)
  const fileName = text(metadata["fileName"], 255) ?? relativePath?.split("/").at(-1) ?? current.fileName
  const parsed = parseContent({
    objectType,
    fileName,
    text: input.rawSourceText ?? null,
    payload: input.normalizedPayloadJson ?? null,
    metadata
  })
  const source = input.rawSourceText ?? null
  const content: Content = {
    parsed,
    text: source,
    payload: parsed.normalizedPayloadJson,
    schemaVersion: input.schemaVersion ?? parsed.schemaVersion,
    digest: contentDigest(parsed.normalizedPayloadJson, source),
    fileName,
    relativePath: relativePath ?? current.relativePath
  }
  return content
})
