import { createHash } from "node:crypto"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { deflateSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { gitDirOf, makeRepository } from "../../../../../../test/fixtures/git.ts"
import {
  buildPack,
  copyFrom,
  deltaHead,
  entryHead,
  type GitObject,
  makeDelta,
  type PackItem,
  reachableFrom,
  readObject,
  shaOf
} from "../../../../../../test/fixtures/git-objects.ts"
import { type GitServerOptions, serveGit } from "../../../../../../test/fixtures/git-server.ts"
import { makeFolder, makeTestHost, repositoryAt, see } from "./git.fixture.ts"
import type { CodeHostGitOptions } from "./index.ts"

/** Counts the rounds of the event loop until the result is there. */
const countTurns = () => {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isOver = true
    return turns
  }
}

const root = makeFolder()
const dir = join(root, "plugins")
const revision = makeRepository(dir, { "a.md": "one", "b.md": "two" })
const objects: ReadonlyArray<GitObject> = reachableFrom(gitDirOf(dir), revision, false).map((sha) =>
  readObject(gitDirOf(dir), sha)
)

/** The result of a fetch whose response is this pack. */
const outcome = async (pack: GitServerOptions["pack"] & {}, bounds: CodeHostGitOptions["bounds"] = {}) => {
  const server = await serveGit(dir, { pack })
  const host = makeTestHost({ localRoots: [], workDir: join(root, "work"), bounds })
  try {
    return (await host.refusal((code) => see(code, repositoryAt(server.url)))).code
  } finally {
    await server.close()
  }
}

const outcomeOf = (items: ReadonlyArray<PackItem>, bounds?: CodeHostGitOptions["bounds"]) =>
  outcome(buildPack([...objects, ...items]).bytes, bounds)

const blob = (data: Buffer): GitObject => ({ type: "blob", data })
const raw = (kind: number, size: number, content: Buffer): PackItem => ({
  raw: Buffer.concat([entryHead(kind, size), deflateSync(content)])
})
const sealed = (body: Buffer) => Buffer.concat([body, createHash("sha1").update(body).digest()])

const MiB = 1024 * 1024

describe("a damaged pack", () => {
  const good = buildPack(objects).bytes
  const flipped = Buffer.from(good)
  flipped[40] = (flipped[40] ?? 0) ^ 0xff

  it.each<[string, Buffer]>([
    ["is truncated", good.subarray(0, good.length - 30)],
    ["is empty", Buffer.alloc(0)],
    ["is an HTML page", Buffer.from("<html>".repeat(20))],
    ["has a flipped bit", flipped],
    ["has a flipped bit and a valid checksum", sealed(flipped.subarray(0, -20))],
    ["declares more objects than it has", buildPack(objects, objects.length + 1).bytes],
    ["declares fewer objects than it has", buildPack(objects, objects.length - 1).bytes],
    ["lacks the tree of the commit", buildPack(objects.filter(({ type }) => type !== "tree")).bytes],
    ["has version 9", sealed(Buffer.concat([Buffer.from("PACK\0\0\0\u0009\0\0\0\0"), Buffer.alloc(40)]))]
  ])("is corrupt when it %s", async (_, bytes) => expect(await outcome(bytes)).toBe("corrupt"))

  it.each<[string, PackItem]>([
    ["a size that is too small", raw(3, 2, Buffer.from("longer"))],
    ["a size that is too large", raw(3, 20, Buffer.from("shorter"))],
    ["an unknown type", raw(5, 3, Buffer.from("abc"))],
    ["an impossible size", { raw: Buffer.from([0xb0, ...Array.from({ length: 12 }, () => 0xff), 0x01]) }],
    ["a delta without a base", { onName: "f".repeat(40), delta: makeDelta(Buffer.from("x"), Buffer.from("y")) }],
    [
      "a delta with a base before the start of the pack",
      { onItem: 99, delta: makeDelta(Buffer.from("x"), Buffer.from("y")) }
    ],
    [
      "a delta that copies past its base",
      { onItem: 0, delta: Buffer.concat([deltaHead(objects[0]?.data.length ?? 0, 9), copyFrom(9999, 9)]) }
    ],
    ["a delta for another base", { onItem: 0, delta: Buffer.concat([deltaHead(7, 7), copyFrom(0, 7)]) }],
    [
      "a delta with an unknown instruction",
      { onItem: 0, delta: Buffer.concat([deltaHead(objects[0]?.data.length ?? 0, 1), Buffer.from([0])]) }
    ],
    [
      "a delta that ends within an instruction",
      { onItem: 0, delta: Buffer.concat([deltaHead(objects[0]?.data.length ?? 0, 9), Buffer.from([9, 1])]) }
    ],
    ["a delta that produces too few bytes", { onItem: 0, delta: deltaHead(objects[0]?.data.length ?? 0, 9) }]
  ])("is corrupt when it contains %s", async (_, item) => expect(await outcomeOf([item])).toBe("corrupt"))
})

describe("a pack that exceeds a limit", () => {
  it("is rejected by its size while it is downloaded", async () => {
    let sent = 0
    const endless = function* () {
      yield buildPack(objects, 1000).bytes.subarray(0, -20)
      for (;;) {
        sent += 60_000
        yield Buffer.alloc(60_000, 7)
      }
    }
    expect(await outcome(() => endless(), { packBytesMax: 2 * MiB })).toBe("limit_exceeded")
    expect(sent).toBeLessThan(20 * MiB)
  })

  it("is rejected by its declared number of objects before it is downloaded", async () => {
    let sent = 0
    const many = function* () {
      yield buildPack(objects, 200_001).bytes
      for (;;) {
        sent += 60_000
        yield Buffer.alloc(60_000, 7)
      }
    }
    expect(await outcome(() => many())).toBe("limit_exceeded")
    expect(sent).toBeLessThan(20 * MiB)
  })

  it("is rejected with little memory and without blocking the event loop when it inflates endlessly", async () => {
    const zeros = deflateSync(Buffer.alloc(400 * MiB), { level: 9 })
    const items = [1, 2, 3].map(() => ({ raw: Buffer.concat([entryHead(3, 400 * MiB), zeros]) }))
    const before = process.memoryUsage().rss
    const turns = countTurns()
    expect(await outcomeOf(items)).toBe("limit_exceeded")
    expect(turns()).toBeGreaterThan(20)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MiB)
  })

  it("is rejected when it declares a giant object", async () => {
    expect(await outcomeOf([raw(3, 2 ** 40, Buffer.from("tiny"))])).toBe("limit_exceeded")
    expect(await outcomeOf([raw(3, 900 * MiB, Buffer.from("tiny"))])).toBe("corrupt")
  })

  it("is rejected when small declared objects inflate to large ones", async () => {
    expect(await outcomeOf([raw(3, 100, Buffer.alloc(300 * MiB))])).toBe("corrupt")
  })

  it("is rejected when deltas grow, before a result is built", async () => {
    const base = blob(Buffer.alloc(MiB))
    const copies = Buffer.concat([deltaHead(MiB, 60 * MiB), ...Array.from({ length: 60 }, () => copyFrom(0, MiB))])
    const items: Array<PackItem> = [base]
    for (let index = 0; index < 40; index++) items.push({ onItem: objects.length, delta: copies })
    const before = process.memoryUsage().rss
    expect(await outcomeOf(items)).toBe("limit_exceeded")
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MiB)
    const giant = Buffer.concat([deltaHead(MiB, 2 ** 39), copyFrom(0, MiB)])
    expect(await outcomeOf([base, { onItem: objects.length, delta: giant }])).toBe("limit_exceeded")
  })

  it("is rejected when a chain of deltas is too long", async () => {
    const items: Array<PackItem> = [blob(Buffer.from("0"))]
    for (let index = 1; index < 6000; index++) {
      const [from, to] = [Buffer.from(`${index - 1}`), Buffer.from(`${index}`)]
      items.push({ onItem: objects.length + index - 1, delta: makeDelta(from, to) })
    }
    expect(await outcomeOf(items)).toBe("limit_exceeded")
  })

  it("is rejected when deltas form a cycle", async () => {
    const [one, two] = [Buffer.from("first"), Buffer.from("second")]
    const items: Array<PackItem> = [
      { onName: shaOf(blob(two)), delta: makeDelta(two, one) },
      { onName: shaOf(blob(one)), delta: makeDelta(one, two) }
    ]
    expect(await outcomeOf(items)).toBe("corrupt")
  })
})

/** The number of files of a valid pack. */
const read = async (items: ReadonlyArray<PackItem>) => {
  const server = await serveGit(dir, { pack: buildPack(items).bytes })
  const host = makeTestHost({ localRoots: [], workDir: join(root, "work") })
  try {
    return (await host.run((code) => see(code, repositoryAt(server.url)))).entries.length
  } finally {
    await server.close()
  }
}

describe("an unusual but valid pack", () => {
  it("is read with a base after its delta, a repeated object and empty objects", async () => {
    const [last, ...rest] = objects.toReversed()
    if (last === undefined) throw new Error("The fixture has objects.")
    const base = blob(Buffer.from("the base of another"))
    const items: ReadonlyArray<PackItem> = [
      { onName: shaOf(base), delta: makeDelta(base.data, last.data) },
      ...rest,
      blob(Buffer.alloc(0)),
      base,
      base
    ]
    expect(last.type).toBe("blob")
    expect(await read(items)).toBe(2)
  })

  it("is read when it is compressed as badly as possible", async () => {
    const items = objects.map(({ type, data }): PackItem => {
      const kind = { commit: 1, tree: 2, blob: 3, tag: 4 }[type]
      return { raw: Buffer.concat([entryHead(kind, data.length), deflateSync(data, { level: 0, memLevel: 1 })]) }
    })
    expect(await read(items)).toBe(2)
  })
})

it("yields to the event loop while thousands of objects are read", async () => {
  const large = join(root, "large")
  const files = Array.from({ length: 3000 }, (_, index) => {
    return [`d${index % 50}/f${index}`, `${index} `.repeat(4000)] as const
  })
  makeRepository(large, files)
  const host = makeTestHost({ localRoots: [root], workDir: join(root, "work"), systemGit: false })
  const turns = countTurns()
  const seen = await host.run((code) => see(code, repositoryAt(pathToFileURL(large).href)))
  expect(turns()).toBeGreaterThan(100)
  expect(seen.contents.size).toBe(3000)
})
