/** The width of text in terminal columns: wide scripts and emoji take two, combining marks none. */
import type * as StringWidth from "string-width"
import { enableRequire } from "./require.ts"

enableRequire()

let segmenter: Intl.Segmenter | undefined
/** Latin text, punctuation, arrows and lines of diagrams: each character is a grapheme of one column. */
const narrow = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u2193\u2500-\u259f]*$/

/** Loading string-width takes 30 ms, because it compiles the patterns of all emoji, and few texts need it. */
const measured = (text: string): number => (require("string-width") as typeof StringWidth).default(text)

export const width = (text: string): number => (narrow.test(text) ? text.length : measured(text))

export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))

/** Truncates to a number of columns and appends an ellipsis. */
export const truncate = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  if (narrow.test(text)) return `${text.slice(0, Math.max(0, columns - 1))}…`
  let prefix = ""
  let used = 0
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })
  for (const { segment } of segmenter.segment(text)) {
    const next = width(segment)
    if (used + next > columns - 1) break
    prefix += segment
    used += next
  }
  return `${prefix}…`
}
