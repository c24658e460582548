/** `mcp-connections connect` and `capabilities connect` set a credential. `mcp-connections call` runs one tool. */
import { connect, type Connection } from "./connection.ts"
import { exit, type ExitCode, Failure, usage } from "./failure.ts"
import type { CallChosen, ConnectChosen } from "./further.ts"
import type { Globals } from "./globals.ts"
import { canAsk, type Io, print, say } from "./io.ts"
import { signInByOAuth } from "./oauth-connect.ts"
import { type Look, renderOne } from "./output/answer.ts"
import { isObject, textAt } from "./output/cell.ts"
import { overrides } from "./overrides.ts"
import { pathPart, readInput } from "./request.ts"
import { resolveSettings, warnOfPlainHttp } from "./settings.ts"
import { askHidden } from "./terminal.ts"

const connected = async (io: Io, globals: Globals): Promise<Connection> => {
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnOfPlainHttp(io, settings)
  return connect(io, settings, globals.debug)
}

/** Reads the key from a file or a hidden prompt. A key on the command line would be visible to other users. */
const keyFrom = async (io: Io, file: string | undefined): Promise<string> => {
  if ((file === undefined || file === "-") && canAsk(io)) return askHidden(io, "API key (hidden):")
  if (file === undefined) throw usage("Pass the API key with --api-key-file <file|->.")
  return (await readInput(io, file)).toString("utf8").trim()
}

const byKey = async (io: Io, connection: Connection, path: string, chosen: ConnectChosen): Promise<unknown> => {
  const apiKey = await keyFrom(io, chosen.apiKeyFile)
  if (apiKey === "") throw usage("The API key is empty.")
  return connection.send({ method: "PUT", path: `${path}/api-key`, query: {}, body: { apiKey } })
}

const toServer = async (io: Io, connection: Connection, chosen: ConnectChosen, quiet: boolean): Promise<unknown> => {
  const path = `/v1/mcp-connections/${pathPart(chosen.id, "connection-id")}`
  const body = await connection.send({ method: "GET", path, query: {}, body: undefined })
  const kind = textAt(body, "mcpConnection.authType")
  if (chosen.apiKeyFile !== undefined && kind !== "apikey") {
    throw usage(
      `--api-key-file requires a connection with an API key. The authentication type of this connection is '${kind ?? "?"}'.`
    )
  }
  if (kind === "apikey") return byKey(io, connection, path, chosen)
  if (kind === "none") {
    if (!quiet) await say(io, "This connection needs no credential.")
    return body
  }
  return signInByOAuth({
    io,
    connection,
    name: textAt(body, "mcpConnection.name") ?? chosen.id,
    startPath: `${path}/connect/start`,
    completePath: `${path}/connect/complete`,
    browser: chosen.browser,
    paste: chosen.paste,
    quiet
  })
}

const toSuite = (io: Io, connection: Connection, chosen: ConnectChosen, quiet: boolean): Promise<unknown> => {
  const path = `/v1/capabilities/connections/${pathPart(chosen.id, "suite")}`
  return signInByOAuth({
    io,
    connection,
    name: chosen.id,
    startPath: `${path}/start`,
    completePath: `${path}/complete`,
    browser: chosen.browser,
    paste: chosen.paste,
    quiet
  })
}

export const connectByBrowser = async (
  io: Io,
  globals: Globals,
  look: Look,
  chosen: ConnectChosen
): Promise<ExitCode> => {
  const connection = await connected(io, globals)
  const isSuite = chosen.group === "capabilities"
  const body = await (isSuite ? toSuite : toServer)(io, connection, chosen, look.quiet)
  const shown = isSuite ? "capabilities.completeConnect" : "mcpConnections.completeConnect"
  await print(io, renderOne(body, look, overrides[shown] ?? {}))
  return exit.ok
}

/** `name=text`, or `name:=JSON`. */
const argumentOf = (told: string): readonly [name: string, value: unknown] => {
  const [, name, colon, text = ""] = /^([^=]+?)(:?)=([\s\S]*)$/u.exec(told) ?? []
  if (name === undefined) throw usage(`--arg must be name=text or name:=JSON, got '${told}'.`)
  if (colon !== ":") return [name, text]
  try {
    return [name, JSON.parse(text)]
  } catch {
    throw usage(`The value of '${name}' is not valid JSON. For a string, use ${name}=….`)
  }
}

const argumentsOf = async (io: Io, chosen: CallChosen): Promise<Readonly<Record<string, unknown>>> => {
  const given = new Map<string, unknown>()
  if (chosen.file !== undefined) {
    let whole: unknown
    try {
      whole = JSON.parse((await readInput(io, chosen.file)).toString("utf8"))
    } catch (error) {
      throw error instanceof Failure ? error : usage(`--args ${chosen.file} is not valid JSON.`)
    }
    if (!isObject(whole)) throw usage(`--args ${chosen.file} must contain a JSON object.`)
    for (const [name, value] of Object.entries(whole)) given.set(name, value)
  }
  for (const told of chosen.args) given.set(...argumentOf(told))
  // Assignment would not create a member named `__proto__`.
  return Object.fromEntries(given)
}

export const callTool = async (io: Io, globals: Globals, look: Look, chosen: CallChosen): Promise<ExitCode> => {
  const path = `/v1/mcp-connections/${pathPart(chosen.id, "connection-id")}/tools/call`
  const body = { toolName: chosen.tool, arguments: await argumentsOf(io, chosen) }
  const connection = await connected(io, globals)
  // No retries: a tool may not be idempotent.
  const response = await connection.send({ method: "POST", path, query: {}, body }, { idempotent: true, retries: 0 })
  await print(io, renderOne(response, look, overrides["mcpConnections.callTool"] ?? {}))
  return exit.ok
}
