/** Cuts at a bound without leaving half of a surrogate pair behind. */
export const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** What PostgreSQL text and JSON can hold: no NUL, no lone surrogate. */
export const storable = (text: string): string =>
  (text.includes("\u0000") ? text.replaceAll("\u0000", "") : text).toWellFormed()

/** Several lines kept, bounded. Applying it twice changes nothing. */
export const boundedText = (text: string, max: number): string => cut(storable(text).trim(), max).trimEnd()

/** One line: runs of whitespace and control characters become one space. */
export const boundedLine = (text: string, max: number): string =>
  cut(
    // Ten times the bound is enough to fill it, and keeps a megabyte line cheap.
    storable(cut(text, max * 10))
      // All but a space that stands alone, of which there are a hundred for one of anything else.
      .replaceAll(/[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu, " ")
      .trim(),
    max
  ).trimEnd()
