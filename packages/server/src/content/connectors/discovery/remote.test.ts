import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import type { RemoteSource } from "./candidate.ts"
import { discover } from "./discover.ts"
import type { ListedRemote, Remotes } from "./from-marketplace.ts"
import { marketplacePath } from "./from-marketplace.ts"
import { isRemotePath } from "./paths.ts"
import { ownEntries, placeOf, remoteFolder } from "./remote.ts"
import { readSource } from "./source.ts"
import { repository } from "./test-tree.ts"
import { treeOf } from "./tree.ts"

const sha = "0123456789abcdef0123456789abcdef01234567"
const sha256 = "ab".repeat(32)
const integrity = `sha512-${Buffer.alloc(64).toString("base64")}`

const placed = (sourceMember: Record<string, string>) => {
  const source = readSource(sourceMember, null, treeOf([]))
  return source.kind === "remote" ? placeOf(source.source) : source
}

describe("a place", () => {
  it.each([
    [{ source: "github", repo: "acme/x", ref: "main", sha }, "https://github.com/acme/x", ""],
    [{ source: "github", repo: "acme/x", sha: sha.toUpperCase() }, "https://github.com/acme/x", ""],
    [{ source: "url", url: "https://git.example.com/a/b.git", sha }, "https://git.example.com/a/b.git", ""],
    [{ source: "url", url: "git@git.example.com:a/b.git", sha }, "https://git.example.com/a/b.git", ""],
    [{ source: "url", url: "ssh://git@git.example.com/a/b", sha }, "https://git.example.com/a/b", ""],
    [{ source: "git-subdir", url: "acme/x", path: "tools/y", sha }, "https://github.com/acme/x", "tools/y"],
    [{ source: "git-subdir", url: "https://g.example/x", path: "./tools/y/", sha }, "https://g.example/x", "tools/y"],
    [{ source: "git-subdir", url: "https://g.example/x", path: ".", sha }, "https://g.example/x", ""]
  ])("of a Git source is a repository, a commit and a folder: %j", (source, cloneUrl, folder) =>
    expect(placed(source)).toEqual({ ok: true, place: { kind: "git", cloneUrl, commit: sha }, folder })
  )

  it("of an npm source is a registry, a package and an exact version", () => {
    const source = { source: "npm", package: "@acme/x", version: "1.2.3-rc.1", integrity }
    const place = {
      kind: "npm",
      registry: "https://npm",
      name: "@acme/x",
      version: "1.2.3-rc.1",
      integrity
    }
    expect(placed(source)).toEqual({ ok: true, place, folder: "" })
    expect(placed({ ...source, registry: "https://npm.example.com/team/" })).toMatchObject({
      place: { registry: "https://npm.example.com/team" }
    })
  })

  it.each([
    [{ source: "github", repo: "acme/x", sha: sha.slice(0, 39) }, '"sha"'],
    [{ source: "github", repo: "acme/x", sha: `${sha}0` }, '"sha"'],
    [{ source: "github", repo: "acme/x", sha: "main" }, '"sha"'],
    [{ source: "url", url: "git://git.example.com/a", sha }, "https"],
    [{ source: "url", url: "ftp://git.example.com/a", sha }, "https"],
    [{ source: "url", url: "https://user@git.example.com/a", sha }, "user information"],
    [{ source: "url", url: "https://git.example.com/a#main", sha }, "fragment"],
    [{ source: "git-subdir", url: "acme/x", path: "a/../..", sha }, '".." segment'],
    [{ source: "git-subdir", url: "acme/x", path: "/etc", sha }, "must start with"],
    [{ source: "archive", url: "https://f.example/a.zip", sha256: sha }, '"sha256"'],
    [{ source: "archive", url: "file://f.example/a.zip", sha256 }, "https"],
    [{ source: "npm", package: "x", version: "^1.0.0", integrity }, "exact version"],
    [{ source: "npm", package: "x", version: "latest", integrity }, "exact version"],
    [{ source: "npm", package: "x", integrity }, "exact version"],
    [{ source: "npm", package: "../x", version: "1.0.0", integrity }, "package name"],
    [{ source: "npm", package: "@a/b/c", version: "1.0.0", integrity }, "package name"],
    [{ source: "npm", package: "x", version: "1.0.0", integrity: "sha1-abc" }, '"integrity"'],
    [
      { source: "npm", package: "x", version: "1.0.0", integrity, registry: "https://u:p@r.example" },
      "user information"
    ]
  ])("is rejected if the pin or the URL is invalid: %j", (source, reason) =>
    expect(placed(source)).toEqual({ ok: false, reason: expect.stringContaining(reason) })
  )

  it("of any source is valid or has a reason", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 50, unit: "binary" }),
      fc.webUrl(),
      fc.constantFrom(sha, sha256, "./a")
    )
    fc.assert(
      fc.property(
        fc.record(
          {
            source: fc.constantFrom("github", "url", "git-subdir", "npm", "archive"),
            repo: text,
            url: text,
            path: text,
            package: text,
            version: fc.constantFrom("1.0.0", "1", "x"),
            registry: text,
            sha: fc.constantFrom(sha, "x"),
            sha256: fc.constant(sha256),
            integrity: fc.constant(integrity)
          },
          { requiredKeys: ["source"] }
        ),
        (source) => {
          const result = placed(source)
          if (!("ok" in result) || !result.ok) return
          const { folder, place } = result
          const address = place.kind === "git" ? place.cloneUrl : place.kind === "npm" ? place.registry : place.url
          const url = new URL(address)
          expect([url.username, url.password, url.search, url.hash]).toEqual(["", "", "", ""])
          expect(folder.split("/")).not.toContain("..")
        }
      ),
      { numRuns: 2000 }
    )
  })
})

describe("a plugin's folder", () => {
  it("is below the reserved root and unique per key, even if names ignore case", () => {
    const keys = fc.string({ maxLength: 60, unit: "grapheme" })
    fc.assert(
      fc.property(keys, keys, (left, right) => {
        const folders = [left, right].map((name) => remoteFolder(`marketplace:${name}`))
        for (const folder of folders) {
          expect(folder).toMatch(/^@remote\/[a-z0-9~-]{1,100}$/u)
          expect(isRemotePath(folder)).toBe(true)
        }
        expect(folders[0]?.toLowerCase() === folders[1]?.toLowerCase()).toBe(left === right)
      })
    )
  })

  it("cannot contain files of the repository itself", () => {
    const entry = (path: string): TreeEntry => ({ path, kind: "file", sha, size: 1 })
    const paths = ["@remote", "@REMOTE/a", "@remote/a/b", "@remotes/a", "a/@remote/b"]
    expect(ownEntries(paths.map(entry)).map(({ path }) => path)).toEqual(["@remotes/a", "a/@remote/b"])
    const sound = [entry("a")]
    expect(ownEntries(sound)).toBe(sound)
  })
})

describe("discovery", () => {
  const manifest = (plugins: ReadonlyArray<unknown>) => ({
    [marketplacePath]: { name: "tools", owner: { name: "Acme" }, plugins }
  })
  /** The contents of each repository, by its name. */
  const elsewhere = (places: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => {
    const contents = new Map<string, Uint8Array>()
    const requested: Array<RemoteSource> = []
    const remotes: Remotes<never, never> = {
      allows: (host) => host === "github.com",
      list: (wanted) =>
        Effect.succeed(
          new Map(
            wanted.map(({ folder, source }): [string, ListedRemote] => {
              requested.push(source)
              const place = places[source.locator]
              if (place === undefined) return [folder, { ok: false, reason: "It is gone." }]
              const files = Object.entries(place).map(([path, content]) => {
                const bytes = new TextEncoder().encode(typeof content === "string" ? content : JSON.stringify(content))
                contents.set(`${folder}/${path}`, bytes)
                return { path: `${folder}/${path}`, kind: "file" as const, sha: path, size: bytes.length }
              })
              return [folder, { ok: true, entries: files, warnings: ["Ignored something."] }]
            })
          )
        )
    }
    return { asked: requested, contents, remotes }
  }
  const discoverWith = (files: Readonly<Record<string, unknown>>, places: Parameters<typeof elsewhere>[0]) => {
    const own = repository(files)
    const { asked: requested, contents, remotes } = elsewhere(places)
    const discovery = Effect.runSync(
      discover({ entries: own.entries, truncated: false, remotes, repositoryFullName: "acme/tools" }, (paths) =>
        Effect.map(own.read(paths), (read) => {
          const all = new Map(read)
          for (const path of paths) {
            const bytes = contents.get(path)
            if (bytes !== undefined) all.set(path, bytes)
          }
          return all
        })
      )
    )
    return { asked: requested, discovery }
  }
  const github = (repo: string) => ({ source: "github", repo, sha })

  it("plans plugins from other sources as if they were in the repository", () => {
    const { discovery } = discoverWith(
      manifest([
        { name: "near", source: "./near" },
        { name: "far", source: github("acme/far"), description: "The entry's." },
        { name: "bare", source: github("acme/bare"), strict: false, mcpServers: { db: { command: "db" } } }
      ]),
      {
        "acme/far": {
          "plugin.json": { name: "far", version: "2.0.0", commands: "./extra" },
          "extra/go.md": "",
          "skills/a/SKILL.md": ""
        },
        "acme/bare": { "plugin.json": "not read", "agents/a.md": "" }
      }
    )
    const [near, far, bare] = discovery.candidates
    expect(near).toMatchObject({ supported: false, remote: null })
    expect(far).toMatchObject({
      supported: true,
      selectedByDefault: true,
      rootPath: "@remote/far",
      manifestPath: "@remote/far/plugin.json",
      description: "The entry's.",
      warnings: ["Ignored something."],
      metadata: { version: "2.0.0", source: { kind: "github", locator: "acme/far", pin: sha } }
    })
    expect(far?.plan.map(({ objectType, selector }) => [objectType, selector])).toEqual([
      ["command", "@remote/far/extra"],
      ["skill", "@remote/far/skills"]
    ])
    expect(bare?.plan.map(({ pointer, selector }) => [selector, pointer])).toEqual([
      ["@remote/bare/agents", null],
      [marketplacePath, "/plugins/2/mcpServers"]
    ])
    expect(discovery.unread).toEqual([])
  })

  it("reports unreadable plugins, and requests only allowed and pinned ones", () => {
    const { asked: requested, discovery } = discoverWith(
      manifest([
        { name: "gone", source: github("acme/gone") },
        { name: "loose", source: { source: "github", repo: "acme/loose" } },
        { name: "short", source: { source: "github", repo: "acme/short", sha: "abc" } },
        { name: "other", source: { source: "url", url: "https://other.example/x", sha } },
        { name: "empty", source: github("acme/empty") }
      ]),
      { "acme/empty": { "README.md": "" } }
    )
    expect(requested.map(({ locator }) => locator)).toEqual(["acme/gone", "acme/empty"])
    expect(discovery.unread).toEqual(["marketplace:gone"])
    expect(discovery.warnings).toEqual(['Plugin "gone": It is gone.'])
    expect(
      discovery.candidates.map(({ remoteProblem, selectedByDefault }) => [selectedByDefault, remoteProblem])
    ).toEqual([
      [false, "It is gone."],
      [false, expect.stringContaining("without a pinned revision")],
      [false, expect.stringContaining("not a full commit SHA")],
      [false, expect.stringContaining("this server is not configured to read from that host")],
      [false, null]
    ])
  })

  it("keeps plugins of the repository out of the folders of other sources", () => {
    const { discovery } = discoverWith(
      manifest([
        { name: "far", source: github("acme/far") },
        { name: "thief", source: "./@remote/far" },
        { name: "all", source: "./", commands: ["./@remote/far/commands"] }
      ]),
      { "acme/far": { "commands/go.md": "" } }
    )
    expect(discovery.candidates.map(({ plan }) => plan.map(({ selector }) => selector))).toEqual([
      ["@remote/far/commands"],
      [],
      []
    ])
  })
})
