import { describe, expect, it } from "vitest"
import type { TarEntry } from "modern-tar"
import { tarGz, zip, type ZipItem } from "../../../server/test/content/archives.fixture.ts"
import { unpack } from "./unpack.ts"

/** The archives of the tests are small. */
const limits = { filesMax: 50, bytesMax: 1_000_000 }
const unpacked = (items: ReadonlyArray<ZipItem>, platform: NodeJS.Platform = "linux") =>
  unpack(zip(items), "zip", "deploy", platform, limits)

describe("the archive of a plugin", () => {
  it("is unpacked with its executable files", async () => {
    const items = [
      { name: "skills/a/SKILL.md", content: "Text." },
      { name: "bin/", content: "", mode: 0o040755 },
      { name: "bin/run.sh", content: "#!/bin/sh\n", mode: 0o100755 }
    ]
    const files = await unpacked(items)
    expect(files.map((file) => ({ ...file, content: Buffer.from(file.content).toString() }))).toEqual([
      { path: "skills/a/SKILL.md", content: "Text.", isExecutable: false },
      { path: "bin/run.sh", content: "#!/bin/sh\n", isExecutable: true }
    ])
  })

  it.each([
    ["a path outside of its directory", "invalid relative path", [{ name: "../a", content: "" }]],
    ["a path outside of its directory in the middle", "invalid relative path", [{ name: "a/../../b", content: "" }]],
    ["an absolute path", "absolute path", [{ name: "/etc/passwd", content: "" }]],
    ["a drive letter", "absolute path", [{ name: "C:/a", content: "" }]],
    ["a backslash", "invalid characters", [{ name: "..\\a", content: "" }]],
    ["a control character", "control character", [{ name: "a\u0007b", content: "" }]],
    ["a repository", ".git folder", [{ name: "a/.GIT/config", content: "" }]],
    ["a symbolic link", "is not a file", [{ name: "a", content: "/etc", mode: 0o120777 }]],
    ["a device", "is not a file", [{ name: "a", content: "", mode: 0o020666 }]],
    [
      "the same path twice",
      "same as a different one",
      [
        { name: "a", content: "" },
        { name: "a", content: "" }
      ]
    ],
    [
      "two paths that differ in case",
      "same as a different one",
      [
        { name: "a/B", content: "" },
        { name: "A/b", content: "" }
      ]
    ],
    [
      "a file in the place of a folder",
      "same as a different one",
      [
        { name: "a/b", content: "" },
        { name: "A", content: "" }
      ]
    ],
    [
      "a folder in the place of a file",
      "same as a different one",
      [
        { name: "a", content: "" },
        { name: "a/b", content: "" }
      ]
    ],
    ["more content than the directory states", "not a valid zip file", [{ name: "a", content: "abc", size: 1 }]],
    [
      "too many files",
      "more than 50 files",
      Array.from({ length: 51 }, (_, index) => ({ name: `f${index}`, content: "" }))
    ],
    [
      "too many folders",
      "more than 50 folders",
      Array.from({ length: 51 }, (_, index) => ({ name: `f${index}/`, content: "", mode: 0o040755 }))
    ]
  ])("is refused with %s", async (_, message, items) => {
    await expect(unpacked(items)).rejects.toThrow(message)
  })

  it.each(["con", "a/NUL.txt", "a/b.", "a/b:stream"])("is refused with the path %s on Windows only", async (name) => {
    await expect(unpacked([{ name, content: "" }], "win32")).rejects.toThrow("is not allowed on Windows")
    expect(await unpacked([{ name, content: "" }])).toHaveLength(1)
  })

  it("is refused if its format does not match or is unknown", async () => {
    for (const format of ["zip", "tar.gz"]) {
      const message = `The archive of deploy was refused: it is not a valid ${format} file`
      await expect(unpack(Buffer.from("neither"), format, "deploy")).rejects.toThrow(message)
    }
    await expect(unpack(Buffer.from(""), "7z", "deploy")).rejects.toThrow("it is a 7z. Update the orgplane CLI")
  })
})

describe("the tar.gz of a plugin", () => {
  const tar = async (files: Readonly<Record<string, string>>, more: ReadonlyArray<TarEntry> = []) =>
    unpack(await tarGz(files, "", more), "tar.gz", "deploy", "linux", limits)

  it("is unpacked with its executable files", async () => {
    const script = Buffer.from("#!/bin/sh\n")
    const files = await tar({ "a/b.md": "Text." }, [
      { header: { name: "bin/", size: 0, type: "directory" } },
      { header: { name: "run.sh", size: script.length, type: "file", mode: 0o755 }, body: new Uint8Array(script) }
    ])
    expect(files.map((file) => ({ ...file, content: Buffer.from(file.content).toString() }))).toEqual([
      { path: "a/b.md", content: "Text.", isExecutable: false },
      { path: "run.sh", content: "#!/bin/sh\n", isExecutable: true }
    ])
  })

  it.each([
    ["a path outside of its directory", '"." or ".." segment', "../a"],
    ["an absolute path", "is absolute", "/etc/passwd"],
    ["a backslash that leaves it on Windows", '"." or ".." segment', "..\\a"],
    ["a repository", ".git folder", ".git/hooks/post-commit"]
  ])("is refused with %s", async (_, message, name) => {
    await expect(tar({ [name]: "x" })).rejects.toThrow(message)
  })

  it.each(["symlink", "link", "fifo", "character-device"] as const)("is refused with a %s", async (type) => {
    const entry: TarEntry = { header: { name: "a", size: 0, type, linkname: "/etc/passwd" } }
    await expect(tar({}, [entry])).rejects.toThrow("is not a file")
  })

  it("is refused with more bytes than allowed, without reading all of them", async () => {
    const zeros = "0".repeat(600_000)
    await expect(tar({ a: zeros, b: zeros, c: zeros })).rejects.toThrow("more than 1 MB")
  })
})
