/** Builds the programs and the database that the tests of the project `process` start. Reuses them while their inputs are the same. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { build, type Options } from "tsup"
import { sha256 } from "../../packages/server/src/infra/crypto/digest.ts"
import { cliProgram, emptyDatabase, serverProgram } from "../programs.ts"

const root = join(import.meta.dirname, "../..")

/** The digest of all sources in these folders, and of what else decides the result. */
const digestOf = (folders: ReadonlyArray<string>): string => {
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|json)$/.test(name))
      .sort()
      .map((name) => join(root, folder, name))
  )
  const inputs = [
    import.meta.filename,
    join(import.meta.dirname, "migrated-database.ts"),
    join(root, "pnpm-lock.yaml"),
    // It contains the version that the CLI prints.
    join(root, "packages/cli/package.json"),
    ...sources
  ]
  return sha256(JSON.stringify(inputs.map((file) => [file, readFileSync(file, "utf8")])))
}

/** Calls `make` unless the result on disk has this digest. The digest is written last, so an interrupted run starts over. */
const unlessCurrent = async (folder: string, digest: string, make: () => Promise<void>): Promise<void> => {
  const record = join(folder, "digest")
  if (existsSync(record) && readFileSync(record, "utf8") === digest) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await make()
  writeFileSync(record, digest)
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
  return unlessCurrent(folder, digestOf(["packages/schema/src", "packages/server/src"]), () =>
    bundle({
      entry: {
        main: join(root, "packages/server/src/main.ts"),
        "pglite-worker": join(root, "packages/server/src/infra/sql/pglite-worker.ts")
      },
      outDir: folder,
      // These read files next to their modules.
      external: [/^@electric-sql\//, "email-providers"]
    })
  )
}

const buildCli = () => {
  const folder = dirname(cliProgram)
  return unlessCurrent(folder, digestOf(["packages/schema/src", "packages/client/src", "packages/cli/src"]), () =>
    bundle({
      entry: { main: join(root, "packages/cli/src/main.ts") },
      outDir: folder,
      // An optional dependency that is not installed.
      external: ["redis"]
    })
  )
}

const makeDatabase = () => {
  const folder = dirname(emptyDatabase)
  return unlessCurrent(folder, digestOf(["packages/server/src/infra/sql"]), async () => {
    const { migratedDatabase } = await import("./migrated-database.ts")
    await migratedDatabase(folder)
  })
}

export default async () => {
  await Promise.all([buildServer(), buildCli(), makeDatabase()])
}
