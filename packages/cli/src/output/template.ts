/**
 * Templates in the syntax of Go templates, as far as `gh` users need it: `{{.name}}`, `{{range .items}}…{{end}}`,
 * `{{if .enabled}}…{{else}}…{{end}}`, texts such as `{{"\n"}}`, and the functions `json`, `join` and `timeago`.
 */
import { usage } from "../failure.ts"
import { escapeLines } from "./escape.ts"
import type { OutputOptions } from "./render.ts"
import { relativeTime } from "./relative-time.ts"
import { isObject, member } from "./value.ts"

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly words: ReadonlyArray<string> }
  | {
      readonly kind: "range" | "if"
      readonly path: string
      readonly then: ReadonlyArray<Part>
      readonly otherwise: ReadonlyArray<Part>
    }

const fail = (problem: string): never => {
  throw usage(`--template: ${problem}`)
}

/** The actions and the texts between them. A dash inside the braces removes the space on its side. */
const tokensOf = (template: string): ReadonlyArray<{ readonly isAction: boolean; readonly text: string }> => {
  const tokens: Array<{ isAction: boolean; text: string }> = []
  let rest = template
  for (;;) {
    const start = rest.indexOf("{{")
    if (start === -1) break
    const end = rest.indexOf("}}", start)
    if (end === -1) return fail("an action has no closing braces.")
    let before = rest.slice(0, start)
    let action = rest.slice(start + 2, end)
    rest = rest.slice(end + 2)
    if (/^-\s/u.test(action)) {
      action = action.slice(1)
      before = before.trimEnd()
    }
    if (/\s-$/u.test(action)) {
      action = action.slice(0, -1)
      rest = rest.trimStart()
    }
    tokens.push({ isAction: false, text: before }, { isAction: true, text: action.trim() })
  }
  return [...tokens, { isAction: false, text: rest }]
}

const parseTemplate = (template: string): ReadonlyArray<Part> => {
  const tokens = tokensOf(template)
  let index = 0
  /** Reads parts up to the action that ends the block. */
  const block = (depth: number): { readonly parts: ReadonlyArray<Part>; readonly end: "end" | "else" | undefined } => {
    if (depth > 20) return fail("blocks are nested too deeply.")
    const parts: Array<Part> = []
    while (index < tokens.length) {
      const token = tokens[index++]
      if (token === undefined) break
      if (!token.isAction) {
        if (token.text !== "") parts.push({ kind: "text", text: token.text })
        continue
      }
      const [word = "", path = "."] = token.text.split(/\s+/u)
      if (word === "end" || word === "else") return { parts, end: word }
      if (word === "range" || word === "if") {
        const then = block(depth + 1)
        const otherwise = then.end === "else" ? block(depth + 1) : undefined
        if ((otherwise ?? then).end !== "end") return fail(`{{${token.text}}} has no {{end}}.`)
        parts.push({ kind: word, path, then: then.parts, otherwise: otherwise?.parts ?? [] })
      } else parts.push({ kind: "value", words: wordsOf(token.text) })
    }
    return { parts, end: undefined }
  }
  const { end, parts } = block(0)
  return end === undefined ? parts : fail(`{{${end}}} is outside a block.`)
}

/** Words and texts in quotes. */
const wordsOf = (action: string): ReadonlyArray<string> =>
  action.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/gu) ?? fail("an action is empty.")

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0)

/** Returns the text of a template for a value. */
export const filled = (root: unknown, template: string, output: OutputOptions): string => {
  const at = (value: unknown, path: string): unknown => {
    if (path === ".") return value
    if (path === "$") return root
    if (path.startsWith("$.")) return member(root, path.slice(2))
    if (!path.startsWith(".")) return fail(`'${path}' is not a field. Fields start with a dot: {{.${path}}}.`)
    return member(value, path.slice(1))
  }
  const operand = (value: unknown, word: string | undefined): unknown => {
    if (word === undefined) return fail("a function has too few arguments.")
    if (!word.startsWith('"')) return at(value, word)
    try {
      return JSON.parse(word) as unknown
    } catch {
      return fail(`${word} is not a valid string.`)
    }
  }
  const evaluated = (value: unknown, [first = "", ...others]: ReadonlyArray<string>): string => {
    switch (first) {
      case "json":
        return JSON.stringify(operand(value, others[0]) ?? null)
      case "join": {
        const list = operand(value, others[1])
        const separator = textOf(operand(value, others[0]))
        return Array.isArray(list) ? list.map(textOf).join(separator) : textOf(list)
      }
      case "timeago": {
        const time = textOf(operand(value, others[0]))
        return Number.isNaN(Date.parse(time)) ? time : relativeTime(time, output.now)
      }
      default:
        if (others.length > 0) return fail(`'${first}' is not a function. Functions: json, join, timeago.`)
        return textOf(operand(value, first))
    }
  }
  const rendered = (parts: ReadonlyArray<Part>, value: unknown): string =>
    parts
      .map((part) => {
        if (part.kind === "text") return part.text
        if (part.kind === "value") return evaluated(value, part.words)
        const subject = at(value, part.path)
        if (part.kind === "if") return rendered(isEmpty(subject) ? part.otherwise : part.then, value)
        const items = Array.isArray(subject) ? subject : isObject(subject) ? Object.values(subject) : []
        return items.length === 0
          ? rendered(part.otherwise, value)
          : items.map((item: unknown) => rendered(part.then, item)).join("")
      })
      .join("")
  const text = rendered(parseTemplate(template), root).replace(/\n$/u, "")
  return output.terminal ? escapeLines(text) : text
}
