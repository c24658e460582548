/** Renders memory search results with their relevance. Matching words are bold. */
import { listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls, escapeLines } from "./escape.ts"
import type { RequestContext } from "./connector-plan.ts"

const bold = 1
const faint = 2
const linesMax = 6

const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

/** Whether two words are equal, or one of more than three letters is a prefix of the other. */
const isLike = (word: string, term: string) =>
  word === term || (term.length > 3 && word.startsWith(term)) || (word.length > 3 && term.startsWith(word))

const marked = (text: string, words: ReadonlyArray<string>, style: TextStyle) =>
  text.replace(/[\p{L}\p{N}\p{M}]+/gu, (word) =>
    words.some((term) => isLike(plain(word), term)) ? paint(style, bold, word) : word
  )

export const memories = (body: unknown, style: TextStyle, request: RequestContext): string => {
  const results = listAt(body, "results")
  if (results.length === 0) return "Nothing found."
  const question = request.query?.["q"]
  const words = (typeof question === "string" ? plain(question).match(/[\p{L}\p{N}]{2,}/gu) : null) ?? []
  return results
    .map((result) => {
      const score = member(result, "score")
      const tags = listAt(result, "tags").filter((tag) => typeof tag === "string")
      const header = [
        typeof score === "number" ? `${Math.round(score * 100)}%` : "",
        textAt(result, "createdAt")?.slice(0, 10) ?? "",
        escapeControls(textAt(result, "id") ?? ""),
        ...tags.map((tag) => `#${escapeControls(tag)}`)
      ]
      const lines = escapeLines(textAt(result, "content") ?? "").split("\n")
      const shown = lines.slice(0, linesMax).map((line) => `  ${marked(line, words, style)}`)
      const more = lines.length > linesMax ? [paint(style, faint, `  and ${lines.length - linesMax} more lines`)] : []
      return [paint(style, faint, header.join("  ")), ...shown, ...more].join("\n")
    })
    .join("\n\n")
}
