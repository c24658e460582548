import * as fs from "node:fs"
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as isomorphic from "isomorphic-git"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeRepository, packRepository } from "../../../../../../test/fixtures/git.ts"
import { git, hasGit, serveGitHttpBackend } from "../../../../../../test/fixtures/git-http-backend.ts"
import { makeFolder, makeTestHost, repositoryAt, see, type Seen, textAt } from "./git.fixture.ts"

/** Compares the built-in reader with other implementations. */

const root = makeFolder()
const workDir = join(root, "work")
const author = { name: "Test", email: "test@example.com", timestamp: 1_767_225_600, timezoneOffset: 0 }

const readBy = (systemGit: boolean, dir: string, revision?: string): Promise<Seen> =>
  makeTestHost({ localRoots: [root], workDir, systemGit }).run((code) =>
    see(code, repositoryAt(pathToFileURL(dir).href), "main", revision)
  )

const walk = async (dir: string, ref: string) => {
  const contents: Array<readonly [string, string, string]> = []
  await isomorphic.walk({
    fs,
    dir,
    trees: [isomorphic.TREE({ ref })],
    map: async (path, [entry]) => {
      if (entry === null || entry === undefined || (await entry.type()) !== "blob") return
      const content = await entry.content()
      contents.push([path, await entry.oid(), Buffer.from(content ?? []).toString("utf8")])
    }
  })
  return contents.sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
}

const listed = (seen: Seen) => seen.entries.map(({ path, sha }) => [path, sha, textAt(seen, path)])

const files = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [
    `d${index % 7}/e${index % 3}/f${index}.md`,
    `${"the same line\n".repeat(index % 40)}${index}`
  ])
)

describe("isomorphic-git", () => {
  it.each(["none", "ofs", "ref"] as const)("reads from our fixtures what we read (deltas: %s)", async (deltas) => {
    const dir = join(root, `fixture-${deltas}`)
    const revision = makeRepository(dir, files)
    packRepository(dir, deltas)
    const seen = await readBy(false, dir)
    expect(seen.revision).toBe(revision)
    expect(listed(seen)).toEqual(await walk(dir, "main"))
  })

  it("writes repositories that the built-in reader reads", async () => {
    const dir = join(root, "isomorphic")
    await isomorphic.init({ fs, dir, defaultBranch: "main" })
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(dir, path, ".."), { recursive: true })
      writeFileSync(join(dir, path), content)
    }
    await isomorphic.add({ fs, dir, filepath: Object.keys(files) })
    const revision = await isomorphic.commit({ fs, dir, message: "All", author })
    const seen = await readBy(false, dir)
    expect(seen.revision).toBe(revision)
    expect(Object.fromEntries(seen.entries.map(({ path }) => [path, textAt(seen, path)]))).toEqual(files)
  })
})

if (hasGit) {
  describe("git of this machine (found)", () => {
    const dir = join(root, "real", "plugins")
    const revisions: Array<string> = []
    mkdirSync(dir, { recursive: true })
    git(dir, "init", "--quiet", "--initial-branch", "main")
    for (let round = 0; round < 5; round++) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(join(dir, path, ".."), { recursive: true })
        writeFileSync(join(dir, path), `${content}\nround ${round}\n`)
      }
      git(dir, "add", ".")
      git(dir, "commit", "--quiet", "--message", `Round ${round}`)
      git(dir, "tag", "--annotate", "--message", "x", `v${round}`)
      revisions.push(git(dir, "rev-parse", "HEAD"))
    }
    git(dir, "gc", "--quiet", "--aggressive")

    it("reads every revision of a packed repository like the built-in reader", async () => {
      expect(git(dir, "verify-pack", "-s", ...packsIn(dir))).toContain("chain length = 2")
      for (const revision of revisions) {
        expect(await readBy(false, dir, revision)).toEqual(await readBy(true, dir, revision))
      }
    })

    it.each([false, true])("serves what we fetch (old protocol: %s)", async (oldProtocol) => {
      git(dir, "config", "uploadpack.allowReachableSHA1InWant", "true")
      const server = await serveGitHttpBackend(root, { oldProtocol })
      const repository = repositoryAt(`${server.origin}/real/plugins`)
      const host = makeTestHost({ localRoots: [], workDir })
      try {
        expect(await host.run((code) => code.inspect(repository))).toMatchObject({ defaultBranch: "main" })
        expect(await host.run((code) => code.head(repository, "main"))).toBe(revisions.at(-1))
        expect(await host.run((code) => code.head(repository, "refs/tags/v1"))).toBe(revisions[1])
        for (const [branch, revision] of [
          ["main", undefined],
          ["main", revisions[2]],
          ["refs/tags/v1", undefined]
        ] as const) {
          const seen = await host.run((code) => see(code, repository, branch, revision))
          expect(seen).toEqual(await readBy(true, dir, seen.revision))
        }
        const missing = await host.refusal((code) => see(code, repository, "main", "f".repeat(40)))
        expect(missing.code).toBe("branch_not_found")
        const none = await host.refusal((code) => code.inspect(repositoryAt(`${server.origin}/real/none`)))
        expect(none.code).toBe("not_a_repository")
      } finally {
        await server.close()
      }
    })
  })
} else {
  it("skips the comparison with the system's git, which is not installed", () => expect(hasGit).toBe(false))
}

const packsIn = (dir: string): ReadonlyArray<string> =>
  fs
    .readdirSync(join(dir, ".git/objects/pack"))
    .filter((name) => name.endsWith(".idx"))
    .map((name) => join(dir, ".git/objects/pack", name))

describe("a system git that hangs", () => {
  const path = process.env["PATH"] ?? ""
  afterEach(() => {
    process.env["PATH"] = path
    delete process.env["CANARY_SECRET"]
  })

  it("is killed at the timeout, and does not inherit the server's environment", async () => {
    const bin = join(root, "bin")
    mkdirSync(bin)
    const script = [
      "#!/bin/sh",
      `case "$*" in *--version*) echo "git version 2.39.5"; exit 0;; esac`,
      `env > "${bin}/env"`,
      `echo $$ > "${bin}/pid"`,
      "exec sleep 60"
    ]
    writeFileSync(join(bin, "git"), script.join("\n"))
    chmodSync(join(bin, "git"), 0o755)
    process.env["PATH"] = `${bin}:${path}`
    process.env["CANARY_SECRET"] = "canary"
    const dir = join(root, "hanging")
    makeRepository(dir, { "a.md": "one" })
    const host = makeTestHost({ localRoots: [root], workDir, systemGit: true, bounds: { timeoutMillis: 3000 } })
    const refusal = await host.refusal((code) => see(code, repositoryAt(pathToFileURL(dir).href)))
    expect(refusal.code).toBe("timeout")
    const environment = readFileSync(join(bin, "env"), "utf8")
    expect(environment).not.toContain("CANARY")
    expect(environment).not.toContain(`GIT_DIR=${dir}`)
    const pid = Number(readFileSync(join(bin, "pid"), "utf8"))
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 60_000 })
    rmSync(bin, { recursive: true })
  })
})
