/**
 * Writes what is derived from the contract: `pnpm codegen`. A file that is right already is not touched.
 * With `--check` nothing is written, and the exit code is 1 when a file is not what it should be.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { apiDocsFiles } from "./codegen/api-docs.ts"
import { cliFiles } from "./codegen/cli.ts"
import { clientFiles } from "./codegen/client.ts"
import { openapiFiles } from "./codegen/openapi.ts"

const root = join(import.meta.dirname, "..")

/** The files that differ from what they should be, with what they should be. */
export const stale = async (): Promise<ReadonlyMap<string, string>> => {
  const files = { ...clientFiles(), ...(await cliFiles()), ...openapiFiles(), ...apiDocsFiles() }
  const out = new Map<string, string>()
  for (const [path, text] of Object.entries(files)) {
    const present = await readFile(join(root, path), "utf8").catch(() => undefined)
    if (present !== text) out.set(path, text)
  }
  return out
}

if (import.meta.main) {
  const check = process.argv.includes("--check")
  for (const [path, text] of await stale()) {
    if (check) {
      console.error(`${path} is not what the contract says; run \`pnpm codegen\``)
      process.exitCode = 1
    } else {
      await mkdir(join(root, dirname(path)), { recursive: true })
      await writeFile(join(root, path), text)
      console.log(`wrote ${path}`)
    }
  }
}
