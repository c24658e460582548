/**
 * Generates the files derived from the contract: `pnpm codegen`. Current files are not rewritten.
 * With `--check` nothing is written, and the exit code is 1 if a file is outdated.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { apiDocsFiles } from "./codegen/api-docs.ts"
import { cliFiles, commandTable } from "./codegen/cli.ts"
import { clientFiles } from "./codegen/client.ts"
import { configSchemaFiles } from "./codegen/config-schema.ts"
import { consoleFiles } from "./codegen/console.ts"
import { errorDocsFiles } from "./codegen/error-docs.ts"
import { eventDocsFiles } from "./codegen/event-docs.ts"
import { exampleFiles, generatedExamples } from "./codegen/examples.ts"
import { monitoringFiles } from "./codegen/monitoring.ts"
import { openapiFiles } from "./codegen/openapi.ts"

const root = join(import.meta.dirname, "..")

/** The outdated files, with their expected content. */
export const stale = async (): Promise<ReadonlyMap<string, string>> => {
  const table = commandTable()
  const examples = generatedExamples(table)
  const files = {
    ...exampleFiles(examples),
    ...clientFiles(examples),
    ...(await cliFiles()),
    ...consoleFiles(table),
    ...openapiFiles(examples),
    ...apiDocsFiles(table),
    ...errorDocsFiles(),
    ...eventDocsFiles(),
    ...monitoringFiles(),
    ...configSchemaFiles()
  }
  const outdated = new Map<string, string>()
  for (const [path, text] of Object.entries(files)) {
    const current = await readFile(join(root, path), "utf8").catch(() => undefined)
    if (current !== text) outdated.set(path, text)
  }
  return outdated
}

if (import.meta.main) {
  const check = process.argv.includes("--check")
  for (const [path, text] of await stale()) {
    if (check) {
      console.error(`${path} is outdated; run \`pnpm codegen\``)
      process.exitCode = 1
    } else {
      await mkdir(join(root, dirname(path)), { recursive: true })
      await writeFile(join(root, path), text)
      console.log(`wrote ${path}`)
    }
  }
}
