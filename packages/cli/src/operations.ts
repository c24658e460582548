/** Runs the command of an operation. */
import { connect, type Connection } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import { type Io, notify, print } from "./io.ts"
import { printOne, printOutcome, printRows } from "./output/print.ts"
import { isStreamed, type OutputOptions, renderRows } from "./output/render.ts"
import { demandFields } from "./output/selection.ts"
import { followList } from "./follow-list.ts"
import { isObject, listAt, member } from "./output/value.ts"
import { escapeLines } from "./output/escape.ts"
import { scimLogLine } from "./output/scim-log.ts"
import type { Override } from "./override.ts"
import { overrides } from "./overrides/index.ts"
import type { OperationInvocation } from "./invocation.ts"
import { toRequest, type WireRequest } from "./request.ts"
import { resolveNames } from "./resolve-names.ts"
import { resolveSettings, warnAboutPlainHttp } from "./settings.ts"
import { confirm } from "./terminal.ts"
import { exitOfWorker, waitForWorker } from "./wait-for-worker.ts"
import { exitOfSync, retryUntilDiscovered, waitForSync } from "./wait-for-sync.ts"

interface Run {
  readonly io: Io
  readonly globals: Globals
  readonly output: OutputOptions
  readonly invocation: OperationInvocation
  readonly override: Override
  readonly connection: Connection
  readonly request: WireRequest
  /** The server has already read the repository for this command. */
  readonly hasRead: boolean
}

/** Whether a response is printed as text or as a table. */
const isText = ({ format, quiet, selection }: OutputOptions): boolean =>
  (format === undefined || format === "table") && !quiet && selection === undefined

export const runOperation = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  written: OperationInvocation
): Promise<ExitCode> => {
  const override = overrides[written.operation.id] ?? {}
  const { flag } = override.beside ?? {}
  if (flag !== undefined && written.beside === true && !isText(output)) {
    throw usage(`--${flag.name} prints text. Remove --quiet, --json, --jq, --template or --output.`)
  }
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined && written.operation.public !== true) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnAboutPlainHttp(io, settings)
  const connection = connect(io, settings, globals)
  if (written.file !== undefined) {
    const { runMembersBatch } = await import("./batch.ts")
    return runMembersBatch(connection, io, output, written)
  }
  if (written.operation.method !== "GET") await checkFields(written.operation.id, globals.json)
  const { hasRead, invocation } = await selected(io, connection, await resolveNames(connection, written), output)
  const request = await toRequest(io, invocation)
  if (override.confirm !== undefined && !(await confirm(io, override.confirm(invocation.ids), globals.yes))) {
    await notify(io, "Canceled. Nothing was changed.")
    return exit.failure
  }
  const run: Run = {
    io,
    globals,
    output,
    invocation,
    override,
    connection,
    request,
    hasRead
  }
  if (override.archive) {
    const [pluginId = ""] = invocation.ids
    const { takeArchive } = await import("./archive.ts")
    return takeArchive(io, run.connection, request, { file: invocation.to, pluginId, quiet: output.quiet })
  }
  if (invocation.operation.streams) return runStream(run, request)
  if (invocation.follow) {
    if (invocation.all || "cursor" in request.query) throw usage("--follow cannot be combined with --all or --cursor.")
    return followList({
      io,
      connection: run.connection,
      output,
      request,
      count: invocation.limit,
      line: scimLogLine
    })
  }
  return invocation.operation.pageMax === undefined
    ? runOne(run, request)
    : runList(run, request, invocation.operation.pageMax)
}

/** Fails if a write's response has no field of that name, so that nothing is sent for a command whose output would be lost. */
export const checkFields = async (id: string, json: string | undefined): Promise<void> => {
  if (json === undefined) return
  const { responseFields } = await import("./generated/response-fields.ts")
  const fields = responseFields[id] ?? []
  if (fields.length > 0) demandFields(json, fields)
}

/** With the keys of the plugins that `--select` and `--all` stand for. */
const selected = async (io: Io, connection: Connection, invocation: OperationInvocation, output: OutputOptions) => {
  const { id } = invocation.operation
  let hasRead = false
  if (id !== "connectors.apply" && id !== "connectors.plan") return { hasRead, invocation }
  const { discoverPlugins, selectPlugins } = await import("./select-plugins.ts")
  const { quiet } = output
  const discover = () => {
    hasRead = true
    return retryUntilDiscovered({ io, connection, quiet, timeoutSeconds: invocation.timeoutSeconds }, () =>
      discoverPlugins(connection, invocation)
    )
  }
  const withKeys = await selectPlugins(io, invocation, discover, quiet)
  return { hasRead, invocation: withKeys }
}

const runOne = async (run: Run, request: WireRequest): Promise<ExitCode> => {
  const { invocation, connection, io, output, override } = run
  const { declaredFailure: responses, idempotent = false } = invocation.operation
  const waitOptions = { io, connection, quiet: output.quiet, timeoutSeconds: invocation.timeoutSeconds }
  switch (override.progress) {
    case "discovery":
      return response(
        run,
        await retryUntilDiscovered(
          waitOptions,
          () => connection.send(request, { retries: 0 }),
          run.hasRead ? "Comparing with the imported plugins" : undefined
        )
      )
    case "apply": {
      const body = await retryUntilDiscovered(
        waitOptions,
        () => connection.send({ ...request, query: { ...request.query, wait: "0" } }, { idempotent, retries: 0 }),
        run.hasRead ? "Starting the import" : undefined
      )
      if (!invocation.wait) return response(run, body)
      const event = await waitForSync(waitOptions, member(body, "item.syncEvent"))
      const item = member(body, "item")
      await response(run, isObject(body) && isObject(item) ? { ...body, item: { ...item, syncEvent: event } } : body)
      return exitOfSync(event)
    }
    case "sync": {
      const body = await connection.send(request, { idempotent })
      if (!invocation.wait) return response(run, body)
      const event = await waitForSync(waitOptions, member(body, "item"))
      await response(run, isObject(body) ? { ...body, item: event } : body)
      return exitOfSync(event)
    }
    case "worker": {
      const body = await connection.send(request, { idempotent })
      // A local worker's token is printed immediately: it appears only in this response, and the user needs it to
      // start the worker.
      if (!invocation.wait || member(body, "token") !== null) return response(run, body)
      const worker = await waitForWorker(waitOptions, body)
      await response(run, worker)
      return exitOfWorker(worker)
    }
    default:
      try {
        return await response(
          run,
          await connection.send(request, responses === undefined ? { idempotent } : { retries: 0 })
        )
      } catch (error) {
        // A failure status that the operation declares: print the body, and still fail.
        if (
          responses === undefined ||
          member(error, "status") !== responses ||
          member(error, "body.error") !== undefined
        )
          throw error
        await response(run, member(error, "body"))
        return exit.failure
      }
  }
}

const response = async (
  { invocation, connection, io, output, override, request }: Run,
  body: unknown
): Promise<ExitCode> => {
  const isWatched = io.err.isTerminal && !output.quiet
  if (body === undefined) {
    if (isWatched) await notify(io, "Done.")
    return exit.ok
  }
  const printed = () =>
    printOne(io, body, output, override, { ids: invocation.ids, body: request.body, query: request.query })
  await (request.method === "GET" ? printed() : printOutcome(io, body, output, printed))
  if (output.selection !== undefined) return exitOf(override, body)
  const { beside } = override
  const isShown =
    beside?.flag === undefined ? output.terminal && output.format === undefined : invocation.beside === true
  if (beside !== undefined && isShown && isText(output)) {
    const page = await connection.send({ method: "GET", path: request.path + beside.path, query: {}, body: undefined })
    const rows = listAt(page, beside.rows ?? "items")
    if (rows.length > 0) await print(io, `\n${renderRows(rows, output, { columns: beside.columns })}`)
  }
  const note = override.note?.(body)
  if (note !== undefined && isWatched) await notify(io, note)
  return exitOf(override, body)
}

const exitOf = (override: Override, body: unknown): ExitCode => {
  const fails = override.fails?.(body) ?? false
  return typeof fails === "number" ? fails : fails ? exit.failure : exit.ok
}

/** Writes a response of any size without buffering it. */
const runStream = async ({ connection, io }: Run, request: WireRequest): Promise<ExitCode> => {
  const stream = await connection.stream(request)
  const decoder = new TextDecoder()
  try {
    for await (const chunk of stream) {
      // Control characters are escaped on a terminal only.
      await io.out.write(io.out.isTerminal ? escapeLines(decoder.decode(chunk, { stream: true })) : chunk)
    }
  } catch (error) {
    if (io.signal.aborted) throw error
    throw new Failure(exit.network, "The connection ended early. The output is incomplete.")
  }
  return exit.ok
}

const runList = async (run: Run, request: WireRequest, pageMax: number): Promise<ExitCode> => {
  const { invocation, connection, io, output, override } = run
  if (invocation.limit !== undefined && invocation.limit < 1)
    throw new Failure(exit.usage, "--limit must be at least 1.")
  const streamed = isStreamed(output)
  const rows: Array<unknown> = []
  const totalRows: Array<unknown> = []
  let count = 0
  let cursor: string | undefined
  /** The fields of the first page besides those of every page, such as counts. */
  let others: Readonly<Record<string, unknown>> | undefined
  for (;;) {
    const remaining = invocation.limit === undefined ? undefined : invocation.limit - count
    const limit = remaining === undefined ? (invocation.all ? pageMax : undefined) : Math.min(remaining, pageMax)
    const page = await connection.send({
      ...request,
      query: {
        ...request.query,
        ...(limit === undefined ? {} : { limit: String(limit) }),
        ...(cursor === undefined ? {} : { cursor })
      }
    })
    const items = member(page, "items")
    if (!Array.isArray(items)) throw new Failure(exit.failure, "Unexpected response: the server did not return a list.")
    const next = member(page, "nextCursor")
    others ??= isObject(page) ? page : {}
    count += items.length
    if (override.total !== undefined) totalRows.push(...(items as ReadonlyArray<unknown>))
    if (streamed) await print(io, renderRows(items, output, override))
    else rows.push(...(items as ReadonlyArray<unknown>))
    // A repeated cursor would loop forever.
    cursor = typeof next === "string" && next !== cursor ? next : undefined
    if (cursor === undefined || !(invocation.all || (invocation.limit !== undefined && count < invocation.limit))) break
  }
  if (!streamed)
    await printRows(io, rows, output, override, (items) => ({ ...others, items, nextCursor: cursor ?? null }))
  if (count === 0 && io.err.isTerminal && !output.quiet) await notify(io, "Nothing found.")
  const total = count === 0 ? undefined : override.total?.(totalRows)
  if (total !== undefined && io.err.isTerminal && !output.quiet) await notify(io, total)
  if (cursor !== undefined && invocation.limit === undefined && !output.quiet) {
    await notify(io, `More rows are available. Use --all to fetch every row, or --cursor ${cursor} to continue.`)
  }
  return exit.ok
}
