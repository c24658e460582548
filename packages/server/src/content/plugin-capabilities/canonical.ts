import { normalize } from "../../infra/normalize.ts"

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * JSON as RFC 8785 writes it: members sorted by UTF-16 code units, no whitespace. Unlike there, texts are in the form
 * NFC first, so that two spellings of the same text are equal.
 */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(normalize(value, "NFC"))
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [normalize(name, "NFC"), canonicalJson(member)] as const)
      .sort(([a, left], [b, right]) => compare(a, b) || compare(left, right))
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(",")}}`
  }
  return JSON.stringify(value ?? null)
}

/** Equal for paths that are the same file on some file systems, or that look the same. */
export const foldPath = (path: string): string =>
  normalize(path, "NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/u, "")

export { compare }
