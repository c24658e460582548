import { describe, expect, it } from "vitest"
import { filesOf } from "./files.ts"
import { repository } from "./test-tree.ts"

const { entries } = repository({
  "SKILL.md": "root",
  "references/root.md": "r",
  "src/main.ts": "not a part of the skill",
  "skills/notes/SKILL.md": "s",
  "skills/notes/reference.md": "r",
  "skills/notes/scripts/collect.sh": "#!/bin/sh",
  "skills/notes/logo.png": "binary",
  "skills/notes/.env": "SECRET=1",
  "skills/README.md": "no skill",
  "skills/empty/notes.md": "no skill",
  "skills/Deep/er/SKILL.md": "two levels down",
  "agents/a.md": "a",
  "agents/team/b.md": "b",
  "agents/c.txt": "c",
  "hooks/hooks.json": "{}",
  "hooks/run.sh": "#!/bin/sh",
  "hooks/lib/package.json": "{}",
  ".mcp.json": "{}",
  "skillset/x.md": "begins alike"
})

const paths = (selector: string, objectType: Parameters<typeof filesOf>[0]["objectType"], pointer?: string) =>
  filesOf({ selector, objectType, pointer: pointer ?? null }, entries).map((file) => `${file.objectType} ${file.path}`)

const notes = [
  "skill skills/notes/SKILL.md",
  "context skills/notes/reference.md",
  "context skills/notes/scripts/collect.sh"
]

describe("filesOf", () => {
  it.each([
    ["skills", "skill", notes],
    ["./skills/", "skill", notes],
    ["skills/notes", "skill", notes],
    ["skills/notes/SKILL.md", "skill", ["skill skills/notes/SKILL.md", "context skills/notes/scripts/collect.sh"]],
    ["SKILL.md", "skill", ["skill SKILL.md", "context references/root.md"]],
    ["agents", "agent", ["agent agents/a.md", "agent agents/team/b.md"]],
    ["agents/a.md", "agent", ["agent agents/a.md"]],
    ["agents", "command", ["command agents/a.md", "command agents/team/b.md"]],
    ["hooks", "hook", ["hook hooks/hooks.json"]],
    ["hooks/hooks.json", "hook", ["hook hooks/hooks.json"]],
    [".mcp.json", "mcp", ["mcp .mcp.json"]],
    ["hooks", "context", ["context hooks/hooks.json", "context hooks/lib/package.json", "context hooks/run.sh"]],
    ["hooks/lib", "tool", ["tool hooks/lib/package.json"]],
    ["nowhere", "context", []],
    ["../outside", "context", []],
    ["/skills", "skill", []]
  ] as const)("imports %s as %s", (selector, objectType, expected) => {
    expect(paths(selector, objectType)).toEqual(expected)
  })

  it("imports a manifest with a pointer unchanged, and nothing else", () => {
    expect(paths(".mcp.json", "mcp", "/mcpServers")).toEqual(["mcp .mcp.json"])
    expect(paths("hooks", "hook", "/hooks")).toEqual([])
    expect(filesOf({ selector: ".mcp.json", objectType: "mcp", pointer: "/a" }, entries)[0]?.pointer).toBe("/a")
  })

  it('reads "." as the whole repository', () => {
    expect(paths(".", "context")).toHaveLength(entries.length)
  })

  it("omits rejected paths", () => {
    const tree = [
      { path: "docs/a.md", kind: "file", sha: "1", size: 1 },
      { path: "docs/A.md", kind: "file", sha: "2", size: 1 },
      { path: "docs/link.md", kind: "symlink", sha: "3", size: 1 },
      { path: "docs/../x.md", kind: "file", sha: "4", size: 1 },
      { path: "docs/ok.md", kind: "file", sha: "5", size: 1 }
    ] as const
    expect(filesOf({ selector: "docs", objectType: "context", pointer: null }, tree).map(({ path }) => path)).toEqual([
      "docs/ok.md"
    ])
  })
})
