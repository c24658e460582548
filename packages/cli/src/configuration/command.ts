/** `orgplane configuration`: export, plan, apply, format, adopt and schema. */
import { connect, connectSignedIn } from "../connection.ts"
import type { CommandTable } from "../command-table.ts"
import { exit, type ExitCode } from "../exit-code.ts"
import { usage } from "../failure.ts"
import type { Globals } from "../global-flags.ts"
import type { ConfigurationInvocation } from "../invocation.ts"
import { type Io, print } from "../io.ts"
import { escapeControls } from "../output/escape.ts"
import { printOutcome, printRows } from "../output/print.ts"
import { json, type OutputOptions } from "../output/render.ts"
import { isObject, listAt, member } from "../output/value.ts"
import { yaml } from "../output/yaml.ts"
import { printLong } from "../pager.ts"
import { checkFields } from "../operations.ts"
import { resolveSettings } from "../settings.ts"
import { timeoutMillis, whenFree } from "./when-free.ts"

/** Prints a document: in the selected format, or as `text`. */
const printDocument = async (io: Io, document: unknown, output: OutputOptions, text: () => string): Promise<void> => {
  const { format, selection } = output
  if (selection !== undefined) return print(io, await selection.render(document))
  if (format === "ndjson") return print(io, json(document, false))
  await printLong(io, format === "json" ? json(document, true) : text(), output.pager)
}

const exportDocument = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  kinds: string | undefined
): Promise<ExitCode> => {
  const connection = await connectSignedIn(io, globals)
  const { baseUrl } = await resolveSettings(io, globals)
  const query = kinds === undefined ? {} : { kinds }
  const body = await whenFree(io, output.quiet, () =>
    connection.send({ method: "GET", path: "/v1/configuration", query, body: undefined }, { timeoutMillis })
  )
  const { exportedYaml, withEscapedVariables } = await import("./export-text.ts")
  const document = member(body, "document")
  const schemaUrl = `${baseUrl}/v1/configuration/schema`
  await printDocument(
    io,
    { $schema: schemaUrl, ...(withEscapedVariables(isObject(document) ? document : {}) as object) },
    output,
    () => exportedYaml(document, schemaUrl).trimEnd()
  )
  return exit.ok
}

const schema = async (io: Io, globals: Globals, output: OutputOptions): Promise<ExitCode> => {
  const settings = await resolveSettings(io, globals)
  // The schema is public, and the credential of another server may be set.
  const connection = connect(io, { ...settings, credential: undefined, organization: undefined }, globals)
  const body = await connection.send({
    method: "GET",
    path: "/v1/configuration/schema",
    query: {},
    body: undefined
  })
  await printDocument(io, body, output, () => (output.format === "yaml" ? yaml(body) : json(body, true)))
  return exit.ok
}

const adoptionOf = (text: string) => {
  const [, kind, id, key] = /^([^/=]+)\/([^=]+)=(.+)$/u.exec(text) ?? []
  if (kind === undefined || id === undefined || key === undefined) {
    throw usage(`Expected kind/id=key, such as teams/tem_…=platform, got '${escapeControls(text)}'.`)
  }
  return { kind, id, key }
}

const adopt = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  texts: ReadonlyArray<string>
): Promise<ExitCode> => {
  const adoptions = texts.map(adoptionOf)
  await checkFields("configuration.adopt", globals.json)
  const connection = await connectSignedIn(io, globals)
  const body = await whenFree(io, output.quiet, () =>
    connection.send(
      {
        method: "POST",
        path: "/v1/configuration/adopt",
        query: {},
        body: adoptions.length === 0 ? {} : { adoptions }
      },
      { idempotent: true, timeoutMillis }
    )
  )
  const columns = ["kind", "key", "id"]
  await printOutcome(io, body, output, () =>
    printRows(io, listAt(body, "adopted"), output, { columns }, (adopted) => ({ adopted }))
  )
  return exit.ok
}

export const configuration = async (
  io: Io,
  table: CommandTable,
  globals: Globals,
  output: OutputOptions,
  { action }: ConfigurationInvocation
): Promise<ExitCode> => {
  switch (action.verb) {
    case "export":
      return exportDocument(io, globals, output, action.kinds)
    case "schema":
      return schema(io, globals, output)
    case "adopt":
      return adopt(io, globals, output, action.adoptions)
    case "format":
      return (await import("./format.ts")).format(io, output, action)
    case "plan":
      return (await import("./plan-and-apply.ts")).plan(io, table, globals, output, action)
    case "apply":
      return (await import("./plan-and-apply.ts")).apply(io, table, globals, output, action)
    default:
      return action satisfies never
  }
}
