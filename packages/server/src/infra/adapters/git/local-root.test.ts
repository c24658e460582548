import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { commit, gitDirOf, initRepository, makeRepository } from "../../../../../../test/fixtures/git.ts"
import { makeFolder, makeTestHost, repositoryAt, see } from "./git.fixture.ts"

const area = makeFolder()
const root = join(area, "root")
const outside = join(area, "outside")
makeRepository(join(root, "team/plugins"), { "a.md": "one" })
makeRepository(join(root, "bare.git"), { "a.md": "one" }, { bare: true })
makeRepository(join(area, "root-of-another"), { "a.md": "one" })
makeRepository(join(outside, "secret"), { "a.md": "one" })

const host = makeTestHost({ localRoots: [root], workDir: join(area, "work") })
const normalize = (path: string) => host.run((code) => code.normalize(path))
const refusal = (path: string) => host.refusal((code) => code.normalize(path))

const info = (path: string) => host.run((code) => code.inspect(repositoryAt(pathToFileURL(path).href)))

describe("a local path inside an allowed root", () => {
  it("is normalized to its real path", async () => {
    const url = pathToFileURL(join(root, "team/plugins")).href
    symlinkSync(join(root, "team"), join(root, "alias"))
    for (const typed of [
      join(root, "team/plugins"),
      join(root, "team/plugins/"),
      join(root, "team/plugins/.git"),
      `${root}/team/../team/./plugins`,
      join(root, "alias/plugins"),
      url
    ]) {
      expect(await normalize(typed)).toBe(url)
    }
    expect(await normalize(join(root, "bare.git"))).toBe(pathToFileURL(join(root, "bare.git")).href)
  })

  it("names a local repository by its path below the root", async () => {
    expect((await info(join(root, "team/plugins"))).fullName).toBe("team/plugins")
    expect((await info(join(root, "bare.git"))).fullName).toBe("bare")
  })

  it("accepts a root that is a repository itself, or a link to one", async () => {
    const linked = join(area, "linked-root")
    symlinkSync(join(root, "team/plugins"), linked)
    const own = makeTestHost({ localRoots: [linked], workDir: join(area, "work") })
    const url = await own.run((code) => code.normalize(linked))
    expect(url).toBe(pathToFileURL(realpathSync(linked)).href)
    expect((await own.run((code) => see(code, repositoryAt(url)))).entries).toHaveLength(1)
  })

  it.each([
    ["nothing", () => undefined],
    ["an ordinary folder", (path: string) => mkdirSync(path)],
    ["a file", (path: string) => writeFileSync(path, "x")],
    ["a folder with an empty .git", (path: string) => mkdirSync(join(path, ".git"), { recursive: true })],
    [
      "a linked work tree",
      (path: string) => {
        mkdirSync(path)
        writeFileSync(join(path, ".git"), "gitdir: /etc\n")
      }
    ]
  ])("rejects a local path that is %s", async (name, make) => {
    const path = join(root, name.replaceAll(" ", "-"))
    make(path)
    const { code, message } = await refusal(path)
    expect(code).toBe("not_a_repository")
    expect(message).not.toContain(area)
  })

  it("rejects a local repository with an unsupported object or ref format", async () => {
    for (const [key, value] of [
      ["objectFormat", "sha256"],
      ["refStorage", "reftable"]
    ]) {
      const dir = join(root, `kind-${key}`)
      initRepository(dir)
      writeFileSync(join(gitDirOf(dir), "config"), `[core]\n\tbare = false\n[extensions]\n\t${key} = ${value}\n`)
      expect((await refusal(dir)).code).toBe("not_a_repository")
    }
  })
})

describe("a local path outside the allowed roots", () => {
  it("gets the same error whether the path exists or not", async () => {
    symlinkSync(outside, join(root, "link-out"))
    symlinkSync(join(outside, "nothing"), join(root, "link-nowhere"))
    symlinkSync(join(root, "loop"), join(root, "loop"))
    const paths = [
      join(outside, "secret"),
      join(outside, "nothing"),
      join(area, "root-of-another"),
      join(root, "../outside/secret"),
      join(root, "link-out/secret"),
      join(root, "link-out/nothing"),
      join(root, "link-out"),
      join(root, "link-nowhere"),
      join(root, "link-nowhere/deeper"),
      join(root, "loop"),
      "/",
      "/etc/passwd",
      `${root}\0/team/plugins`,
      `file://elsewhere${root}/team/plugins`,
      `file://${root}/team%2fplugins`,
      `file:///etc`,
      "file:relative"
    ]
    const responses = await Promise.all(paths.map(refusal))
    expect(new Set(responses.map(({ code }) => code))).toEqual(new Set(["blocked"]))
    expect(new Set(responses.map(({ message }) => message)).size).toBe(1)
  })

  it("is rejected when there are no roots", async () => {
    const none = makeTestHost({ localRoots: [], workDir: join(area, "work") })
    expect((await none.refusal((code) => code.normalize(join(root, "team/plugins")))).code).toBe("blocked")
  })

  it("is checked at each use: a repository that became a link is not followed", async () => {
    const dir = join(root, "moving")
    makeRepository(dir, { "a.md": "one" })
    const repository = repositoryAt(await normalize(dir))
    rmSync(dir, { recursive: true })
    symlinkSync(join(outside, "secret"), dir)
    for (const verb of [
      () => host.refusal((code) => code.inspect(repository)),
      () => host.refusal((code) => code.head(repository, "main")),
      () => host.refusal((code) => see(code, repository))
    ]) {
      expect((await verb()).code).toBe("blocked")
    }
  })

  it.each([".git", ".git/objects", ".git/refs", ".git/objects/pack", ".git/HEAD"])(
    "does not follow a link inside the repository: %s",
    async (inner) => {
      const dir = join(root, `inner-${inner.replaceAll(/\W/g, "-")}`)
      makeRepository(dir, { "a.md": "one" })
      commit(join(outside, "secret"), { "b.md": inner })
      rmSync(join(dir, inner), { recursive: true })
      symlinkSync(join(outside, "secret", inner), join(dir, inner))
      expect((await refusal(dir)).code).toBe("not_a_repository")
    }
  )
})
