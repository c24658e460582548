/** `mcp-connections connect` and `capabilities connect` set a credential. `mcp-connections call` runs one tool. */
import { type Connection, connectSignedIn } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { CallInvocation, ConnectInvocation } from "./invocation.ts"
import type { Globals } from "./global-flags.ts"
import { canPrompt, type Io, notify } from "./io.ts"
import { signInByOAuth } from "./browser-sign-in.ts"
import { printOne, printOutcome } from "./output/print.ts"
import type { OutputOptions } from "./output/render.ts"
import { isObject, textAt } from "./output/value.ts"
import { overrides } from "./overrides/index.ts"
import { pathPart, readInput } from "./request.ts"
import { nameResolver } from "./resolve-names.ts"
import { promptHidden } from "./terminal.ts"

/** Reads the key from a file or a hidden prompt. A key on the command line would be visible to other users. */
const readApiKey = async (io: Io, file: string | undefined): Promise<string> => {
  if ((file === undefined || file === "-") && canPrompt(io)) return promptHidden(io, "API key (hidden):")
  if (file === undefined) throw usage("Pass the API key with --api-key-file <file|->.")
  return (await readInput(io, file)).toString("utf8").trim()
}

const connectByApiKey = async (
  io: Io,
  connection: Connection,
  path: string,
  invocation: ConnectInvocation
): Promise<unknown> => {
  const apiKey = await readApiKey(io, invocation.apiKeyFile)
  if (apiKey === "") throw usage("The API key is empty.")
  return connection.send({ method: "PUT", path: `${path}/api-key`, query: {}, body: { apiKey } })
}

const connectServer = async (
  io: Io,
  connection: Connection,
  invocation: ConnectInvocation,
  quiet: boolean
): Promise<unknown> => {
  const path = `/v1/mcp-connections/${pathPart(invocation.id, "connection-id")}`
  const body = await connection.send({ method: "GET", path, query: {}, body: undefined })
  const kind = textAt(body, "mcpConnection.authType")
  if (invocation.apiKeyFile !== undefined && kind !== "apikey") {
    throw usage(
      `--api-key-file requires a connection with an API key. The authentication type of this connection is '${kind ?? "?"}'.`
    )
  }
  if (kind === "apikey") return connectByApiKey(io, connection, path, invocation)
  if (kind === "none") {
    if (!quiet) await notify(io, "This connection does not require a credential.")
    return body
  }
  return signInByOAuth({
    io,
    connection,
    name: textAt(body, "mcpConnection.name") ?? invocation.id,
    startPath: `${path}/connect/start`,
    completePath: `${path}/connect/complete`,
    browser: invocation.browser,
    paste: invocation.paste,
    quiet
  })
}

const connectSuite = (
  io: Io,
  connection: Connection,
  invocation: ConnectInvocation,
  quiet: boolean
): Promise<unknown> => {
  const path = `/v1/capabilities/connections/${pathPart(invocation.id, "suite")}`
  return signInByOAuth({
    io,
    connection,
    name: invocation.id,
    startPath: `${path}/start`,
    completePath: `${path}/complete`,
    browser: invocation.browser,
    paste: invocation.paste,
    quiet
  })
}

const connectionIdOf = (connection: Connection, value: string): Promise<string> =>
  nameResolver(connection).idOf("mcpConnections.get", "connectionId", value)

export const connectByBrowser = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: ConnectInvocation
): Promise<ExitCode> => {
  const connection = await connectSignedIn(io, globals)
  const isSuite = invocation.group === "capabilities"
  const body = isSuite
    ? await connectSuite(io, connection, invocation, output.quiet)
    : await connectServer(
        io,
        connection,
        { ...invocation, id: await connectionIdOf(connection, invocation.id) },
        output.quiet
      )
  const operationId = isSuite ? "capabilities.completeConnect" : "mcpConnections.completeConnect"
  await printOutcome(io, body, output, () => printOne(io, body, output, overrides[operationId] ?? {}))
  return exit.ok
}

/** `name=text`, or `name:=JSON`. */
const argumentOf = (argument: string): readonly [name: string, value: unknown] => {
  const [, name, colon, text = ""] = /^([^=]+?)(:?)=([\s\S]*)$/u.exec(argument) ?? []
  if (name === undefined) throw usage(`--arg must be name=text or name:=JSON, got '${argument}'.`)
  if (colon !== ":") return [name, text]
  try {
    return [name, JSON.parse(text)]
  } catch {
    throw usage(`The value of '${name}' is not valid JSON. For a string, use ${name}=….`)
  }
}

const argumentsOf = async (io: Io, invocation: CallInvocation): Promise<Readonly<Record<string, unknown>>> => {
  const values = new Map<string, unknown>()
  if (invocation.file !== undefined) {
    let input: unknown
    try {
      input = JSON.parse((await readInput(io, invocation.file)).toString("utf8"))
    } catch (error) {
      throw error instanceof Failure ? error : usage(`--args ${invocation.file} is not valid JSON.`)
    }
    if (!isObject(input)) throw usage(`--args ${invocation.file} must contain a JSON object.`)
    for (const [name, value] of Object.entries(input)) values.set(name, value)
  }
  for (const argument of invocation.args) values.set(...argumentOf(argument))
  // Assignment would not create a member named `__proto__`.
  return Object.fromEntries(values)
}

export const callTool = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: CallInvocation
): Promise<ExitCode> => {
  const body = { toolName: invocation.tool, arguments: await argumentsOf(io, invocation) }
  const connection = await connectSignedIn(io, globals)
  const id = await connectionIdOf(connection, invocation.id)
  const path = `/v1/mcp-connections/${pathPart(id, "connection-id")}/tools/call`
  // No retries: the tool might not be idempotent.
  const response = await connection.send({ method: "POST", path, query: {}, body }, { idempotent: true, retries: 0 })
  await printOutcome(io, response, output, () =>
    printOne(io, response, output, overrides["mcpConnections.callTool"] ?? {})
  )
  return exit.ok
}
