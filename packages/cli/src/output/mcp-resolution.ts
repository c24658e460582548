/** Renders the result of a search for an MCP server: the server, its requirements, the manual steps. */
import { isObject, listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls } from "./escape.ts"
import { shellQuoted } from "../shell.ts"
import { pad } from "./width.ts"

const faint = 2
const red = 31
const green = 32
const yellow = 33
const labelWidth = 10
const toolsMax = 30

const texts = (value: unknown, path: string): ReadonlyArray<string> =>
  listAt(value, path).filter((each) => typeof each === "string")

const row = (label: string, text: string) => `${pad(label, labelWidth)}${escapeControls(text)}`

const hintsOf = (tool: unknown): string =>
  [
    member(tool, "readOnlyHint") === true ? "read-only" : undefined,
    // The hint is meaningless for a read-only tool, and defaults to true.
    member(tool, "destructiveHint") === true && member(tool, "readOnlyHint") !== true ? "destructive" : undefined,
    member(tool, "openWorldHint") === true ? "open world" : undefined
  ]
    .filter((hint) => hint !== undefined)
    .join(", ")

const authenticationRows = (authentication: unknown): ReadonlyArray<string> => {
  if (!isObject(authentication)) return [row("sign-in", "none required")]
  const methods = texts(authentication, "availableRegistrationMethods")
  const issuers = listAt(authentication, "authorizationServers").map((server) => textAt(server, "issuer") ?? "?")
  const [required, recommended] = [texts(authentication, "requiredScopes"), texts(authentication, "recommendedScopes")]
  return [
    row("sign-in", issuers.length === 0 ? "required, authorization server unknown" : `OAuth at ${issuers.join(", ")}`),
    row(
      "client",
      methods.length === 0
        ? "no known registration method"
        : methods.map((each) => each.replaceAll("_", " ")).join(", ")
    ),
    ...(required.length === 0 ? [] : [row("scopes", `${required.join(", ")} (required)`)]),
    ...(recommended.length === 0
      ? []
      : [row(required.length === 0 ? "scopes" : "", `${recommended.join(", ")} (recommended)`)])
  ]
}

const toolRows = (tools: unknown, style: TextStyle): ReadonlyArray<string> => {
  if (!isObject(tools)) return [row("tools", "visible only after sign-in")]
  const items = listAt(tools, "items")
  const count = member(tools, "count")
  const total = typeof count === "number" ? count : items.length
  const more = total - Math.min(items.length, toolsMax)
  return [
    row("tools", String(total)),
    ...items.slice(0, toolsMax).map((tool) => {
      const hints = hintsOf(tool)
      return `  ${escapeControls(textAt(tool, "name") ?? "?")}${hints === "" ? "" : paint(style, faint, `  ${hints}`)}`
    }),
    ...(more > 0 ? [paint(style, faint, `  and ${more} more`)] : [])
  ]
}

/** The command that creates a connection. */
const createCommand = (body: unknown): string => {
  const url = textAt(body, "match.url") ?? textAt(body, "preset.url") ?? ""
  const name = textAt(body, "match.suggestedName") ?? textAt(body, "preset.displayName") ?? new URL(url).host
  const preset = textAt(body, "preset.presetId")
  const isOpen = member(body, "match.discovery.authentication") === null
  return [
    "orgplane mcp-connections create",
    `--name ${shellQuoted(escapeControls(name))}`,
    `--url ${shellQuoted(escapeControls(url))}`,
    `--auth-type ${isOpen ? "none" : "oauth"}`,
    ...(preset === undefined ? [] : [`--preset-id ${shellQuoted(escapeControls(preset))}`])
  ].join(" ")
}

const titleOf = (body: unknown, style: TextStyle): string => {
  const [yes, no] = style.unicode ? ["✓", "✗"] : ["+", "x"]
  const outcome = textAt(body, "resolution")
  if (outcome === "not_found")
    return paint(style, red, `${no} ${escapeControls(`not found: ${textAt(body, "reason") ?? ""}`)}`)
  const name = textAt(body, "preset.displayName") ?? textAt(body, "match.suggestedName") ?? ""
  const about = textAt(body, "preset.description")
  const label = outcome === "preset" ? "curated" : "found"
  return (
    paint(style, green, `${yes} ${label}: ${escapeControls(name)}`) +
    (about === undefined ? "" : `  ${escapeControls(about)}`)
  )
}

export const resolution = (body: unknown, style: TextStyle): string => {
  const discovery = member(body, "match.discovery")
  const url = textAt(body, "match.url") ?? textAt(body, "preset.url")
  const facts = [
    ...(url === undefined ? [] : [row("URL", url)]),
    ...(isObject(discovery)
      ? [
          row("protocol", textAt(discovery, "server.protocolVersion") ?? "visible only after sign-in"),
          ...authenticationRows(member(discovery, "authentication")),
          ...toolRows(member(discovery, "tools"), style)
        ]
      : [])
  ]
  const manualSteps = listAt(discovery, "manualRequirements").map((each) => {
    const when = member(each, "required") === true ? "" : " (optional)"
    return `${paint(style, yellow, `! ${escapeControls(textAt(each, "label") ?? "")}${when}`)}  ${escapeControls(textAt(each, "reason") ?? "")}`
  })
  if (manualSteps.length === 0 && discovery === undefined && member(body, "preset.requiresOAuthClient") === true) {
    manualSteps.push(paint(style, yellow, "! Register an OAuth client with the provider manually."))
  }
  const warnings = listAt(discovery, "warnings").map((each) =>
    paint(style, yellow, `! ${escapeControls(`${textAt(each, "message") ?? ""} (${textAt(each, "code") ?? ""})`)}`)
  )
  const tried = texts(body, "attempted").map((each) => paint(style, faint, `  ${escapeControls(each)}`))
  return [
    titleOf(body, style),
    ...(facts.length === 0 ? [] : ["", ...facts]),
    ...(manualSteps.length === 0 ? [] : ["", "manual steps", ...manualSteps]),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
    ...(tried.length === 0 ? [] : ["", "tried", ...tried]),
    ...(url === undefined ? [] : ["", createCommand(body)])
  ].join("\n")
}
