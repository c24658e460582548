import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type CodeHostServer, type Fault, serveCodeHost } from "../../../../../../test/fixtures/code-host-server.ts"
import { commit, type Files, makeRepository } from "../../../../../../test/fixtures/git.ts"
import { type At, codeHostSuite, seeAll } from "../code-host.fixture.ts"
import { makeFolder } from "../git/git.fixture.ts"
import { installationId, opened, readerOf, refusal, repositoryOf, run, withApp } from "./rest.fixture.ts"

const root = makeFolder()
let count = 0
const limitHeaders = (seconds: number) => ({
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + seconds)
})
/** Advances the clock. */
const inMinutes =
  (minutes: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.provideService(effect, Clock.Clock, {
        currentTimeMillisUnsafe: () => Date.now() + minutes * 60_000,
        currentTimeMillis: Effect.sync(() => Date.now() + minutes * 60_000),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      })
    )
const says = (message: string) => JSON.stringify({ message })

/** Opens a repository through the REST API of a host that has nothing else. */
const behind =
  (treeRowsMax: number): At =>
  async (dir, use, bounds = {}) => {
    const host = await serveCodeHost()
    host.treeRowsMax = treeRowsMax
    host.add(7, "team/plugins", { dir })
    host.install(Number(installationId), { account: "team", repositories: [7] })
    try {
      return await withApp(host.url, (app) => use(opened(app, repositoryOf(7))), { bounds })
    } finally {
      await host.close()
    }
  }

describe("the REST API, with a complete tree", () =>
  codeHostSuite({ title: "REST", cutsLongTrees: true, readsOneByOne: true }, behind(100_000)))

const serving = async <A>(use: (host: CodeHostServer, dir: string) => Promise<A>, files: Files = { "a.md": "one" }) => {
  const dir = join(root, `repository-${(count += 1)}`)
  makeRepository(dir, files)
  const host = await serveCodeHost()
  host.add(7, "team/plugins", { dir })
  host.install(Number(installationId), { account: "team", repositories: [7], admins: ["ada"], readers: ["rob"] })
  try {
    return await use(host, dir)
  } finally {
    await host.close()
  }
}
const repository = repositoryOf(7)
const counted = (host: CodeHostServer, part: string) => host.seen.filter(({ path }) => path.includes(part)).length

describe("requests to the code host's REST API", () => {
  it("share one token, and renew it before it expires", () =>
    serving((host) =>
      withApp(host.url, async (app) => {
        await Promise.all(Array.from({ length: 20 }, () => run(app.head(repository, "main"))))
        expect(counted(host, "access_tokens")).toBe(1)
        await run(app.head(repository, "main"))
        expect(counted(host, "access_tokens")).toBe(1)
        host.endTokens()
        await run(app.head(repository, "main"))
        expect(counted(host, "access_tokens")).toBe(2)
        host.aheadMillis = 56 * 60_000
        const later = inMinutes(56)
        await run(later(app.head(repository, "main")))
        expect(counted(host, "access_tokens")).toBe(3)
      })
    ))

  it("revalidate cached responses, which does not count toward the rate limit", () =>
    serving((host, dir) =>
      withApp(host.url, async (app) => {
        const first = await run(app.head(repository, "main"))
        host.seen.length = 0
        expect(await run(app.head(repository, "main"))).toBe(first)
        expect(host.seen.map(({ status }) => status)).toEqual([304, 304])
        const second = commit(dir, { "b.md": "two" })
        expect(await run(app.head(repository, "main"))).toBe(second)
        await run(app.repositories(repository, 1, 50))
        await run(app.repositories(repository, 1, 50))
        expect(host.seen.at(-1)).toMatchObject({ status: 304 })
      })
    ))

  it("read contents once, and later only changed ones", () =>
    serving(
      (host, dir) =>
        withApp(host.url, async (app) => {
          await opened(app, repository).see()
          expect(counted(host, "/git/blobs/")).toBe(300)
          commit(dir, Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}`, `changed ${index}`])))
          host.seen.length = 0
          expect((await opened(app, repository).see()).contents.size).toBe(300)
          expect(counted(host, "/git/blobs/")).toBe(10)
        }),
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, `content ${index}`]))
    ))

  it("follow a repository to its new name", () =>
    serving((host) =>
      withApp(host.url, async (app) => {
        host.rename(7, "guild/tools")
        expect(await run(app.inspect(repository))).toMatchObject({ fullName: "guild/tools" })
        expect(await run(app.find(repository, "team/plugins"))).toEqual({
          repositoryId: "7",
          fullName: "guild/tools",
          defaultBranch: "main"
        })
        expect((await opened(app, repository).see()).entries).toHaveLength(1)
      })
    ))

  it("never contain a name that leaves the path", () =>
    serving((host) =>
      withApp(host.url, async (app) => {
        for (const name of [
          "../../app",
          "team/..",
          "a/b/c",
          "team/plugins?x=1",
          "team/pl%2fugins",
          "",
          "é/é",
          "a\nb/c"
        ]) {
          expect((await refusal(app.find(repository, name))).code).toBe("not_a_repository")
        }
        for (const id of ["7/../8", "", "-1", "1e3", "7?x", "99999999999999999999"]) {
          expect((await refusal(app.head(repositoryOf(id), "main"))).code).toBe("not_a_repository")
        }
        expect(host.seen.filter(({ path }) => !path.startsWith("/app/"))).toEqual([])
      })
    ))

  it("are limited to the installation: another's repository is not found, even when it is public", () =>
    serving((host, dir) =>
      withApp(host.url, async (app) => {
        host.add(8, "other/open", { dir, isPrivate: false })
        host.add(9, "other/closed", { dir })
        host.install(2, { account: "other", repositories: [8, 9] })
        for (const name of ["other/open", "other/closed", "other/none"]) {
          expect((await refusal(app.find(repository, name))).code).toBe("not_a_repository")
        }
        expect((await refusal(app.inspect(repositoryOf(8)))).code).toBe("not_a_repository")
        expect((await refusal(app.inspect(repositoryOf(9)))).code).toBe("not_a_repository")
        expect((await refusal(seeAll(readerOf(app, repositoryOf(9))))).code).toBe("not_a_repository")
      })
    ))
})

describe("a tree that the host truncates", () => {
  const files = Object.fromEntries(
    Array.from({ length: 120 }, (_, index) => [`d${index % 4}/e${index % 3}/f${index}.md`, `content ${index}`])
  )

  it("is walked completely", () =>
    serving(
      (host) =>
        withApp(host.url, async (app) => {
          const whole = await opened(app, repository).see()
          host.treeRowsMax = 25
          const walked = await opened(app, repository).see()
          expect(whole).toMatchObject({ truncated: false, strategy: "git-tree-recursive" })
          expect(walked).toMatchObject({ truncated: false, strategy: "git-tree-walk" })
          expect(walked.entries).toEqual(whole.entries)
        }),
      files
    ))

  it("is reported as truncated when the walk would be too long", () =>
    serving(
      (host) =>
        withApp(host.url, async (app) => {
          host.treeRowsMax = 1
          const seen = await opened(app, repository).see()
          expect(seen).toMatchObject({ truncated: true, strategy: "git-tree-walk" })
          expect(seen.entries.length).toBeLessThan(120)
        }),
      files
    ))
})

describe("a code host that limits the rate, fails or returns invalid responses", () => {
  /** For all requests except those for a token. */
  const faulty =
    (fault: Fault, times = Infinity) =>
    (host: CodeHostServer) => {
      let left = times
      host.intercept = (_, path) => (path.startsWith("/app") || (left -= 1) < 0 ? undefined : fault)
    }

  it.each<[string, Fault, number, number]>([
    ["an hourly limit", { status: 403, headers: limitHeaders(600) }, 500_000, 600_000],
    ["429 with a number", { status: 429, headers: { "retry-after": "17" } }, 16_000, 17_000],
    [
      "a burst",
      { status: 403, headers: { "retry-after": "90" }, body: says("a secondary rate limit") },
      89_000,
      90_000
    ],
    [
      "a burst limit without a number",
      { status: 403, body: says("You have exceeded a secondary rate limit") },
      60_000,
      60_000
    ],
    ["429 without anything", { status: 429 }, 60_000, 60_000],
    ["a maintenance", { status: 503, headers: { "retry-after": "30" } }, 29_000, 30_000],
    ["a limit far in the future", { status: 429, headers: { "retry-after": "999999" } }, 3_600_000, 3_600_000]
  ])("pauses requests as long as required after %s", (_, fault, least, most) =>
    serving((host) =>
      withApp(host.url, async (app) => {
        faulty(fault)(host)
        const refused = await refusal(app.head(repository, "main"))
        expect(refused.code).toBe("rate_limited")
        expect(refused.retryAfterMillis).toBeGreaterThanOrEqual(least)
        expect(refused.retryAfterMillis).toBeLessThanOrEqual(most)
        host.seen.length = 0
        expect((await refusal(app.head(repository, "main"))).code).toBe("rate_limited")
        expect(host.seen).toEqual([])
      })
    )
  )

  it("pauses before the limit is exceeded, amid many contents, and continues with the rest afterwards", () =>
    serving(
      (host) =>
        withApp(host.url, async (app) => {
          host.limits.set(1, { remaining: 40, resetMillis: 1_200_000, refused: 0 })
          const refused = await refusal(seeAll(readerOf(app, repository)))
          expect(refused).toMatchObject({ code: "rate_limited" })
          // Only requests that were in progress when the last response arrived.
          expect(host.seen.filter(({ status }) => status === 403).length).toBeLessThan(6)
          const read = counted(host, "/git/blobs/")
          expect(read).toBeLessThan(46)
          host.seen.length = 0
          expect((await refusal(seeAll(readerOf(app, repository)))).code).toBe("rate_limited")
          expect(host.seen).toEqual([])
          host.limits.clear()
          const later = inMinutes(30)
          expect((await run(later(seeAll(readerOf(app, repository))))).contents.size).toBe(100)
          expect(read + counted(host, "/git/blobs/")).toBeLessThan(112)
        }),
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, `content ${index}`]))
    ))

  it("retries when the host fails or closes the connection, and gives up after a few attempts", () =>
    serving(async (host) => {
      for (const fault of [{ status: 500 }, { status: 502, body: "<html>" }, "cut"] as const) {
        await withApp(host.url, async (app) => {
          faulty(fault, 2)(host)
          expect(await run(app.head(repository, "main"))).toMatch(/^[0-9a-f]{40}$/)
          host.seen.length = 0
          faulty(fault)(host)
          expect((await refusal(app.head(repositoryOf(8), "main"))).code).toBe("unreachable")
          expect(host.seen).toHaveLength(3)
        })
      }
    }))

  it.each<[string, Fault, string]>([
    ["HTML", { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Hello" }, "unreachable"],
    ["invalid JSON", { status: 200, body: "{" }, "unreachable"],
    ["unexpected JSON", { status: 200, body: '{"id":"seven"}' }, "unreachable"],
    ["another repository", { status: 200, body: '{"id":8,"full_name":"a/b","private":true}' }, "unreachable"],
    ["a name that leaves the path", { status: 200, body: '{"id":7,"full_name":"../x","private":true}' }, "unreachable"],
    ["an endless response", "endless", "limit_exceeded"],
    ["a redirect to another origin", { status: 302, headers: { location: "https://example.com/x" } }, "blocked"],
    ["a rejection", { status: 403, body: says("Resource not accessible by integration") }, "unauthorized"]
  ])("rejects a response with %s", (_, fault, code) =>
    serving((host) =>
      withApp(host.url, async (app) => {
        faulty(fault)(host)
        expect((await refusal(app.head(repository, "main"))).code).toBe(code)
      })
    )
  )

  it("rejects content that does not match its SHA", () =>
    serving((host) =>
      withApp(host.url, async (app) => {
        const content = Buffer.from("something else").toString("base64")
        host.intercept = (_, path) =>
          path.includes("/git/blobs/")
            ? { status: 200, body: JSON.stringify({ content, encoding: "base64" }) }
            : undefined
        expect((await opened(app, repository).see()).contents.size).toBe(0)
      })
    ))

  it("reports the state of the installation and of the app", () =>
    serving(async (host) => {
      await withApp(host.url, async (app) => {
        await run(app.head(repository, "main"))
        host.suspend(1, true)
        expect((await refusal(app.head(repository, "main"))).code).toBe("unauthorized")
        host.suspend(1, false)
        host.remove(7)
        expect((await refusal(app.head(repository, "main"))).code).toBe("not_a_repository")
      })
      host.suspend(1, true)
      await withApp(host.url, async (app) =>
        expect((await refusal(app.head(repository, "main"))).message).toContain("suspended")
      )
      host.uninstall(1)
      await withApp(host.url, async (app) =>
        expect((await refusal(app.head(repository, "main"))).message).toContain("no longer installed")
      )
      await withApp(
        host.url,
        async (app) => expect((await refusal(app.head(repository, "main"))).message).toContain("ID and private key"),
        { appId: "another" }
      )
    }))
})

describe("verifying who connects an installation", () => {
  const ref = { installationId, organizationId: "org_test" }

  it("accepts a person who administers all of it, once, and revokes their token", () =>
    serving((host) =>
      withApp(host.url, async (app) => {
        const code = host.codeOf("ada")
        expect(await run(app.prove(ref, code))).toEqual({
          installation: { id: "1", accountName: "team", isSuspended: false }
        })
        expect(await run(app.prove(ref, code))).toMatchObject({ refused: "code" })
        expect(host.liveUserTokens()).toBe(0)
      })
    ))

  it("rejects readers, strangers and unknown installations with the same message", () =>
    serving((host) =>
      withApp(host.url, async (app) => {
        host.install(2, { account: "other", repositories: [], admins: ["ada"] })
        const refused = [
          await run(app.prove(ref, host.codeOf("rob"))),
          await run(app.prove(ref, host.codeOf("eve"))),
          await run(app.prove({ ...ref, installationId: "2" }, host.codeOf("ada"))),
          await run(app.prove({ ...ref, installationId: "3" }, host.codeOf("ada"))),
          await run(app.prove({ ...ref, installationId: "../1" }, host.codeOf("ada")))
        ]
        for (const one of refused) expect(one).toEqual(refused[0])
        expect(refused[0]).toMatchObject({ refused: "installationId" })
        expect(host.liveUserTokens()).toBe(0)
      })
    ))

  it("reports a wrong client secret of the server as the server's problem", () =>
    serving((host) =>
      withApp(
        host.url,
        async (app) => expect((await refusal(app.prove(ref, host.codeOf("ada")))).code).toBe("unauthorized"),
        { clientId: "Iv1.other" }
      )
    ))

  it("starts at the host's own page", () =>
    serving(async (host) => {
      await withApp(host.url, async (app) => {
        for (const state of ["a b", "c"]) {
          expect(await run(app.installUrl("org_test", state))).toBe(
            `${host.url}/apps/orgplane-test/installations/new?state=${encodeURIComponent(state)}`
          )
        }
        expect(counted(host, "/app")).toBe(1)
      })
      host.intercept = () => ({ status: 200, body: '{"slug":"x","html_url":"https://evil.example/apps/x"}' })
      await withApp(host.url, async (app) =>
        expect(await run(app.installUrl("org_test", "s"))).toBe(`${host.url}/apps/x/installations/new?state=s`)
      )
    }))
})
