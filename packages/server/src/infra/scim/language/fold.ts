import { normalize } from "../../normalize.ts"

/**
 * Folds the case of a text for comparisons in SCIM that are not case-exact. A final sigma becomes a sigma, so that the
 * folded text starts and ends with the folded start and end of the text.
 */
export const fold = (text: string): string => normalize(text, "NFC").toLowerCase().replaceAll("ς", "σ")

/** The order of code points, as in UTF-8 and PostgreSQL's collation "C"; UTF-16 has another order. */
export const compareText = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a === b) continue
    const isHalfA = a >= 0xd800 && a <= 0xdfff
    const isHalfB = b >= 0xd800 && b <= 0xdfff
    // Surrogates stand for code points above all others.
    return isHalfA === isHalfB ? a - b : isHalfA ? 1 : -1
  }
  return left.length - right.length
}

/** The database stores neither U+0000 nor lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()
