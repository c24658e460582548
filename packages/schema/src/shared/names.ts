/** Names that people choose plugins and marketplaces by: what looks like another name is refused. */
import * as Schema from "effect/Schema"
import { Text } from "./values.ts"

/** Emoji as people type them: their joiners and selectors are invisible, and rightly there. */
const emoji = /\p{RGI_Emoji}/gv
/** Characters that nobody sees, that change the direction of text, or that mean something only to one program. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800]/gu
/** Scripts whose letters look like one another's. */
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

/** Why a text is no name; undefined when it is one. */
export const refusalOfName = (text: string): string | undefined => {
  const plain = withoutEmoji(text)
  if (plain.search(hidden) !== -1) return "must not contain invisible, control or bidirectional formatting characters"
  if (plain.trim() === "" && text.trim() === "") return "must not be blank"
  return isMixed(plain)
    ? "must not mix letters of look-alike scripts, such as Latin and Cyrillic, in one word"
    : undefined
}

/** A name as near to the text as a name can be: hidden characters are left out, and of a mixed one only ASCII stays. */
export const safeName = (text: string, fallback: string): string => {
  if (refusalOfName(text) === undefined) return text
  const seen = withoutEmoji(text).replaceAll(hidden, "").trim()
  if (refusalOfName(seen) === undefined) return seen
  const ascii = seen.replaceAll(/[^\x20-\x7E]/gu, "").trim()
  return ascii === "" ? fallback : ascii
}

/** A name that a caller gives. An empty text and U+0000 are reported by `Text` already. */
export const Name = (minimum: number, maximum: number) =>
  Text(minimum, maximum).check(
    Schema.makeFilter((text: string) => (text === "" || text.includes("\0") ? undefined : refusalOfName(text)))
  )
