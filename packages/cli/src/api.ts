/** `orgplane api`: sends one raw request. */
import type { Chosen } from "./command-tree.ts"
import { debugged, userAgent } from "./connection.ts"
import { exitCodeOf, type ExitCode, usage } from "./failure.ts"
import type { Globals } from "./globals.ts"
import { type Io, say } from "./io.ts"
import { type Look, json } from "./output/answer.ts"
import { harmless, harmlessLines } from "./output/harmless.ts"
import { readInput } from "./request.ts"
import { headersOf, resolveSettings, type Settings, warnOfPlainHttp } from "./settings.ts"

type ApiChosen = Extract<Chosen, { kind: "api" }>

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

export const toRawRequest = async (io: Io, chosen: ApiChosen): Promise<RawRequest> => {
  const method = chosen.method.toUpperCase()
  if (!methods.has(method)) throw usage(`Unknown method '${chosen.method}'. Use GET, HEAD, POST, PUT, PATCH or DELETE.`)
  if (!chosen.path.startsWith("/"))
    throw usage("The path must start with '/'. The credential is only sent to the configured server.")
  const fields = chosen.fields.map(fieldOf)
  const inQuery = method === "GET" || method === "HEAD" || method === "DELETE" || chosen.input !== undefined
  const query: Record<string, Array<string>> = {}
  if (inQuery) for (const [name, value] of fields) (query[name] ??= []).push(value)
  const body =
    chosen.input !== undefined
      ? await readInput(io, chosen.input)
      : !inQuery && fields.length > 0
        ? JSON.stringify(Object.fromEntries(fields))
        : undefined
  const headers = {
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...Object.fromEntries(chosen.headers.map(headerOf).map(([name, value]) => [name.toLowerCase(), value]))
  }
  return { method, path: chosen.path, query, headers, body }
}

/** Appends the path to the base URL as text, so that no path can name another host. */
const addressOf = (settings: Settings, { path, query }: RawRequest): URL => {
  const url = new URL(`${settings.baseUrl}${path}`)
  for (const [name, values] of Object.entries(query)) for (const value of values) url.searchParams.append(name, value)
  return url
}

export const api = async (io: Io, globals: Globals, look: Look, chosen: ApiChosen): Promise<ExitCode> => {
  const request = await toRawRequest(io, chosen)
  const settings = await resolveSettings(io, globals)
  await warnOfPlainHttp(io, settings)
  const sent = new Request(addressOf(settings, request), {
    method: request.method,
    headers: { "user-agent": userAgent, ...headersOf(settings), ...request.headers },
    ...(request.body === undefined ? {} : { body: new Blob([request.body]) }),
    // A redirect could send the credential to another server.
    redirect: "manual",
    signal: io.signal
  })
  const response = await debugged(io, globals.debug)(sent)
  if (io.out.isTerminal) await io.out.write(forTerminal(await response.text(), look))
  else if (response.body !== null) for await (const chunk of response.body) await io.out.write(chunk)
  if (!response.ok) {
    const id = response.headers.get("x-request-id")
    await say(io, `orgplane: HTTP ${response.status}${id === null ? "" : ` (request ${harmless(id)})`}`)
  }
  return exitCodeOf(response.status)
}

const forTerminal = (text: string, look: Look): string => {
  if (text === "") return ""
  try {
    return `${json(JSON.parse(text), look.terminal)}\n`
  } catch {
    return `${harmlessLines(text.trimEnd())}\n`
  }
}
