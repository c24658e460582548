import * as FastCheck from "fast-check"
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import {
  formatKeyFile,
  formatKeyList,
  keyLengthMin,
  type Keys,
  KeysMalformed,
  parseKeyFile,
  parseKeyList,
  readKeyFile,
  signingKeysOf,
  writeKeyFile
} from "./key-file.ts"

const directory = await mkdtemp(join(tmpdir(), "orgplane-keys-"))
afterAll(() => rm(directory, { recursive: true, force: true }))

const character = FastCheck.constantFrom(
  ...Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=:")
)
const key = FastCheck.string({ unit: character, minLength: keyLengthMin, maxLength: 64 }).filter(
  (text) => !text.startsWith("verify:")
)
const distinct = FastCheck.uniqueArray(key, { minLength: 1, maxLength: 8 })
const keys: FastCheck.Arbitrary<Keys> = FastCheck.tuple(distinct, FastCheck.nat(7)).map(([all, split]) => {
  const count = 1 + (split % all.length)
  const [first = "", ...others] = all.slice(0, count)
  return { secrets: [first, ...others], verifyOnly: all.slice(count) }
})
const space = FastCheck.constantFrom("", " ", "\t", "  ")
const lineBreak = FastCheck.constantFrom("\n", "\r\n", "\r", "\n\n", "\n \n")

it("reads the keys that it has written, in their order, in a file and in a variable", () => {
  FastCheck.assert(
    FastCheck.property(keys, (given) => {
      expect(parseKeyFile(formatKeyFile(given), "keys")).toEqual(given)
      expect(parseKeyList(formatKeyList(given))).toEqual(given)
      // The content of a key file is also a valid value of the variable.
      expect(parseKeyList(formatKeyFile(given))).toEqual(given)
    })
  )
})

it("ignores spaces, empty lines, line breaks of other systems, and repeated keys", () => {
  FastCheck.assert(
    FastCheck.property(keys, space, lineBreak, FastCheck.boolean(), (given, around, between, hasEnd) => {
      const lines = [...formatKeyFile(given).trim().split("\n"), given.secrets[0], `verify: ${given.secrets[0]}`]
      const text = lines.map((line) => `${around}${line}${around}`).join(between) + (hasEnd ? between : "")
      expect(parseKeyFile(text, "keys")).toEqual(given)
    })
  )
})

it("reads any text as keys of sufficient length, or rejects it without repeating it", () => {
  const text = FastCheck.oneof(
    FastCheck.string({ maxLength: 200 }),
    FastCheck.array(FastCheck.oneof(key, FastCheck.string({ maxLength: 40 })), { maxLength: 5 }).map((lines) =>
      lines.join("\n")
    )
  )
  FastCheck.assert(
    FastCheck.property(text, (given) => {
      let read: Keys
      try {
        read = parseKeyFile(given, "keys")
      } catch (error) {
        expect(error).toBeInstanceOf(KeysMalformed)
        expect(error instanceof Error ? error.message : "").toMatch(
          /^(?:The|Line \d+ of the) secret key keys is empty or truncated: it must have at least 32 characters\.$/
        )
        return
      }
      const all = [...read.secrets, ...read.verifyOnly]
      expect(all.filter((one) => one.length < keyLengthMin || /[\r\n]/.test(one))).toEqual([])
      expect(new Set(all).size).toBe(all.length)
      expect(parseKeyFile(formatKeyFile(read), "keys")).toEqual(read)
    })
  )
})

it("rejects a file that is too long, and a list with only keys that verify", () => {
  expect(() => parseKeyFile(`${"a".repeat(70)}\n`.repeat(1000), "keys")).toThrow("longer than 65536 characters")
  expect(() => parseKeyFile(`verify:${"a".repeat(40)}\n`, "keys")).toThrow("is empty or truncated")
  expect(parseKeyList(`verify:${"a".repeat(40)}`)).toBeUndefined()
  expect(parseKeyList(`${"a".repeat(40)},short`)).toBe("weak")
})

it("signs with the newest secret key when keys only verify, unless signing keys are configured", () => {
  const [first, second, third] = ["a".repeat(32), "b".repeat(32), "c".repeat(32)]
  expect(signingKeysOf({ secrets: [first], verifyOnly: [] })).toEqual([])
  expect(signingKeysOf({ secrets: [first], verifyOnly: [second] })).toEqual([first, second])
  expect(signingKeysOf({ secrets: [first], verifyOnly: [second] }, [third])).toEqual([third, second])
})

it("replaces a file with mode 0600, and leaves no other file behind", async () => {
  const path = join(directory, "secret-key")
  const first: Keys = { secrets: ["a".repeat(32)], verifyOnly: [] }
  const second: Keys = { secrets: ["b".repeat(32), "a".repeat(32)], verifyOnly: ["c".repeat(32)] }
  for (const given of [first, second]) {
    await writeKeyFile(path, given)
    expect(await readKeyFile(path)).toEqual(given)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(directory)).toEqual(["secret-key"])
  }
  expect(await readFile(path, "utf8")).toBe(`${"b".repeat(32)}\n${"a".repeat(32)}\nverify:${"c".repeat(32)}\n`)
})
