/** Elements of Markdown components: their front matter, and commands and references in their text. */
import type { ComponentType } from "@orgplane/schema/plugin-capabilities"
import { sha256 } from "../../infra/crypto/digest.ts"
import { readFrontMatter } from "../config-objects/parse-front-matter.ts"
import type { Json, JsonObject } from "../config-objects/parse-json.ts"
import { type Add, addHooks, addMentions, addServers, type ConfigSource } from "./config-elements.ts"
import * as elements from "./elements.ts"

/** Fields that describe a component to people and models, like its text. */
const descriptive = new Set([
  "$schema",
  "argument-hint",
  "author",
  "category",
  "color",
  "compatibility",
  "description",
  "keywords",
  "license",
  "metadata",
  "tags",
  "title",
  "version",
  "when_to_use"
])
const options = new Set([
  "agent",
  "arguments",
  "background",
  "context",
  "disable-model-invocation",
  "disallowed-tools",
  "disallowedTools",
  "effort",
  "force-for-plugin",
  "initialPrompt",
  "isolation",
  "keep-coding-instructions",
  "maxTurns",
  "memory",
  "model",
  "name",
  "paths",
  "permissionMode",
  "shell",
  "skills",
  "user-invocable"
])

/** Tools as a list or in one text, in which commas and spaces inside parentheses belong to a tool. */
const toolsOf = (value: Json): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((item) => toolsOf(item as Json))
  if (typeof value !== "string") return value === null ? [] : [JSON.stringify(value)]
  const tools: Array<string> = []
  let depth = 0
  let current = ""
  for (const char of value) {
    if (char === "(") depth += 1
    if (char === ")") depth -= 1
    if (depth <= 0 && (char === "," || /\s/u.test(char))) {
      if (current !== "") tools.push(current)
      current = ""
    } else current += char
  }
  return current === "" ? tools : [...tools, current]
}

const textOf = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : typeof value === "string" ? value : JSON.stringify(value)

const nameOf = (type: ComponentType, path: string, data: JsonObject): string => {
  const parts = path.split("/")
  const own = type === "skill" ? parts.at(-2) : parts.at(-1)?.replace(/\.md$/iu, "")
  return textOf(data["name"]) ?? own ?? path
}

/** Commands that an agent runs when it loads a skill or command: `!` before inline code, or as the language of a block. */
const inlineCommands =
  /!`([^`]{1,10000})`|^[ \t]{0,3}(?:```|~~~)[ \t]{0,3}!([^]*?)(?:^[ \t]{0,3}(?:```|~~~)|$(?![^]))/gmu
const fileReferences = /(?:^|[\s("'`])@((?:~|\.{2}|\/|[A-Za-z]:[/\\])[^\s"'`)]{1,1000})/gmu

export const addComponent = (source: ConfigSource, componentType: ComponentType, add: Add): void => {
  const { lines, path, text } = source
  // Some readers skip what is not visible before the first line.
  const visible = text.replace(/^[\s\p{Default_Ignorable_Code_Point}]+(?=---)/u, "")
  const { body, data, warnings } = readFrontMatter(visible)
  if (warnings.length > 0) {
    const unread = data === null ? visible : visible.slice(0, visible.length - body.length)
    add(
      elements.unparsable(path, `has front matter that is not read completely: ${warnings.join(" ")}`, sha256(unread))
    )
  }
  const fields = data ?? {}
  const name = nameOf(componentType, path, fields)
  const raw: Record<string, Json> = {}
  const place = (mention: string) => ({ path, line: lines.of(mention) })
  let hasTools = false
  for (const [field, value] of Object.entries(fields)) {
    if (descriptive.has(field)) continue
    if (field === "allowed-tools" || field === "tools" || field === "allowedTools") {
      hasTools ||= field === "tools"
      for (const tool of toolsOf(value)) add(elements.tool(place(field), componentType, name, tool))
    } else if (field === "hooks") addHooks({ ...source, scope: path }, value, add)
    else if (field === "mcpServers" && typeof value === "object" && value !== null && !Array.isArray(value)) {
      addServers({ ...source, scope: path }, "mcp", value, add)
    } else if (options.has(field)) {
      if (value !== null) raw[field] = value
      if (typeof value === "string") addMentions(source, value, add)
    } else {
      add(elements.unknown(place(field), field, value), JSON.stringify(value))
      addMentions(source, value, add)
    }
  }
  // An agent without a list may use every tool.
  if (componentType === "agent" && !hasTools) add(elements.tool({ path, line: 1 }, componentType, name, "*"))
  add(
    elements.component(
      { path, line: 1 },
      {
        componentType,
        name,
        model: textOf(fields["model"]),
        permissionMode: textOf(fields["permissionMode"]),
        raw
      }
    )
  )
  const bodyAt = text.length - body.length
  const inBody = (index: number) => ({ path, line: lines.at(bodyAt + index) })
  for (const { 1: inline, 2: block, index } of body.matchAll(inlineCommands)) {
    const command = inline ?? block ?? ""
    add(elements.inlineCommand(inBody(index), name, command), command)
    addMentions(source, command, add)
  }
  for (const { 1: target = "", index } of body.matchAll(fileReferences)) add(elements.link(inBody(index), target))
}
