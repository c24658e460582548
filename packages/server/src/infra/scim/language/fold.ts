import { normalize } from "../../normalize.ts"

/**
 * What two texts have in common that SCIM calls equal without regard to case. A sigma at the end of a word is a sigma, so
 * that what is folded begins and ends with what its beginning and end fold to.
 */
export const fold = (text: string): string => normalize(text, "NFC").toLowerCase().replaceAll("ς", "σ")

/** The order of code points, which is that of UTF-8 and of PostgreSQL's collation "C"; UTF-16 has another. */
export const compareText = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a === b) continue
    const isHalfA = a >= 0xd800 && a <= 0xdfff
    const isHalfB = b >= 0xd800 && b <= 0xdfff
    // Halves of pairs stand for what lies above all else.
    return isHalfA === isHalfB ? a - b : isHalfA ? 1 : -1
  }
  return left.length - right.length
}

/** No database takes a NUL or half a pair of surrogates. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()
