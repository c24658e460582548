import type { ObjectType } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import { contentDigest } from "../config-objects/content-digest.ts"
import { nameParts } from "../config-objects/file-name.ts"
import { atPointer, readJson } from "../config-objects/parse-json.ts"
import { parseContent } from "../config-objects/parse.ts"
import { makeId } from "../../infra/ids.ts"
import { showPath } from "./discovery/paths.ts"
import type { Warnings } from "./discovery/warnings.ts"
import type { ImportedFile } from "./plan.ts"
import type { StagedVersion } from "./staging-repo.ts"

export const textBytesMax = 1_048_576

/** A file's name and extension, from its path. */
export const namesOf = (path: string) => nameParts(path.slice(path.lastIndexOf("/") + 1))

/**
 * Creates the function that converts a file's bytes to an object's text: the whole file, or the value at its pointer,
 * so that a user who can see one component of a manifest does not see the others. Each manifest is parsed once.
 */
export const makeReader = () => {
  // A byte order mark is part of the file: the content is returned exactly as it was read.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let parsed: { readonly sha: string; readonly read: ReturnType<typeof readJson> } | undefined
  return (file: ImportedFile, content: Uint8Array | undefined): string | { readonly problem: string } => {
    if (content === undefined || content.length > textBytesMax) return { problem: "is larger than 1 MiB" }
    let text: string
    try {
      text = decoder.decode(content)
    } catch {
      return { problem: "is not text" }
    }
    if (text.includes("\u0000")) return { problem: "is not text" }
    if (file.pointer === null) return text
    if (parsed?.sha !== file.sha) parsed = { sha: file.sha, read: readJson(text) }
    if (!parsed.read.ok) return { problem: parsed.read.reason }
    const value = atPointer(parsed.read.value, file.pointer)
    return value === undefined ? { problem: "does not contain the component" } : JSON.stringify(value, null, 2)
  }
}

/** The location of a text. */
export interface TextPlace {
  readonly path: string
  readonly pointer: string | null
  readonly objectType: ObjectType
}

/** Creates the next version of an object from a text. */
export const stagedVersion = (
  { objectType, path, pointer }: TextPlace,
  objectId: Id<"cob">,
  text: string,
  warnings: Warnings
): StagedVersion => {
  // The text of an inline component is the component itself, as JSON, regardless of the manifest's file name.
  const parsed = parseContent({ objectType, fileName: path, text, pointer: pointer === null ? null : "" })
  for (const warning of parsed.warnings) warnings.add(`${showPath(path)}: ${warning}`)
  return {
    objectId,
    versionId: makeId("cov"),
    objectType,
    title: parsed.title,
    description: parsed.description,
    searchText: parsed.searchText,
    ...namesOf(path),
    relativePath: path,
    schemaVersion: parsed.schemaVersion,
    payload: parsed.normalizedPayloadJson,
    text,
    digest: contentDigest(parsed.normalizedPayloadJson, text),
    ingestionError: parsed.ingestionError
  }
}
