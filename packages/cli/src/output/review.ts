/** Renders how an MCP server differs from the approved state, and the command that accepts exactly these changes. */
import { isObject, listAt, member, textAt } from "./cell.ts"
import { type Pen, paint } from "./chain.ts"
import { harmless } from "./harmless.ts"
import { type Asked, quoted } from "./plan.ts"

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
  return harmless(text.length > charactersMax ? `${text.slice(0, charactersMax)}… (use -o json for all)` : text)
}

/** The changed members of a tool, before and after. */
const memberLines = (change: unknown, pen: Pen): ReadonlyArray<string> =>
  listAt(change, "members").flatMap((name) => {
    const of = (side: string) => member(change, `${side}.${String(name)}`)
    return [
      paint(pen, red, `    - ${harmless(String(name))}: ${short(of("before"))}`),
      paint(pen, green, `    + ${harmless(String(name))}: ${short(of("after"))}`)
    ]
  })

const changeLines = (change: unknown, pen: Pen): ReadonlyArray<string> => {
  const kind = textAt(change, "kind") ?? "change"
  if (!isToolChange(kind)) {
    // The recipient of the credential changed, which is the most important change.
    return [
      paint(pen, red, `! ${harmless(kind.replaceAll("_", " "))}`),
      paint(pen, red, `    - ${short(member(change, "before"))}`),
      paint(pen, green, `    + ${short(member(change, "after"))}`)
    ]
  }
  const [sign, color] = signs[kind]
  const description = kind === "tool_added" ? textAt(change, "after.description") : undefined
  return [
    paint(pen, color, `${sign} ${harmless(textAt(change, "name") ?? "?")}`),
    ...(description === undefined ? [] : [paint(pen, faint, `    ${short(description)}`)]),
    ...(kind === "tool_changed" ? memberLines(change, pen) : [])
  ]
}

export const review = (body: unknown, pen: Pen, asked: Asked): string => {
  const about = member(body, "review")
  const fingerprint = textAt(about, "fingerprint") ?? ""
  const changes = listAt(about, "changes")
  const refused =
    isObject(about) && about["decision"] === "reject"
      ? " A previous review rejected it, and the changes stay rejected."
      : ""
  const more = member(about, "changesTruncated") === true ? [paint(pen, faint, "more changes are not shown")] : []
  return [
    `Differs from the accepted state since ${harmless(textAt(about, "detectedAt") ?? "?")}.${refused}`,
    "",
    ...changes.flatMap((change) => changeLines(change, pen)),
    ...more,
    "",
    `${changes.length} ${changes.length === 1 ? "change" : "changes"}. Changed tools cannot be called until you accept them.`,
    `orgplane mcp-connections decide-review ${quoted(harmless(asked.ids[0] ?? ""))} --fingerprint ${quoted(harmless(fingerprint))} --decision accept`
  ].join("\n")
}
