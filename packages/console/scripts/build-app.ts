/** Builds the console into a directory, with compressed copies of its files. */
import { existsSync } from "node:fs"
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { build } from "vite"

const root = fileURLToPath(new URL("../src/app", import.meta.url))
const compressible = new Set([".css", ".html", ".js", ".json", ".svg"])

/** Builds into a directory that appears when it is complete, so that an interrupted build leaves nothing that is served. */
export const buildApp = async (directory: string): Promise<void> => {
  const incomplete = join(dirname(directory), `.${basename(directory)}.${process.pid}`)
  await rm(incomplete, { recursive: true, force: true })
  await build({
    configFile: false,
    root,
    base: "./",
    logLevel: "error",
    build: {
      outDir: incomplete,
      emptyOutDir: true,
      target: "es2023",
      modulePreload: { polyfill: false },
      // An inlined asset would be a data URL, which the policy of the page allows for images only.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // The licenses of the libraries require it.
      license: { fileName: "licenses.md" },
      rolldownOptions: {
        output: {
          // Each file is a request before the first row. Modules that at least 20 files share are in one file.
          codeSplitting: { groups: [{ name: "common", minShareCount: 20 }] }
        }
      },
      sourcemap: false
    },
    oxc: { jsx: { runtime: "automatic", importSource: "#console", development: false } }
  })
  const entries = await readdir(incomplete, { recursive: true, withFileTypes: true })
  await Promise.all(
    entries
      .filter((entry) => entry.isFile() && compressible.has(extname(entry.name)))
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name)
        const content = await readFile(file)
        const [small, smaller] = await Promise.all([
          promisify(gzip)(content, { level: 9 }),
          promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
        ])
        await Promise.all([writeFile(`${file}.gz`, small), writeFile(`${file}.br`, smaller)])
      })
  )
  await rm(directory, { recursive: true, force: true })
  try {
    await rename(incomplete, directory)
  } catch (cause) {
    // Another process has built the same sources at the same time.
    await rm(incomplete, { recursive: true, force: true })
    if (!existsSync(join(directory, "index.html"))) throw cause
  }
}
