import type { CapabilityElement, ComponentType } from "@orgplane/schema/plugin-capabilities"
import { sha256 } from "../../infra/crypto/digest.ts"
import { canonicalJson } from "./canonical.ts"
import { withoutSecrets } from "./secrets.ts"

const shownMax = 2000

/** A text for people: bounded, without secrets, and with control characters and invisible characters escaped. */
export const show = (text: string, max = shownMax): string => {
  const safe = withoutSecrets(text.slice(0, max * 2)).replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
  )
  return safe.length > max ? `${safe.slice(0, max)}…` : safe
}

const namesOnly = new Set(["env", "environment", "headers", "http_headers"])

/** The fields for people: environment variables and headers by name. */
const withoutValues = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutValues(item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      namesOnly.has(name.toLowerCase()) && typeof member === "object" && member !== null
        ? Object.keys(member as object).sort()
        : withoutValues(member)
    ])
  )
}

export const detailsOf = (value: unknown): string => show(canonicalJson(withoutValues(value)))

export interface Place {
  readonly path: string
  readonly line: number
}

/** Everything that an element's digest covers. */
const digestOf = (kind: string, semantic: unknown): string =>
  sha256(canonicalJson(["orgplane-capability-1", kind, semantic]))

const common = <const K extends CapabilityElement["kind"]>(
  kind: K,
  identity: ReadonlyArray<string | null>,
  semantic: unknown,
  summary: string,
  { line, path }: Place
) => ({
  kind,
  id: show([kind, ...identity].map((part) => part ?? "*").join(":"), 300),
  digest: digestOf(kind, [identity, semantic]),
  summary: show(summary, 500),
  path: show(path, 1100),
  line
})

const phrases: Readonly<Record<string, string>> = {
  PreToolUse: "before every tool use",
  PostToolUse: "after every tool use",
  SessionStart: "when a session starts",
  SessionEnd: "when a session ends",
  UserPromptSubmit: "after every prompt of the user",
  Stop: "when the agent stops",
  SubagentStop: "when a subagent stops"
}

const when = (event: string, matcher: string | null): string => {
  const phrase = phrases[event] ?? `on the event ${event}`
  if (matcher === null || matcher === "" || matcher === "*") return phrase
  return event === "PreToolUse" || event === "PostToolUse"
    ? `${event === "PreToolUse" ? "before" : "after"} every use of ${matcher}`
    : `${phrase} (${matcher})`
}

export const hook = (
  place: Place,
  scope: string,
  hookFields: {
    readonly event: string
    readonly matcher: string | null
    readonly handler: string
    readonly command: string | null
    readonly interpreter: string | null
    readonly files: ReadonlyArray<string>
    readonly raw: unknown
  }
): CapabilityElement => {
  const { command, event, files, handler, interpreter, matcher, raw } = hookFields
  const verb = handler === "command" ? "runs" : handler === "http" ? "sends a request to" : `starts a ${handler} hook:`
  return {
    ...common("hook", [scope, event, matcher], raw, `${verb} \`${command ?? ""}\` ${when(event, matcher)}`, place),
    event: show(event, 200),
    matcher: matcher === null ? null : show(matcher, 500),
    handler: show(handler, 100),
    command: command === null ? null : show(command),
    interpreter,
    files,
    details: detailsOf(raw)
  }
}

export const server = (
  place: Place,
  serverFields: {
    readonly serverType: "mcp" | "lsp" | "monitor"
    readonly scope: string
    readonly name: string
    readonly transport: string
    readonly host: string | null
    readonly command: string | null
    readonly arguments: ReadonlyArray<string>
    readonly environment: ReadonlyArray<string>
    readonly headers: ReadonlyArray<string>
    readonly files: ReadonlyArray<string>
    readonly raw: unknown
  }
): CapabilityElement => {
  const { command, host, name, raw, scope, serverType, transport } = serverFields
  const label = { mcp: "MCP server", lsp: "language server", monitor: "monitor" }[serverType]
  const does =
    command === null
      ? `connects to ${host ?? "an unknown host"}`
      : `runs \`${[command, ...serverFields.arguments].join(" ")}\``
  return {
    ...common("server", [serverType, scope, name], raw, `the ${label} \`${name}\` ${does}`, place),
    serverType,
    name: show(name, 300),
    transport: show(transport, 100),
    host,
    command: command === null ? null : show(command),
    arguments: serverFields.arguments.map((argument) => show(argument)),
    environment: serverFields.environment.map((variable) => show(variable, 200)),
    headers: serverFields.headers.map((header) => show(header, 200)),
    files: serverFields.files,
    details: detailsOf(raw)
  }
}

export const executable = (
  path: string,
  fields: { readonly sha256: string; readonly interpreter: string | null; readonly isExecutable: boolean }
): CapabilityElement => ({
  ...common(
    "executable",
    [path],
    fields,
    `the file \`${path}\` can be run${fields.interpreter === null ? "" : ` with ${fields.interpreter}`}`,
    {
      path,
      line: 1
    }
  ),
  ...fields
})

export const component = (
  place: Place,
  fields: {
    readonly componentType: ComponentType
    readonly name: string
    readonly model: string | null
    readonly permissionMode: string | null
    readonly raw: unknown
  }
): CapabilityElement => {
  const { componentType, model, name, permissionMode, raw } = fields
  const label = componentType === "output_style" ? "output style" : componentType
  const suffix = [
    ...(model === null ? [] : [`model ${model}`]),
    ...(permissionMode === null ? [] : [`permission mode ${permissionMode}`])
  ].join(", ")
  return {
    ...common(
      "component",
      [componentType, place.path],
      [name, raw],
      `the ${label} \`${name}\`${suffix === "" ? "" : ` (${suffix})`}`,
      place
    ),
    componentType,
    name: show(name, 300),
    model: model === null ? null : show(model, 200),
    permissionMode: permissionMode === null ? null : show(permissionMode, 200),
    details: detailsOf(raw)
  }
}

export const tool = (place: Place, componentType: ComponentType, name: string, tool: string): CapabilityElement => ({
  ...common(
    "tool",
    [componentType, place.path, tool],
    null,
    `the ${componentType} \`${name}\` may use ${tool === "*" ? "all tools" : `\`${tool}\``}`,
    place
  ),
  componentType,
  name: show(name, 300),
  tool: show(tool, 500)
})

export const inlineCommand = (place: Place, name: string, command: string): CapabilityElement => ({
  ...common("inline_command", [place.path, name], command, `\`${name}\` runs \`${command}\` when it is loaded`, place),
  name: show(name, 300),
  command: show(command)
})

export const networkHost = (place: Place, host: string): CapabilityElement => ({
  ...common("network_host", [host], null, `names the network host ${host}`, place),
  host: show(host, 300)
})

export const link = (place: Place, target: string): CapabilityElement => ({
  ...common("link", [place.path, target], null, `\`${place.path}\` refers to \`${target}\`, outside the plugin`, place),
  target: show(target, 1100)
})

export const setting = (place: Place, field: string, value: unknown): CapabilityElement => ({
  ...common(
    "setting",
    [place.path, field],
    value,
    `sets \`${field}\` to ${canonicalJson(withoutValues(value)).slice(0, 200)}`,
    place
  ),
  field: show(field, 300),
  details: detailsOf(value)
})

export const unknown = (place: Place, field: string | null, value: unknown): CapabilityElement => ({
  ...common(
    "unknown",
    [place.path, field],
    value,
    field === null
      ? `the file \`${place.path}\` has no known purpose`
      : `the field \`${field}\` in \`${place.path}\` is not known`,
    place
  ),
  field: field === null ? null : show(field, 300),
  details: detailsOf(value)
})

export const unparsable = (path: string, reason: string, digest: string): CapabilityElement => ({
  ...common("unparsable", [path], [reason, digest], `\`${path}\` ${reason}`, { path, line: 1 }),
  reason: show(reason, 300),
  sha256: digest
})
