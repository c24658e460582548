/** Display names of plugins and marketplaces: a name that can be mistaken for another one is rejected. */
import * as Schema from "effect/Schema"
import { Text } from "./values.ts"

/** Emoji as people type them: their invisible joiners and selectors are allowed. */
const emoji = /\p{RGI_Emoji}/gv
/** Invisible characters, characters that change the direction of text, and private-use characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800]/gu
/** Scripts with look-alike letters. */
const alike = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u
]

const isMixed = (text: string): boolean =>
  text.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => alike.filter((script) => script.test(word)).length > 1)

const withoutEmoji = (text: string) => text.replaceAll(emoji, "")

/** The reason why a text is not a valid name; undefined when it is valid. */
export const nameProblem = (text: string): string | undefined => {
  const plain = withoutEmoji(text)
  if (plain.search(hidden) !== -1) return "must not contain invisible, control or bidirectional formatting characters"
  if (plain.trim() === "" && text.trim() === "") return "must not be blank"
  return isMixed(plain)
    ? "must not mix letters of look-alike scripts, such as Latin and Cyrillic, in one word"
    : undefined
}

/** A valid name close to the text: hidden characters are removed, and only ASCII is kept when scripts are mixed. */
export const safeName = (text: string, fallback: string): string => {
  if (nameProblem(text) === undefined) return text
  const visible = withoutEmoji(text).replaceAll(hidden, "").trim()
  if (nameProblem(visible) === undefined) return visible
  const ascii = visible.replaceAll(/[^\x20-\x7E]/gu, "").trim()
  return ascii === "" ? fallback : ascii
}

/** A name in a request. `Text` already reports an empty text and U+0000. */
export const Name = (minimum: number, maximum: number) =>
  Text(minimum, maximum).check(
    Schema.makeFilter((text: string) => (text === "" || text.includes("\0") ? undefined : nameProblem(text)))
  )
