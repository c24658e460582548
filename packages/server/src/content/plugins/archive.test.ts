import fc from "fast-check"
import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { unpackTar } from "modern-tar"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import * as yauzl from "yauzl"
import { type ArchiveFile, archiveOf } from "./archive-bytes.ts"
import { zipOf } from "./archive-zip.ts"
import { archiveFormat, type Inline, layOut, makeFree, type ObjectRow, type PluginRow } from "./archive-layout.ts"
import { makeNames, refusalOf, slug } from "./archive-names.ts"

const bytesOf = async (files: ReadonlyArray<ArchiveFile>): Promise<Buffer> =>
  Buffer.concat(await Effect.runPromise(Stream.runCollect(archiveOf(Stream.fromIterable(files)))))
const file = (path: string, content: string | Uint8Array, isExecutable = false): ArchiveFile => ({
  path,
  isExecutable,
  content: typeof content === "string" ? new TextEncoder().encode(content) : content
})

const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 120 })
  .map((text) => text.replaceAll(/[\p{Cc}/\\\uFFFD]/gu, "_").toWellFormed())
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"))
const content = fc.oneof(fc.uint8Array({ maxLength: 3000 }), fc.string({ maxLength: 500 }))

describe("an archive", () => {
  it("unpacks to what was packed for any names and contents, and is byte-identical every time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(path, content, fc.boolean()), { maxLength: 12, selector: ([path]) => path }),
        async (drawn) => {
          const files = drawn
            .filter(([path]) => refusalOf(path) === undefined)
            .map(([path, content, isExecutable]) => file(path, content, isExecutable))
          const bytes = await bytesOf(files)
          expect((await bytesOf(files)).equals(bytes)).toBe(true)
          const entries = await unpackTar(gunzipSync(bytes))
          expect(entries.map(({ header }) => [header.name, header.mode, header.uid, header.gid])).toEqual(
            files.map(({ isExecutable, path }) => [path, isExecutable ? 0o755 : 0o644, 0, 0])
          )
          for (const [index, { data }] of entries.entries()) {
            expect(Buffer.from(data ?? []).equals(files[index]?.content ?? Buffer.alloc(0))).toBe(true)
          }
        }
      ),
      { numRuns: 150 }
    )
  })

  it("does not contain when or where it was created", async () => {
    const bytes = await bytesOf([file("a", "b")])
    // Flags, time, compression effort and operating system are constant.
    expect([...bytes.subarray(0, 10)]).toEqual([31, 139, 8, 0, 0, 0, 0, 0, 0, 3])
  })

  it("matches a recorded digest, so that the format does not change by accident", async () => {
    // If this fails, the same plugin produces other bytes: increase `archiveFormat`, otherwise stored digests are
    // wrong.
    const text = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${(index * 7919) % 1009}`).join("\n")
    const bytes = await bytesOf([file("a/b.md", text), file("run.sh", "#!/bin/sh\n", true), file("é".repeat(90), "")])
    expect([archiveFormat, createHash("sha256").update(bytes).digest("hex")]).toEqual([
      2,
      "60babf75e72f30908237367d176dcc3717f5d9bfcae038d105a2e4d10026451e"
    ])
  })
})

const zipBytes = async (files: ReadonlyArray<ArchiveFile>): Promise<Buffer> =>
  Buffer.concat(await Effect.runPromise(Stream.runCollect(zipOf(Stream.fromIterable(files)))))

/** The entries of a zip according to an independent reader: name, Unix mode, content and compressed size. */
const unzipped = async (bytes: Buffer) => {
  const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true })
  const entries: Array<{ path: string; mode: number; content: Buffer; compressedBytes: number }> = []
  for await (const entry of zip.eachEntry()) {
    const parts: Array<Buffer> = []
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer)
    const path = entry.fileName
    const mode = entry.externalFileAttributes >>> 16
    entries.push({ path, mode, content: Buffer.concat(parts), compressedBytes: entry.compressedSize })
  }
  return entries
}

describe("a zip archive", () => {
  it("unpacks to the same names, contents and Unix modes, and is byte-identical every time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(path, content, fc.boolean()), { maxLength: 12, selector: ([path]) => path }),
        async (drawn) => {
          const files = drawn
            .filter(([path]) => refusalOf(path) === undefined)
            .map(([path, content, isExecutable]) => file(path, content, isExecutable))
          const bytes = await zipBytes(files)
          expect((await zipBytes(files)).equals(bytes)).toBe(true)
          expect((await unzipped(bytes)).map(({ content, mode, path }) => [path, mode, content])).toEqual(
            files.map(({ content, isExecutable, path }) => [
              path,
              isExecutable ? 0o100755 : 0o100644,
              Buffer.from(content)
            ])
          )
        }
      ),
      { numRuns: 150 }
    )
  })

  it("stores files uncompressed whose compression ratio would look like a zip bomb", async () => {
    const bytes = await zipBytes([file("zeros", new Uint8Array(3_000_000)), file("text", "words and words ".repeat(9))])
    const entries = await unzipped(bytes)
    expect(entries.map(({ compressedBytes, content }) => compressedBytes * 50 > content.length)).toEqual([true, true])
    expect(entries.map(({ compressedBytes, content }) => compressedBytes < content.length)).toEqual([false, true])
  })

  it("matches a recorded digest, so that the format does not change by accident", async () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${(index * 7919) % 1009}`).join("\n")
    const bytes = await zipBytes([file("a/b.md", text), file("run.sh", "#!/bin/sh\n", true), file("é".repeat(90), "")])
    expect([archiveFormat, createHash("sha256").update(bytes).digest("hex")]).toEqual([
      2,
      "5bcd1d8c29081a50baf1989f67755edbc48da027ada93645c95c3b22af9084ae"
    ])
  })
})

describe("names in an archive", () => {
  it.each([
    "",
    "/a",
    "\\a",
    "C:/a",
    "a//b",
    "a/",
    "../a",
    "a/../b",
    "a\\..\\b",
    "./a",
    ".",
    "a\u0000",
    "a\nb",
    "\uD800"
  ])("rejects %j", (path) => expect(refusalOf(path)).toBeTypeOf("string"))
  it.each([".git/config", "a/.GIT/hooks/x", "a".repeat(1025), "\uFFFD"])("rejects %j", (path) => {
    expect(refusalOf(path)).toBeTypeOf("string")
  })
  it.each(["a", "a/b.c", "..a", "a..", ".mcp.json", "é/✓ x", ".gitignore"])("accepts %j", (path) => {
    expect(refusalOf(path)).toBeUndefined()
  })
  it.each([
    ["a", "A"],
    ["\u00e9", "e\u0301"],
    ["a", "a/b"],
    ["a/b", "A"],
    ["x/Y/z", "X/y/Z"],
    [".claude-plugin/plugin.json", "other"],
    ["x", ".Claude-Plugin/Plugin.json"]
  ])("rejects %j together with %j", (one, other) => {
    const names = makeNames()
    const responses = [names.take(one), names.take(other)]
    expect(responses.filter((response) => response !== undefined)).toHaveLength(1)
  })
  it("are kebab-case words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(slug(text, "x")).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
        expect(slug(text, "x").length).toBeLessThanOrEqual(64)
        expect(slug(slug(text, "x"), "x")).toBe(slug(text, "x"))
      })
    )
  })
})

const row = (id: string, more: Partial<ObjectRow> = {}): ObjectRow => ({
  object_id: `cob_${id}`,
  version_id: `cov_${id}`,
  object_type: "context",
  title: id,
  file_name: null,
  relative_path: null,
  is_mapped: false,
  pointer: null,
  component: null,
  bytes: 1,
  has_text: true,
  is_executable: false,
  ...more
})
const plugin = (setup: object = {}, resources: ReadonlyArray<object> = []): PluginRow => ({
  name: "P",
  description: null,
  manifest_json: { id: "marketplace:p", resources, setup, lifecycle: { metadata: { name: "p" } } }
})
const placesOf = (plugin: PluginRow, rows: ReadonlyArray<ObjectRow>, inline: ReadonlyArray<Inline> = []) => {
  const laid = layOut(plugin, rows, inline)
  if (!laid.ok) throw new Error(laid.message)
  return laid
}

describe("the layout of a plugin", () => {
  const objectType = fc.constantFrom<ObjectRow["object_type"]>(
    "skill",
    "agent",
    "command",
    "tool",
    "mcp",
    "hook",
    "context",
    "custom"
  )
  const anyRow = fc.record({
    object_type: objectType,
    title: fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("same", "Same")),
    file_name: fc.option(fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("a.md", "../x", ".git", "A.md"))),
    relative_path: fc.option(fc.oneof(path, fc.constantFrom("a", "a/b", "A", "skills/same/SKILL.md", "../x"))),
    has_text: fc.boolean()
  })

  it("gives every manually created object its own safe path, in any order of the rows", () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 40 }), (drawn) => {
        const rows = drawn.map((more, index) => row(String(index).padStart(3, "0"), more))
        const inline = rows
          .filter(({ object_type }) => object_type === "mcp" || object_type === "hook")
          .map((row) => ({ row, text: null, payload: {} }))
        const { files } = placesOf(plugin(), rows, inline)
        expect(files).toHaveLength(rows.length - inline.length + 1)
        const folded = files.map(({ path }) => path.normalize("NFC").toLowerCase())
        expect(new Set(folded).size).toBe(files.length)
        for (const { path } of files) {
          expect(refusalOf(path)).toBeUndefined()
          expect(folded.some((other) => other.startsWith(`${path.normalize("NFC").toLowerCase()}/`))).toBe(false)
        }
        expect(placesOf(plugin(), rows.toReversed(), inline.toReversed()).files).toEqual(files)
      }),
      { numRuns: 300 }
    )
  })

  it("removes the plugin's own folder from paths, and places other objects where agents look", () => {
    const mapped = { is_mapped: true }
    const { files } = placesOf(plugin({ rootPath: "plugins/p" }), [
      row("1", { ...mapped, object_type: "skill", relative_path: "plugins/p/skills/a/SKILL.md" }),
      row("2", { ...mapped, object_type: "command", relative_path: "plugins/q/commands/ship.md", title: "Ship it" }),
      row("3", { ...mapped, relative_path: "plugins/p/.claude-plugin/plugin.json" })
    ])
    expect(files.map(({ path }) => path)).toEqual([
      ".claude-plugin/plugin.json",
      "commands/ship-it.md",
      "skills/a/SKILL.md"
    ])
  })

  it("lists components in the manifest that agents would not find by themselves", () => {
    const at = (component: string, selector: string) => ({ component, selector, pointer: null })
    const resources = [
      at("skills", "p/skills"),
      at("skills", "p/skills/one"),
      at("skills", "p/skills/group/two"),
      at("skills", "p/SKILL.md"),
      at("agents", "p/agents/deep/x.md"),
      at("commands", "p/other"),
      at("hooks", "p/hooks/hooks.json"),
      at("mcpServers", "p/servers.json"),
      { component: "mcpServers", selector: "p/plugin.json", pointer: "/mcpServers" }
    ]
    const server = row("1", { object_type: "mcp", is_mapped: true, pointer: "/mcpServers", component: "mcpServers" })
    const inline = [{ row: server, text: '{"a":{"command":"a"},"__proto__":{"command":"b"}}', payload: null }]
    const { files } = placesOf(plugin({ rootPath: "p" }, resources), [server], inline)
    const [manifest] = files
    expect(JSON.parse(manifest?.source.kind === "text" ? manifest.source.text : "")).toEqual({
      name: "p",
      displayName: "P",
      skills: ["./skills/group/two", "./"],
      commands: ["./other"],
      mcpServers: ["./servers.json", JSON.parse('{"a":{"command":"a"},"__proto__":{"command":"b"}}')]
    })
  })

  it("places ten thousand objects of one name with a bounded number of attempts each", () => {
    let looks = 0
    const counted = (id: string, more: Partial<ObjectRow>): ObjectRow =>
      Object.defineProperty({ ...row(id, more) }, "title", {
        get: () => {
          looks += 1
          return "same"
        }
      })
    // Pairs of one file name: the second of each pair gets a word of the title, which is the same for all.
    const rows = Array.from({ length: 9998 }, (_, index) =>
      counted(String(index).padStart(5, "0"), { object_type: "custom", file_name: `${index >> 1}.md` })
    )
    expect(placesOf(plugin(), rows).files).toHaveLength(9999)
    expect(looks).toBeLessThan(20 * rows.length)
  })

  it("names ten thousand servers of one name with a bounded number of attempts each", () => {
    const rows = Array.from({ length: 9998 }, (_, index) => row(String(index).padStart(5, "0"), { object_type: "mcp" }))
    const text = JSON.stringify({ mcpServers: { same: { command: "x" } } })
    const inline = rows.map((one) => ({ row: one, text, payload: null }))
    const { files } = placesOf(plugin(), rows, inline)
    const [manifest] = files
    const { mcpServers } = JSON.parse(manifest?.source.kind === "text" ? manifest.source.text : "") as {
      mcpServers: Record<string, unknown>
    }
    expect(Object.keys(mcpServers)).toHaveLength(9998)
    const taken = new Set<string>(["same"])
    let looks = 0
    const numbered = makeFree((name) => {
      looks += 1
      return taken.has(name)
    })
    for (let count = 0; count < 9998; count += 1) taken.add(numbered("same"))
    expect(taken.size).toBe(9999)
    expect(looks).toBeLessThan(3 * 9998)
  })
})
