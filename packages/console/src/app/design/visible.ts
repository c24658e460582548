/** Characters that people do not see and models read. */

/** Scripts that are written with joiners: a joiner between two of their letters is part of the word. */
const joined = String.raw`\p{Script=Arabic}\p{Script=Bengali}\p{Script=Devanagari}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}`

/** What people type as a part of an emoji or of a word. */
const expected = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=[${joined}])[\u200C\u200D](?=[${joined}])`
]

/** Format and control characters, private ones, fillers, and variation selectors, which can carry data. */
const hidden = String.raw`[\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]|(?![\t\n\r])\p{Cc}`

const pattern = new RegExp(`(${expected.join("|")})|${hidden}`, "gu")
// Most texts have only these, and are not searched further.
const plain = /^[\t\n\r\x20-\x7E]*$/

/** The text with the code points of hidden characters, such as `⟨U+200B⟩`. */
export const visible = (text: string): string =>
  plain.test(text)
    ? text
    : text.replace(pattern, (character: string, isExpected: string | undefined) => {
        if (isExpected !== undefined) return character
        return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
      })
