/**
 * Escapes control characters. Untrusted text can contain sequences that move the cursor, set the clipboard or
 * reverse the reading direction. After escaping, they are visible and have no effect.
 */

// C0, DEL and C1, line and paragraph separators, bidirectional marks, embeddings, overrides and isolates, tags.
const source =
  "[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\u{e0000}-\\u{e007f}]|\\p{Surrogate}"
const controls = new RegExp(source, "gu")
const controlOnce = new RegExp(source, "u")

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string => {
  const point = character.codePointAt(0) ?? 0
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`
}

/** Escapes every control character, including line breaks. */
export const escapeControls = (text: string): string =>
  text.replace(controls, (character) => shortEscapes[character] ?? escaped(character))

/** Escapes every control character except line breaks. */
export const escapeLines = (text: string): string => text.split("\n").map(escapeControls).join("\n")

export const hasControls = (text: string): boolean => controlOnce.test(text)

/** Escapes the control characters that `JSON.stringify` leaves in strings. The result is equivalent JSON. */
export const escapeJson = (json: string): string =>
  json.replace(controls, (character) =>
    character === "\n"
      ? character
      : [...Array(character.length).keys()]
          .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
          .join("")
  )

/** Escapes for YAML, which has its own syntax for code points of more than four digits. */
export const escapeYaml = (yaml: string): string =>
  yaml.replace(controls, (character) => {
    const point = character.codePointAt(0) ?? 0
    if (character === "\n") return character
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`
  })
