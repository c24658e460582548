/** Renders the difference between two versions as a unified diff: colored on a terminal, unchanged for `patch`. */
import { isObject, listAt, member, textAt } from "./value.ts"
import { escapeControls } from "./escape.ts"
import { capabilityLines } from "./capability-changes.ts"

export interface DiffStyle {
  readonly terminal: boolean
  readonly colors: boolean
}

const codes = { "+": 32, "-": 31, "@": 36 } as const
const paint = (code: number, text: string, style: DiffStyle) =>
  style.colors ? `\u001b[${code}m${text}\u001b[0m` : text

const tab = "    "

const line = (text: string, index: number, style: DiffStyle): string => {
  if (!style.terminal) return text
  const shown = escapeControls(text.replaceAll("\t", tab))
  // The two header lines start with the same characters as removed and added lines.
  if (index < 2) return paint(1, shown, style)
  const mark = text[0]
  return mark === "+" || mark === "-" || mark === "@" ? paint(codes[mark], shown, style) : shown
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "null"
  return escapeControls(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}

const payloadLine = (change: unknown, style: DiffStyle): ReadonlyArray<string> => {
  const path = escapeControls(textAt(change, "path") ?? "/")
  const of = (name: "before" | "after") => short(isObject(change) ? change[name] : null)
  const removed = paint(31, `- ${path}: ${of("before")}`, style)
  const added = paint(32, `+ ${path}: ${of("after")}`, style)
  switch (member(change, "op")) {
    case "add":
      return [added]
    case "remove":
      return [removed]
    default:
      return [removed, added]
  }
}

/** The response wraps a diff of config object versions in `item`, and one of template versions in `diff`. */
const sideOf = (body: unknown) => (member(body, "item") === undefined ? "diff" : "item")
const changesOf = (body: unknown) =>
  sideOf(body) === "item" ? listAt(body, "item.payloadChanges") : listAt(body, "diff.changes")

/** Renders the text diff. The payload diff follows on a terminal, or if the texts are identical. */
export const diff = (body: unknown, style: DiffStyle): string => {
  const text = textAt(body, `${sideOf(body)}.textDiff`)?.replace(/\n$/u, "")
  const lines = text === undefined ? [] : text.split("\n").map((each, index) => line(each, index, style))
  const changes = style.terminal || text === undefined ? changesOf(body) : []
  const more =
    member(body, `${sideOf(body)}.truncated`) === true && changes.length > 0 ? ["(more changes are not shown)"] : []
  const payload =
    changes.length === 0
      ? []
      : [paint(1, "payload", style), ...changes.flatMap((each) => payloadLine(each, style)), ...more]
  // A patch does not contain the capabilities.
  const changed = style.terminal ? capabilityLines(member(body, `${sideOf(body)}.capabilities`), style) : []
  const capabilities = changed.length === 0 ? [] : [paint(1, "capabilities", style), ...changed]
  return [lines, payload, capabilities]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")
}

export const isSame = (body: unknown): boolean =>
  textAt(body, `${sideOf(body)}.textDiff`) === undefined && changesOf(body).length === 0
