/** The width of text in terminal columns: wide scripts and emoji take two, combining marks none. */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
// oxlint-disable-next-line no-control-regex
const plain = /^[\u0020-\u007e]*$/
const invisible = /^[\p{Mark}\p{Control}\p{Default_Ignorable_Code_Point}]+$/u
const emoji = /\p{Emoji_Presentation}|\ufe0f/u

// Ranges of the Unicode property East Asian Width: Wide and Fullwidth.
const wide: ReadonlyArray<readonly [number, number]> = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f251],
  [0x20000, 0x3fffd]
]

const graphemeWidth = (grapheme: string): number => {
  if (invisible.test(grapheme)) return 0
  if (emoji.test(grapheme)) return 2
  const point = grapheme.codePointAt(0) ?? 0
  return wide.some(([from, to]) => point >= from && point <= to) ? 2 : 1
}

export const width = (text: string): number => {
  if (plain.test(text)) return text.length
  let columns = 0
  for (const { segment } of segmenter.segment(text)) columns += graphemeWidth(segment)
  return columns
}

export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))

/** Truncates to a number of columns and appends an ellipsis. */
export const truncate = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  let kept = ""
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    const next = graphemeWidth(segment)
    if (used + next > columns - 1) break
    kept += segment
    used += next
  }
  return `${kept}…`
}
