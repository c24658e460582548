/** Renders an access explanation: each path of grants from the member to the object, or the missing grant. */
import { escapeControls } from "./escape.ts"
import { listAt, member, textAt } from "./value.ts"

export interface TextStyle {
  /** Whether the terminal can show characters beyond ASCII. */
  readonly unicode: boolean
  readonly colors: boolean
}

interface Symbols {
  readonly arrow: string
  readonly yes: string
  readonly no: string
}

const asciiSymbols: Symbols = { arrow: "`-> ", yes: "+", no: "x" }
const unicodeSymbols: Symbols = { arrow: "└─▶ ", yes: "✓", no: "✗" }

export const paint = (style: Pick<TextStyle, "colors">, code: number, text: string) =>
  style.colors ? `\u001b[${code}m${text}\u001b[0m` : text

const stepText = (step: unknown): string => {
  const kind = textAt(step, "kind") ?? "step"
  const [label, id] = [textAt(step, "label"), textAt(step, "id")]
  if (kind === "hidden") return `(${label ?? "hidden"})`
  return [kind, label, id === label ? undefined : id].filter((part) => part !== undefined).join(" ")
}

const pathLines = (path: unknown, style: TextStyle, symbols: Symbols): ReadonlyArray<string> => {
  const lines = listAt(path, "steps").map((step, index) => {
    const indent = index === 0 ? "  " : `  ${"   ".repeat(index - 1)}${symbols.arrow}`
    // Not truncated: it ends with the ID that users copy.
    return indent + escapeControls(stepText(step))
  })
  return [paint(style, 2, `as ${escapeControls(textAt(path, "level") ?? "?")}`), ...lines]
}

/** Lowest first. */
const levels = ["viewer", "editor", "manager"]

/** Without this permission, grants on objects of this kind have no effect. */
const readPermissions: Readonly<Record<string, string>> = {
  connectorInstance: "connectors:read",
  configObject: "configObjects:read",
  plugin: "plugins:read",
  marketplace: "marketplaces:read",
  mcpConnection: "mcpConnections:read",
  llmProvider: "llmProviders:read"
}

/** Why access is not allowed: the level is too low, or the level is sufficient but a permission is missing. */
const causeOf = (needed: string, level: string | undefined, kind: string | undefined, missing: string | undefined) => {
  if (level === undefined || levels.indexOf(level) < levels.indexOf(needed)) {
    return `needs ${needed}, has ${level ?? "no access"}`
  }
  const permission = readPermissions[kind ?? ""]
  // The server decides which permission is missing. Name it only if its message does.
  return permission !== undefined && missing?.includes(permission)
    ? `needs the permission ${permission} (access level: ${level})`
    : `a permission is missing (access level: ${level})`
}

/** Renders every path to the object, highest level first, or the missing grant. */
export const chain = (body: unknown, style: TextStyle, request?: { readonly body: unknown }): string => {
  const symbols = style.unicode ? unicodeSymbols : asciiSymbols
  const explanation = member(body, "explanation")
  const allowed = member(explanation, "allowed") === true
  const [needed, level] = [textAt(explanation, "needed") ?? "?", textAt(explanation, "level")]
  const missing = textAt(explanation, "missing")
  const cause = causeOf(needed, level, textAt(request?.body, "object.kind"), missing)
  const headline = allowed
    ? paint(
        style,
        32,
        `${symbols.yes} allowed: needs ${escapeControls(needed)}, has ${escapeControls(level ?? "no access")}`
      )
    : paint(style, 31, `${symbols.no} not allowed: ${escapeControls(cause)}`)
  return [
    headline,
    ...listAt(explanation, "paths").flatMap((path) => ["", ...pathLines(path, style, symbols)]),
    ...(missing === undefined ? [] : ["", `${paint(style, 31, "missing:")} ${escapeControls(missing)}`])
  ].join("\n")
}
