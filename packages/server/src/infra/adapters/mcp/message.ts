import type { JsonObject } from "@orgplane/schema/shared/values"
import type * as Schema from "effect/Schema"

/** Maximum nesting depth of a message: a deeper value could overflow the stack. */
const depthMax = 100

const isShallow = (text: string): boolean => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x22) {
      for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++
    } else if (char === 0x7b || char === 0x5b) {
      if (++depth > depthMax) return false
    } else if (char === 0x7d || char === 0x5d) depth--
  }
  return true
}

/** The value; undefined when it is not valid JSON or nested too deeply. */
export const readJson = (text: string): Schema.Json | undefined => {
  const plain = text.startsWith("\uFEFF") ? text.slice(1) : text
  if (!isShallow(plain)) return undefined
  try {
    return JSON.parse(plain) as Schema.Json
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const listOf = (value: Schema.Json | undefined): ReadonlyArray<Schema.Json> | undefined =>
  Array.isArray(value) ? (value as ReadonlyArray<Schema.Json>) : undefined

/** Reads only an own property, because the server chooses the names, which must not reach the prototype. */
export const member = (value: unknown, name: string): Schema.Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const textOf = (object: unknown, name: string): string | undefined => {
  const value = member(object, name)
  return typeof value === "string" ? value : undefined
}

export type Id = string | number

/** A message of a server, by kind. */
export type Incoming =
  | { readonly kind: "result"; readonly id: Id; readonly result: JsonObject }
  | {
      readonly kind: "error"
      readonly id: Id | null
      readonly code: number
      readonly message: string
      readonly data: Schema.Json | undefined
    }
  | { readonly kind: "request"; readonly id: Id; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }

const isId = (value: unknown): value is Id =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value))

/** Undefined for anything but a JSON-RPC message. `jsonrpc` may be missing: some servers omit it in errors. */
export const readMessage = (value: unknown): Incoming | undefined => {
  if (!isObject(value)) return undefined
  const version = member(value, "jsonrpc")
  if (version !== undefined && version !== "2.0") return undefined
  const id = member(value, "id")
  const method = textOf(value, "method")
  if (method !== undefined) {
    return isId(id) ? { kind: "request", id, method } : { kind: "notification", method }
  }
  const error = member(value, "error")
  if (error !== undefined && error !== null) {
    const code = member(error, "code")
    if (typeof code !== "number" || !Number.isSafeInteger(code)) return undefined
    if (id !== undefined && id !== null && !isId(id)) return undefined
    return {
      kind: "error",
      id: id ?? null,
      code,
      message: textOf(error, "message") ?? "",
      data: member(error, "data")
    }
  }
  const result = member(value, "result")
  return isId(id) && isObject(result) ? { kind: "result", id, result } : undefined
}
