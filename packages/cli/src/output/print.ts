/** Prints the result of a command: the selection of `--json`, `--jq` and `--template`, or the format of `--output`. */
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { type Io, print } from "../io.ts"
import type { Override } from "../override.ts"
import { printLong } from "../pager.ts"
import type { RequestContext } from "./connector-plan.ts"
import { json, type OutputOptions, renderOne, renderRows, renderWhole, unwrap } from "./render.ts"
import { listAt } from "./value.ts"

/** Prints a response that is not a page. */
export const printOne = async (
  io: Io,
  body: unknown,
  output: OutputOptions,
  override: Override,
  request?: RequestContext
): Promise<void> => {
  const { selection } = output
  if (selection === undefined) return printLong(io, renderOne(body, output, override, request), output.pager)
  const value = override.rows === undefined ? unwrap(body) : listAt(body, override.rows)
  await print(io, await selection.render(value))
}

/** Prints rows. `whole` is the envelope of JSON and YAML. */
export const printRows = async (
  io: Io,
  rows: ReadonlyArray<unknown>,
  output: OutputOptions,
  override: Override,
  whole: (rows: ReadonlyArray<unknown>) => unknown = (items) => ({ items })
): Promise<void> => {
  const { format, selection } = output
  if (selection !== undefined) return print(io, await selection.render(rows))
  const isWhole = format === "json" || format === "yaml"
  await printLong(io, isWhole ? renderWhole(whole(rows), output) : renderRows(rows, output, override), output.pager)
}

/**
 * Prints the outcome of a write. If a selection fails, everything is printed: a secret may appear only in this response,
 * and repeating the command would repeat the write.
 */
export const printOutcome = async (
  io: Io,
  whole: unknown,
  output: OutputOptions,
  printed: () => Promise<void>
): Promise<void> => {
  try {
    await printed()
  } catch (error) {
    if (output.selection === undefined) throw error
    await print(io, json(whole, output.terminal))
    if (!(error instanceof Failure)) throw error
    throw new Failure(
      exit.failure,
      `The operation was completed, but its output could not be selected. The whole response was printed. ${error.message}`
    )
  }
}
