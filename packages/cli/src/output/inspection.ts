/** Renders one HTTP exchange with an MCP server: request, response, diagnosis. */
import { isObject, listAt, member, textAt } from "./cell.ts"
import { type Pen, paint } from "./chain.ts"
import { harmless, harmlessLines } from "./harmless.ts"

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

/** Truncates long text and says so. */
const clipped = (text: string, pen: Pen): ReadonlyArray<string> => {
  const lines = text.slice(0, charactersMax).replace(/\s+$/u, "").split("\n")
  const shown = lines.slice(0, linesMax).map(harmless)
  const isWhole = text.length <= charactersMax && lines.length <= linesMax
  return isWhole ? shown : [...shown, paint(pen, faint, "(truncated; use -o json for all recorded content)")]
}

const bodyLines = (body: unknown, pen: Pen): ReadonlyArray<string> => {
  const text = textAt(body, "text")
  const bytes = member(body, "bytes")
  if (text === undefined) {
    return typeof bytes === "number" && bytes > 0 ? ["", paint(pen, faint, `(${bytes} bytes not shown)`)] : []
  }
  const rest =
    member(body, "truncated") === true ? [paint(pen, faint, `(truncated, ${String(bytes)} bytes in total)`)] : []
  return ["", ...clipped(pretty(text), pen), ...rest]
}

const headerLines = (side: unknown, pen: Pen): ReadonlyArray<string> =>
  listAt(side, "headers").map((header) => {
    const line = harmless(`${textAt(header, "name") ?? ""}: ${textAt(header, "value") ?? ""}`)
    return member(header, "redacted") === true ? paint(pen, faint, line) : line
  })

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : `  ${line}`))

/** Renders request, response and diagnosis, as far as they exist. */
export const inspection = (value: unknown, pen: Pen): string => {
  const [request, response] = [member(value, "request"), member(value, "response")]
  const status = member(response, "status")
  const summary = textAt(value, "diagnosis.summary")
  return [
    ...(isObject(request)
      ? [
          paint(pen, bold, harmless(`${textAt(request, "method") ?? ""} ${textAt(request, "url") ?? ""}`)),
          ...indented([...headerLines(request, pen), ...bodyLines(member(request, "body"), pen)]),
          ""
        ]
      : []),
    ...(isObject(response)
      ? [
          paint(
            pen,
            typeof status === "number" && status < 400 ? green : red,
            harmless(
              `${[String(status), textAt(response, "statusText")].filter((part) => part !== undefined).join(" ")}, ${String(member(response, "durationMs"))} ms`
            )
          ),
          ...indented([...headerLines(response, pen), ...bodyLines(member(response, "body"), pen)]),
          ""
        ]
      : []),
    ...(summary === undefined ? [] : [harmlessLines(summary)])
  ].join("\n")
}

const partLine = (part: unknown, pen: Pen): ReadonlyArray<string> => {
  const text = member(part, "text")
  if (member(part, "type") === "text" && typeof text === "string") return clipped(text, pen)
  const about = [
    textAt(part, "type") ?? "part",
    textAt(part, "mimeType"),
    textAt(part, "uri") ?? textAt(part, "resource.uri")
  ]
  return [paint(pen, faint, harmless(`(${about.filter((each) => each !== undefined).join(" ")})`))]
}

/** Renders a successful call: the exchange, then the tool's result. */
export const toolCall = (body: unknown, pen: Pen): string => {
  const parts = listAt(body, "result.content")
  const said = parts.length > 0 ? parts.flatMap((part) => partLine(part, pen)) : clipped(resultText(body), pen)
  return [
    inspection(member(body, "inspection"), pen),
    paint(
      pen,
      faint,
      `${String(member(body, "durationMs"))} ms in total, reference ${harmless(textAt(body, "referenceId") ?? "")}`
    ),
    "",
    ...said
  ].join("\n")
}

/** Renders the diagnosis of a failure at an MCP server: layer, code, facts, next step. Omits a message that equals `said`. */
export const diagnostic = (value: unknown, pen: Pen, said: string): ReadonlyArray<string> => {
  const [category, code] = [textAt(value, "category") ?? "", textAt(value, "code") ?? ""]
  const of = (name: string, label: string) => {
    const found = member(value, name)
    return typeof found === "string" || typeof found === "number" ? [`${label} ${harmless(String(found))}`] : []
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
  const again = member(value, "retryable") === true ? "A retry may succeed." : ""
  const more = [message === said ? "" : message, again].filter((part) => part !== "").join(" ")
  return [
    `  ${paint(pen, red, `${harmless(category)}: ${harmless(code)}`)}${more === "" ? "" : `  ${harmless(more)}`}`,
    ...(facts.length === 0 ? [] : [`  ${facts.join(", ")}`]),
    ...(action === undefined ? [] : [`  ${paint(pen, yellow, "Next step:")} ${harmless(action)}`]),
    ...of("connectUrl", "  Reconnect at:"),
    `  ${paint(pen, faint, `reference ${harmless(textAt(value, "referenceId") ?? "")}`)}`
  ]
}
