/** Finds the files that a plugin's other files refer to. */
import { withoutTrailing } from "../../../infra/normalize.ts"

/** Larger files are not checked. */
export const referenceBytesMax = 262_144
const referencesMax = 500

const inRoot = /\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)\/([A-Za-z0-9_@+./-]+)([*<{$?[]?)/gu
const markdownLink = /\[[^\]\n]{0,200}\]\((\.{0,2}[A-Za-z0-9_@+./-]+\.[A-Za-z0-9]{1,8})(?:#[^)\s]{0,200})?\)/gu

/** A normalized path; undefined if it leaves the plugin. */
const inside = (parts: ReadonlyArray<string>): string | undefined => {
  const segments: Array<string> = []
  for (const part of parts) {
    if (part === "" || part === ".") continue
    if (part !== "..") segments.push(part)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.length === 0 ? undefined : segments.join("/")
}

/** Text outside fenced and inline code, which contains examples. */
const proseOf = (text: string): string => {
  let codeFence: string | undefined
  const lines: Array<string> = []
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1]
    if (codeFence === undefined && mark !== undefined) codeFence = mark
    else if (codeFence !== undefined && mark?.startsWith(codeFence) === true) codeFence = undefined
    else if (codeFence === undefined) lines.push(line.replaceAll(/`[^`]*`/gu, ""))
  }
  return lines.join("\n")
}

/**
 * The files below the plugin's root that a file refers to: `${CLAUDE_PLUGIN_ROOT}/…` in any file, and Markdown links in
 * a SKILL.md.
 */
export const referencesOf = (path: string, text: string): ReadonlySet<string> => {
  const references = new Set<string>()
  const add = (parts: ReadonlyArray<string>) => {
    const reference = inside(parts)
    if (reference !== undefined && references.size < referencesMax) references.add(reference)
  }
  for (const [, reference = "", next] of text.matchAll(inRoot)) {
    // A reference with a pattern or a placeholder is not a file name.
    const name = next === "" ? withoutTrailing(reference, ".,") : reference.slice(0, reference.lastIndexOf("/") + 1)
    add(name.split("/"))
  }
  if (path === "SKILL.md" || path.endsWith("/SKILL.md")) {
    const folder = path.split("/").slice(0, -1)
    for (const [, reference = ""] of proseOf(text).matchAll(markdownLink)) {
      if (!reference.startsWith("/")) add([...folder, ...reference.split("/")])
    }
  }
  return references
}

/** Whether a file is checked for references: the files that agents run and read first. */
export const isReferring = (path: string): boolean =>
  /^(?:hooks\/[^/]+\.json|\.mcp\.json|\.lsp\.json|(?:\.claude-plugin\/)?plugin\.json)$/u.test(path) ||
  /(?:^|\/)SKILL\.md$/u.test(path) ||
  /^(?:commands|agents)\/.+\.md$/u.test(path)
