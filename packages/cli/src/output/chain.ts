/** Renders an access explanation: each path of grants from the member to the object, or what is missing. */
import { harmless } from "./harmless.ts"
import { listAt, member, textAt } from "./cell.ts"

export interface Pen {
  /** Whether the terminal can show characters beyond ASCII. */
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
    // Not truncated: it ends with the ID that users copy.
    return lead + harmless(stepText(step))
  })
  return [paint(pen, 2, `as ${harmless(textAt(path, "level") ?? "?")}`), ...lines]
}

/** Lowest first. */
const levels = ["viewer", "editor", "manager"]

/** Without this permission no grant on an object of the kind has an effect. */
const readPermissions: Readonly<Record<string, string>> = {
  connectorInstance: "connectors:read",
  configObject: "configObjects:read",
  plugin: "plugins:read",
  marketplace: "marketplaces:read",
  mcpConnection: "mcpConnections:read",
  llmProvider: "llmProviders:read"
}

/** The reason of a refusal: the level is too low, or it is sufficient and a permission is missing. */
const causeOf = (needed: string, level: string | undefined, kind: string | undefined, missing: string | undefined) => {
  if (level === undefined || levels.indexOf(level) < levels.indexOf(needed)) {
    return `needs ${needed}, has ${level ?? "nothing"}`
  }
  const permission = readPermissions[kind ?? ""]
  // The server decides which permission is missing. Name it only if its message does.
  return permission !== undefined && missing?.includes(permission)
    ? `needs the permission ${permission} (access level: ${level})`
    : `a permission is missing (access level: ${level})`
}

/** Renders every path to the object, highest level first, or what is missing. `asked` is the request. */
export const chain = (body: unknown, pen: Pen, asked?: { readonly body: unknown }): string => {
  const strokes = pen.unicode ? fine : plain
  const explanation = member(body, "explanation")
  const allowed = member(explanation, "allowed") === true
  const [needed, level] = [textAt(explanation, "needed") ?? "?", textAt(explanation, "level")]
  const missing = textAt(explanation, "missing")
  const cause = causeOf(needed, level, textAt(asked?.body, "object.kind"), missing)
  const head = allowed
    ? paint(pen, 32, `${strokes.yes} allowed: needs ${harmless(needed)}, has ${harmless(level ?? "nothing")}`)
    : paint(pen, 31, `${strokes.no} not allowed: ${harmless(cause)}`)
  return [
    head,
    ...listAt(explanation, "paths").flatMap((path) => ["", ...pathLines(path, pen, strokes)]),
    ...(missing === undefined ? [] : ["", `${paint(pen, 31, "missing:")} ${quoted(harmless(missing), pen)}`])
  ].join("\n")
}
