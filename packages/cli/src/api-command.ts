/** `orgplane api`: sends one raw request. */
import type { ApiInvocation } from "./invocation.ts"
import { showDeprecation, showWarning, userAgent, withRequestLog } from "./connection.ts"
import { exit, type ExitCode, exitCodeOf } from "./exit-code.ts"
import { usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import { type Io, notify } from "./io.ts"
import { printOutcome } from "./output/print.ts"
import { json, type OutputOptions } from "./output/render.ts"
import { printSelected } from "./output/selection.ts"
import { escapeControls, escapeLines } from "./output/escape.ts"
import { textAt } from "./output/value.ts"
import { readInput } from "./request.ts"
import { deprecationOf, type ReceivedResponse } from "@orgplane/client/transport"
import { headersOf, resolveSettings, type Settings, warnAboutPlainHttp } from "./settings.ts"

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])

const fieldOf = (field: string): readonly [string, string] => {
  const at = field.indexOf("=")
  if (at < 1) throw usage(`--field must be key=value, got '${field}'.`)
  return [field.slice(0, at), field.slice(at + 1)]
}

const headerOf = (header: string): readonly [string, string] => {
  const at = header.indexOf(":")
  const [name, value] = [header.slice(0, at).trim(), header.slice(at + 1).trim()]
  if (at < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\u0020-\u007e]*$/.test(value)) {
    throw usage("--header must be 'name: value' in printable ASCII.")
  }
  return [name, value]
}

export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, ReadonlyArray<string>>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer<ArrayBuffer> | string | undefined
}

export const toRawRequest = async (io: Io, invocation: ApiInvocation): Promise<RawRequest> => {
  const method = invocation.method.toUpperCase()
  if (!methods.has(method))
    throw usage(`Unknown method '${invocation.method}'. Use GET, HEAD, POST, PUT, PATCH or DELETE.`)
  if (!invocation.path.startsWith("/"))
    throw usage("The path must start with '/'. The credential is only sent to the configured server.")
  const fields = invocation.fields.map(fieldOf)
  const inQuery = method === "GET" || method === "HEAD" || method === "DELETE" || invocation.input !== undefined
  const query: Record<string, Array<string>> = {}
  if (inQuery) for (const [name, value] of fields) (query[name] ??= []).push(value)
  const body =
    invocation.input !== undefined
      ? await readInput(io, invocation.input)
      : !inQuery && fields.length > 0
        ? JSON.stringify(Object.fromEntries(fields))
        : undefined
  const headers = {
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...Object.fromEntries(invocation.headers.map(headerOf).map(([name, value]) => [name.toLowerCase(), value]))
  }
  return { method, path: invocation.path, query, headers, body }
}

/** Appends the path to the base URL as text, so that no path can name another host. */
const addressOf = (settings: Settings, { path, query }: RawRequest): URL => {
  const url = new URL(`${settings.baseUrl}${path}`)
  for (const [name, values] of Object.entries(query)) for (const value of values) url.searchParams.append(name, value)
  return url
}

export const api = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: ApiInvocation
): Promise<ExitCode> => {
  const raw = await toRawRequest(io, invocation)
  if (invocation.paginate && raw.method !== "GET") throw usage("--paginate requires a GET request.")
  const settings = await resolveSettings(io, globals)
  await warnAboutPlainHttp(io, settings)
  const send = withRequestLog(io, globals.debug)
  const cursors = new Set<string>()
  let isWarned = false
  for (let query = raw.query; ;) {
    const response = await send({
      method: raw.method,
      url: addressOf(settings, { ...raw, query }),
      headers: { "user-agent": userAgent, ...headersOf(settings), ...raw.headers },
      body: raw.body,
      signal: io.signal
    })
    const warning = response.headers.get("orgplane-warning")
    if (warning !== null) await showWarning(io, warning)
    const deprecation = deprecationOf(response.headers)
    if (deprecation !== undefined && !isWarned) await showDeprecation(io, globals, deprecation.message)
    isWarned ||= deprecation !== undefined
    if (invocation.include) await io.out.write(`${statusAndHeaders(response)}\n\n`)
    const exitCode = exitCodeOf(response.status)
    const isRead = exitCode === exit.ok && (invocation.paginate || output.selection !== undefined)
    const pageText = isRead ? await response.text() : undefined
    if (pageText !== undefined && output.selection !== undefined) await printSelection(io, raw.method, pageText, output)
    else if (pageText !== undefined)
      await io.out.write(io.out.isTerminal ? forTerminal(pageText, output) : `${pageText}\n`)
    else if (io.out.isTerminal) await io.out.write(forTerminal(await response.text(), output))
    else if (response.body !== null) for await (const chunk of response.body) await io.out.write(chunk)
    if (exitCode !== exit.ok) {
      const id = response.headers.get("x-request-id")
      await notify(io, `orgplane: HTTP ${response.status}${id === null ? "" : ` (request ${escapeControls(id)})`}`)
      return exitCode
    }
    const cursor = pageText === undefined || !invocation.paginate ? undefined : cursorOf(pageText)
    // A server that repeats a cursor would never end.
    if (cursor === undefined || cursors.has(cursor)) return exitCode
    cursors.add(cursor)
    query = { ...raw.query, cursor: [cursor] }
  }
}

/** Prints what `--json`, `--jq` and `--template` select from a response, or from each page. */
const printSelection = async (io: Io, method: string, text: string, output: OutputOptions): Promise<void> => {
  // A response without a body, such as 204, has nothing to select.
  if (text === "") return
  const parsed = parsedJson(text)
  const printed = async () => {
    if (parsed === undefined) throw usage("--json, --jq and --template require a JSON response.")
    await printSelected(io, parsed.value, output)
  }
  const isSafe = method === "GET" || method === "HEAD"
  await (isSafe ? printed() : printOutcome(io, parsed === undefined ? text : parsed.value, output, printed))
}

const parsedJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** The status and the headers, as HTTP writes them. */
const statusAndHeaders = ({
  headers,
  status
}: Pick<ReceivedResponse, "status"> & { readonly headers: object }): string => {
  const pairs = Symbol.iterator in headers ? [...(headers as Iterable<readonly [string, string]>)] : []
  return [`HTTP ${status}`, ...pairs.map(([name, value]) => escapeControls(`${name}: ${value}`))].join("\n")
}

const cursorOf = (text: string): string | undefined => {
  const page = parsedJson(text)
  if (page === undefined) throw usage("--paginate requires an endpoint that returns a page as JSON.")
  return textAt(page.value, "nextCursor")
}

const forTerminal = (text: string, output: OutputOptions): string => {
  if (text === "") return ""
  const parsed = parsedJson(text)
  return `${parsed === undefined ? escapeLines(text.trimEnd()) : json(parsed.value, output.terminal)}\n`
}
