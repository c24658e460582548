import type * as Schema from "effect/Schema"
import { boundedLine, storable } from "./parse-text.ts"

export type Json = Schema.Json
export type JsonObject = { readonly [name: string]: Json }

export type JsonRead =
  | { readonly ok: true; readonly value: Json; readonly warnings: ReadonlyArray<string> }
  | { readonly ok: false; readonly reason: string }

export const jsonDepthMax = 64
export const jsonValuesMax = 100_000

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses untrusted JSON: limits its depth and number of values, makes it safe to store, and returns warnings. */
export const readJson = (text: string): JsonRead => {
  let parsed: unknown
  try {
    parsed = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text)
  } catch {
    return { ok: false, reason: "is not valid JSON" }
  }
  const shape = scan(text)
  if (shape.depth > jsonDepthMax) return { ok: false, reason: `is nested deeper than ${jsonDepthMax} levels` }
  const cleaned = cleanJson(parsed)
  if (!cleaned.ok) return cleaned
  const warnings = [...shape.duplicates].map(
    (name) => `has the member "${boundedLine(name, 80)}" twice; the last one is used`
  )
  return { ok: true, value: cleaned.value, warnings: [...warnings, ...cleaned.warnings] }
}

/** `JSON.parse` hides duplicate members, so valid text is scanned once more for duplicates and depth. */
const scan = (text: string): { readonly depth: number; readonly duplicates: ReadonlySet<string> } => {
  const duplicates = new Set<string>()
  const open: Array<Set<string> | null> = []
  let depth = 0
  let atKey = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      const start = i
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === "\\") i++
      const names = open.at(-1)
      if (atKey && names) {
        const raw = text.slice(start, i + 1)
        const name = raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1)
        if (names.has(name) && duplicates.size < 10) duplicates.add(name)
        names.add(name)
      }
      atKey = false
    } else if (char === "{" || char === "[") {
      // Beyond the limit only the depth matters, because the text is rejected.
      open.push(char === "{" && open.length <= jsonDepthMax ? new Set() : null)
      depth = Math.max(depth, open.length)
      atKey = char === "{"
    } else if (char === "}" || char === "]") {
      open.pop()
      atKey = false
    } else if (char === ",") {
      atKey = Boolean(open.at(-1))
    }
  }
  return { depth, duplicates }
}

/**
 * Returns a copy that is plain JSON and can be stored. `__proto__` is omitted: assigning such a member later would
 * change the prototype of the target.
 */
export const cleanJson = (value: unknown): JsonRead => {
  const warnings = new Set<string>()
  let count = 0
  let problem: string | null = null

  const walk = (node: unknown, depth: number): Json => {
    if (problem !== null) return null
    if (++count > jsonValuesMax) {
      problem = `has more than ${jsonValuesMax} values`
      return null
    }
    if (typeof node === "string") return storable(node)
    if (typeof node === "boolean") return node
    if (typeof node === "number") return Number.isFinite(node) ? node + 0 : null
    if (typeof node === "bigint") return node.toString()
    if (node instanceof Date) return Number.isNaN(node.getTime()) ? null : node.toISOString()
    if (typeof node !== "object" || node === null) return null
    if (depth === jsonDepthMax) {
      problem = `is nested deeper than ${jsonDepthMax} levels`
      return null
    }
    if (Array.isArray(node)) return node.map((item) => walk(item, depth + 1))
    const copy: Record<string, Json> = {}
    for (const [key, member] of Object.entries(node)) {
      const name = storable(key)
      if (name === "__proto__") warnings.add('has a member "__proto__", which is omitted')
      else copy[name] = walk(member, depth + 1)
    }
    return copy
  }

  const copy = walk(value, 0)
  return problem === null ? { ok: true, value: copy, warnings: [...warnings] } : { ok: false, reason: problem }
}

/** The value at a JSON pointer (RFC 6901); undefined if there is none. */
export const atPointer = (value: Json, pointer: string): Json | undefined => {
  if (pointer === "") return value
  if (!pointer.startsWith("/")) return undefined
  let current: Json | undefined = value
  for (const part of pointer.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(current)) current = /^(0|[1-9]\d{0,8})$/u.test(name) ? (current[Number(name)] as Json) : undefined
    else if (isJsonObject(current) && Object.hasOwn(current, name)) current = current[name]
    else return undefined
  }
  return current
}
