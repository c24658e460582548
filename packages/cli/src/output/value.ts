import { escapeControls } from "./escape.ts"

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The member at a dotted path. */
export const member = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((part, name) => (isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined), value)

/** The non-empty string at a dotted path. */
export const textAt = (value: unknown, path: string): string | undefined => {
  const text = member(value, path)
  return typeof text === "string" && text !== "" ? text : undefined
}

/** The list at a dotted path; an empty list if there is none. */
export const listAt = (value: unknown, path: string): ReadonlyArray<unknown> => {
  const list = member(value, path)
  return Array.isArray(list) ? list : []
}

/** The display name of an object. */
const nameOf = (value: unknown): unknown =>
  isObject(value)
    ? (value["displayName"] ?? value["name"] ?? value["title"] ?? value["selector"] ?? value["id"])
    : value

const isScalar = (value: unknown) => value === null || typeof value !== "object"

const plain = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "-"
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return "-"
    const names = value.map(nameOf)
    return names.every((name) => name !== undefined && isScalar(name))
      ? names.map(plain).join(", ")
      : JSON.stringify(value)
  }
  if (isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isScalar)) {
    return Object.entries(value)
      .map(([name, part]) => `${name}=${plain(part)}`)
      .join(" ")
  }
  return JSON.stringify(value)
}

/** Renders a value on one line. An absent value is `-`. */
export const cell = (value: unknown): string => escapeControls(plain(value))
