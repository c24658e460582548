/**
 * Escapes control characters. Untrusted text can contain sequences that move the cursor, set the clipboard or reverse the
 * reading direction. Escaped, they are visible and have no effect.
 */

// C0, DEL and C1, line and paragraph separators, bidirectional marks, embeddings, overrides and isolates, tags.
const source =
  "[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\u{e0000}-\\u{e007f}]|\\p{Surrogate}"
const harmful = new RegExp(source, "gu")
const harmfulOnce = new RegExp(source, "u")

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string => {
  const point = character.codePointAt(0) ?? 0
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`
}

/** Escapes every control character, including line breaks. */
export const harmless = (text: string): string =>
  text.replace(harmful, (character) => named[character] ?? escaped(character))

/** Escapes every control character except line breaks. */
export const harmlessLines = (text: string): string => text.split("\n").map(harmless).join("\n")

export const isHarmful = (text: string): boolean => harmfulOnce.test(text)

/** Escapes the control characters that `JSON.stringify` leaves in strings. The result is equivalent JSON. */
export const harmlessJson = (json: string): string =>
  json.replace(harmful, (character) =>
    character === "\n"
      ? character
      : [...Array(character.length).keys()]
          .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
          .join("")
  )

/** Escapes for YAML, which has its own syntax for code points of more than four digits. */
export const harmlessYaml = (yaml: string): string =>
  yaml.replace(harmful, (character) => {
    const point = character.codePointAt(0) ?? 0
    if (character === "\n") return character
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`
  })
