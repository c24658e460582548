/** Renders how an MCP server differs from the accepted state, and the command that accepts exactly these changes. */
import { isObject, listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls } from "./escape.ts"
import { shellQuoted } from "../shell.ts"
import type { RequestContext } from "./connector-plan.ts"

const faint = 2
const red = 31
const green = 32
const yellow = 33
/** Enough of a description to recognize an instruction to an agent. */
const charactersMax = 2_000

const signs = {
  tool_added: ["+", green],
  tool_removed: ["-", red],
  tool_changed: ["~", yellow]
} as const
type ToolChange = keyof typeof signs
const isToolChange = (kind: string): kind is ToolChange => Object.hasOwn(signs, kind)

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value ?? null) ?? "null")
  return escapeControls(text.length > charactersMax ? `${text.slice(0, charactersMax)}… (use -o json for all)` : text)
}

/** The changed members of a tool, before and after. */
const memberLines = (change: unknown, style: TextStyle): ReadonlyArray<string> =>
  listAt(change, "members").flatMap((name) => {
    const of = (side: string) => member(change, `${side}.${String(name)}`)
    return [
      paint(style, red, `    - ${escapeControls(String(name))}: ${short(of("before"))}`),
      paint(style, green, `    + ${escapeControls(String(name))}: ${short(of("after"))}`)
    ]
  })

const changeLines = (change: unknown, style: TextStyle): ReadonlyArray<string> => {
  const kind = textAt(change, "kind") ?? "change"
  if (!isToolChange(kind)) {
    // The recipient of the credential changed, which is the most important change.
    return [
      paint(style, red, `! ${escapeControls(kind.replaceAll("_", " "))}`),
      paint(style, red, `    - ${short(member(change, "before"))}`),
      paint(style, green, `    + ${short(member(change, "after"))}`)
    ]
  }
  const [sign, color] = signs[kind]
  const description = kind === "tool_added" ? textAt(change, "after.description") : undefined
  return [
    paint(style, color, `${sign} ${escapeControls(textAt(change, "name") ?? "?")}`),
    ...(description === undefined ? [] : [paint(style, faint, `    ${short(description)}`)]),
    ...(kind === "tool_changed" ? memberLines(change, style) : [])
  ]
}

export const review = (body: unknown, style: TextStyle, request: RequestContext): string => {
  const about = member(body, "review")
  const fingerprint = textAt(about, "fingerprint") ?? ""
  const changes = listAt(about, "changes")
  const previousDecision =
    isObject(about) && about["decision"] === "reject" ? " An earlier review rejected these changes." : ""
  const more = member(about, "changesTruncated") === true ? [paint(style, faint, "more changes are not shown")] : []
  return [
    `The server differs from the accepted state. First detected: ${escapeControls(textAt(about, "detectedAt") ?? "?")}.${previousDecision}`,
    "",
    ...changes.flatMap((change) => changeLines(change, style)),
    ...more,
    "",
    `${changes.length} ${changes.length === 1 ? "change" : "changes"}. Changed tools cannot be called until you accept the changes.`,
    `orgplane mcp-connections decide-review ${shellQuoted(escapeControls(request.ids[0] ?? ""))} --fingerprint ${shellQuoted(escapeControls(fingerprint))} --decision accept`
  ].join("\n")
}
