/** What the processes of the tests run. `test/process/setup.ts` makes all of it before the first test. */
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

/**
 * The server and the CLI as bundles: they start in a third of the time that the sources take. `test/readme.test.ts`
 * starts the sources, and `test/packages.test.ts` the published packages.
 */
export const serverProgram = join(root, "packages/server/.cache/main.js")
export const cliProgram = join(root, "packages/cli/.cache/main.js")

/** An embedded database with the current schema and no rows. */
export const emptyDatabase = join(root, ".cache/process/database")

/** Puts a migrated database into a data directory, because creating one takes most of the time of a first start. */
export const addDatabase = (dataDir: string): void => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(emptyDatabase, join(dataDir, "database"), { recursive: true })
}
