/** Renders memory search results with their relevance. Matching words are bold. */
import { listAt, member, textAt } from "./cell.ts"
import { paint, type Pen } from "./chain.ts"
import { harmless, harmlessLines } from "./harmless.ts"
import type { Asked } from "./plan.ts"

const bold = 1
const faint = 2
const linesMax = 6

const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

/** Whether two words are equal, or one of more than three letters is a prefix of the other. */
const isLike = (word: string, asked: string) =>
  word === asked || (asked.length > 3 && word.startsWith(asked)) || (word.length > 3 && asked.startsWith(word))

const marked = (text: string, words: ReadonlyArray<string>, pen: Pen) =>
  text.replace(/[\p{L}\p{N}\p{M}]+/gu, (word) =>
    words.some((asked) => isLike(plain(word), asked)) ? paint(pen, bold, word) : word
  )

export const memories = (body: unknown, pen: Pen, asked: Asked): string => {
  const found = listAt(body, "results")
  if (found.length === 0) return "Nothing found."
  const question = asked.query?.["q"]
  const words = (typeof question === "string" ? plain(question).match(/[\p{L}\p{N}]{2,}/gu) : null) ?? []
  return found
    .map((one) => {
      const score = member(one, "score")
      const tags = listAt(one, "tags").filter((tag) => typeof tag === "string")
      const head = [
        typeof score === "number" ? `${Math.round(score * 100)} %` : "",
        textAt(one, "createdAt")?.slice(0, 10) ?? "",
        harmless(textAt(one, "id") ?? ""),
        ...tags.map((tag) => `#${harmless(tag)}`)
      ]
      const lines = harmlessLines(textAt(one, "content") ?? "").split("\n")
      const shown = lines.slice(0, linesMax).map((line) => `  ${marked(line, words, pen)}`)
      const more = lines.length > linesMax ? [paint(pen, faint, `  and ${lines.length - linesMax} more lines`)] : []
      return [paint(pen, faint, head.join("  ")), ...shown, ...more].join("\n")
    })
    .join("\n\n")
}
