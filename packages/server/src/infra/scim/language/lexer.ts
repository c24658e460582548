import { isStorable } from "./fold.ts"

export type Token = {
  /** Whether a space stands before it. */
  readonly apart: boolean
  readonly at: number
} & (
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "(" | ")" | "[" | "]" | "end"; readonly text: string }
)

/** What is wrong with a text, and where; whoever reads it says what it was to be. */
export class Malformed {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

const word = /[A-Za-z0-9$_:.+-]+/y

const stringAt = (text: string, start: number): { readonly value: string; readonly end: number } => {
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index]
    if (character === "\\") index++
    else if (character === '"') {
      const value = readString(text.slice(start, index + 1))
      if (value === undefined) throw new Malformed(`the text at ${start} is no JSON string`)
      return { value, end: index + 1 }
    }
  }
  throw new Malformed(`the text at ${start} does not end`)
}

const readString = (json: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "string" && isStorable(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const tokens = (text: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  let at = 0
  let apart = true
  while (at < text.length) {
    const character = text.charAt(at)
    if (character === " " || character === "\t") {
      apart = true
      at++
      continue
    }
    if (character === "(" || character === ")" || character === "[" || character === "]") {
      found.push({ kind: character, text: character, apart, at })
      at++
    } else if (character === '"') {
      const { end, value } = stringAt(text, at)
      found.push({ kind: "string", text: value, apart, at })
      at = end
    } else {
      word.lastIndex = at
      const match = word.exec(text)?.[0]
      if (match === undefined) {
        // As JSON writes it: what cannot be printed could not be logged either.
        const letter = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))
        throw new Malformed(`${letter} at ${at} has no meaning`)
      }
      found.push({ kind: "word", text: match, apart, at })
      at += match.length
    }
    apart = false
  }
  found.push({ kind: "end", text: "the end", apart: true, at })
  return found
}
