/** Shows long output in a pager, as git and gh do. */
import type { Io } from "./io.ts"
import { print } from "./io.ts"

/** The pager: that of the environment, of the settings file, or `less`. */
export const pagerOf = (io: Io, isDisabled: boolean, configured: string | undefined): string | undefined => {
  if (isDisabled || !io.out.isTerminal || io.env["TERM"] === "dumb") return undefined
  const pager = io.env["ORGPLANE_PAGER"] ?? configured ?? io.env["PAGER"] ?? "less"
  return pager === "" || pager === "off" || pager === "cat" ? undefined : pager
}

/** Prints text, in the pager if it has more lines than the terminal. */
export const printLong = async (io: Io, text: string, pager: string | undefined): Promise<void> => {
  const rows = io.out.rows ?? Number.POSITIVE_INFINITY
  if (pager === undefined || io.openPager === undefined || text.split("\n").length < rows) return print(io, text)
  // A pager that cannot start or fails must not cost the output.
  if (!(await io.openPager(pager, `${text}\n`))) await print(io, text)
}
