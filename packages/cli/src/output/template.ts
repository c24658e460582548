/**
 * Templates in the syntax of Go templates, as far as `gh` users need it: `{{.name}}`, `{{range .items}}…{{end}}`,
 * `{{if .enabled}}…{{else if .draft}}…{{else}}…{{end}}`, texts such as `{{"\n"}}`, and the functions `json`, `join` and `timeago`.
 */
import { usage } from "../failure.ts"
import { escapeLines } from "./escape.ts"
import { relativeTime } from "./relative-time.ts"
import type { SelectionStyle } from "./selection.ts"
import { isObject, member } from "./value.ts"

/** A field such as `.name`, `$.name` or `.`, or a text in quotes. */
type Operand =
  | { readonly text: string }
  | { readonly from: "root" | "here"; readonly path: ReadonlyArray<string>; readonly word: string }

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly name: FunctionName | undefined; readonly operands: ReadonlyArray<Operand> }
  | {
      readonly kind: "range" | "if"
      readonly subject: Operand
      readonly then: ReadonlyArray<Part>
      readonly otherwise: ReadonlyArray<Part>
    }

/** The functions, and how many operands each has. */
const functions = { json: 1, join: 2, timeago: 1 } as const
type FunctionName = keyof typeof functions
const isFunction = (word: string): word is FunctionName => Object.hasOwn(functions, word)

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
  /** Reads parts up to the action that ends the block. Returns the words of that action. */
  const block = (depth: number): { readonly parts: ReadonlyArray<Part>; readonly end: ReadonlyArray<string> } => {
    if (depth > 20) return fail("blocks are nested too deeply.")
    const parts: Array<Part> = []
    while (index < tokens.length) {
      const token = tokens[index++]
      if (token === undefined) break
      if (!token.isAction) {
        if (token.text !== "") parts.push({ kind: "text", text: token.text })
        continue
      }
      const words = wordsOf(token.text)
      const [word = "", ...others] = words
      if (word === "end" || word === "else") return { parts, end: words }
      parts.push(word === "range" || word === "if" ? branches(word, others, depth + 1) : valueOf(word, others))
    }
    return { parts, end: [] }
  }
  /** Reads a `range` or an `if` up to its `end`. */
  const branches = (kind: "range" | "if", words: ReadonlyArray<string>, depth: number): Part => {
    const [field = "", ...others] = words
    if (field === "" || others.length > 0) return fail(`{{${kind} …}} must have one field: {{${kind} .name}}.`)
    const subject = operandOf(field)
    const { end, parts: then } = block(depth)
    const [word, next, ...nextWords] = end
    if (word === "else" && kind === "if" && next === "if") {
      return { kind, subject, then, otherwise: [branches("if", nextWords, depth + 1)] }
    }
    const last = word === "else" && next === undefined ? block(depth) : undefined
    const { end: lastEnd } = last ?? { end }
    if (lastEnd.length > 1) return fail(`{{${lastEnd.join(" ")}}} is not supported here.`)
    if (lastEnd[0] !== "end") return fail(`{{${kind} ${field}}} has no {{end}}.`)
    return { kind, subject, then, otherwise: last?.parts ?? [] }
  }
  const { end, parts } = block(0)
  return end.length === 0 ? parts : fail(`{{${end.join(" ")}}} is outside a block.`)
}

/** Words and texts in quotes. */
const wordsOf = (action: string): ReadonlyArray<string> => {
  if (action === "") return fail("an action is empty.")
  const words: ReadonlyArray<string> = action.match(/"(?:[^"\\]|\\.)*"|[^\s"]+|"/gu) ?? []
  return words.includes('"') ? fail(`{{${action}}} has no closing quotation mark.`) : words
}

const operandOf = (word: string): Operand => {
  if (word.startsWith('"')) {
    try {
      return { text: JSON.parse(word) as string }
    } catch {
      return fail(`${word} is not a valid string.`)
    }
  }
  const from = word === "$" || word.startsWith("$.") ? "root" : "here"
  const path = from === "root" ? word.slice(1) : word
  if (path === "" || path === ".") return { from, path: [], word }
  if (!path.startsWith(".")) return fail(`'${word}' is not a field. Fields start with a dot: {{.${word}}}.`)
  const names = path.slice(1).split(".")
  return names.includes("") ? fail(`'${word}' is not a field.`) : { from, path: names, word }
}

const valueOf = (first: string, others: ReadonlyArray<string>): Part => {
  if (!isFunction(first)) {
    if (others.length > 0) return fail(`'${first}' is not a function. Functions: ${Object.keys(functions).join(", ")}.`)
    return { kind: "value", name: undefined, operands: [operandOf(first)] }
  }
  const count = functions[first]
  if (others.length !== count) {
    return fail(`the function '${first}' has too ${others.length < count ? "few" : "many"} arguments.`)
  }
  return { kind: "value", name: first, operands: others.map(operandOf) }
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0)

/** The value of a field. Only objects have fields, and an object without the field has no text. */
const fieldOf = (start: unknown, { path, word }: { readonly path: ReadonlyArray<string>; readonly word: string }) => {
  let value = start
  for (const name of path) {
    if (value === null || value === undefined) return undefined
    if (Array.isArray(value)) return fail(`'${word}' is a field of the objects in a list. Use {{range}}, or --jq.`)
    if (!isObject(value)) return fail(`'${word}' is not a field: '${name}' would be a field of a text or a number.`)
    value = member(value, name)
  }
  return value
}

/** Parses a template. Returns the function that renders a value with it. */
export const templateOf = (template: string, { now, terminal }: SelectionStyle): ((root: unknown) => string) => {
  const parts = parseTemplate(template)
  const textOfPart = (part: Part & { readonly kind: "value" }, valueOf: (operand: Operand | undefined) => unknown) => {
    const [first, second] = part.operands
    switch (part.name) {
      case "json":
        return JSON.stringify(valueOf(first) ?? null)
      case "join": {
        const list = valueOf(second)
        return Array.isArray(list) ? list.map(textOf).join(textOf(valueOf(first))) : textOf(list)
      }
      case "timeago": {
        const time = textOf(valueOf(first))
        return Number.isNaN(Date.parse(time)) ? time : relativeTime(time, now())
      }
      default:
        return textOf(valueOf(first))
    }
  }
  return (root) => {
    const rendered = (block: ReadonlyArray<Part>, here: unknown): string => {
      const valueOf = (operand: Operand | undefined): unknown => {
        if (operand === undefined) return undefined
        if ("text" in operand) return operand.text
        const start = operand.from === "root" ? root : here
        return fieldOf(start, operand)
      }
      return block
        .map((part) => {
          if (part.kind === "text") return part.text
          if (part.kind === "value") return textOfPart(part, valueOf)
          const subject = valueOf(part.subject)
          if (part.kind === "if") return rendered(isEmpty(subject) ? part.otherwise : part.then, here)
          const items = Array.isArray(subject) ? subject : isObject(subject) ? Object.values(subject) : []
          return items.length === 0
            ? rendered(part.otherwise, here)
            : items.map((item: unknown) => rendered(part.then, item)).join("")
        })
        .join("")
    }
    const text = rendered(parts, root).replace(/\n$/u, "")
    return terminal ? escapeLines(text) : text
  }
}
