import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { discover } from "./discover.ts"
import { filesOf } from "./files.ts"
import type { Remotes } from "./from-marketplace.ts"
import { candidateWarningsMax, keyLengthMax, selectorLengthMax, warningsMax } from "./limits.ts"

const segment = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ".claude-plugin",
      "plugin.json",
      "marketplace.json",
      "skills",
      "SKILL.md",
      "agents",
      "commands",
      "hooks",
      "hooks.json",
      ".mcp.json",
      ".lsp.json",
      "monitors",
      "settings.json",
      "a",
      "A",
      "b",
      "a.md",
      "plugins",
      "x.json",
      "scripts",
      "run.sh"
    )
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("..", ".", "", "é", "e\u0301", "a\u0000", "\uFFFD", "a\nb", "C:", "a\\..\\b", ".git")
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) }
)
const usual = fc
  .tuple(
    fc.constantFrom("", "a/", "b/", "plugins/a/"),
    fc.constantFrom(
      "plugin.json",
      ".claude-plugin/plugin.json",
      "skills/x/SKILL.md",
      "skills/x/y.md",
      "SKILL.md",
      "agents/a.md",
      "commands/a.md",
      "commands/deep/b.md",
      "hooks/hooks.json",
      ".mcp.json",
      ".lsp.json",
      "monitors/a.json",
      "settings.json"
    )
  )
  .map((parts) => parts.join(""))
const path = fc.oneof(
  usual,
  fc.constantFrom(
    ".claude-plugin/marketplace.json",
    ".claude-plugin/plugin.json",
    "a/.claude-plugin/plugin.json",
    "b/plugin.json",
    "a/skills/x/SKILL.md"
  ),
  fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"))
)
const reference = fc.oneof(
  path,
  path.map((text) => `./${text}`),
  fc.constantFrom("./", ".", "./a", "./skills", "${CLAUDE_PLUGIN_ROOT}/x.json")
)
const loose = fc.oneof({ weight: 6, arbitrary: reference }, { weight: 1, arbitrary: fc.jsonValue() })
const listed = fc.oneof(
  reference,
  fc.array(loose, { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
  fc.jsonValue()
)
const members = {
  name: fc.oneof(fc.constantFrom("a", "b", "c", "__proto__"), fc.string(), fc.jsonValue()),
  description: fc.oneof(fc.string(), fc.jsonValue()),
  author: fc.jsonValue(),
  tags: fc.jsonValue(),
  experimental: fc.jsonValue(),
  skills: listed,
  agents: listed,
  commands: listed,
  hooks: listed,
  mcpServers: listed,
  lspServers: listed,
  monitors: listed,
  settings: listed
}
const plugin = fc.record(members, { requiredKeys: [] })
const source = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("./a", "./b", "./", "./plugins/a") },
  { weight: 4, arbitrary: reference },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        source: fc.constantFrom("github", "url", "git-subdir", "npm", "archive", "x"),
        url: fc.oneof(fc.webUrl(), fc.string()),
        repo: fc.string(),
        package: fc.string(),
        path: fc.string(),
        sha: fc.string()
      },
      { requiredKeys: ["source"] }
    )
  },
  { weight: 1, arbitrary: fc.jsonValue() }
)
const entry = fc.record(
  { ...members, source, strict: fc.oneof(fc.boolean(), fc.jsonValue()) },
  { requiredKeys: ["name", "source"] }
)
const marketplace = fc.record(
  {
    name: fc.jsonValue(),
    owner: fc.jsonValue(),
    plugins: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.array(fc.oneof({ weight: 6, arbitrary: entry }, { weight: 1, arbitrary: fc.jsonValue() }), {
          maxLength: 5
        })
      },
      { weight: 1, arbitrary: fc.jsonValue() }
    ),
    renames: fc.oneof(fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("a", "b", "c")), fc.jsonValue()),
    metadata: fc.oneof(fc.record({ pluginRoot: reference }), fc.jsonValue())
  },
  { requiredKeys: ["plugins"] }
)
const content = fc.oneof(
  { weight: 4, arbitrary: marketplace.map((value) => new TextEncoder().encode(JSON.stringify(value))) },
  { weight: 4, arbitrary: plugin.map((value) => new TextEncoder().encode(JSON.stringify(value))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constant(undefined) }
)
const kind = fc.oneof(
  { weight: 12, arbitrary: fc.constant("file" as const) },
  { weight: 1, arbitrary: fc.constantFrom("symlink", "submodule") }
)
const size = fc.constantFrom(0, 10, 2_000_000)
const repositories = fc.record({
  files: fc.oneof(
    fc.array(fc.record({ path, kind, content, size }), { maxLength: 30 }),
    // Without path collisions most of a repository is usable, so much more is planned.
    fc.uniqueArray(fc.record({ path: usual, kind, content, size }), {
      maxLength: 30,
      selector: (file) => file.path,
      size: "max"
    })
  ),
  head: fc.option(marketplace, { freq: 2 }),
  truncated: fc.boolean(),
  allowed: fc.boolean()
})
type Sample = typeof repositories extends fc.Arbitrary<infer A> ? A : never

/** Hosts that are allowed but have no content. */
const nothingElsewhere = (allowed: boolean): Remotes<never, never> => ({
  allows: () => allowed,
  list: (wanted) => Effect.succeed(new Map(wanted.map(({ folder }) => [folder, { ok: false, reason: "It is gone." }])))
})

const run = (
  { allowed, files, head, truncated }: Sample,
  order: (entries: Array<TreeEntry>) => ReadonlyArray<TreeEntry>
) => {
  const contents = new Map(files.map((file) => [file.path, file.content]))
  const entries = files.map((file, i): TreeEntry => ({
    path: file.path,
    kind: file.kind,
    sha: `${i}`,
    size: file.size
  }))
  if (head !== null) {
    const at = ".claude-plugin/marketplace.json"
    contents.set(at, new TextEncoder().encode(JSON.stringify(head)))
    if (!files.some((file) => file.path === at)) entries.push({ path: at, kind: "file", sha: "head", size: 1 })
  }
  const listing = order(entries)
  const requested: Array<string> = []
  const discovery = Effect.runSync(
    discover(
      { entries: listing, truncated, remotes: nothingElsewhere(allowed), repositoryFullName: "acme/tools" },
      (paths) => {
        requested.push(...paths)
        return Effect.succeed(
          new Map(
            paths.flatMap((at) => {
              const bytes = contents.get(at)
              return bytes === undefined ? [] : [[at, bytes] as const]
            })
          )
        )
      }
    )
  )
  return { asked: requested, entries: listing, found: discovery }
}

const within = (root: string, at: string) => root === "" || at === root || at.startsWith(`${root}/`)
const isSound = (at: string) =>
  !at.startsWith("/") &&
  !at.split("/").some((part) => part === ".." || part === "." || part === "") &&
  !/\p{Cc}/u.test(at)

describe("any repository", () => {
  it("is discovered without throwing, within its limits and its folders", () => {
    let planned = 0
    fc.assert(
      fc.property(repositories, (sample) => {
        const { asked: requested, entries, found: discovery } = run(sample, (all) => all)
        const filePaths = new Set(entries.filter((each) => each.kind === "file").map((each) => each.path))
        expect(requested.every((at) => filePaths.has(at) && isSound(at))).toBe(true)
        expect(discovery.warnings.length).toBeLessThanOrEqual(warningsMax)
        expect(new Set(discovery.candidates.map(({ key }) => key)).size).toBe(discovery.candidates.length)
        for (const candidate of discovery.candidates) {
          expect(candidate.key.length).toBeGreaterThan(0)
          expect(candidate.key.length).toBeLessThanOrEqual(keyLengthMax)
          expect(candidate.warnings.length).toBeLessThanOrEqual(candidateWarningsMax)
          expect(candidate.supported || candidate.plan.length === 0).toBe(true)
          expect(JSON.stringify(candidate)).not.toContain("\\u0000")
          const plans = candidate.plan.map((plan) => JSON.stringify(plan))
          expect(new Set(plans).size).toBe(plans.length)
          for (const plan of candidate.plan) {
            expect(plan.selector.length).toBeGreaterThan(0)
            expect(plan.selector.length).toBeLessThanOrEqual(selectorLengthMax)
            const files = filesOf(plan, entries)
            expect(files.length).toBeGreaterThan(0)
            planned += files.length
            for (const file of files) {
              expect(filePaths.has(file.path) && isSound(file.path)).toBe(true)
              // A component defined in the marketplace manifest is in that file and not in the plugin's folder.
              if (plan.pointer === null) expect(within(candidate.rootPath, file.path)).toBe(true)
              else expect(file.path).toBe(plan.selector)
            }
          }
        }
      }),
      { numRuns: 1500 }
    )
    // Otherwise the generator no longer produces anything that can be planned.
    expect(planned).toBeGreaterThan(1000)
  })

  it("has the same result for any order of its entries", () => {
    fc.assert(
      fc.property(repositories, fc.integer(), (sample, seed) => {
        const shuffled = run(sample, (all) =>
          [...all]
            .map((each, i) => ({ each, at: Math.imul(i + 1, seed | 1) }))
            .sort((a, b) => a.at - b.at)
            .map(({ each }) => each)
        )
        expect(shuffled.found).toEqual(run(sample, (all) => all).found)
      }),
      { numRuns: 500 }
    )
  })

  it("has the same sorted files without duplicates for a mapping, for any order", () => {
    const type = fc.constantFrom("skill", "agent", "command", "tool", "mcp", "hook", "context", "custom")
    fc.assert(
      fc.property(
        repositories,
        reference,
        type,
        fc.option(fc.constant("/a")),
        (sample, selector, objectType, pointer) => {
          const { entries } = run(sample, (all) => all)
          const files = filesOf({ selector, objectType, pointer }, entries)
          expect(filesOf({ selector, objectType, pointer }, entries.toReversed())).toEqual(files)
          const paths = files.map((file) => file.path)
          expect(paths).toEqual([...new Set(paths)].sort())
        }
      ),
      { numRuns: 500 }
    )
  })
})
