/** Prints the result of a command: the selection of `--json`, `--jq` and `--template`, or the format of `--output`. */
import { type Io, print } from "../io.ts"
import type { Override } from "../override.ts"
import { printLong } from "../pager.ts"
import type { RequestContext } from "./connector-plan.ts"
import { type OutputOptions, renderOne, renderRows, renderWhole, unwrap } from "./render.ts"
import { renderSelection } from "./selection.ts"
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
  await print(io, await renderSelection(value, selection, output))
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
  if (selection !== undefined) return print(io, await renderSelection(rows, selection, output))
  const isWhole = format === "json" || format === "yaml"
  await printLong(io, isWhole ? renderWhole(whole(rows), output) : renderRows(rows, output, override), output.pager)
}
