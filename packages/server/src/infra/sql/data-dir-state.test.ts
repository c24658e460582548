import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SqlDatabase } from "./client.ts"
import { isLockFile } from "./data-dir.ts"
import { layerDatabase } from "./database.ts"

let folder: string
let whole: string

const openIn = (dataDir: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Layer.build(layerDatabase({ kind: "pglite", dataDir })), (context) =>
        Effect.provideContext(
          Effect.gen(function* () {
            const sql = yield* SqlDatabase
            yield* sql`CREATE TABLE IF NOT EXISTS kept (n int)`
            yield* sql`INSERT INTO kept VALUES (1)`
            const rows = yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM kept`
            return rows[0]?.n
          }),
          context
        )
      )
    )
  )

/** Every file below a directory, with its digest. */
const digests = async (directory: string) => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !isLockFile(entry.name)).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      files.toSorted().map(async (path) => [
        path,
        createHash("sha256")
          .update(await readFile(path).catch(() => "a directory"))
          .digest("hex")
      ])
    )
  )
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orgplane-state-"))
  whole = join(folder, "whole")
  await mkdir(whole)
  expect(await openIn(whole)).toBe(1)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let copies = 0
const copy = async () => {
  const dataDir = join(folder, `copy-${(copies += 1)}`)
  await cp(whole, dataDir, { recursive: true })
  return dataDir
}

describe("a data directory with an incomplete database or other files", () => {
  const damages: ReadonlyArray<readonly [string, (dataDir: string) => Promise<unknown>, RegExp]> = [
    ["without PG_VERSION", (dir) => rm(join(dir, "database/PG_VERSION")), /database\/PG_VERSION is missing/],
    ["without the control file", (dir) => rm(join(dir, "database/global/pg_control")), /global\/pg_control is missing/],
    ["with half of the control file", (dir) => truncate(join(dir, "database/global/pg_control"), 4096), /truncated/],
    [
      "without the write-ahead log",
      (dir) => rm(join(dir, "database/pg_wal"), { recursive: true }),
      /database\/pg_wal is missing/
    ],
    [
      "without the databases",
      (dir) => rm(join(dir, "database/base"), { recursive: true }),
      /base\/1\/PG_VERSION, database\/base\/5\/PG_VERSION are missing/
    ],
    [
      "with files beside a missing database",
      async (dir) => {
        await rm(join(dir, "database"), { recursive: true })
        await writeFile(join(dir, "secret-key"), "a secret")
      },
      /database is missing, and the directory is not empty \(secret-key\)/
    ],
    [
      "with a link to a database elsewhere",
      async (dir) => {
        await rename(join(dir, "database"), `${dir}-elsewhere`)
        await symlink(`${dir}-elsewhere`, join(dir, "database"))
      },
      /database is a symbolic link, which cannot be used/
    ],
    [
      "with a link to a missing volume",
      async (dir) => {
        await rm(join(dir, "database"), { recursive: true })
        await symlink(`${dir}-nowhere`, join(dir, "database"))
      },
      /database is a symbolic link, which cannot be used/
    ],
    [
      "with a file instead of the database",
      async (dir) => {
        await rm(join(dir, "database"), { recursive: true })
        await writeFile(join(dir, "database"), "no directory")
      },
      /database is not a directory/
    ],
    [
      "with files of another program only",
      async (dir) => {
        await rm(dir, { recursive: true })
        await mkdir(dir)
        await writeFile(join(dir, "thesis.tex"), "years of work")
      },
      /not empty \(thesis\.tex\)/
    ]
  ]
  for (const [name, damage, sentence] of damages) {
    it(`is rejected and left unchanged: ${name}`, async () => {
      const dataDir = await copy()
      await damage(dataDir)
      const before = await digests(dataDir)
      const error: unknown = await openIn(dataDir).catch((error: unknown) => error)
      expect(error).toMatchObject({ _tag: "DataDirIncomplete", message: expect.stringMatching(sentence) })
      expect(String(error)).toMatch(/Nothing was changed\. .*restore the whole directory from a backup/)
      expect(await digests(dataDir)).toEqual(before)
    })
  }

  it("is rejected when files of tables are missing, and works again once they are restored", async () => {
    const dataDir = await copy()
    const base = join(dataDir, "database/base/5")
    // Files of user tables: their numbers are above those of the system tables.
    const names = (await readdir(base)).filter((name) => /^\d+$/.test(name) && Number(name) >= 16_384)
    const missing = names.slice(0, 3)
    for (const name of missing) await rm(join(base, name))
    const error: unknown = await openIn(dataDir).catch((error: unknown) => error)
    expect(error).toMatchObject({
      _tag: "DataDirIncomplete",
      message: expect.stringContaining("the files of 3 of its tables and indexes are missing")
    })
    for (const name of missing) await cp(join(whole, "database/base/5", name), join(base, name))
    expect(await openIn(dataDir)).toBe(2)
  })
})

describe("a first start after one that was killed", () => {
  it("creates a new database, which replaces the unfinished one when it is complete", async () => {
    const dataDir = join(folder, "killed")
    await mkdir(join(dataDir, "database.making/base"), { recursive: true })
    await writeFile(join(dataDir, "database.making/PG_VERSION"), "18\n")
    await mkdir(join(dataDir, "lost+found"))
    expect(await openIn(dataDir)).toBe(1)
    expect((await readdir(dataDir)).sort()).toEqual(["database", "lost+found", "orgplane.lock"])
    expect(await openIn(dataDir)).toBe(2)
  })
})
