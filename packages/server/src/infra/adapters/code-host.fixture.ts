import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { expect, it } from "vitest"
import {
  commit,
  type Content,
  gitDirOf,
  initRepository,
  makeRepository,
  tag,
  writeCommit,
  writeRef
} from "../../../../../test/fixtures/git.ts"
import { treeData, writeObject } from "../../../../../test/fixtures/git-objects.ts"
import type { CodeHostFailed, Snapshot } from "../ports/code-host.ts"
import type { Bounds } from "./git/index.ts"
import { makeFolder, type Seen, textAt } from "./git/git.fixture.ts"

/** A repository that is opened with one of the readers. */
export interface Opened {
  readonly inspect: () => Promise<{ readonly defaultBranch: string | null }>
  readonly head: (branch: string) => Promise<string>
  readonly see: (branch?: string, revision?: string) => Promise<Seen>
  readonly refusal: {
    readonly head: (branch: string) => Promise<CodeHostFailed>
    readonly see: (branch?: string, revision?: string) => Promise<CodeHostFailed>
  }
}

export interface Way {
  readonly title: string
  /** Earlier revisions are not available. */
  readonly hidesHistory?: true
  /** An endless tree is truncated by the host instead of being rejected here. */
  readonly cutsLongTrees?: true
  /** Each file read is a separate request. */
  readonly readsOneByOne?: true
}

/** Opens a repository on disk with a reader. */
export type At = <A>(dir: string, use: (opened: Opened) => Promise<A>, bounds?: Partial<Bounds>) => Promise<A>

/** The common operations of the ports. */
export interface Reader {
  readonly inspect: Effect.Effect<{ readonly defaultBranch: string | null }, CodeHostFailed>
  readonly head: (branch: string) => Effect.Effect<string, CodeHostFailed>
  readonly snapshot: (branch: string, revision?: string) => Effect.Effect<Snapshot, CodeHostFailed, Scope.Scope>
}

/** A complete snapshot with all readable contents. */
export const seeAll = (reader: Reader, branch = "main", revision?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { revision: headRevision, truncated, strategy, entries, read } = yield* reader.snapshot(branch, revision)
      const contents = yield* read(entries.map(({ sha }) => sha))
      return { revision: headRevision, truncated, strategy, entries, contents } satisfies Seen
    })
  )

export const openedBy = (reader: Reader, run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>): Opened => ({
  inspect: () => run(reader.inspect),
  head: (branch) => run(reader.head(branch)),
  see: (branch, revision) => run(seeAll(reader, branch, revision)),
  refusal: {
    head: (branch) => run(Effect.flip(reader.head(branch))),
    see: (branch, revision) => run(Effect.flip(seeAll(reader, branch, revision)))
  }
})

const MiB = 1024 * 1024

const shared = makeFolder()

/** A repository that is created once and read by every reader. */
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

const many = (files: number) =>
  once(`many-${files}`, (dir) =>
    makeRepository(
      dir,
      Object.fromEntries(
        Array.from({ length: files }, (_, index) => [
          `skills/s${index % 100}/f${index}.md`,
          `file ${index}\n`.repeat(20)
        ])
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

/** The tests that every reader must pass. */
export const codeHostSuite = (way: Way, at: At): void => {
  const root = makeFolder()
  let count = 0
  const fresh = () => join(root, `team-${++count}`, "plugins")

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
    await at(dir, async (opened) => {
      const seen = await opened.see()
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

  it("returns the default branch, the head of a branch, and an earlier revision", async () => {
    const dir = fresh()
    const first = makeRepository(dir, { "a.md": "one" }, { branch: "trunk" })
    const second = commit(dir, { "a.md": "two", "b.md": "new" }, { branch: "trunk" })
    await at(dir, async (opened) => {
      const info = await opened.inspect()
      expect(info.defaultBranch).toBe("trunk")
      expect(await opened.head("trunk")).toBe(second)
      expect((await opened.see("trunk")).entries).toHaveLength(2)
      if (way.hidesHistory === true) {
        const refusal = await opened.refusal.see("trunk", first)
        expect(refusal.code).toBe("branch_not_found")
      } else {
        const earlier = await opened.see("trunk", first)
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
    await at(dir, async (opened) => {
      expect(await opened.head("refs/tags/v1")).toBe(revision)
      const seen = await opened.see("refs/tags/v1")
      expect([seen.revision, textAt(seen, "a.md")]).toEqual([revision, "one"])
      expect((await opened.see("main", named)).revision).toBe(revision)
    })
  })

  it("reports a missing branch, revision or commit as such", async () => {
    const dir = fresh()
    const revision = makeRepository(dir, { "a.md": "one" })
    const tree = writeObject(gitDirOf(dir), "tree", treeData([]))
    await at(dir, async (opened) => {
      for (const branch of ["nope", "", "../../HEAD", "mai", "a..b", "x.lock", "refs/tags/none"]) {
        expect((await opened.refusal.head(branch)).code).toBe("branch_not_found")
        expect((await opened.refusal.see(branch)).code).toBe("branch_not_found")
      }
      for (const sha of ["f".repeat(40), tree, "main", revision.slice(0, 7)]) {
        expect((await opened.refusal.see("main", sha)).code).toBe("branch_not_found")
      }
    })
    const empty = fresh()
    initRepository(empty, { bare: true })
    await at(empty, async (opened) => {
      expect(await opened.inspect()).toMatchObject({ defaultBranch: null })
      expect((await opened.refusal.see()).code).toBe("empty_repository")
      expect((await opened.refusal.head("main")).code).toBe("empty_repository")
    })
  })

  it("returns hostile names unchanged, and never throws on them", async () => {
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
    await at(dir, async (opened) => {
      const seen = await opened.see()
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

  it("lists a 100 MB blob and omits it from the contents", async () => {
    await at(large(), async (opened) => {
      const seen = await opened.see()
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

  const filesMany = way.readsOneByOne === true ? 1000 : 5000
  it(`reads ${filesMany} files`, async () => {
    await at(many(filesMany)(), async (opened) => {
      const seen = await opened.see()
      expect(seen.entries).toHaveLength(filesMany)
      expect(seen.contents.size).toBe(filesMany)
      const paths = seen.entries.map(({ path }) => path)
      expect(paths).toEqual([...paths].sort())
    })
  })

  it("truncates a listing that is too long, and rejects one that is far too long", async () => {
    const dir = fresh()
    makeRepository(dir, Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, `${index}`])))
    await at(
      dir,
      async (opened) => {
        const seen = await opened.see()
        expect(seen).toMatchObject({ truncated: true, strategy: "git-tree-walk" })
        expect([seen.entries.length, seen.contents.size]).toEqual([50, 50])
      },
      { entriesMax: 50, objectsMax: 70 }
    )
    await at(dir, async (opened) => expect((await opened.refusal.see()).code).toBe("limit_exceeded"), {
      entriesMax: 50,
      objectsMax: 55
    })
  })

  it("rejects a tree that contains itself many times, and an endless one", async () => {
    for (const dir of [multiplying(), deep()]) {
      await at(dir, async (opened) => {
        if (way.cutsLongTrees === true && dir === deep()) {
          expect(await opened.see()).toMatchObject({ truncated: true, strategy: "git-tree-walk" })
        } else expect((await opened.refusal.see()).code).toBe("limit_exceeded")
      })
    }
  })

  it("sorts a tree that was written out of order", async () => {
    const dir = fresh()
    initRepository(dir)
    const blob = writeObject(gitDirOf(dir), "blob", "x")
    const items = ["c", "a", "b"].map((name) => ({ mode: "100644", name: Buffer.from(name), sha: blob }))
    const tree = writeObject(gitDirOf(dir), "tree", treeData(items, false))
    writeRef(dir, "refs/heads/main", writeCommit(dir, tree, []))
    await at(dir, async (opened) => {
      const seen = await opened.see()
      expect(seen.entries.map(({ path }) => path)).toEqual(["a", "b", "c"])
    })
  })

  it("falls back to an existing branch when HEAD points to a missing one", async () => {
    const dir = fresh()
    const revision = makeRepository(dir, { "a.md": "one" }, { branch: "release" })
    writeFileSync(join(gitDirOf(dir), "HEAD"), `${revision}\n`)
    await at(dir, async (opened) => expect((await opened.inspect()).defaultBranch).toBe("release"))
    writeFileSync(join(gitDirOf(dir), "HEAD"), "ref: refs/heads/gone\n")
    await at(dir, async (opened) => expect((await opened.inspect()).defaultBranch).toBe("release"))
  })
}
