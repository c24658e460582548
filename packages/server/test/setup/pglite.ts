import "./context.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TestProject } from "vitest/node"
import { sha256 } from "../../src/infra/crypto/digest.ts"
import { install } from "../../src/infra/sql/database.ts"
import { layerPglite, Pglite } from "../../src/infra/sql/pglite.ts"

const root = new URL("../../../../", import.meta.url).pathname

/** The migrated database, kept under the digest of the migrations: made once, loaded by every test file. */
const snapshotPath = () => {
  const folder = new URL("../../src/infra/sql/migrations/", import.meta.url).pathname
  const texts = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"))
  const engine = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8").match(/electric-sql\/pglite": (\S+)/)?.[1]
  return join(root, ".cache", `migrated-${sha256(JSON.stringify([engine, ...texts])).slice(0, 16)}.tar`)
}

export default async (project: TestProject) => {
  const path = snapshotPath()
  if (!existsSync(path)) {
    const dump = Effect.gen(function* () {
      yield* install()
      return yield* (yield* Pglite).dump
    })
    const bytes = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(Layer.build(layerPglite({ dataDir: "memory" })), (context) =>
          Effect.provideContext(dump, context)
        )
      )
    )
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, bytes)
    renameSync(`${path}.${process.pid}`, path)
  }
  project.provide("engine", "pglite")
  project.provide("snapshotPath", path)
  project.provide("postgresUrl", "")
  project.provide("postgresTemplate", "")
}
