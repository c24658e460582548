/**
 * Applies many changes from a file or a pipe. Each line has its own result, and a failed line does not stop the others.
 */
import type { Connection } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { describeFailure, Failure, usage } from "./failure.ts"
import { type Io, notify, print } from "./io.ts"
import { type Line, readLines } from "./batch-lines.ts"
import { printOutcome, printRows } from "./output/print.ts"
import { isStreamed, type OutputOptions, renderRows } from "./output/render.ts"
import { isObject, listAt, member, textAt } from "./output/value.ts"
import type { OperationInvocation } from "./invocation.ts"
import { readInput } from "./request.ts"
import { type NameResolver, nameResolver } from "./resolve-names.ts"

/** The result of one line. */
export interface Result {
  readonly line: number
  readonly ok: boolean
  /** ID of the created or changed object. */
  readonly id: string | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly [more: string]: unknown
}

export const linesOf = async (io: Io, file: string, columns: ReadonlyArray<string>): Promise<ReadonlyArray<Line>> =>
  readLines((await readInput(io, file)).toString("utf8"), columns)

/** Whether an error would repeat for every later line, so that the rest is skipped. */
export const isFinal = (error: unknown): boolean => {
  const { exitCode } = describeFailure(error)
  return exitCode === exit.notSignedIn || exitCode === exit.network || exitCode === exit.interrupted
}

export const failedLine = (line: number, error: unknown): Result => {
  const report = describeFailure(error)
  const details = (report.details ?? []).flatMap((detail) => textAt(detail, "message") ?? [])
  const message = details.length === 0 ? report.message : details.join("; ")
  return { line, ok: false, id: null, error: { code: report.reason ?? report.error, message } }
}

export const invalidLine = (line: number, message: string): Result => ({
  line,
  ok: false,
  id: null,
  error: { code: "invalid_line", message }
})

/** Prints each result immediately if the format allows it, and the number of failures at the end. */
export const report = async (
  io: Io,
  output: OutputOptions,
  columns: ReadonlyArray<string>,
  results: AsyncIterable<Result>
): Promise<ExitCode> => {
  const rows: Array<Result> = []
  const failures = { count: 0, all: 0 }
  const streamed = isStreamed(output)
  let abortError: unknown
  try {
    for await (const result of results) {
      failures.all++
      if (!result.ok) failures.count++
      if (streamed) await print(io, renderRows([result], output, { columns }))
      else rows.push(result)
    }
  } catch (error) {
    abortError = error
  }
  const whole = (results: ReadonlyArray<unknown>) => ({ results })
  if (!streamed) {
    await printOutcome(io, whole(rows), output, () => printRows(io, rows, output, { columns }, whole))
  }
  if (abortError !== undefined) {
    await notify(io, `Stopped after ${failures.all} ${failures.all === 1 ? "line" : "lines"}.`)
    throw abortError
  }
  if (failures.count > 0 && !output.quiet) await notify(io, `${failures.count} of ${failures.all} lines failed.`)
  return failures.count === 0 ? exit.ok : exit.failure
}

const chunkMax = 100
const memberColumns = ["orgMembershipId", "action", "role"]

interface Item {
  readonly line: number
  readonly value: Readonly<Record<string, unknown>>
}

/** Maps the index of each invalid item to its message, from a validation error of the whole request. */
const errorsByItem = (error: unknown): ReadonlyMap<number, string> => {
  const errors = new Map<number, string>()
  for (const detail of listAt(error, "body.details")) {
    const path = member(detail, "path")
    const at = Array.isArray(path) ? path.indexOf("items") : -1
    const index: unknown = at === -1 || !Array.isArray(path) ? undefined : path[at + 1]
    if (typeof index === "number" || (typeof index === "string" && /^\d+$/.test(index))) {
      errors.set(Number(index), textAt(detail, "message") ?? "is not valid")
    }
  }
  return errors
}

async function* sendMembers(connection: Connection, chunk: ReadonlyArray<Item>): AsyncGenerator<Result> {
  if (chunk.length === 0) return
  let body: unknown
  try {
    body = await connection.send(
      { method: "POST", path: "/v1/members/batch", query: {}, body: { items: chunk.map(({ value }) => value) } },
      { idempotent: true }
    )
  } catch (error) {
    const errors = errorsByItem(error)
    // The server rejects the whole request for one invalid item: send the others without it.
    if (errors.size > 0) {
      for (const [index, { line }] of chunk.entries()) {
        const message = errors.get(index)
        if (message !== undefined) yield invalidLine(line, message)
      }
      yield* sendMembers(
        connection,
        chunk.filter((_, index) => !errors.has(index))
      )
      return
    }
    if (isFinal(error)) throw error
    for (const { line } of chunk) yield failedLine(line, error)
    return
  }
  const results = listAt(body, "results")
  for (const [index, { line, value }] of chunk.entries()) {
    const result = results.find((each) => member(each, "index") === index)
    if (!isObject(result))
      throw new Failure(exit.failure, "Unexpected response: the server did not return a result for each line.")
    const error = result["error"]
    yield {
      line,
      ok: result["ok"] === true,
      id: textAt(result, "orgMembershipId") ?? null,
      action: textAt(value, "action") ?? null,
      error: isObject(error)
        ? { code: textAt(error, "code") ?? "failed", message: textAt(error, "message") ?? "" }
        : null
    }
  }
}

/** The values of a line with IDs for the email address of the member and the name of the role. */
const withIds = async (names: NameResolver, value: Item["value"]): Promise<Item["value"]> => {
  const entries: Array<readonly [string, unknown]> = []
  for (const [name, each] of Object.entries(value)) {
    entries.push([name, typeof each === "string" ? await names.idOf("members.batch", name, each) : each])
  }
  return Object.fromEntries(entries)
}

async function* memberResults(connection: Connection, lines: ReadonlyArray<Line>): AsyncGenerator<Result> {
  const names = nameResolver(connection)
  let chunk: Array<Item> = []
  for (const each of lines) {
    if ("error" in each) yield invalidLine(each.line, each.error)
    else {
      try {
        chunk.push({ line: each.line, value: await withIds(names, each.value) })
      } catch (error) {
        if (isFinal(error)) throw error
        yield failedLine(each.line, error)
      }
    }
    if (chunk.length === chunkMax) {
      yield* sendMembers(connection, chunk)
      chunk = []
    }
  }
  yield* sendMembers(connection, chunk)
}

/** `members batch --file`: any number of lines, a hundred in each request. */
export const runMembersBatch = async (
  connection: Connection,
  io: Io,
  output: OutputOptions,
  invocation: OperationInvocation
): Promise<ExitCode> => {
  if (invocation.file === undefined || invocation.input !== undefined)
    throw usage("Use either --file or --input, not both.")
  const lines = await linesOf(io, invocation.file, memberColumns)
  return report(
    io,
    output,
    ["line", "ok", "id", "action", "error.code", "error.message"],
    memberResults(connection, lines)
  )
}
