/** Characters that people do not see and models read. */

/** Format characters, private ones, fillers, and the variation selectors that can carry data. A joiner in an emoji is captured. */
const hidden =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])(\u200D)(?=\p{Extended_Pictographic})|[\p{Cf}\p{Co}\u115F\u1160\u3164\uFFA0]|[\u{E0100}-\u{E01EF}]/gu

/** The text with the code points of hidden characters, such as `⟨U+200B⟩`. */
export const visible = (text: string): string =>
  text.replace(hidden, (character: string, joiner: string | undefined) => {
    if (joiner !== undefined) return character
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
  })
