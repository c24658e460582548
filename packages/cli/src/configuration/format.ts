/** `configuration format`: normalizes indentation and spaces of configuration files, and keeps comments, order and values. */
import { chmod, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { Faults } from "@orgplane/schema/shared/configuration-files/faults"
import { Budget, parseSource, type SourceText } from "@orgplane/schema/shared/configuration-files/source"
import { exit, type ExitCode } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import type { FormatConfiguration } from "../invocation.ts"
import { type Io, notify, print } from "../io.ts"
import { escapeControls } from "../output/escape.ts"
import { printRows } from "../output/print.ts"
import type { OutputOptions } from "../output/render.ts"
import { checkFaults, readable } from "./check-faults.ts"
import { collectFiles } from "./collect-files.ts"
import { documentText, documentOptions } from "./export-text.ts"
import { yamlLibrary } from "./yaml-library.ts"

const parsed = (source: SourceText) => {
  const faults = new Faults()
  const context = { yaml: yamlLibrary(), faults, budget: new Budget(), environment: undefined }
  const { value } = readable(() => parseSource(source, context))
  checkFaults(faults)
  return JSON.stringify(value)
}

/** The formatted text of a file, with the same values. */
export const formatted = (source: SourceText): string => {
  const value = parsed(source)
  const text = source.isJson
    ? `${JSON.stringify(JSON.parse(source.text), null, 2)}\n`
    : documentText(yamlLibrary().parseDocument(source.text, { schema: "core", merge: false, ...documentOptions }))
  if (parsed({ ...source, text }) !== value) {
    throw new Failure(exit.failure, `${escapeControls(source.name)}: cannot be formatted without changing its values.`)
  }
  return text
}

/** Replaces the file in one step. A link stays a link. */
const replace = async (name: string, text: string): Promise<void> => {
  const path = await realpath(name)
  const temporary = `${path}.${crypto.randomUUID()}.tmp`
  try {
    const { mode } = await stat(path)
    await writeFile(temporary, text, { flag: "wx" })
    await chmod(temporary, mode & 0o7777)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw new Failure(
      exit.failure,
      `${escapeControls(name)}: cannot be written: ${error instanceof Error ? error.message : ""}`
    )
  }
}

export const format = async (
  io: Io,
  output: OutputOptions,
  { check, files }: FormatConfiguration
): Promise<ExitCode> => {
  const sources = await collectFiles(io, files)
  const results = sources.map((source) => ({ source, text: formatted(source) }))
  const changed = results.filter(({ source, text }) => text !== source.text)
  for (const { source, text } of results) {
    if (source.directory === undefined && !check) await print(io, text.replace(/\n$/u, ""))
  }
  const rows = changed.flatMap(({ source }) => (check || source.directory !== undefined ? [{ file: source.name }] : []))
  if (!check) {
    for (const { source, text } of changed) if (source.directory !== undefined) await replace(source.name, text)
  }
  await printRows(io, rows, output, { columns: ["file"], id: "file" }, (changedFiles) => ({ files: changedFiles }))
  if (!check) return exit.ok
  if (changed.length > 0 && !output.quiet) {
    await notify(
      io,
      `${changed.length} of ${sources.length} files are not formatted. Run 'orgplane configuration format'.`
    )
  }
  return changed.length > 0 ? exit.failure : exit.ok
}
