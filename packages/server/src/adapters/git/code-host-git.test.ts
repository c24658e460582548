import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import {
  commit,
  type Content,
  gitDirOf,
  initRepository,
  makeRepository,
  packRepository,
  readRefs,
  tag,
  writeCommit,
  writeRef
} from "../../../../../test/fixtures/git.ts"
import { treeData, writeObject } from "../../../../../test/fixtures/git-objects.ts"
import { type GitServerOptions, serveGit } from "../../../../../test/fixtures/git-server.ts"
import { makeFolder, makeTestHost, repositoryAt, see, textAt } from "./git.fixture.ts"
import type { CodeHostGitOptions } from "./index.ts"

const hasGit = spawnSync("git", ["--version"]).status === 0

/** What all ways of reading promise alike. */
interface Way {
  readonly title: string
  readonly systemGit: boolean
  readonly remote?: GitServerOptions
}

const ways: ReadonlyArray<Way> = [
  { title: "a path, built in", systemGit: false },
  ...(hasGit ? [{ title: "a path, system git", systemGit: true }] : []),
  { title: "https, protocol 2", systemGit: false, remote: { protocol: 2 } },
  { title: "https, protocol 1", systemGit: false, remote: { protocol: 1 } },
  { title: "https, offset deltas", systemGit: false, remote: { deltas: "ofs" } },
  { title: "https, named deltas", systemGit: false, remote: { deltas: "ref" } }
]

const MiB = 1024 * 1024

const shared = makeFolder()

/** A repository that is made once and read in every way. */
const once = (name: string, make: (dir: string) => void) => {
  const dir = join(shared, name)
  return (): string => {
    if (!existsSync(dir)) make(dir)
    return dir
  }
}

const large = once("large", (dir) =>
  makeRepository(dir, { "big.bin": Buffer.alloc(100_000_000), "edge.bin": Buffer.alloc(5 * MiB, 1), "small.md": "s" })
)

const many = once("many", (dir) =>
  makeRepository(
    dir,
    Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`skills/s${index % 100}/f${index}.md`, `file ${index}\n`.repeat(20)])
    )
  )
)

const multiplying = once("multiplying", (dir) => {
  initRepository(dir)
  let tree = treeData([{ mode: "100644", name: Buffer.from("x"), sha: writeObject(gitDirOf(dir), "blob", "x") }])
  for (let depth = 0; depth < 12; depth++) {
    const sha = writeObject(gitDirOf(dir), "tree", tree)
    tree = treeData(Array.from({ length: 10 }, (_, index) => ({ mode: "40000", name: Buffer.from(`${index}`), sha })))
  }
  writeRef(dir, "refs/heads/main", writeCommit(dir, writeObject(gitDirOf(dir), "tree", tree), []))
})

const deep = once("deep", (dir) => {
  initRepository(dir)
  let sha = writeObject(gitDirOf(dir), "tree", treeData([]))
  for (let depth = 0; depth < 3000; depth++) {
    const name = Buffer.from("d".repeat(60))
    sha = writeObject(gitDirOf(dir), "tree", treeData([{ mode: "40000", name, sha }]))
  }
  writeRef(dir, "refs/heads/main", writeCommit(dir, sha, []))
})

describe.each(ways)(`$title (${hasGit ? "git is on this machine" : "no git here: built-in ways only"})`, (way) => {
  const root = makeFolder()
  let count = 0
  const fresh = () => join(root, `team-${++count}`, "plugins")

  /** Runs a test on the repository as this way sees it. */
  const at = async <A>(
    dir: string,
    use: (repository: ReturnType<typeof repositoryAt>, host: ReturnType<typeof makeTestHost>) => Promise<A>,
    bounds: CodeHostGitOptions["bounds"] = {}
  ): Promise<A> => {
    const workDir = join(root, "work")
    const host = makeTestHost({ localRoots: [root, shared], workDir, systemGit: way.systemGit, bounds })
    if (way.remote === undefined) return use(repositoryAt(pathToFileURL(dir).href), host)
    const server = await serveGit(dir, way.remote)
    try {
      return await use(repositoryAt(server.url), host)
    } finally {
      await server.close()
    }
  }

  it("lists files of a tree with kinds, names and sizes, and reads them", async () => {
    const dir = fresh()
    const files: Record<string, Content> = {
      "README.md": "# Hello\n",
      "a.txt": "before the folder a",
      "a/b/c.txt": "deep",
      a0: "after it",
      bin: { executable: "#!/bin/sh\n" },
      empty: "",
      link: { symlink: "../../etc/passwd" },
      vendored: { submodule: "1".repeat(40) }
    }
    const revision = makeRepository(dir, files)
    await at(dir, async (repository, host) => {
      const seen = await host.run((code) => see(code, repository))
      expect(seen).toMatchObject({ revision, truncated: false, strategy: "git-tree-recursive" })
      expect(seen.entries.map(({ path, kind, size }) => [path, kind, size])).toEqual([
        ["README.md", "file", 8],
        ["a.txt", "file", 19],
        ["a/b/c.txt", "file", 4],
        ["a0", "file", 8],
        ["bin", "file", 10],
        ["empty", "file", 0],
        ["link", "symlink", 16],
        ["vendored", "submodule", 0]
      ])
      expect(textAt(seen, "a/b/c.txt")).toBe("deep")
      expect(textAt(seen, "empty")).toBe("")
      expect(textAt(seen, "link")).toBe("../../etc/passwd")
      expect(textAt(seen, "vendored")).toBeUndefined()
    })
  })

  it("tells the default branch, the head of a branch, and an earlier revision", async () => {
    const dir = fresh()
    const first = makeRepository(dir, { "a.md": "one" }, { branch: "trunk" })
    const second = commit(dir, { "a.md": "two", "b.md": "new" }, { branch: "trunk" })
    await at(dir, async (repository, host) => {
      const info = await host.run((code) => code.inspect(repository))
      expect(info.defaultBranch).toBe("trunk")
      expect(await host.run((code) => code.head(repository, "trunk"))).toBe(second)
      expect((await host.run((code) => see(code, repository, "trunk"))).entries).toHaveLength(2)
      if (way.remote?.protocol === 1) {
        const refusal = await host.refusal((code) => see(code, repository, "trunk", first))
        expect(refusal.code).toBe("branch_not_found")
      } else {
        const earlier = await host.run((code) => see(code, repository, "trunk", first))
        expect(earlier.revision).toBe(first)
        expect(textAt(earlier, "a.md")).toBe("one")
      }
    })
  })

  it("follows an annotated tag to its commit", async () => {
    const dir = fresh()
    const revision = makeRepository(dir, { "a.md": "one" })
    const named = tag(dir, "v1", revision)
    commit(dir, { "a.md": "two" })
    await at(dir, async (repository, host) => {
      expect(await host.run((code) => code.head(repository, "refs/tags/v1"))).toBe(revision)
      const seen = await host.run((code) => see(code, repository, "refs/tags/v1"))
      expect([seen.revision, textAt(seen, "a.md")]).toEqual([revision, "one"])
      expect((await host.run((code) => see(code, repository, "main", named))).revision).toBe(revision)
    })
  })

  it("names what is missing: a branch, a revision, any commit", async () => {
    const dir = fresh()
    const revision = makeRepository(dir, { "a.md": "one" })
    const tree = writeObject(gitDirOf(dir), "tree", treeData([]))
    await at(dir, async (repository, host) => {
      for (const branch of ["nope", "", "../../HEAD", "mai", "a..b", "x.lock", "refs/tags/none"]) {
        expect((await host.refusal((code) => code.head(repository, branch))).code).toBe("branch_not_found")
        expect((await host.refusal((code) => see(code, repository, branch))).code).toBe("branch_not_found")
      }
      for (const sha of ["f".repeat(40), tree, "main", revision.slice(0, 7)]) {
        expect((await host.refusal((code) => see(code, repository, "main", sha))).code).toBe("branch_not_found")
      }
    })
    const empty = fresh()
    initRepository(empty, { bare: true })
    await at(empty, async (repository, host) => {
      expect(await host.run((code) => code.inspect(repository))).toMatchObject({ defaultBranch: null })
      expect((await host.refusal((code) => see(code, repository))).code).toBe("empty_repository")
      expect((await host.refusal((code) => code.head(repository, "main"))).code).toBe("empty_repository")
    })
  })

  it("gives names as they are, however hostile, and never throws on them", async () => {
    const dir = fresh()
    makeRepository(dir, [
      ["../escape.md", "up"],
      ["Case.md", "upper"],
      ["case.md", "lower"],
      [Buffer.from([0x62, 0xff, 0x64]), "not UTF-8"],
      ["new\nline\t.md", "control"],
      ["\u00e9.md", "composed"],
      ["e\u0301.md", "decomposed"],
      ["x".repeat(4096), "long"]
    ])
    await at(dir, async (repository, host) => {
      const seen = await host.run((code) => see(code, repository))
      expect(seen.entries.map(({ path }) => path)).toEqual([
        "../escape.md",
        "Case.md",
        "b\ufffdd",
        "case.md",
        "e\u0301.md",
        "new\nline\t.md",
        "x".repeat(4096),
        "\u00e9.md"
      ])
      expect(textAt(seen, "b\ufffdd")).toBe("not UTF-8")
    })
  })

  it("lists a 100 MB blob and leaves it out of what is read", async () => {
    await at(large(), async (repository, host) => {
      const seen = await host.run((code) => see(code, repository))
      expect(seen.entries.map(({ path, size }) => [path, size])).toEqual([
        ["big.bin", 100_000_000],
        ["edge.bin", 5 * MiB],
        ["small.md", 1]
      ])
      expect([...seen.contents.values()].map(({ length }) => length).sort((left, right) => left - right)).toEqual([
        1,
        5 * MiB
      ])
    })
  })

  it("reads 5 000 files", async () => {
    await at(many(), async (repository, host) => {
      const seen = await host.run((code) => see(code, repository))
      expect(seen.entries).toHaveLength(5000)
      expect(seen.contents.size).toBe(5000)
      const paths = seen.entries.map(({ path }) => path)
      expect(paths).toEqual([...paths].sort())
    })
  })

  it("cuts a listing that is too long and refuses one that is far too long", async () => {
    const dir = fresh()
    makeRepository(dir, Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, `${index}`])))
    await at(
      dir,
      async (repository, host) => {
        const seen = await host.run((code) => see(code, repository))
        expect(seen).toMatchObject({ truncated: true, strategy: "git-tree-walk" })
        expect([seen.entries.length, seen.contents.size]).toEqual([50, 50])
      },
      { entriesMax: 50, objectsMax: 70 }
    )
    await at(
      dir,
      async (repository, host) =>
        expect((await host.refusal((code) => see(code, repository))).code).toBe("limit_exceeded"),
      { entriesMax: 50, objectsMax: 55 }
    )
  })

  it("refuses a tree that multiplies itself, and one without end", async () => {
    for (const dir of [multiplying(), deep()]) {
      await at(dir, async (repository, host) =>
        expect((await host.refusal((code) => see(code, repository))).code).toBe("limit_exceeded")
      )
    }
  })

  it("sorts a tree that was written out of order", async () => {
    const dir = fresh()
    initRepository(dir)
    const blob = writeObject(gitDirOf(dir), "blob", "x")
    const items = ["c", "a", "b"].map((name) => ({ mode: "100644", name: Buffer.from(name), sha: blob }))
    const tree = writeObject(gitDirOf(dir), "tree", treeData(items, false))
    writeRef(dir, "refs/heads/main", writeCommit(dir, tree, []))
    await at(dir, async (repository, host) => {
      const seen = await host.run((code) => see(code, repository))
      expect(seen.entries.map(({ path }) => path)).toEqual(["a", "b", "c"])
    })
  })

  it("falls back to a branch that exists when HEAD names none", async () => {
    const dir = fresh()
    const revision = makeRepository(dir, { "a.md": "one" }, { branch: "release" })
    writeFileSync(join(gitDirOf(dir), "HEAD"), `${revision}\n`)
    await at(dir, async (repository, host) =>
      expect((await host.run((code) => code.inspect(repository))).defaultBranch).toBe("release")
    )
    writeFileSync(join(gitDirOf(dir), "HEAD"), "ref: refs/heads/gone\n")
    await at(dir, async (repository, host) =>
      expect((await host.run((code) => code.inspect(repository))).defaultBranch).toBe("release")
    )
  })

  it("leaves nothing behind", async () => {
    const dir = fresh()
    makeRepository(dir, { "a.md": "one" })
    await at(dir, async (repository, host) => {
      await host.run((code) => see(code, repository))
      await host.refusal((code) => see(code, repository, "main", "f".repeat(40)))
      expect(existsSync(join(root, "work")) ? readdirSync(join(root, "work")) : []).toEqual([])
    })
  })

  if (way.remote === undefined) {
    it.each(["none", "ofs", "ref"] as const)("reads packs (deltas: %s) and packed refs", async (deltas) => {
      const dir = fresh()
      const noise = randomBytes(3000).toString("hex")
      const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, `${noise}${index}`]))
      const revision = makeRepository(dir, files)
      packRepository(dir, deltas)
      const next = commit(dir, { loose: "not packed" }, { branch: "nested/topic" })
      writeFileSync(join(gitDirOf(dir), "packed-refs"), `${revision} refs/heads/old\n`, { flag: "a" })
      await at(dir, async (repository, host) => {
        const seen = await host.run((code) => see(code, repository, "main", revision))
        expect(seen.entries).toHaveLength(40)
        for (const [path, content] of Object.entries(files)) expect(textAt(seen, path)).toBe(content)
        expect(await host.run((code) => code.head(repository, "old"))).toBe(revision)
        expect(await host.run((code) => code.head(repository, "nested/topic"))).toBe(next)
        expect((await host.run((code) => see(code, repository, "nested/topic"))).entries).toHaveLength(1)
      })
    })

    it("calls a damaged object corrupt", async () => {
      const dir = fresh()
      makeRepository(dir, { "a.md": "one", "b.md": "two" })
      const sha = writeObject(gitDirOf(dir), "blob", "two")
      const path = join(gitDirOf(dir), "objects", sha.slice(0, 2), sha.slice(2))
      writeFileSync(path, "this is not zlib")
      await at(dir, async (repository, host) =>
        expect((await host.refusal((code) => see(code, repository))).code).toBe("corrupt")
      )
    })

    it("does not follow the repository's own settings, replacements or links", async () => {
      const dir = fresh()
      makeRepository(dir, { "a.md": "true" })
      const mine = writeObject(gitDirOf(dir), "blob", "true")
      const other = writeObject(gitDirOf(dir), "blob", "false")
      writeRef(dir, `refs/replace/${mine}`, other)
      const trap = join(root, `trap-${way.systemGit}`)
      writeFileSync(
        join(gitDirOf(dir), "config"),
        `[core]\n\tfsmonitor = touch ${trap}\n\tpager = touch ${trap}\n\thooksPath = /nowhere\n[include]\n\tpath = /etc/passwd\n`
      )
      await at(dir, async (repository, host) => {
        const seen = await host.run((code) => see(code, repository))
        expect(textAt(seen, "a.md")).toBe("true")
      })
      expect(readdirSync(root)).not.toContain(`trap-${way.systemGit}`)

      const outside = makeFolder()
      writeFileSync(join(outside, "sha"), `${[...readRefs(dir).values()][0]}\n`)
      symlinkSync(join(outside, "sha"), join(gitDirOf(dir), "refs/heads/linked"))
      await at(dir, async (repository, host) =>
        expect((await host.refusal((code) => code.head(repository, "linked"))).code).toBe("branch_not_found")
      )
      mkdirSync(join(gitDirOf(dir), "objects/info"), { recursive: true })
      writeFileSync(join(gitDirOf(dir), "objects/info/alternates"), `${outside}\n`)
      await at(dir, async (repository, host) =>
        expect((await host.refusal((code) => see(code, repository))).message).toContain("alternates")
      )
    })
  }
})
