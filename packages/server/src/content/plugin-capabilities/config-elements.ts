/** Elements of JSON files and of front matter: hooks, servers, monitors, settings and the manifest. */
import type { CapabilityElement } from "@orgplane/schema/plugin-capabilities"
import { isJsonObject, type Json, type JsonObject } from "../config-objects/parse-json.ts"
import { type FileIndex, hostOf, hostsIn, interpreterOf, outsideOf } from "./commands.ts"
import * as elements from "./elements.ts"
import type { Lines } from "./lines.ts"

export interface ConfigSource {
  readonly path: string
  readonly text: string
  readonly lines: Lines
  /** Distinguishes the hooks and servers of a component from those of the plugin. */
  readonly scope: string
  readonly index: FileIndex
}

/** Adds an element. `mentions` is a text that can name files of the plugin, which then count as executables. */
export type Add = (element: CapabilityElement, mentions?: string) => void

const textOf = (value: Json | undefined): string | null => (typeof value === "string" ? value : null)
const textsOf = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map((item) => (typeof item === "string" ? item : JSON.stringify(item))) : []
const keysOf = (value: Json | undefined): ReadonlyArray<string> =>
  isJsonObject(value) ? Object.keys(value).sort() : []

const placeOf = ({ lines, path }: ConfigSource, mention: string) => ({ path, line: lines.of(mention) })

/** Hosts and paths outside the plugin that a value contains at any depth. */
export const addMentions = (source: ConfigSource, value: Json | undefined, add: Add): void => {
  if (typeof value === "string") {
    for (const host of hostsIn(value)) add(elements.networkHost(placeOf(source, value), host))
    for (const target of outsideOf(value)) add(elements.link(placeOf(source, value), target))
  } else if (Array.isArray(value)) for (const item of value as ReadonlyArray<Json>) addMentions(source, item, add)
  else if (isJsonObject(value)) for (const member of Object.values(value)) addMentions(source, member, add)
}

const handlerTypes = new Set(["command", "http", "mcp_tool", "prompt", "agent"])
const hookEvents = new Set(
  "PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied Notification UserPromptSubmit UserPromptExpansion Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact Elicitation ElicitationResult TeammateIdle TaskCreated TaskCompleted Setup InstructionsLoaded CwdChanged FileChanged ConfigChange WorktreeCreate WorktreeRemove SessionStart SessionEnd PreModelSwitch PostModelSwitch MessageDisplay DirectoryAdded".split(
    " "
  )
)

const addHandler = (source: ConfigSource, event: string, group: JsonObject, handler: Json, add: Add): void => {
  const handlerType = isJsonObject(handler) ? textOf(handler["type"]) : null
  if (!isJsonObject(handler) || handlerType === null || !handlerTypes.has(handlerType)) {
    add(elements.unknown(placeOf(source, event), `hooks.${event}`, [group["matcher"] ?? null, handler]))
    return
  }
  const command =
    textOf(handler["command"]) ??
    textOf(handler["url"]) ??
    textOf(handler["prompt"]) ??
    (handlerType === "mcp_tool" ? `${textOf(handler["server"]) ?? ""}.${textOf(handler["tool"]) ?? ""}` : null)
  const all = [command ?? "", ...textsOf(handler["args"])].join(" ")
  add(
    elements.hook(placeOf(source, command ?? event), source.scope, {
      event,
      matcher: textOf(group["matcher"]),
      handler: handlerType,
      command,
      interpreter: handlerType === "command" ? interpreterOf(all) : null,
      files: source.index.namedIn(all),
      raw: [group["matcher"] ?? null, handler]
    }),
    JSON.stringify(handler)
  )
}

/** Hooks by event, with or without the member `hooks` around them. */
export const addHooks = (source: ConfigSource, value: Json | undefined, add: Add): void => {
  if (!isJsonObject(value)) {
    if (value !== undefined) add(elements.unknown(placeOf(source, "hooks"), "hooks", value), JSON.stringify(value))
    return
  }
  const isWrapped = isJsonObject(value["hooks"])
  if (isWrapped) {
    for (const [name, member] of Object.entries(value)) {
      if (name === "hooks" || name === "description" || name === "$schema") continue
      add(elements.unknown(placeOf(source, name), name, member), JSON.stringify(member))
    }
  }
  for (const [event, groups] of Object.entries(isJsonObject(value["hooks"]) ? value["hooks"] : value)) {
    if (!isWrapped && (event === "description" || event === "$schema")) continue
    if (!hookEvents.has(event))
      add(elements.unknown(placeOf(source, event), `hooks.${event}`, groups), JSON.stringify(groups))
    if (!Array.isArray(groups)) {
      add(elements.unknown(placeOf(source, event), `hooks.${event}`, groups), JSON.stringify(groups))
      continue
    }
    for (const group of groups as ReadonlyArray<Json>) {
      if (!isJsonObject(group)) {
        add(elements.unknown(placeOf(source, event), `hooks.${event}`, group), JSON.stringify(group))
        continue
      }
      const { hooks, matcher, ...others } = group
      if (Array.isArray(hooks)) {
        for (const handler of hooks as ReadonlyArray<Json>) addHandler(source, event, group, handler, add)
      } else add(elements.unknown(placeOf(source, event), `hooks.${event}.hooks`, [matcher ?? null, hooks ?? null]))
      for (const [name, member] of Object.entries(others)) {
        add(elements.unknown(placeOf(source, name), `hooks.${event}.${name}`, member), JSON.stringify(member))
      }
      if (matcher !== undefined && typeof matcher !== "string") {
        add(elements.unknown(placeOf(source, event), `hooks.${event}.matcher`, matcher), JSON.stringify(matcher))
      }
    }
  }
  addMentions(source, value, add)
}

const transportOf = (server: JsonObject): string =>
  textOf(server["type"]) ?? textOf(server["transport"]) ?? (server["url"] === undefined ? "stdio" : "http")

/** Servers by name, with or without the member around them. */
export const addServers = (
  source: ConfigSource,
  serverType: "mcp" | "lsp",
  value: Json | undefined,
  add: Add
): void => {
  const wrapper = serverType === "mcp" ? "mcpServers" : "lspServers"
  if (!isJsonObject(value)) {
    if (value !== undefined) add(elements.unknown(placeOf(source, wrapper), wrapper, value), JSON.stringify(value))
    return
  }
  const inner = value[wrapper]
  if (isJsonObject(inner)) {
    for (const [name, member] of Object.entries(value)) {
      if (name !== wrapper && name !== "$schema")
        add(elements.unknown(placeOf(source, name), name, member), JSON.stringify(member))
    }
  }
  for (const [name, server] of Object.entries(isJsonObject(inner) ? inner : value)) {
    if (name === "$schema") continue
    if (!isJsonObject(server)) {
      add(elements.unknown(placeOf(source, name), `${wrapper}.${name}`, server), JSON.stringify(server))
      continue
    }
    const address = textOf(server["url"])
    const command = textOf(server["command"])
    const commandArguments = textsOf(server["args"])
    add(
      elements.server(placeOf(source, name), {
        serverType,
        scope: source.scope,
        name,
        transport: transportOf(server),
        host: address === null ? null : hostOf(address),
        command,
        arguments: commandArguments,
        environment: keysOf(server["env"]),
        headers: keysOf(server["headers"]),
        files: source.index.namedIn(
          [command ?? "", ...commandArguments, textOf(server["headersHelper"]) ?? ""].join(" ")
        ),
        raw: server
      }),
      JSON.stringify(server)
    )
  }
  addMentions(source, value, add)
}

export const addMonitors = (source: ConfigSource, value: Json | undefined, add: Add): void => {
  const list = isJsonObject(value) && Array.isArray(value["monitors"]) ? value["monitors"] : value
  if (!Array.isArray(list)) {
    if (value !== undefined)
      add(elements.unknown(placeOf(source, "monitors"), "monitors", value), JSON.stringify(value))
    return
  }
  if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name !== "monitors" && name !== "$schema")
        add(elements.unknown(placeOf(source, name), name, member), JSON.stringify(member))
    }
  }
  for (const monitor of list as ReadonlyArray<Json>) {
    const command = isJsonObject(monitor) ? textOf(monitor["command"]) : null
    if (!isJsonObject(monitor) || command === null) {
      add(elements.unknown(placeOf(source, "monitors"), "monitors", monitor), JSON.stringify(monitor))
      continue
    }
    const { description: _description, ...raw } = monitor
    add(
      elements.server(placeOf(source, command), {
        serverType: "monitor",
        scope: source.scope,
        name: textOf(monitor["name"]) ?? command,
        transport: "stdio",
        host: null,
        command,
        arguments: textsOf(monitor["args"]),
        environment: keysOf(monitor["env"]),
        headers: [],
        files: source.index.namedIn(command),
        raw
      }),
      JSON.stringify(raw)
    )
  }
  addMentions(source, list as Json, add)
}

/** One element for each field, and one for each member of a field that is an object. */
const addSetting = (source: ConfigSource, field: string, value: Json, add: Add): void => {
  const members = isJsonObject(value) ? Object.entries(value) : []
  if (members.length === 0) add(elements.setting(placeOf(source, field), field, value), JSON.stringify(value))
  for (const [name, member] of members)
    add(elements.setting(placeOf(source, name), `${field}.${name}`, member), JSON.stringify(member))
  addMentions(source, value, add)
}

const settingFields = new Set([
  "agent",
  "subagentStatusLine",
  "statusLine",
  "permissions",
  "env",
  "outputStyle",
  "model"
])

export const addSettings = (source: ConfigSource, value: Json, add: Add): void => {
  if (!isJsonObject(value)) {
    add(elements.unknown(placeOf(source, "settings"), "settings", value), JSON.stringify(value))
    return
  }
  for (const [field, member] of Object.entries(value)) {
    if (field === "$schema") continue
    if (field === "hooks") addHooks(source, member, add)
    else if (field === "mcpServers") addServers(source, "mcp", member, add)
    else if (settingFields.has(field)) addSetting(source, field, member, add)
    else {
      add(elements.unknown(placeOf(source, field), field, member), JSON.stringify(member))
      addMentions(source, member, add)
    }
  }
}

/** Fields that describe a plugin to people. They are not capabilities. */
export const descriptiveFields: ReadonlySet<string> = new Set([
  "$schema",
  "author",
  "category",
  "description",
  "displayName",
  "homepage",
  "keywords",
  "license",
  "name",
  "repository",
  "tags",
  "version"
])

export type ListedRole =
  | "agent"
  | "command"
  | "hooks"
  | "lsp"
  | "mcp"
  | "monitors"
  | "output-style"
  | "settings"
  | "skill"
  | "special"

/** Fields of the manifest that list files, and the role of those files. */
const listingFields: Readonly<Record<string, ListedRole>> = {
  agents: "agent",
  commands: "command",
  hooks: "hooks",
  lspServers: "lsp",
  mcpServers: "mcp",
  monitors: "monitors",
  outputStyles: "output-style",
  settings: "settings",
  skills: "skill",
  themes: "special",
  workflows: "special"
}
const otherFields = new Set(["userConfig", "channels", "dependencies", "strict", "defaultEnabled"])

const inlineValue = (source: ConfigSource, role: ListedRole, field: string, value: Json, add: Add): void => {
  if (role === "hooks") addHooks(source, value, add)
  else if (role === "mcp" || role === "lsp") addServers(source, role, value, add)
  else if (role === "monitors") addMonitors(source, Array.isArray(value) ? value : [value], add)
  else if (role === "settings") addSettings(source, value, add)
  else addSetting(source, field, value, add)
}

/** The files that a manifest lists, by their path as written. */
export type ListedFiles = ReadonlyArray<{ readonly path: string; readonly role: ListedRole }>

const addListing = (
  source: ConfigSource,
  field: string,
  role: ListedRole,
  value: Json,
  listed: Array<{ readonly path: string; readonly role: ListedRole }>,
  add: Add
): void => {
  for (const item of Array.isArray(value) ? (value as ReadonlyArray<Json>) : [value]) {
    if (typeof item === "string") {
      listed.push({ path: item, role })
      add(elements.setting(placeOf(source, item), `${field} ${item}`, item))
      addMentions(source, item, add)
    } else {
      // A map of components can name their files.
      for (const member of isJsonObject(item) ? Object.values(item) : []) {
        const path = isJsonObject(member) ? textOf(member["source"]) : null
        if (path !== null) listed.push({ path, role })
      }
      inlineValue(source, role, field, item, add)
    }
  }
}

export const addManifest = (source: ConfigSource, value: Json, add: Add): ListedFiles => {
  const listed: Array<{ readonly path: string; readonly role: ListedRole }> = []
  if (!isJsonObject(value)) {
    add(elements.unknown(placeOf(source, "plugin"), "plugin", value), JSON.stringify(value))
    return listed
  }
  for (const [field, member] of Object.entries(value)) {
    if (descriptiveFields.has(field)) continue
    const role = Object.hasOwn(listingFields, field) ? listingFields[field] : undefined
    if (role !== undefined) addListing(source, field, role, member, listed, add)
    else if (field === "experimental" && isJsonObject(member)) {
      for (const [name, inner] of Object.entries(member)) {
        const innerRole = Object.hasOwn(listingFields, name) ? listingFields[name] : undefined
        if (innerRole !== undefined) addListing(source, `experimental.${name}`, innerRole, inner, listed, add)
        else add(elements.unknown(placeOf(source, name), `experimental.${name}`, inner), JSON.stringify(inner))
      }
    } else if (otherFields.has(field)) addSetting(source, field, member, add)
    else {
      add(elements.unknown(placeOf(source, field), field, member), JSON.stringify(member))
      addMentions(source, member, add)
    }
  }
  return listed
}
