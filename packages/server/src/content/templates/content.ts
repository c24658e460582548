import { textBytesMax } from "@orgplane/schema/config-objects"
import { type InvalidDetail, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Content, ContentInput, ObjectInput, TemplateObject } from "@orgplane/schema/templates"
import * as Effect from "effect/Effect"
import { type Content as Read, readContent } from "../config-objects/content.ts"
import { isJsonObject, type Json, type JsonObject } from "../config-objects/parse-json.ts"
import {
  type Budget,
  type Fault,
  isSameForm,
  namesHoldBraces,
  preparePlain,
  prepareText,
  type Values
} from "./fill-text.ts"
import { sampleValues, variableDetails, variableOf } from "./variables.ts"

/** Maximum characters of an instantiated template. This equals what one request could send. */
const charactersMax = 8 * 1_048_576
const nameLengthMax = 255
const descriptionLengthMax = 2000

/** A template's content as stored. */
export const contentOf = (input: ContentInput): Content => ({
  plugin: { name: input.plugin.name, description: input.plugin.description ?? null },
  objects: input.objects.map(objectOf),
  variables: (input.variables ?? []).map(variableOf)
})

const objectOf = (input: ObjectInput): TemplateObject => ({
  type: input.type,
  rawSourceText: input.rawSourceText ?? null,
  normalizedPayloadJson: input.normalizedPayloadJson ?? null,
  parserMode: input.parserMode ?? null,
  schemaVersion: input.schemaVersion ?? null,
  metadata: input.metadata ?? null
})

/** A plugin and its objects, ready to be created. */
export interface InstantiatedContent {
  readonly plugin: { readonly name: string; readonly description: string | null }
  readonly objects: ReadonlyArray<{ readonly objectType: TemplateObject["type"]; readonly content: Read }>
}

type Path = ReadonlyArray<string | number>
/** Reports an error of a part of the content. */
type Report = (path: Path, reason: string, code?: InvalidDetail["code"]) => void

type Outcome<A> = { readonly ok: true; readonly value: A } | Fault
/** A part with placeholders: the variables it uses, and the function that inserts their values. */
interface Part<A> {
  readonly names: ReadonlySet<string>
  readonly fill: (values: Values, budget: Budget) => Outcome<A>
}

const partOfText = (ready: ReturnType<typeof preparePlain>): Outcome<Part<string>> =>
  ready.ok
    ? {
        ok: true,
        value: {
          names: ready.prepared.names,
          fill: (values, budget) => {
            const filled = ready.prepared.fill(values, budget)
            return filled.ok ? { ok: true, value: filled.text } : filled
          }
        }
      }
    : ready

/** Fills the strings of a JSON value; everything else is unchanged. */
const partOfJson = (value: JsonObject): Outcome<Part<JsonObject>> => {
  if (namesHoldBraces(value)) return { ok: false, reason: "has a placeholder in a member name" }
  const names = new Set<string>()
  let reason: string | undefined
  const partsByText = new Map<string, Part<string>>()
  const collect = (node: Json): void => {
    if (typeof node === "string") {
      const part = partOfText(preparePlain(node))
      if (!part.ok) reason ??= part.reason
      else {
        partsByText.set(node, part.value)
        for (const name of part.value.names) names.add(name)
      }
    } else if (Array.isArray(node)) for (const item of node) collect(item as Json)
    else if (isJsonObject(node)) for (const member of Object.values(node)) collect(member)
  }
  collect(value)
  if (reason !== undefined) return { ok: false, reason }
  const fill = (values: Values, budget: Budget): Outcome<JsonObject> => {
    let failed: Fault | undefined
    const put = (node: Json): Json => {
      if (typeof node === "string") {
        const filled = partsByText.get(node)?.fill(values, budget)
        if (filled?.ok === false) failed ??= filled
        return filled?.ok === true ? filled.value : ""
      }
      if (Array.isArray(node)) return node.map((item) => put(item as Json))
      return isJsonObject(node) ? putAll(node) : node
    }
    const putAll = (node: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(node).map(([name, member]) => [name, put(member)]))
    const filled = putAll(value)
    return failed ?? { ok: true, value: filled }
  }
  return { ok: true, value: { names, fill } }
}

const textIn = (metadata: JsonObject | null, name: string): string | null => {
  const text = metadata !== null && Object.hasOwn(metadata, name) ? metadata[name] : null
  return typeof text === "string" && text !== "" ? text : null
}

const fileNameIn = (metadata: JsonObject | null): string | null =>
  textIn(metadata, "fileName") ?? textIn(metadata, "relativePath")?.split("/").at(-1) ?? null

/** Whether a path has as many segments as the template's, and no value makes a segment empty, "." or "..". */
const isSamePath = (before: string | null, after: string | null): boolean => {
  if (before === after) return true
  if (before === null || after === null || /[\\\p{Cc}]/u.test(after)) return false
  const [old, current] = [before.split("/"), after.split("/")]
  return (
    old.length === current.length &&
    current.every((part, index) => part === old[index] || !["", ".", ".."].includes(part.trim()))
  )
}

interface ObjectParts {
  readonly object: TemplateObject
  readonly text: Part<string> | null
  readonly payload: Part<JsonObject> | null
  readonly metadata: Part<JsonObject> | null
}

/** Parses the parts of a content, and reports parse errors. */
const partsOf = (content: Content, report: Report) => {
  const declared = new Set(content.variables.map(({ name }) => name))
  const part = <A>(path: Path, read: Outcome<Part<A>>): Part<A> | null => {
    if (!read.ok) {
      report(path, read.reason)
      return null
    }
    for (const name of read.value.names) {
      if (!declared.has(name)) report(path, `has a placeholder {{ ${name} }}, which is not a variable of the template`)
    }
    return read.value
  }
  return {
    text: (path: Path, value: string | null) => (value === null ? null : part(path, partOfText(preparePlain(value)))),
    object: (object: TemplateObject, path: Path): ObjectParts => {
      const { metadata, normalizedPayloadJson: payload, rawSourceText: text, type } = object
      const at = (member: string): Path => [...path, member]
      const ready = text === null ? null : partOfText(prepareText(type, fileNameIn(metadata), text))
      return {
        object,
        text: ready === null ? null : part(at("rawSourceText"), ready),
        payload: payload === null ? null : part(at("normalizedPayloadJson"), partOfJson(payload)),
        metadata: metadata === null ? null : part(at("metadata"), partOfJson(metadata))
      }
    }
  }
}

/** A message about a part of the content, for callers that send only values. */
const named = (path: Path, reason: string) =>
  `${path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .slice(1)} ${reason}`

/** Reads one object with its values, with the rules of `configObjects.create`. */
const makeObject = Effect.fnUntraced(function* (
  { metadata, object, payload, text }: ObjectParts,
  at: Path,
  values: Values,
  budget: Budget,
  report: Report
) {
  const put = <A>(member: string, part: Part<A> | null): A | null => {
    if (part === null) return null
    const filled = part.fill(values, budget)
    if (filled.ok) return filled.value
    report([...at, member], filled.reason)
    return null
  }
  // Preparing, filling and reading each parse a text, so yield in between.
  yield* Effect.yieldNow
  const filledObject = {
    rawSourceText: put("rawSourceText", text),
    normalizedPayloadJson: put("normalizedPayloadJson", payload),
    metadata: put("metadata", metadata)
  }
  const names = ["fileName", "relativePath"]
  const stray = names.find((name) => !isSamePath(textIn(object.metadata, name), textIn(filledObject.metadata, name)))
  if (stray !== undefined)
    report([...at, "metadata", stray], "would not keep the path structure of the template with these values")
  if (object.rawSourceText !== null && filledObject.rawSourceText !== null) {
    if (filledObject.rawSourceText === "") report([...at, "rawSourceText"], "would be empty with these values")
    if (Buffer.byteLength(filledObject.rawSourceText) > textBytesMax) {
      report([...at, "rawSourceText"], "would have more than 1048576 bytes in UTF-8 with these values")
    }
    const before = { fileName: fileNameIn(object.metadata), text: object.rawSourceText }
    const after = { fileName: fileNameIn(filledObject.metadata), text: filledObject.rawSourceText }
    if (!isSameForm(object.type, before, after)) {
      report([...at, "rawSourceText"], "would have another format with these values")
    }
  }
  const input = {
    ...(filledObject.rawSourceText === null ? {} : { rawSourceText: filledObject.rawSourceText }),
    ...(filledObject.normalizedPayloadJson === null
      ? {}
      : { normalizedPayloadJson: filledObject.normalizedPayloadJson }),
    ...(object.schemaVersion === null ? {} : { schemaVersion: object.schemaVersion }),
    ...(filledObject.metadata === null ? {} : { metadata: filledObject.metadata })
  }
  yield* Effect.yieldNow
  const content = yield* readContent(object.type, input, { fileName: null, relativePath: null }).pipe(
    Effect.catchTag("InvalidRequest", ({ details }) => {
      for (const { code, message, path } of details) report([...at, ...path.slice(2)], message, code)
      return Effect.succeed(null)
    })
  )
  return content === null ? undefined : { objectType: object.type, content }
})

/**
 * Creates a plugin and its objects one after another, and keeps their results only if `keep` is set. Values are not
 * inserted after a part that cannot be parsed.
 */
const makeAll = Effect.fnUntraced(function* (
  content: Content,
  /** Without values, the template is only parsed. */
  values: Values | undefined,
  name: string | undefined,
  report: { readonly unfit: Report; readonly filled: Report },
  keep: (object: InstantiatedContent["objects"][number]) => void
) {
  let isFit = true
  const parts = partsOf(content, (path, reason) => {
    isFit = false
    report.unfit(path, reason)
  })
  const budget: Budget = { left: charactersMax }
  const text = (path: Path, part: Part<string> | null, max: number, min: number): string => {
    if (part === null || !isFit || values === undefined) return ""
    const filled = part.fill(values, budget)
    const text = filled.ok ? filled.value : ""
    const length = text.length > max ? Array.from(text).length : text.length
    if (!filled.ok) report.filled(path, filled.reason)
    else if (text.length < min) report.filled(path, "would be empty with these values")
    else if (length > max) report.filled(path, `would have more than ${max} characters with these values`)
    return text
  }
  const nameParts = parts.text(["plugin", "name"], content.plugin.name)
  const descriptionParts = parts.text(["plugin", "description"], content.plugin.description)
  const plugin = {
    name: name ?? text(["plugin", "name"], nameParts, nameLengthMax, 1),
    description:
      content.plugin.description === null
        ? null
        : text(["plugin", "description"], descriptionParts, descriptionLengthMax, 0)
  }
  for (const [index, object] of content.objects.entries()) {
    // Yields for each object: there may be a hundred of one megabyte each.
    yield* Effect.yieldNow
    const path: Path = ["objects", index]
    const objectParts = parts.object(object, path)
    if (!isFit || values === undefined || budget.left < 0) continue
    const instance = yield* makeObject(objectParts, path, values, budget, report.filled)
    if (instance !== undefined) keep(instance)
  }
  return plugin
})

/** Maximum faults per content; a response contains a hundred. */
const faultsMax = 100

/**
 * Rejects content that cannot be instantiated, for example because of an unknown placeholder, a placeholder that could
 * change its surroundings, or a skill without a name.
 */
export const judgeContent = Effect.fnUntraced(function* (content: Content) {
  const details: Array<InvalidDetail> = [...variableDetails(content.variables)]
  const later: Array<InvalidDetail> = []
  const into =
    (list: Array<InvalidDetail>): Report =>
    (path, message, code) => {
      if (list.length >= faultsMax) return
      list.push({ path: ["body", "content", ...path], message, ...(code === undefined ? {} : { code }) })
    }
  const report = { unfit: into(details), filled: into(later) }
  const values = details.length === 0 ? sampleValues(content.variables) : undefined
  yield* makeAll(content, values, undefined, report, () => undefined)
  if (details.length === 0) details.push(...later)
  if (details.length > 0) return yield* new InvalidRequest({ details: details.slice(0, faultsMax) })
})

/** Fills a content with values. The rules of `configObjects.create` and `plugins.create` apply. */
export const fillContent = Effect.fnUntraced(function* (content: Content, values: Values, name: string | undefined) {
  const details: Array<InvalidDetail> = []
  const report: Report = (path, message, code) => {
    if (details.length >= faultsMax) return
    details.push({
      path: ["body", "variables"],
      message: named(path, message),
      ...(code === undefined ? {} : { code })
    })
  }
  const objects: Array<InstantiatedContent["objects"][number]> = []
  const plugin = yield* makeAll(content, values, name, { unfit: report, filled: report }, (object) =>
    objects.push(object)
  )
  const instance: InstantiatedContent = { plugin, objects }
  return details.length > 0 ? yield* new InvalidRequest({ details }) : instance
})
