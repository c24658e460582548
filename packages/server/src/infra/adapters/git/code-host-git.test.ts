import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  commit,
  gitDirOf,
  makeRepository,
  packRepository,
  readRefs,
  writeRef
} from "../../../../../../test/fixtures/git.ts"
import { writeObject } from "../../../../../../test/fixtures/git-objects.ts"
import { type GitServerOptions, serveGit } from "../../../../../../test/fixtures/git-server.ts"
import { codeHostSuite, openedBy, type Way as SuiteWay } from "../code-host.fixture.ts"
import { makeFolder, makeTestHost, repositoryAt, see, textAt } from "./git.fixture.ts"
import type { CodeHostGitOptions } from "./index.ts"

const hasGit = spawnSync("git", ["--version"]).status === 0

interface Way extends SuiteWay {
  readonly systemGit: boolean
  readonly remote?: GitServerOptions
}

const ways: ReadonlyArray<Way> = [
  { title: "a path, built in", systemGit: false },
  ...(hasGit ? [{ title: "a path, system git", systemGit: true }] : []),
  { title: "https, protocol 2", systemGit: false, remote: { protocol: 2 } },
  { title: "https, protocol 1", systemGit: false, remote: { protocol: 1 }, hidesHistory: true },
  { title: "https, offset deltas", systemGit: false, remote: { deltas: "ofs" } },
  { title: "https, named deltas", systemGit: false, remote: { deltas: "ref" } }
]

describe.each(ways)(`$title (${hasGit ? "git is on this machine" : "no git here: built-in ways only"})`, (way) => {
  const root = makeFolder()
  let count = 0
  const fresh = () => join(root, `team-${++count}`, "plugins")

  /** Runs a test on the repository with this reader. */
  const at = async <A>(
    dir: string,
    use: (repository: ReturnType<typeof repositoryAt>, host: ReturnType<typeof makeTestHost>) => Promise<A>,
    bounds: CodeHostGitOptions["bounds"] = {}
  ): Promise<A> => {
    const workDir = join(root, "work")
    const host = makeTestHost({ localRoots: [tmpdir()], workDir, systemGit: way.systemGit, bounds })
    if (way.remote === undefined) return use(repositoryAt(pathToFileURL(dir).href), host)
    const server = await serveGit(dir, way.remote)
    try {
      return await use(repositoryAt(server.url), host)
    } finally {
      await server.close()
    }
  }

  codeHostSuite(way, (dir, use, bounds) =>
    at(
      dir,
      (repository, host) =>
        host.run((code) =>
          Effect.promise(() =>
            use(
              openedBy(
                {
                  inspect: code.inspect(repository),
                  head: (branch) => code.head(repository, branch),
                  snapshot: (branch, revision) => code.snapshot(repository, branch, revision)
                },
                (effect) => Effect.runPromise(Effect.orDie(effect))
              )
            )
          )
        ),
      bounds
    )
  )

  it("leaves no temporary files of a code host", async () => {
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

    it("lists a damaged or missing file, and still reads the other files", async () => {
      const dir = fresh()
      makeRepository(dir, { "a.md": "one", "b.md": "two" })
      const sha = writeObject(gitDirOf(dir), "blob", "two")
      const path = join(gitDirOf(dir), "objects", sha.slice(0, 2), sha.slice(2))
      const seen = () =>
        at(dir, async (repository, host) => {
          const { contents, entries } = await host.run((code) => see(code, repository))
          return { names: entries.map(({ path }) => path), texts: [...contents.values()].map(String) }
        })
      writeFileSync(path, "this is not zlib")
      expect(await seen()).toEqual({ names: ["a.md", "b.md"], texts: ["one"] })
      rmSync(path)
      expect(await seen()).toEqual({ names: ["a.md", "b.md"], texts: ["one"] })
    })

    it("ignores the repository's own settings, replacements and links", async () => {
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
