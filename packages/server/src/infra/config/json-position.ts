/** Finds the position of a syntax error in JSON text. The messages of `JSON.parse` quote the text, which can contain secrets. */

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or end"

const space = /[ \t\n\r]*/y
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escaped = /["\\/bfnrt]|u[\da-fA-F]{4}/y

/** The end of a match that begins at this offset; undefined if there is none. */
const matchEnd = (pattern: RegExp, text: string, offset: number): number | undefined => {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : undefined
}

interface Scanned {
  /** The offset after a valid string, or of the first character that is not valid. */
  readonly offset: number
  readonly isValid: boolean
}

/** Scans a string from its opening quotation mark. */
const scanString = (text: string, start: number): Scanned => {
  let offset = start + 1
  for (;;) {
    const character = text[offset]
    if (character === '"') return { offset: offset + 1, isValid: true }
    if (character === undefined || character < " ") return { offset, isValid: false }
    const end = character === "\\" ? matchEnd(escaped, text, offset + 1) : offset + 1
    if (end === undefined) return { offset, isValid: false }
    offset = end
  }
}

/** The offset of the first invalid character; the length of the text if it ends too early. */
const firstInvalidOffset = (text: string): number => {
  const open: Array<"{" | "["> = []
  let expected: Expected = "value"
  let offset = 0
  for (;;) {
    offset = matchEnd(space, text, offset) ?? offset
    const character = text[offset]
    const isKey: boolean = expected.startsWith("key")
    const closes = open.at(-1) === "{" ? "}" : "]"
    if (character === undefined || (expected === "comma or end" && open.length === 0)) return offset
    if (character === closes && open.length > 0 && /^(?:value or \]|key or \}|comma or end)$/.test(expected)) {
      open.pop()
      offset += 1
      expected = "comma or end"
    } else if (expected === "comma or end" || expected === "colon") {
      if (character !== (expected === "colon" ? ":" : ",")) return offset
      expected = expected === "comma or end" && open.at(-1) === "{" ? "key" : "value"
      offset += 1
    } else if (character === '"') {
      const scanned = scanString(text, offset)
      if (!scanned.isValid) return scanned.offset
      offset = scanned.offset
      expected = isKey ? "colon" : "comma or end"
    } else if (isKey) {
      return offset
    } else if (character === "{" || character === "[") {
      open.push(character)
      offset += 1
      expected = character === "{" ? "key or }" : "value or ]"
    } else {
      const end = matchEnd(scalar, text, offset)
      if (end === undefined) return offset
      offset = end
      expected = "comma or end"
    }
  }
}

/** The line and the column, both from 1, of the first character that makes JSON text invalid. */
export const invalidJsonPosition = (text: string): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, firstInvalidOffset(text)).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
