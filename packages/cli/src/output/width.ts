/** The width of text in terminal columns: wide scripts and emoji take two, combining marks none. */
import stringWidth from "string-width"

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
// oxlint-disable-next-line no-control-regex
const plain = /^[\u0020-\u007e]*$/

export const width = (text: string): number => (plain.test(text) ? text.length : stringWidth(text))

export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))

/** Truncates to a number of columns and appends an ellipsis. */
export const truncate = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  let prefix = ""
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    const next = width(segment)
    if (used + next > columns - 1) break
    prefix += segment
    used += next
  }
  return `${prefix}…`
}
