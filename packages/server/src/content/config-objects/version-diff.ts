import type { PayloadChange } from "@orgplane/schema/version-diff"
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff"
import { isJsonObject, type Json, type JsonObject } from "./parse-json.ts"

const contextLines = 3
/** Maximum number of changed lines for which the shortest diff is computed; the time grows with their product. */
const editsMax = 500
const linesMax = 20_000
export const changesMax = 1000
const changesBytesMax = 1_048_576

/** Prefixes every line with a marker, as in a patch. */
const prefixLines = (mark: " " | "-" | "+", lines: string): string => {
  if (lines === "") return ""
  const isWhole = lines.endsWith("\n")
  const body = (isWhole ? lines.slice(0, -1) : lines).replaceAll("\n", `\n${mark}`)
  return `${mark}${body}\n${isWhole ? "" : "\\ No newline at end of file\n"}`
}

/** The start of the line that contains a position. */
const lineStart = (text: string, place: number) => (place === 0 ? 0 : text.lastIndexOf("\n", place - 1) + 1)

/** The lengths, in characters, of the common first and last lines. Only the text between them is compared. */
const commonEnds = (before: string, after: string): { readonly head: number; readonly tail: number } => {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++
  head = lineStart(before, head)
  let tail = 0
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++
  }
  // A line that differs only at its start is not a common line, and neither is one that starts inside the common
  // prefix.
  const begins = (text: string) => {
    const from = text.length - tail
    return from === 0 || text[from - 1] === "\n"
  }
  if (tail > 0 && !(begins(before) && begins(after))) {
    const next = before.indexOf("\n", before.length - tail)
    tail = next === -1 ? 0 : before.length - next - 1
  }
  return { head, tail }
}

const countLines = (text: string): number => {
  let count = text === "" || text.endsWith("\n") ? 0 : 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** The range of a hunk header. An empty range names the line before it. */
const range = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`

/**
 * Returns a unified diff of two texts, empty if they are equal. If they differ too much to compute the shortest diff in
 * bounded time, all lines between the first and the last difference are replaced, which is also a correct diff.
 */
export const textDiff = (before: string, after: string, names: readonly [from: string, to: string]): string => {
  if (before === after) return ""
  const { head, tail } = commonEnds(before, after)
  let begin = head
  for (let lines = 0; lines < contextLines && begin > 0; lines++) begin = lineStart(before, begin - 1)
  let end = before.length - tail
  for (let lines = 0; lines < contextLines && end < before.length; lines++) {
    const next = before.indexOf("\n", end)
    end = next === -1 ? before.length : next + 1
  }
  const lead = before.slice(begin, head)
  const trail = before.slice(before.length - tail, end)
  const skipped = countLines(before.slice(0, begin))
  const [old, fresh] = [before, after].map((text) => text.slice(head, text.length - tail)) as [string, string]
  const shortest =
    countLines(old) + countLines(fresh) > linesMax
      ? undefined
      : structuredPatch("", "", lead + old + trail, lead + fresh + trail, undefined, undefined, {
          context: contextLines,
          maxEditLength: editsMax
        })
  if (shortest !== undefined) {
    const hunks = shortest.hunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldStart + skipped,
      newStart: hunk.newStart + skipped
    }))
    const [oldFileName, newFileName] = names
    return formatPatch(
      { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks },
      FILE_HEADERS_ONLY
    )
  }
  const around = countLines(lead) + countLines(trail)
  const [from, to] = [old, fresh].map((lines) => range(skipped + 1, around + countLines(lines)))
  return [
    `--- ${names[0]}\n+++ ${names[1]}\n@@ -${from} +${to} @@\n`,
    prefixLines(" ", lead),
    prefixLines("-", old),
    prefixLines("+", fresh),
    prefixLines(" ", trail)
  ].join("")
}

const escaped = (name: string | number) => String(name).replaceAll("~", "~0").replaceAll("/", "~1")

/** The differences between two payloads, member by member. List items are compared by position. */
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
      for (const [name, value] of Object.entries(from)) {
        walk(value, Object.hasOwn(to, name) ? to[name] : undefined, `${path}/${escaped(name)}`)
      }
      for (const [name, value] of Object.entries(to)) {
        if (!Object.hasOwn(from, name)) walk(undefined, value, `${path}/${escaped(name)}`)
      }
    } else add({ op: "replace", path, before: from, after: to })
  }
  walk(before ?? undefined, after ?? undefined, "")
  return { changes, truncated }
}

/** Whether two payloads are equal, regardless of the order of their members. */
export const isSamePayload = (one: JsonObject | null, other: JsonObject | null): boolean => {
  const { changes, truncated } = payloadChanges(one, other)
  return changes.length === 0 && !truncated
}
