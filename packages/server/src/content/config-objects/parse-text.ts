/** Truncates text without splitting a surrogate pair. */
export const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** Removes NUL characters and replaces lone surrogates, which PostgreSQL text and JSON cannot store. */
export const storable = (text: string): string =>
  (text.includes("\u0000") ? text.replaceAll("\u0000", "") : text).toWellFormed()

/** Truncates text and keeps its line breaks. Idempotent. */
export const boundedText = (text: string, max: number): string => cut(storable(text).trim(), max).trimEnd()

/** One line: runs of whitespace and control characters become a single space. */
export const boundedLine = (text: string, max: number): string =>
  cut(
    // Ten times the limit is enough to fill it, and bounds the cost of a line of a megabyte.
    storable(cut(text, max * 10))
      // Single spaces are the common case and need no replacement.
      .replaceAll(/[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu, " ")
      .trim(),
    max
  ).trimEnd()
