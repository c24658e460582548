/** Builds the programs and the database that the tests of the project `process` start. Reuses them while their inputs are the same. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { build, type Options } from "tsup"
import { cliBundle } from "../../packages/cli/tsup.config.ts"
import { sha256 } from "../../packages/server/src/infra/crypto/digest.ts"
import { cliProgram, emptyDatabase, serverProgram } from "../programs.ts"

const root = join(import.meta.dirname, "../..")

const digestOfFiles = (files: ReadonlyArray<string>): string =>
  sha256(JSON.stringify(files.map((file) => [file, readFileSync(file, "utf8")])))

const sourceDigests = new Map<string, string>()
/** The digest of all sources in a folder, read once. */
const digestOfSources = (folder: string): string => {
  const cached = sourceDigests.get(folder)
  if (cached !== undefined) return cached
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
  const sources = names.filter((name) => /\.(ts|json)$/.test(name)).sort()
  const digest = digestOfFiles(sources.map((name) => join(root, folder, name)))
  sourceDigests.set(folder, digest)
  return digest
}

const otherInputs = [
  import.meta.filename,
  join(import.meta.dirname, "migrated-database.ts"),
  join(root, "pnpm-lock.yaml"),
  // It contains the version that the CLI prints.
  join(root, "packages/cli/package.json"),
  join(root, "packages/cli/tsup.config.ts")
]

/** The digest of all sources in these folders, and of what else decides the result. */
const digestOf = (folders: ReadonlyArray<string>): string =>
  sha256(JSON.stringify([digestOfFiles(otherInputs), ...folders.map(digestOfSources)]))

/**
 * Replaces the folder with what `make` writes, unless it already has this digest. The result is complete before it
 * replaces the folder, because another run of the tests may do the same.
 */
const unlessCurrent = async (
  folder: string,
  digest: string,
  make: (folder: string) => Promise<unknown>
): Promise<void> => {
  const isCurrent = () => {
    const record = join(folder, "digest")
    return existsSync(record) && readFileSync(record, "utf8") === digest
  }
  if (isCurrent()) return
  const made = `${folder}.${process.pid}`
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { recursive: true })
  await make(made)
  writeFileSync(join(made, "digest"), digest)
  rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(made, folder)
  } catch (cause) {
    rmSync(made, { recursive: true, force: true })
    if (!isCurrent()) throw cause
  }
}

const bundle = (options: Pick<Options, "entry" | "external" | "outDir">) =>
  build({
    ...options,
    config: false,
    silent: true,
    format: "esm",
    target: "node24",
    platform: "node",
    splitting: true,
    treeshake: false,
    // Bundled CommonJS libraries load Node modules with `require`.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'
    }
  })

const buildServer = () => {
  const folder = dirname(serverProgram)
  return unlessCurrent(folder, digestOf(["packages/schema/src", "packages/server/src"]), (outDir) =>
    bundle({
      entry: {
        main: join(root, "packages/server/src/main.ts"),
        "pglite-worker": join(root, "packages/server/src/infra/sql/pglite-worker.ts")
      },
      outDir,
      // These read files next to their modules.
      external: [/^@electric-sql\//, "email-providers", "@orgplane/console"]
    })
  )
}

const buildCli = () => {
  const folder = dirname(cliProgram)
  return unlessCurrent(folder, digestOf(["packages/schema/src", "packages/client/src", "packages/cli/src"]), (outDir) =>
    // As published.
    build({
      ...cliBundle,
      config: false,
      silent: true,
      entry: { main: join(root, "packages/cli/src/main.ts") },
      outDir
    })
  )
}

const makeDatabase = () => {
  const folder = dirname(emptyDatabase)
  return unlessCurrent(folder, digestOf(["packages/server/src/infra/sql"]), async (dataDir) => {
    const { migratedDatabase } = await import("./migrated-database.ts")
    await migratedDatabase(dataDir)
  })
}

export default async () => {
  await Promise.all([buildServer(), buildCli(), makeDatabase()])
}
