type Form = "NFC" | "NFD" | "NFKC" | "NFKD"

/**
 * Maximum number of marks that are sorted together, from Unicode's stream-safe text format. No language uses more than
 * ten.
 */
export const marksMax = 30

/** The two half-width letters become marks in the forms NFKC and NFKD. */
const mark = "[\\p{M}\\uff9e\\uff9f]"
const other = "[^\\p{M}\\uff9e\\uff9f]"
const longRun = new RegExp(`${mark}{${marksMax + 1}}`, "u")
const pieces = new RegExp(`${other}*${mark}{0,${marksMax}}`, "gu")

/**
 * `String.normalize`, in linear time: the built-in sorts the marks after a letter in quadratic time, so that 256,000 of
 * them take 45 seconds. A run of more than `marksMax` is normalized in parts; other texts give the same result.
 */
export const normalize = (text: string, form: Form): string =>
  longRun.test(text) ? text.replace(pieces, (piece) => piece.normalize(form)) : text.normalize(form)

/** A percent-encoded text decoded; as it is if it is not valid. */
export const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Removes the given characters from the end of a text in linear time; a pattern such as `/\/+$/` is quadratic. */
export const withoutTrailing = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
