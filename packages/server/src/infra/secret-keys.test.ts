import * as Effect from "effect/Effect"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { secretKeysOf } from "./secret-keys.ts"

const dataDir = await mkdtemp(join(tmpdir(), "orgplane-secret-"))
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const keys = () => secretKeysOf({ database: { kind: "pglite", dataDir } }, false)

it("rejects a secret key that is empty or truncated, and creates one when there is none", async () => {
  const path = join(dataDir, "secret-key")
  for (const text of ["", "\n", "half of a secret"]) {
    await writeFile(path, text)
    const error = await Effect.runPromise(Effect.flip(keys()))
    expect(error.message).toContain(`${path} is empty or truncated: it must have at least 32 characters.`)
    expect(await readFile(path, "utf8")).toBe(text)
  }
  await rm(path)
  const {
    secrets: [key]
  } = await Effect.runPromise(keys())
  expect([key.length, `${key}\n`]).toEqual([43, await readFile(path, "utf8")])
})
