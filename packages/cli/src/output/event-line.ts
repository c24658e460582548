/** One event of a command that prints events as they happen. */
import { json, type OutputOptions } from "./render.ts"
import { tabSeparated } from "./table.ts"
import { textAt } from "./value.ts"
import { yaml } from "./yaml.ts"

interface Row {
  /** For a terminal. */
  readonly line: () => string
  /** For a pipe: the values of these columns. */
  readonly columns: ReadonlyArray<string>
  readonly values: () => unknown
}

/** An event in the format of the output: its ID, JSON, YAML, or a row. */
export const renderEvent = (event: unknown, output: OutputOptions, { columns, line, values }: Row): string => {
  if (output.quiet) return textAt(event, "id") ?? ""
  if (output.format === "json" || output.format === "ndjson") return json(event, false)
  if (output.format === "yaml") return `---\n${yaml(event)}`
  return output.terminal || output.format === "table" ? line() : tabSeparated([values()], columns)
}
