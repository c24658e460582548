import { describe, expect, it } from "vitest"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { refuse, resolveInside, showPath, survey } from "./paths.ts"

const file = (path: string, kind: TreeEntry["kind"] = "file"): TreeEntry => ({ path, kind, sha: path, size: 1 })

describe("refuse", () => {
  it.each([
    ["", "file", "it is empty"],
    ["/etc/passwd", "file", "it is absolute"],
    ["C:/windows/a", "file", "it is absolute"],
    ["\\\\host\\share", "file", "it is absolute"],
    ["a/../b", "file", '".." segment'],
    ["..", "file", '".." segment'],
    ["a\\..\\..\\b", "file", '".." segment'],
    ["a//b", "file", "empty segment"],
    ["a/", "file", "empty segment"],
    ["./a", "file", 'segment "."'],
    ["a\u0000b", "file", "NUL"],
    ["a\nb", "file", "control character"],
    ["a\u0085b", "file", "control character"],
    ["a\uFFFDb", "file", "not valid UTF-8"],
    ["a\uD800b", "file", "not valid UTF-8"],
    ["x".repeat(1025), "file", "longer than 1024"],
    ["a".repeat(4096), "file", "longer than 1024"],
    ["hooks/.GIT/config", "file", ".git folder"],
    ["link", "symlink", "symbolic link"],
    ["vendor/lib", "submodule", "submodule"]
  ] as const)("rejects %j as %s: %s", (path, kind, reason) => {
    expect(refuse(path, kind)).toContain(reason)
  })

  it.each(["a", "a..b/c", ".mcp.json", "naïve/ü.md", "日本/語.md", "a b.md", "x".repeat(1024), ".github/x", "..a/b"])(
    "accepts %j",
    (path) => {
      expect(refuse(path, "file")).toBeNull()
    }
  )

  it("escapes invisible characters", () => {
    expect(showPath('a\n\u202E"b\uD800')).toBe('"a\\u{a}\\u{202e}\\"b\\u{d800}"')
    expect(refuse("a\u0000b", "file")).toBe('Ignored "a\\u{0}b": it contains a NUL character.')
    expect(showPath("x".repeat(5000)).length).toBeLessThan(210)
  })
})

describe("survey", () => {
  it.each([
    ["case", ["Readme.md", "README.md"]],
    ["normalization", ["caf\u00E9.md", "cafe\u0301.md"]],
    ["both", ["\u00C9.md", "e\u0301.md"]],
    ["a file and a folder", ["docs", "Docs/a.md"]],
    ["a deep folder", ["a/B", "a/b/c/d.md"]],
    ["the same path twice", ["a.md", "a.md"]]
  ])("rejects both sides of a collision by %s", (_, paths) => {
    const { accepted, warnings } = survey([...paths, "other.md"].map((path) => file(path)))
    expect(accepted.map(({ path }) => path)).toEqual(["other.md"])
    expect(warnings).toHaveLength(2)
  })

  it("treats a link as occupying its name", () => {
    const { accepted, warnings } = survey([file("A.md", "symlink"), file("a.md")])
    expect(accepted).toEqual([])
    expect(warnings[0]).toContain("symbolic link")
    expect(warnings[1]).toContain('collides with "A.md"')
  })

  it("keeps names that only share a prefix", () => {
    const paths = ["a", "a-b/c", "a.md", "ab/c"]
    expect(survey(paths.map((path) => file(path))).accepted.map(({ path }) => path)).toEqual([...paths].sort())
  })

  it("processes a listing of 100,000 entries, including hostile ones, in time", () => {
    const deep = "d/".repeat(200)
    const entries = Array.from({ length: 100_000 }, (_, i) =>
      file(i % 2 === 0 ? `${deep}${i}` : i % 3 === 0 ? "same" : `f${i}`)
    )
    expect(survey(entries).warnings.length).toBeGreaterThan(10_000)
  })
})

describe("resolveInside", () => {
  it.each([
    ["", "./a/b/", "a/b"],
    ["plugins/x", "./a", "plugins/x/a"],
    ["plugins/x", "./", "plugins/x"],
    ["plugins/x", ".", "plugins/x"],
    ["", "./", ""],
    ["p", "././/a", "p/a"],
    ["p", "${CLAUDE_PLUGIN_ROOT}/a.json", "p/a.json"]
  ])("resolves %j + %j to %j", (root, reference, path) => {
    expect(resolveInside(root, reference)).toEqual({ ok: true, path })
  })

  it.each([
    "a",
    "/a",
    "../a",
    "./../a",
    "./a/../../b",
    ".//..//a",
    "~/a",
    "",
    "./a\u0000",
    "./a\\..\\b",
    "..",
    "./.git/hooks"
  ])("rejects %j", (reference) => {
    expect(resolveInside("p", reference).ok).toBe(false)
  })
})
