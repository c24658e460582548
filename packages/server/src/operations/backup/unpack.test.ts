import { packTar } from "modern-tar"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { sha256 } from "../../infra/crypto/digest.ts"
import { unpack } from "./unpack.ts"

const folder = mkdtempSync(join(tmpdir(), "orgplane-unpack-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const partOf = (name: string, content: string) => ({
  name,
  bytes: Buffer.byteLength(content),
  sha256: sha256(content)
})

const entryOf = (name: string, content: string) => ({
  header: { name, size: Buffer.byteLength(content), type: "file" as const },
  body: content
})

interface Archive {
  readonly digest?: string
  readonly manifest?: Readonly<Record<string, unknown>>
  readonly directories?: ReadonlyArray<string>
  readonly entries?: ReadonlyArray<readonly [name: string, content: string]>
}

let count = 0
/** Unpacks an archive whose manifest matches its entries, except for the given members. */
const unpackArchive = async ({ digest, directories = ["database"], entries = [], manifest }: Archive) => {
  const text = JSON.stringify({
    format: 1,
    orgplane: "0.1.0",
    createdAt: "2026-11-25T22:31:36.719Z",
    schema: "orgplane",
    schemaVersion: 54,
    rows: {},
    auditChains: [],
    directories,
    parts: entries.map(([name, content]) => partOf(name, content)),
    ...manifest
  })
  const bytes = await packTar([
    entryOf("manifest.json", text),
    entryOf("manifest.json.sha256", digest ?? `${sha256(text)}  manifest.json\n`),
    ...directories.map((name) => ({ header: { name: `${name}/`, size: 0, type: "directory" as const } })),
    ...entries.map(([name, content]) => entryOf(name, content))
  ])
  const file = join(folder, `${(count += 1)}.tar`)
  const into = join(folder, `${count}`, "target")
  writeFileSync(file, bytes)
  mkdirSync(into, { recursive: true })
  return {
    into,
    outcome: await unpack({ file, credentials: {}, into, signal: new AbortController().signal }).catch(
      (error: unknown) => (error instanceof Error ? error.message : String(error))
    )
  }
}

it("unpacks an archive that matches its manifest", async () => {
  const { into, outcome } = await unpackArchive({
    directories: ["database", "database/base"],
    entries: [
      ["secret-key", "key\n"],
      ["database/base/1259", "rows"]
    ]
  })
  expect(outcome).toMatchObject({ schemaVersion: 54 })
  expect(readdirSync(into, { recursive: true }).toSorted()).toEqual([
    "database",
    "database/base",
    "database/base/1259",
    "secret-key"
  ])
})

it("writes nothing outside its target", async () => {
  for (const name of ["../evil", "database/../../evil", "/tmp/evil", "evil", "database//evil", "database/.."]) {
    const { into, outcome } = await unpackArchive({ entries: [[name, "evil"]] })
    expect(outcome).toMatch(/manifest\.json is malformed/)
    expect(readdirSync(into)).toEqual([])
    expect(existsSync(join(into, "../evil"))).toBe(false)
  }
})

it("rejects entries that are missing, added, or different from the manifest", async () => {
  const entries = [["database/base", "rows"]] as const
  const part = partOf("database/base", "rows")
  for (const [parts, message] of [
    [[part, partOf("database/more", "rows")], /database\/more is missing/],
    [[], /database\/base, which is not in its manifest/],
    [[partOf("database/other", "rows")], /contains database\/base instead of database\/other/],
    [[{ ...part, bytes: 5 }], /database\/base has 4 bytes instead of 5/],
    [[partOf("database/base", "raws")], /SHA-256 of database\/base differs/]
  ] as const) {
    const { outcome } = await unpackArchive({ entries, manifest: { parts } })
    expect(outcome).toMatch(message)
  }
})

it("does not read a digest of the manifest that is larger than a digest", async () => {
  const { outcome } = await unpackArchive({ digest: "0".repeat(100_000) })
  expect(outcome).toMatch(/manifest\.json\.sha256 is too large/)
})

it("writes no part that is larger than in the manifest", async () => {
  const entries = [["database/base", "rows".repeat(10_000)]] as const
  const { into, outcome } = await unpackArchive({ entries, manifest: { parts: [partOf("database/base", "rows")] } })
  expect(outcome).toMatch(/database\/base has 40000 bytes instead of 4/)
  expect(readdirSync(join(into, "database"))).toEqual([])
})

it("names the format of a backup that a later release made", async () => {
  const { outcome } = await unpackArchive({ manifest: { format: 2 } })
  expect(outcome).toMatch(/has format 2, but this release restores format 1/)
})
