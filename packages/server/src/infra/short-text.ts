const lengthMax = 300

/** A text that someone else chose, as one line of at most 300 characters. Null if nothing is left. */
export const shortText = (text: string | null): string | null => {
  if (text === null) return null
  const line = text
    .slice(0, lengthMax * 4)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
  const points = Array.from(line)
  if (points.length <= lengthMax) return line === "" ? null : line
  return `${points.slice(0, lengthMax - 1).join("")}…`
}
