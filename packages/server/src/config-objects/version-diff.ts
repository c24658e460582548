import type { PayloadChange } from "@orgplane/schema/version-diff"
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk, structuredPatch } from "diff"
import { isJsonObject, type Json, type JsonObject } from "./parse-json.ts"

const contextLines = 3
/** Inserted and removed lines up to which the shortest difference is looked for; it takes their product in time. */
const editsMax = 1000
const linesMax = 50_000
export const changesMax = 1000
const changesBytesMax = 1_048_576

const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/gu) ?? []

const marked = (mark: " " | "-" | "+", lines: ReadonlyArray<string>) =>
  lines.flatMap((line) =>
    line.endsWith("\n") ? [`${mark}${line.slice(0, -1)}`] : [`${mark}${line}`, "\\ No newline at end of file"]
  )

/**
 * From one text to another as a unified diff, empty when they are the same. Where they differ too much for the shortest
 * one to be found in bounded time, all lines between the first and the last that differ are replaced: that is as right.
 */
export const textDiff = (before: string, after: string, names: readonly [from: string, to: string]): string => {
  if (before === after) return ""
  const [from, to] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && from[head] === to[head]) head++
  let tail = 0
  while (tail < shorter - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++

  const lead = Math.min(head, contextLines)
  const trail = Math.min(tail, contextLines)
  const skipped = head - lead
  const part = (lines: ReadonlyArray<string>) => lines.slice(skipped, lines.length - tail + trail)
  const [old, fresh] = [part(from), part(to)]
  const shortest =
    old.length + fresh.length > linesMax
      ? undefined
      : structuredPatch("", "", old.join(""), fresh.join(""), undefined, undefined, {
          context: contextLines,
          maxEditLength: editsMax
        })
  const whole = (): StructuredPatchHunk => ({
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: fresh.length,
    lines: [
      ...marked(" ", old.slice(0, lead)),
      ...marked("-", old.slice(lead, old.length - trail)),
      ...marked("+", fresh.slice(lead, fresh.length - trail)),
      ...marked(" ", trail === 0 ? [] : old.slice(-trail))
    ]
  })
  const hunks = (shortest?.hunks ?? [whole()]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + skipped,
    newStart: hunk.newStart + skipped
  }))
  return formatPatch(
    { oldFileName: names[0], newFileName: names[1], oldHeader: undefined, newHeader: undefined, hunks },
    FILE_HEADERS_ONLY
  )
}

const escaped = (name: string | number) => String(name).replaceAll("~", "~0").replaceAll("/", "~1")

/** From one payload to another, member by member; items of a list are compared by their place. */
export const payloadChanges = (
  before: JsonObject | null,
  after: JsonObject | null
): { readonly changes: ReadonlyArray<PayloadChange>; readonly truncated: boolean } => {
  const changes: Array<PayloadChange> = []
  let bytes = 0
  let truncated = false
  const add = (change: PayloadChange) => {
    bytes += JSON.stringify(change).length
    if (changes.length === changesMax || bytes > changesBytesMax) truncated = true
    else changes.push(change)
  }
  const walk = (from: Json | undefined, to: Json | undefined, path: string): void => {
    if (truncated || from === to) return
    if (from === undefined) add({ op: "add", path, before: null, after: to ?? null })
    else if (to === undefined) add({ op: "remove", path, before: from, after: null })
    else if (Array.isArray(from) && Array.isArray(to)) {
      for (const at of (from.length > to.length ? from : to).keys()) {
        walk(from[at] as Json | undefined, to[at] as Json | undefined, `${path}/${at}`)
      }
    } else if (isJsonObject(from) && isJsonObject(to)) {
      for (const name of [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()) {
        const of = (object: JsonObject) => (Object.hasOwn(object, name) ? object[name] : undefined)
        walk(of(from), of(to), `${path}/${escaped(name)}`)
      }
    } else add({ op: "replace", path, before: from, after: to })
  }
  walk(before ?? undefined, after ?? undefined, "")
  return { changes, truncated }
}

/** Whether two payloads say the same, whatever the order of their members. */
export const isSamePayload = (one: JsonObject | null, other: JsonObject | null): boolean => {
  const { changes, truncated } = payloadChanges(one, other)
  return changes.length === 0 && !truncated
}
