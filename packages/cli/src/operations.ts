/** Runs the command of an operation. */
import { takeArchive } from "./archive.ts"
import { type Connection, connect } from "./connection.ts"
import { exit, type ExitCode, Failure, usage } from "./failure.ts"
import type { Globals } from "./globals.ts"
import { type Io, print, say } from "./io.ts"
import { isStreamed, type Look, renderOne, renderRows, renderWhole } from "./output/answer.ts"
import { runMembersBatch } from "./batch.ts"
import { followList } from "./follow.ts"
import { isObject, listAt, member } from "./output/cell.ts"
import { harmlessLines } from "./output/harmless.ts"
import { scimLogLine } from "./output/scim-log.ts"
import { type Override, overrides } from "./overrides.ts"
import { type OperationChosen, toRequest, type WireRequest } from "./request.ts"
import { resolveSettings, warnOfPlainHttp } from "./settings.ts"
import { confirmed } from "./terminal.ts"
import { exitOfWorker, watchWorker } from "./watch-worker.ts"
import { exitOfSync, untilDiscovered, watchSync } from "./watch.ts"

interface Run {
  readonly io: Io
  readonly globals: Globals
  readonly look: Look
  readonly chosen: OperationChosen
  readonly override: Override
  readonly connection: Connection
  readonly request: WireRequest
}

export const runOperation = async (
  io: Io,
  globals: Globals,
  look: Look,
  chosen: OperationChosen
): Promise<ExitCode> => {
  const override = overrides[chosen.operation.id] ?? {}
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined && chosen.operation.public !== true) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnOfPlainHttp(io, settings)
  if (chosen.file !== undefined) {
    return runMembersBatch(connect(io, settings, globals.debug), io, look, chosen)
  }
  const request = await toRequest(io, chosen)
  if (override.confirm !== undefined && !(await confirmed(io, override.confirm(chosen.ids), globals.yes))) {
    await say(io, "Cancelled. Nothing was changed.")
    return exit.failure
  }
  const run: Run = { io, globals, look, chosen, override, connection: connect(io, settings, globals.debug), request }
  if (override.archive) {
    const [pluginId = ""] = chosen.ids
    return takeArchive(io, run.connection, request, { file: chosen.to, pluginId, quiet: look.quiet })
  }
  if (chosen.operation.streams) return runStream(run, request)
  if (chosen.follow) {
    if (chosen.all || "cursor" in request.query) throw usage("--follow cannot be combined with --all or --cursor.")
    return followList({ io, connection: run.connection, look, request, count: chosen.limit, line: scimLogLine })
  }
  return chosen.operation.pageMax === undefined ? runOne(run, request) : runList(run, request, chosen.operation.pageMax)
}

const runOne = async (run: Run, request: WireRequest): Promise<ExitCode> => {
  const { chosen, connection, io, look, override } = run
  const { answers: responses, idempotent = false } = chosen.operation
  const watch = { io, connection, quiet: look.quiet, timeoutSeconds: chosen.timeoutSeconds }
  switch (override.progress) {
    case "discovery":
      return response(run, await untilDiscovered(watch, () => connection.send(request, { retries: 0 })))
    case "apply": {
      const body = await untilDiscovered(watch, () =>
        connection.send({ ...request, query: { ...request.query, wait: "0" } }, { idempotent, retries: 0 })
      )
      if (chosen.noWait) return response(run, body)
      const event = await watchSync(watch, member(body, "item.syncEvent"))
      const item = member(body, "item")
      await response(run, isObject(body) && isObject(item) ? { ...body, item: { ...item, syncEvent: event } } : body)
      return exitOfSync(event)
    }
    case "sync": {
      const body = await connection.send(request, { idempotent })
      if (!chosen.watch) return response(run, body)
      const event = await watchSync(watch, member(body, "item"))
      await response(run, isObject(body) ? { ...body, item: event } : body)
      return exitOfSync(event)
    }
    case "worker": {
      const body = await connection.send(request, { idempotent })
      // A local worker's token is printed immediately: it appears only in this response, and the user needs it to start the worker.
      if (!chosen.watch || member(body, "token") !== null) return response(run, body)
      const there = await watchWorker(watch, body)
      await response(run, there)
      return exitOfWorker(there)
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

const response = async ({ chosen, connection, io, look, override, request }: Run, body: unknown): Promise<ExitCode> => {
  const isWatched = io.err.isTerminal && !look.quiet
  if (body === undefined) {
    if (isWatched) await say(io, "Done.")
    return exit.ok
  }
  await print(io, renderOne(body, look, override, { ids: chosen.ids, body: request.body, query: request.query }))
  if (override.beside !== undefined && look.terminal && look.format === undefined && !look.quiet) {
    const { columns, path } = override.beside
    const page = await connection.send({ method: "GET", path: request.path + path, query: {}, body: undefined })
    const rows = listAt(page, "items")
    if (rows.length > 0) await print(io, `\n${renderRows(rows, look, { columns })}`)
  }
  const note = override.note?.(body)
  if (note !== undefined && isWatched) await say(io, note)
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
      await io.out.write(io.out.isTerminal ? harmlessLines(decoder.decode(chunk, { stream: true })) : chunk)
    }
  } catch (error) {
    if (io.signal.aborted) throw error
    throw new Failure(exit.network, "The connection ended early. The output is incomplete.")
  }
  return exit.ok
}

const runList = async (run: Run, request: WireRequest, pageMax: number): Promise<ExitCode> => {
  const { chosen, connection, io, look, override } = run
  if (chosen.limit !== undefined && chosen.limit < 1) throw new Failure(exit.usage, "--limit must be at least 1.")
  const streamed = isStreamed(look)
  const rows: Array<unknown> = []
  const counted: Array<unknown> = []
  let count = 0
  let cursor: string | undefined
  for (;;) {
    const left = chosen.limit === undefined ? undefined : chosen.limit - count
    const limit = left === undefined ? (chosen.all ? pageMax : undefined) : Math.min(left, pageMax)
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
    count += items.length
    if (override.total !== undefined) counted.push(...(items as ReadonlyArray<unknown>))
    if (streamed) await print(io, renderRows(items, look, override))
    else rows.push(...(items as ReadonlyArray<unknown>))
    // A repeated cursor would loop forever.
    cursor = typeof next === "string" && next !== cursor ? next : undefined
    if (cursor === undefined || !(chosen.all || (chosen.limit !== undefined && count < chosen.limit))) break
  }
  if (!streamed) {
    const whole = look.format === "json" || look.format === "yaml"
    await print(
      io,
      whole ? renderWhole({ items: rows, nextCursor: cursor ?? null }, look) : renderRows(rows, look, override)
    )
  }
  if (count === 0 && io.err.isTerminal && !look.quiet) await say(io, "Nothing found.")
  const total = count === 0 ? undefined : override.total?.(counted)
  if (total !== undefined && io.err.isTerminal && !look.quiet) await say(io, total)
  if (cursor !== undefined && chosen.limit === undefined && !look.quiet) {
    await say(io, `More rows are available. Use --all to fetch every row, or --cursor ${cursor} to continue.`)
  }
  return exit.ok
}
