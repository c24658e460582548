import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { integrityOf, tarGz, zip, zipOf } from "../../../../test/content/archives.fixture.ts"
import { RemoteFailed } from "../../ports/remote-content.ts"
import { type ArchiveBounds, archiveBounds, expectedSha256, makeVerifier, readIntegrity, unpack } from "./index.ts"

const root = mkdtempSync(join(tmpdir(), "orgplane-archive-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const blobSha = (content: Uint8Array) =>
  createHash("sha1").update(`blob ${content.byteLength}\0`).update(content).digest("hex")

/** The contents of an archive by name, unpacked in a directory of its own. */
const see = async (bytes: Uint8Array, bounds: Partial<ArchiveBounds> = {}) => {
  const folder = mkdtempSync(join(root, "one-"))
  const path = join(folder, "received")
  writeFileSync(path, bytes)
  const unpacked = await unpack(
    path,
    join(folder, "unpacked"),
    { ...archiveBounds, ...bounds },
    new AbortController().signal
  )
  try {
    const contents = await unpacked.read(unpacked.entries.map(({ sha }) => sha))
    // Whatever the archive names, only these two files exist on disk.
    expect(readdirSync(folder).toSorted()).toEqual(["received", "unpacked"])
    return { ...unpacked, contents }
  } finally {
    await unpacked.close()
  }
}

const refusal = async (bytes: Uint8Array, bounds: Partial<ArchiveBounds> = {}) => {
  const cause = await see(bytes, bounds).then(
    () => undefined,
    (cause: unknown) => cause
  )
  expect(cause).toBeInstanceOf(RemoteFailed)
  return cause instanceof RemoteFailed ? cause.code : undefined
}

const small: Partial<ArchiveBounds> = { inflatedBytesMax: 4096, entriesMax: 10, fileBytesMax: 1024 }

describe("unpack", () => {
  it("stores every file's bytes under their git SHA, for every archive format", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}\.md$/u), fc.uint8Array({ maxLength: 3000 }), {
          maxKeys: 12
        }),
        fc.boolean(),
        async (files, isZip) => {
          const { contents, entries, warnings } = await see(isZip ? zipOf(files) : await tarGz(files))
          expect(warnings).toEqual([])
          expect(entries).toEqual(
            Object.entries(files).map(([path, content]) => ({
              path,
              kind: "file",
              sha: blobSha(content),
              size: content.byteLength
            }))
          )
          for (const { path, sha } of entries)
            expect(Buffer.from(contents.get(sha) ?? [0])).toEqual(Buffer.from(files[path] ?? []))
        }
      ),
      { numRuns: 60 }
    )
  })

  it("lists links as links, and rejects entries that are neither files nor folders", async () => {
    const special = (["link", "character-device", "block-device", "fifo"] as const).map((type) => ({
      header: { name: `a-${type}`, type, size: 0, linkname: "/etc/passwd" }
    }))
    const symlink = { header: { name: "l", type: "symlink" as const, size: 0, linkname: "/etc/passwd" } }
    const { entries, warnings } = await see(await tarGz({ a: "x" }, "", [...special, symlink]))
    expect(entries.map(({ kind, path }) => [path, kind])).toEqual([
      ["a", "file"],
      ["l", "symlink"]
    ])
    expect(warnings).toHaveLength(4)
    const zipped = await see(
      zip([
        { name: "l", content: "/etc/passwd", mode: 0o120777 },
        { name: "p", content: "", mode: 0o010644 },
        { name: "e", content: "", flags: 1 },
        { name: "d/", content: "", mode: 0o040755 }
      ])
    )
    expect(zipped.entries.map(({ kind }) => kind)).toEqual(["symlink"])
    expect(zipped.warnings).toEqual([
      'Ignored "p": it is a device, a pipe or a socket.',
      'Ignored "e": it is encrypted.'
    ])
  })

  it("leaves entry names unchanged, for the caller to check", async () => {
    const names = ["../a", "/b", "c\\d", "e\u0000f", "\u202eg"]
    const { entries } = await see(zip(names.map((name) => ({ name, content: "x" }))))
    expect(entries.map(({ path }) => path)).toEqual(names)
  })

  it("lists a file that is too large to be stored, and does not store it", async () => {
    for (const bytes of [await tarGz({ a: Buffer.alloc(2000) }), zipOf({ a: Buffer.alloc(2000) })]) {
      const { bytes: stored, contents, entries } = await see(bytes, small)
      expect([entries[0]?.size, contents.size, stored]).toEqual([2000, 0, 0])
    }
  })

  it("stops at its size limits, whether sizes are declared or not", async () => {
    const large = Buffer.alloc(5000)
    expect(await refusal(await tarGz({ a: large }), small)).toBe("too_large")
    expect(await refusal(zipOf({ a: large }), small)).toBe("too_large")
    expect(await refusal(await tarGz({ a: large.subarray(0, 3000), b: large.subarray(0, 3000) }), small)).toBe(
      "too_large"
    )
    // Declares ten bytes and contains five thousand.
    expect(await refusal(zip([{ name: "a", content: large, size: 10 }]), small)).toBe("damaged")
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, "x"]))
    expect(await refusal(await tarGz(many), small)).toBe("too_large")
    expect(await refusal(zipOf(many), small)).toBe("too_large")
    expect(await refusal(gzipSync(Buffer.alloc(10_000_000)), small)).toMatch(/too_large|damaged/)
    expect(await refusal(zipOf({ a: "xy", b: "xy", c: "z" }), { readBytesMax: 2 })).toBe("too_large")
  })

  it("limits the total length of names, which compress to almost nothing", async () => {
    const bounds = { nameLengthMax: 300, namesLengthMax: 1000 }
    const long = "n".repeat(301)
    for (const archive of [
      await tarGz({ [long]: "x", a: "y" }),
      zip([
        { name: long, content: "x" },
        { name: "a", content: "y" }
      ])
    ]) {
      const { entries, warnings } = await see(archive, bounds)
      expect(entries.map(({ path }) => path)).toEqual(["a"])
      expect(warnings).toEqual([expect.stringContaining("its name is longer than 300 characters")])
    }
    const many = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`${"n".repeat(200)}${index}`, ""]))
    expect(await refusal(await tarGz(many), bounds)).toBe("too_large")
    expect(await refusal(zipOf(many), bounds)).toBe("too_large")
    const megabytes = "m".repeat(4 * 1024 * 1024)
    expect((await see(await tarGz({ [megabytes]: "x" }))).entries).toEqual([])
  })

  it("reports that a file is not an archive, and nothing else", async () => {
    const tar = await tarGz({ a: "x".repeat(1000) })
    const zipped = zipOf({ a: "x".repeat(1000) })
    const broken = [
      Buffer.alloc(0),
      Buffer.from("hello"),
      Buffer.from("\x1f\x8b garbage", "latin1"),
      tar.subarray(0, tar.length - 20),
      gzipSync(Buffer.alloc(700, "x")),
      zipped.subarray(0, zipped.length - 30),
      Buffer.concat([zipped.subarray(0, 40), Buffer.alloc(10, 7), zipped.subarray(50)])
    ]
    for (const bytes of broken) expect(await refusal(bytes)).toBe("damaged")
  })

  it("never throws any other error, whatever the bytes", async () => {
    const samples = [await tarGz({ a: "hello", "b/c.md": "world" }), zipOf({ a: "hello", "b/c.md": "world" })]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), fc.nat(), fc.nat(255), async (sample, at, byte) => {
        const bytes = Buffer.from(sample)
        bytes[at % bytes.length] = byte
        const cause = await see(bytes).then(
          () => undefined,
          (cause: unknown) => cause
        )
        if (cause !== undefined) expect(cause).toBeInstanceOf(RemoteFailed)
      }),
      { numRuns: 300 }
    )
  })
})

describe("integrity", () => {
  const bytes = Buffer.from("a package")
  const isIntact = (text: string) => {
    const expected = readIntegrity(text)
    if (expected === undefined) return undefined
    const verifier = makeVerifier(expected)
    verifier.update(bytes.subarray(0, 3))
    verifier.update(bytes.subarray(3))
    return verifier.isExpected()
  }
  const sri = (algorithm: string, of: Uint8Array) => `${algorithm}-${createHash(algorithm).update(of).digest("base64")}`
  const other = Buffer.from("another")

  it("accepts any digest of the strongest of several algorithms", () => {
    expect(isIntact(integrityOf(bytes))).toBe(true)
    expect(isIntact(`${sri("sha256", bytes)}?option`)).toBe(true)
    expect(isIntact(sri("sha384", other))).toBe(false)
    expect(isIntact(`${sri("sha512", other)} ${sri("sha512", bytes)}`)).toBe(true)
    // The weaker one matches, and does not count.
    expect(isIntact(`${sri("sha256", bytes)} ${sri("sha512", other)}`)).toBe(false)
    expect(isIntact(`${sri("sha1", bytes)} ${sri("sha256", bytes)}`)).toBe(true)
  })

  it("rejects weak, truncated and invalid digests", () => {
    for (const text of [
      "",
      sri("sha1", bytes),
      sri("md5", bytes),
      "sha512-YWJj",
      "sha512-",
      "sha512",
      "SHA512-x",
      "-"
    ]) {
      expect(isIntact(text)).toBe(undefined)
    }
  })

  it("compares pinned hexadecimal digests", () => {
    const verifier = makeVerifier(expectedSha256(createHash("sha256").update(bytes).digest("hex")))
    verifier.update(bytes)
    expect(verifier.isExpected()).toBe(true)
  })
})
