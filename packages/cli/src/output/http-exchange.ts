/** Renders one HTTP exchange with an MCP server: request, response, diagnosis. */
import { isObject, listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls, escapeLines } from "./escape.ts"

const bold = 1
const faint = 2
const red = 31
const green = 32
const yellow = 33
const linesMax = 60
const charactersMax = 8_000

/** The result of a tool as text. Other content is JSON. */
export const resultText = (body: unknown): string => {
  const result = member(body, "result")
  const parts = listAt(result, "content")
  const texts = parts.flatMap((part) => {
    const text = member(part, "text")
    return member(part, "type") === "text" && typeof text === "string" ? [text] : []
  })
  if (texts.length > 0) return texts.join("\n")
  return JSON.stringify(member(result, "structuredContent") ?? (parts.length > 0 ? parts : (result ?? null)), null, 2)
}

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Truncates long text and marks it as truncated. */
const clipped = (text: string, style: TextStyle): ReadonlyArray<string> => {
  const lines = text.slice(0, charactersMax).replace(/\s+$/u, "").split("\n")
  const shown = lines.slice(0, linesMax).map(escapeControls)
  const isWhole = text.length <= charactersMax && lines.length <= linesMax
  return isWhole ? shown : [...shown, paint(style, faint, "(truncated; use -o json for all recorded content)")]
}

const bodyLines = (body: unknown, style: TextStyle): ReadonlyArray<string> => {
  const text = textAt(body, "text")
  const bytes = member(body, "bytes")
  if (text === undefined) {
    return typeof bytes === "number" && bytes > 0 ? ["", paint(style, faint, `(${bytes} bytes not shown)`)] : []
  }
  const truncation =
    member(body, "truncated") === true ? [paint(style, faint, `(truncated, ${String(bytes)} bytes in total)`)] : []
  return ["", ...clipped(pretty(text), style), ...truncation]
}

const headerLines = (side: unknown, style: TextStyle): ReadonlyArray<string> =>
  listAt(side, "headers").map((header) => {
    const line = escapeControls(`${textAt(header, "name") ?? ""}: ${textAt(header, "value") ?? ""}`)
    return member(header, "redacted") === true ? paint(style, faint, line) : line
  })

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : `  ${line}`))

/** Renders the request, response and diagnosis, if present. */
export const inspection = (value: unknown, style: TextStyle): string => {
  const [request, response] = [member(value, "request"), member(value, "response")]
  const status = member(response, "status")
  const summary = textAt(value, "diagnosis.summary")
  return [
    ...(isObject(request)
      ? [
          paint(style, bold, escapeControls(`${textAt(request, "method") ?? ""} ${textAt(request, "url") ?? ""}`)),
          ...indented([...headerLines(request, style), ...bodyLines(member(request, "body"), style)]),
          ""
        ]
      : []),
    ...(isObject(response)
      ? [
          paint(
            style,
            typeof status === "number" && status < 400 ? green : red,
            escapeControls(
              `${[String(status), textAt(response, "statusText")].filter((part) => part !== undefined).join(" ")}, ${String(member(response, "durationMs"))} ms`
            )
          ),
          ...indented([...headerLines(response, style), ...bodyLines(member(response, "body"), style)]),
          ""
        ]
      : []),
    ...(summary === undefined ? [] : [escapeLines(summary)])
  ].join("\n")
}

const partLine = (part: unknown, style: TextStyle): ReadonlyArray<string> => {
  const text = member(part, "text")
  if (member(part, "type") === "text" && typeof text === "string") return clipped(text, style)
  const about = [
    textAt(part, "type") ?? "part",
    textAt(part, "mimeType"),
    textAt(part, "uri") ?? textAt(part, "resource.uri")
  ]
  return [paint(style, faint, escapeControls(`(${about.filter((each) => each !== undefined).join(" ")})`))]
}

/** Renders a successful call: the exchange, then the tool's result. */
export const toolCall = (body: unknown, style: TextStyle): string => {
  const parts = listAt(body, "result.content")
  const content = parts.length > 0 ? parts.flatMap((part) => partLine(part, style)) : clipped(resultText(body), style)
  return [
    inspection(member(body, "inspection"), style),
    paint(
      style,
      faint,
      `${String(member(body, "durationMs"))} ms in total, reference ${escapeControls(textAt(body, "referenceId") ?? "")}`
    ),
    "",
    ...content
  ].join("\n")
}

/**
 * Renders the diagnosis of a failure at an MCP server: layer, code, facts, next step. Omits the
 * message if it equals `printedMessage`.
 */
export const diagnostic = (value: unknown, style: TextStyle, printedMessage: string): ReadonlyArray<string> => {
  const [category, code] = [textAt(value, "category") ?? "", textAt(value, "code") ?? ""]
  const of = (name: string, label: string) => {
    const fact = member(value, name)
    return typeof fact === "string" || typeof fact === "number" ? [`${label} ${escapeControls(String(fact))}`] : []
  }
  const facts = [
    ...of("providerStatus", "server status"),
    ...of("jsonRpcCode", "JSON-RPC"),
    ...of("providerCode", "code"),
    ...of("providerRequestId", "server request ID"),
    ...of("payloadBytes", "bytes"),
    ...of("outbound.origin", "at")
  ]
  const action = textAt(value, "operatorAction")
  const message = textAt(value, "message") ?? ""
  const retryHint = member(value, "retryable") === true ? "A retry may succeed." : ""
  const more = [message === printedMessage ? "" : message, retryHint].filter((part) => part !== "").join(" ")
  return [
    `  ${paint(style, red, `${escapeControls(category)}: ${escapeControls(code)}`)}${more === "" ? "" : `  ${escapeControls(more)}`}`,
    ...(facts.length === 0 ? [] : [`  ${facts.join(", ")}`]),
    ...(action === undefined ? [] : [`  ${paint(style, yellow, "Next step:")} ${escapeControls(action)}`]),
    ...of("connectUrl", "  Reconnect at:"),
    `  ${paint(style, faint, `reference ${escapeControls(textAt(value, "referenceId") ?? "")}`)}`
  ]
}
