/**
 * Builds the console: `node scripts/build.ts [directory]`. Without a directory, copies the build of these sources, which is
 * made only once, into the directory that is published.
 */
import { cp, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { consoleDirectory } from "../src/files.ts"
import { buildApp } from "./build-app.ts"

const [, , directory] = process.argv
if (directory === undefined) {
  const published = fileURLToPath(new URL("../dist/static", import.meta.url))
  await rm(published, { recursive: true, force: true })
  await cp(await consoleDirectory(), published, { recursive: true })
} else {
  // React has a slower variant for other environments, such as that of tests.
  process.env["NODE_ENV"] = "production"
  await buildApp(directory)
}
