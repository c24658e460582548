/** An explanation of access as a drawing: from the member, step by step, to the object. */
import { harmless } from "./harmless.ts"
import { listAt, member, textAt } from "./cell.ts"

export interface Pen {
  /** Lines and arrows beyond ASCII. */
  readonly unicode: boolean
  readonly colors: boolean
}

interface Strokes {
  readonly arrow: string
  readonly yes: string
  readonly no: string
}

const plain: Strokes = { arrow: "`-> ", yes: "+", no: "x" }
const fine: Strokes = { arrow: "└─▶ ", yes: "✓", no: "✗" }

export const paint = (pen: Pen, code: number, text: string) => (pen.colors ? `\u001b[${code}m${text}\u001b[0m` : text)

const quoted = (text: string, pen: Pen) => (pen.unicode ? text : text.replace(/[«»]/g, '"'))

const stepText = (step: unknown): string => {
  const kind = textAt(step, "kind") ?? "step"
  const [label, id] = [textAt(step, "label"), textAt(step, "id")]
  if (kind === "hidden") return `(${label ?? "hidden"})`
  return [kind, label, id === label ? undefined : id].filter((part) => part !== undefined).join(" ")
}

const pathLines = (path: unknown, pen: Pen, strokes: Strokes): ReadonlyArray<string> => {
  const lines = listAt(path, "steps").map((step, index) => {
    const lead = index === 0 ? "  " : `  ${"   ".repeat(index - 1)}${strokes.arrow}`
    // Never cut: what stands at its end is the id that somebody wants to copy.
    return lead + harmless(stepText(step))
  })
  return [paint(pen, 2, `as ${harmless(textAt(path, "level") ?? "?")}`), ...lines]
}

/** Every way to the object, highest first, or the link that is missing. */
export const chain = (body: unknown, pen: Pen): string => {
  const strokes = pen.unicode ? fine : plain
  const explanation = member(body, "explanation")
  const allowed = member(explanation, "allowed") === true
  const [needed, level] = [textAt(explanation, "needed") ?? "?", textAt(explanation, "level")]
  const head = allowed
    ? paint(pen, 32, `${strokes.yes} allowed: needs ${harmless(needed)}, has ${harmless(level ?? "nothing")}`)
    : paint(pen, 31, `${strokes.no} not allowed: needs ${harmless(needed)}, has ${harmless(level ?? "nothing")}`)
  const missing = textAt(explanation, "missing")
  return [
    head,
    ...listAt(explanation, "paths").flatMap((path) => ["", ...pathLines(path, pen, strokes)]),
    ...(missing === undefined ? [] : ["", `${paint(pen, 31, "missing:")} ${quoted(harmless(missing), pen)}`])
  ].join("\n")
}
