/** jq filters. jq itself runs in this process, compiled to WebAssembly; it is loaded only for `--jq`. */
import { usage } from "../failure.ts"
import { escapeLines } from "./escape.ts"
import type { SelectionStyle } from "./selection.ts"

/** Compiles a filter. Its results are printed one per line: texts without quotes, everything else as JSON. */
export const filterOf = async (
  filter: string,
  { terminal }: SelectionStyle
): Promise<(value: unknown) => Promise<string>> => {
  const { raw } = await import("jq-wasm")
  const run = async (input: string): Promise<string> => {
    try {
      return await raw(input, filter, terminal ? ["-r"] : ["-r", "-c"])
    } catch (error) {
      throw usage(`--jq: ${reasonOf(error instanceof Error ? error.message : String(error))}`)
    }
  }
  // Without input, jq compiles the filter and does not run it.
  await run("")
  return async (value) => {
    const result = (await run(JSON.stringify(value))).replace(/\n$/u, "")
    return terminal ? escapeLines(result) : result
  }
}

const reasonOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^jq: \d+ compile errors?$/u.test(line))
    .join(" ")
    .replace(/^.*?jq: error: /u, "") || "The filter failed."
