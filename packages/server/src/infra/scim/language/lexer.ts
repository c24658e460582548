import { isStorable } from "./fold.ts"

export type Token = {
  /** Whether there is a space before it. */
  readonly apart: boolean
  readonly at: number
} & (
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "(" | ")" | "[" | "]" | "end"; readonly text: string }
)

/** A syntax error, with its position; the caller adds what was being parsed. */
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
      if (value === undefined) throw new Malformed(`the string at ${start} is not a valid JSON string`)
      return { value, end: index + 1 }
    }
  }
  throw new Malformed(`the string at ${start} is not terminated`)
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
  const list: Array<Token> = []
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
      list.push({ kind: character, text: character, apart, at })
      at++
    } else if (character === '"') {
      const { end, value } = stringAt(text, at)
      list.push({ kind: "string", text: value, apart, at })
      at = end
    } else {
      word.lastIndex = at
      const match = word.exec(text)?.[0]
      if (match === undefined) {
        // As JSON: unprintable characters could not be logged.
        const character = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))
        throw new Malformed(`unexpected ${character} at ${at}`)
      }
      list.push({ kind: "word", text: match, apart, at })
      at += match.length
    }
    apart = false
  }
  list.push({ kind: "end", text: "the end", apart: true, at })
  return list
}
