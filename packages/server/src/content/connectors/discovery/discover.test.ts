import { describe, expect, it } from "vitest"
import { discoverIn } from "./test-tree.ts"

const skill = "---\nname: x\ndescription: y\n---\n# X\n"
const marketplace = (plugins: ReadonlyArray<unknown>, rest: Record<string, unknown> = {}) => ({
  name: "acme",
  owner: { name: "Platform", email: "platform@example.com" },
  plugins,
  ...rest
})

describe("search order", () => {
  it("returns one hint for a repository without a manifest", () => {
    const discovery = discoverIn({ "README.md": "hello", "skills/x/SKILL.md": skill })
    expect(discovery.candidates).toEqual([])
    expect(discovery.marketplace).toBeNull()
    expect(discovery.warnings).toHaveLength(1)
    expect(discovery.warnings[0]).toContain(".claude-plugin/marketplace.json")
    expect(discovery.warnings[0]).toContain(".claude-plugin/plugin.json")
  })

  it("finds every folder with a manifest, by path, when there is no marketplace", () => {
    const discovery = discoverIn({
      ".claude-plugin/plugin.json": { name: "root" },
      "SKILL.md": skill,
      "b/plugin.json": { name: "b" },
      "b/commands/go.md": "go",
      "a/.claude-plugin/plugin.json": { description: "no name" },
      "a/plugin.json": { name: "ignored" },
      "other/plugin.json": { type: "panel" },
      "node_modules/x/plugin.json": { name: "dependency" }
    })
    expect(discovery.candidates.map(({ displayName, key, manifestPath }) => [key, displayName, manifestPath])).toEqual([
      [".", "root", ".claude-plugin/plugin.json"],
      ["a", "a", "a/.claude-plugin/plugin.json"],
      ["b", "b", "b/plugin.json"]
    ])
    expect(discovery.candidates[0]?.componentPaths.skills).toEqual(["SKILL.md"])
    expect(discovery.warnings).toEqual(['"other/plugin.json" has no "name" and is not treated as a plugin manifest.'])
  })

  it("prefers the marketplace, and falls back when it is broken", () => {
    const files = { "p/plugin.json": { name: "p" }, "p/agents/a.md": "a" }
    const listed = discoverIn({
      ...files,
      ".claude-plugin/marketplace.json": marketplace([{ name: "listed", source: "./p" }])
    })
    expect(listed.candidates.map(({ key }) => key)).toEqual(["marketplace:listed"])
    expect(listed.marketplace).toEqual({
      name: "acme",
      description: null,
      owner: { name: "Platform", email: "platform@example.com", url: null }
    })
    for (const broken of [
      "{",
      "[]",
      { name: "x", plugins: "none" },
      new Uint8Array([0xff, 0xfe]),
      " ".repeat(1024 * 1024 + 1)
    ]) {
      const fallen = discoverIn({ ...files, ".claude-plugin/marketplace.json": broken })
      expect(fallen.marketplace).toBeNull()
      expect(fallen.candidates.map(({ key }) => key)).toEqual(["p"])
      expect(fallen.warnings[0]).toContain(".claude-plugin/marketplace.json")
    }
  })
})

/** The candidate of a marketplace with one entry. */
const one = (entry: Record<string, unknown>, files: Record<string, unknown> = {}, rest = {}) => {
  const discovery = discoverIn({
    ".claude-plugin/marketplace.json": marketplace([{ name: "p", ...entry }], rest),
    ...files
  })
  const [candidate] = discovery.candidates
  if (candidate === undefined) throw new Error("no candidate")
  return candidate
}

describe("marketplace entries", () => {
  it("include the default folders", () => {
    const candidate = one(
      { source: "./p" },
      {
        "p/.claude-plugin/plugin.json": { name: "p", version: "1.2.0", description: "From the plugin" },
        "p/skills/x/SKILL.md": skill,
        "p/commands/go.md": "",
        "p/agents/a.md": "",
        "p/hooks/hooks.json": {},
        "p/.mcp.json": {},
        "p/.lsp.json": {},
        "p/monitors/monitors.json": [],
        "p/settings.json": {}
      }
    )
    expect(candidate.componentKinds).toEqual([
      "agents",
      "commands",
      "hooks",
      "lspServers",
      "mcpServers",
      "monitors",
      "settings",
      "skills"
    ])
    expect(candidate.componentPaths).toEqual({
      agents: ["p/agents"],
      commands: ["p/commands"],
      hooks: ["p/hooks/hooks.json"],
      lspServers: ["p/.lsp.json"],
      mcpServers: ["p/.mcp.json"],
      monitors: ["p/monitors"],
      settings: ["p/settings.json"],
      skills: ["p/skills"]
    })
    expect(candidate.plan.map(({ component, objectType }) => `${component} ${objectType}`)).toEqual([
      "agents agent",
      "commands command",
      "hooks hook",
      "lspServers custom",
      "mcpServers mcp",
      "monitors custom",
      "settings custom",
      "skills skill"
    ])
    expect(candidate).toMatchObject({
      supported: true,
      selectedByDefault: true,
      warnings: [],
      description: "From the plugin"
    })
    expect(candidate.metadata).toMatchObject({ version: "1.2.0", author: null, tags: [], source: { kind: "local" } })
  })

  it("add the lists of a manifest and of the entry to the default folders", () => {
    const candidate = one(
      { source: "./p", agents: ["./more/extra.md"] },
      {
        "p/plugin.json": { name: "p", commands: ["./ops/deploy.md", "./commands/go.md"], skills: "./library" },
        "p/commands/go.md": "",
        "p/ops/deploy.md": "",
        "p/library/x/SKILL.md": skill,
        "p/skills/y/SKILL.md": skill,
        "p/more/extra.md": ""
      }
    )
    // A file inside a selected folder is not planned twice.
    expect(candidate.componentPaths.commands).toEqual(["p/commands", "p/ops/deploy.md"])
    expect(candidate.componentPaths.skills).toEqual(["p/library", "p/skills"])
    expect(candidate.componentPaths.agents).toEqual(["p/more/extra.md"])
    expect(candidate.warnings).toEqual([])
  })

  it("plan inline components by pointer", () => {
    const inManifest = one(
      { source: "./p" },
      {
        "p/plugin.json": { name: "p", mcpServers: { a: { command: "x" } }, hooks: ["./h.json", { Stop: [] }] },
        "p/h.json": {}
      }
    )
    expect(inManifest.plan.map(({ pointer, selector }) => [selector, pointer])).toEqual([
      ["p/h.json", null],
      ["p/plugin.json", "/hooks/1"],
      ["p/plugin.json", "/mcpServers"]
    ])
    const inEntry = one(
      { source: "./p", strict: false, lspServers: { go: { command: "gopls" } } },
      { "p/README.md": "" }
    )
    expect(inEntry.plan).toEqual([
      {
        mappingKind: "path",
        selector: ".claude-plugin/marketplace.json",
        objectType: "custom",
        pointer: "/plugins/0/lspServers",
        component: "lspServers"
      }
    ])
  })

  it('replace the manifest with "strict": false', () => {
    const candidate = one(
      { source: "./p", strict: false, description: "Entry" },
      { "p/plugin.json": "{ broken", "p/commands/go.md": "" }
    )
    expect(candidate).toMatchObject({
      supported: true,
      description: "Entry",
      manifestPath: ".claude-plugin/marketplace.json"
    })
    expect(candidate.warnings[0]).toContain("is not read")
  })

  it("that share the root select some of its folders", () => {
    const candidate = one(
      { source: "./", strict: false, skills: ["./skills/a"] },
      { "skills/a/SKILL.md": skill, "skills/b/SKILL.md": skill }
    )
    expect(candidate.rootPath).toBe("")
    expect(candidate.componentPaths.skills).toEqual(["skills/a"])
  })

  it.each([
    ["bad JSON", "{", "is not valid JSON"],
    ["no object", "[]", "must contain a JSON object"],
    ["not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "is not UTF-8"],
    ["too large", `{"a":"${"x".repeat(1024 * 1024)}"}`, "is larger than 1048576 bytes"],
    ["too deep", "[".repeat(100_000) + "]".repeat(100_000), "nested deeper"],
    ["a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"]
  ])("do not support a manifest that is %s", (_, manifest, reason) => {
    const candidate = one({ source: "./p" }, { "p/plugin.json": manifest, "p/commands/go.md": "" })
    expect(candidate).toMatchObject({
      supported: false,
      selectedByDefault: false,
      manifestPath: "p/plugin.json",
      plan: []
    })
    expect(candidate.warnings.join()).toContain(reason)
  })

  it("keep the valid members of a manifest with invalid ones", () => {
    const candidate = one(
      { source: "./p", version: 3, tags: ["a", 1, "a"], author: "Jo" },
      { "p/plugin.json": { name: 7, description: "kept", keywords: "k", commands: 4 }, "p/commands/go.md": "" }
    )
    expect(candidate).toMatchObject({ supported: true, description: "kept" })
    expect(candidate.metadata).toMatchObject({ version: null, tags: ["a"], author: { name: "Jo" } })
    expect(candidate.warnings).toHaveLength(3)
  })

  it.each([
    ["a path without ./", "commands/go.md", 'must start with "./"'],
    ["a path that climbs", "./../secret.md", "is not a valid path"],
    ["a missing path", "./nowhere.md", "is not in the repository"],
    ["the wrong kind of file", "./go.txt", "is not a Markdown file"],
    ["an overlong path", `./${"x".repeat(300)}.md`, "is longer than 255"]
  ])("warn about %s", (_, path, reason) => {
    const candidate = one({ source: "./p", commands: [path] }, { "p/go.txt": "", "p/plugin.json": { name: "p" } })
    expect(candidate.plan).toEqual([])
    expect(candidate.warnings.join()).toContain(reason)
  })

  it.each([
    ["./p", {}, "p"],
    [".", {}, ""],
    ["p", { metadata: { pluginRoot: "./plugins" } }, "plugins/p"],
    ["./p", { metadata: { pluginRoot: "./plugins" } }, "plugins/p"]
  ])("resolve source %j with %j to root %j", (source, rest, root) => {
    expect(
      one({ source }, { "plugins/p/commands/a.md": "", ...(root === "p" ? { "p/a.md": "" } : {}) }, rest).rootPath
    ).toBe(root)
  })

  it.each([
    ["p"],
    ["../p"],
    ["./../p"],
    ["/p"],
    ["./p/../../q"],
    [7],
    [null],
    [{}],
    [{ source: "ftp" }],
    [{ source: "github" }]
  ])("do not support source %j", (source) => {
    expect(one({ source }, { "p/commands/go.md": "" })).toMatchObject({ supported: false, selectedByDefault: false })
  })

  it("warn about a missing folder", () => {
    expect(one({ source: "./gone" })).toMatchObject({
      supported: false,
      warnings: [expect.stringContaining('"gone" does not exist')]
    })
  })

  it("plan nothing for unsupported entries, including inline components", () => {
    expect(one({ source: "./gone", strict: false, hooks: { Stop: [] } })).toMatchObject({ supported: false, plan: [] })
  })

  it.each([
    [{ source: "github", repo: "acme/x", ref: "main", sha: "abc" }, "github.com", "acme/x"],
    [
      { source: "url", url: "https://user:secret@git.example.com/x.git?token=secret" },
      "git.example.com",
      "https://git.example.com/x.git"
    ],
    [{ source: "url", url: "git@git.example.com:team/x.git" }, "git.example.com", "ssh://git.example.com/team/x.git"],
    [
      { source: "git-subdir", url: "https://git.example.com/x", path: "sub", sha: "abc" },
      "git.example.com",
      "https://git.example.com/x"
    ],
    [{ source: "npm", package: "@acme/x", registry: "https://npm.example.com/" }, "npm.example.com", "@acme/x"],
    [
      { source: "archive", url: "https://files.example.com/x.zip", sha256: "abc" },
      "files.example.com",
      "https://files.example.com/x.zip"
    ]
  ])("name the host of remote source %j", (source, host, locator) => {
    const candidate = one({ source })
    expect(candidate).toMatchObject({
      supported: false,
      selectedByDefault: false,
      remote: { kind: source.source, host, locator }
    })
    expect(candidate.warnings[0]).toContain(host)
    expect(JSON.stringify(candidate)).not.toContain("secret")
  })

  it("stay valid next to invalid ones, and duplicates get separate keys", () => {
    const discovery = discoverIn({
      ".claude-plugin/marketplace.json": marketplace([
        null,
        { source: "./p" },
        { name: "", source: "./p" },
        { name: "x".repeat(300), source: "./p" },
        { name: "same", source: "./p" },
        { name: "same", source: "./p" },
        { name: "Not Kebab", source: "./p" }
      ]),
      "p/commands/go.md": ""
    })
    expect(discovery.candidates.map(({ key, warnings }) => [key, warnings.length])).toEqual([
      ["marketplace:same", 0],
      ["marketplace:same#2", 1],
      ["marketplace:Not Kebab", 1]
    ])
    expect(discovery.warnings.filter((warning) => warning.includes("skipped"))).toHaveLength(4)
  })

  it("match a renamed plugin by its former keys", () => {
    const renames = { old: "middle", middle: "p", a: "b", b: "a", gone: null, __proto__x: 3 }
    expect(one({ source: "./p" }, { "p/commands/go.md": "" }, { renames }).previousKeys).toEqual([
      "marketplace:old",
      "marketplace:middle"
    ])
  })

  it("warn about a file that is too large to store", () => {
    const candidate = one({ source: "./p" }, { "p/commands/go.md": "x".repeat(1024 * 1024 + 1) })
    expect(candidate.warnings[0]).toContain("is not imported")
  })

  it("accept names that are members of every object", () => {
    const text =
      '{"name":"acme","plugins":[{"name":"__proto__","source":"./p","__proto__":{"strict":false}}],"renames":{"__proto__":"p"}}'
    const discovery = discoverIn({ ".claude-plugin/marketplace.json": text, "p/commands/go.md": "" })
    expect(discovery.candidates[0]).toMatchObject({ key: "marketplace:__proto__", manifestPath: null })
  })
})

describe("limits", () => {
  it("list at most 2,000 candidates and 200 warnings", () => {
    const plugins = Array.from({ length: 2500 }, (_, i) => ({ name: `p${i}`, source: { source: "ftp" } }))
    const discovery = discoverIn({ ".claude-plugin/marketplace.json": marketplace(plugins) })
    expect(discovery.candidates).toHaveLength(2000)
    expect(discovery.warnings).toHaveLength(200)
    expect(discovery.warnings[199]).toBe("and 1802 more")
  })

  it("allow planning 2,000 plugins of one folder of 20,000 files in time", () => {
    const files: Record<string, unknown> = {}
    for (let i = 0; i < 20_000; i++) files[`skills/s${i}/SKILL.md`] = ""
    const plugins = Array.from({ length: 2000 }, (_, i) => ({ name: `p${i}`, source: "./" }))
    const discovery = discoverIn({ ...files, ".claude-plugin/marketplace.json": marketplace(plugins) })
    expect(discovery.candidates.every(({ supported }) => supported)).toBe(true)
  })

  it("include a warning that a truncated tree may be incomplete", () => {
    const discovery = discoverIn({ "p/plugin.json": { name: "p" } }, { truncated: true })
    expect(discovery.tree).toEqual({ scannedEntryCount: 1, strategy: "git-tree-walk", truncated: true })
    expect(discovery.warnings[0]).toContain("too large to list")
  })
})
