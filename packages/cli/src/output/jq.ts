/** jq filters. jq itself runs in this process, compiled to WebAssembly; it is loaded only for `--jq`. */
import { usage } from "../failure.ts"
import { escapeLines } from "./escape.ts"
import type { OutputOptions } from "./render.ts"

/** The results of a filter, one per line: texts without quotes, everything else as JSON. */
export const filtered = async (value: unknown, filter: string, output: OutputOptions): Promise<string> => {
  const { raw } = await import("jq-wasm")
  const flags = output.terminal ? ["-r"] : ["-r", "-c"]
  const text = await raw(JSON.stringify(value), filter, flags).catch((error: unknown) => {
    throw usage(`--jq: ${reasonOf(error instanceof Error ? error.message : String(error))}`)
  })
  const result = text.replace(/\n$/u, "")
  return output.terminal ? escapeLines(result) : result
}

const reasonOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^jq: \d+ compile errors?$/u.test(line))
    .join(" ")
    .replace(/^.*?jq: error: /u, "") || "The filter failed."
