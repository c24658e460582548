import { randomBytes } from "node:crypto"
import { readdirSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../../../../../../test/fixtures/git.ts"
import { type GitServer, type GitServerOptions, serveGit } from "../../../../../../test/fixtures/git-server.ts"
import { makeFolder, makeTestHost, repositoryAt, see, textAt } from "./git.fixture.ts"
import type { CodeHostGitOptions } from "./index.ts"

const root = makeFolder()
const dir = join(root, "plugins")
const workDir = join(root, "work")
let revision = ""
beforeAll(() => {
  revision = makeRepository(dir, { "README.md": "# Hello\n", "noise.bin": randomBytes(200_000) })
})

const token = "canary-token-4711"
const credential = { username: "x-access-token", token: Redacted.make(token) }
const hostWith = (bounds: CodeHostGitOptions["bounds"] = {}) => makeTestHost({ localRoots: [], workDir, bounds })

const serving = async <A>(options: GitServerOptions, use: (server: GitServer) => Promise<A>): Promise<A> => {
  const server = await serveGit(dir, options)
  try {
    return await use(server)
  } finally {
    await server.close()
    expect(readdirSync(workDir)).toEqual([])
  }
}

/** What each verb of the port says of a host that misbehaves in this way. */
const refusals = (options: GitServerOptions, withCredential = false, bounds: CodeHostGitOptions["bounds"] = {}) =>
  serving(options, async (server) => {
    const repository = repositoryAt(server.url, withCredential ? credential : null)
    const host = hostWith(bounds)
    const found = [
      await host.refusal((code) => code.inspect(repository)),
      await host.refusal((code) => code.head(repository, "main")),
      await host.refusal((code) => see(code, repository))
    ]
    for (const { message } of found) expect(message).not.toMatch(/canary|127\.0\.0|orgplane-git|\/tmp/)
    return { code: [...new Set(found.map(({ code }) => code))].join(), failure: found[0] }
  })

const answering = (status: number, headers: Record<string, string> = {}, body = "<html>") => ({
  intercept: (_: unknown, response: ServerResponse) => {
    response.writeHead(status, headers).end(body)
    return true
  }
})

const greetingType = { "content-type": "application/x-git-upload-pack-advertisement" }

describe("finding the repository", () => {
  it.each(["both", "git", "plain"] as const)("reads a host that serves this spelling of the address: %s", (spelling) =>
    serving({ spelling }, async (server) => {
      const seen = await hostWith().run((code) => see(code, repositoryAt(server.url)))
      expect([seen.revision, textAt(seen, "README.md")]).toEqual([revision, "# Hello\n"])
    })
  )

  it("names it by owner and name", () =>
    serving({ path: "/git/team/plugins" }, async (server) => {
      expect(await hostWith().run((code) => code.inspect(repositoryAt(server.url)))).toEqual({
        cloneUrl: server.url,
        fullName: "team/plugins",
        defaultBranch: "main"
      })
    }))

  it("asks for one commit only, and for nothing that it has", () =>
    serving({}, async (server) => {
      await hostWith().run((code) => see(code, repositoryAt(server.url)))
      const bodies = server.seen.map(({ body }) => body).join("\n")
      expect(bodies).toContain("deepen 1")
      expect(bodies).not.toMatch(/have |thin-pack|filter /)
    }))
})

describe("credentials", () => {
  it("sends the credential as Basic to its origin, and to no other", async () => {
    const other = await serveGit(dir)
    await serving(
      {
        credential: { username: credential.username, token },
        intercept: (request, response) => {
          if (!(request.url ?? "").includes("moved")) return false
          response.writeHead(302, { location: `${other.url}.git/info/refs?service=git-upload-pack` }).end()
          return true
        }
      },
      async (server) => {
        const seen = await hostWith().run((code) => see(code, repositoryAt(server.url, credential)))
        expect(seen.revision).toBe(revision)
        const moved = repositoryAt(`${server.origin}/moved/plugins`, credential)
        const refusal = await hostWith().refusal((code) => see(code, moved))
        expect(refusal.code).toBe("not_a_repository")
        expect(refusal.message).toContain("redirect")
      }
    )
    expect(other.seen).toEqual([])
    await other.close()
  })

  it.each([
    ["none where one is asked for", null],
    ["a wrong one", { username: "x", token: Redacted.make("canary-wrong") }]
  ])("tells %s", (_, wrong) =>
    serving({ credential: { username: credential.username, token } }, async (server) => {
      const refusal = await hostWith().refusal((code) => see(code, repositoryAt(server.url, wrong)))
      expect(refusal.code).toBe("unauthorized")
      expect(refusal.message).not.toContain("canary")
    })
  )

  it.each([
    [401, "unauthorized", "unauthorized"],
    [403, "unauthorized", "unauthorized"],
    [404, "not_a_repository", "unauthorized"],
    [410, "not_a_repository", "unauthorized"],
    [400, "not_a_repository", "not_a_repository"],
    [500, "unreachable", "unreachable"],
    [302, "not_a_repository", "not_a_repository"]
  ])("takes %i for %s, with a credential for %s", async (status, without, having) => {
    expect((await refusals(answering(status))).code).toBe(without)
    expect((await refusals(answering(status), true)).code).toBe(having)
  })
})

describe("a host that misbehaves", () => {
  it("is waited for as it asks", async () => {
    expect((await refusals(answering(429, { "retry-after": "7" }))).failure).toMatchObject({
      code: "rate_limited",
      retryAfterMillis: 7000
    })
    expect((await refusals(answering(403, { "x-ratelimit-remaining": "0" }))).code).toBe("rate_limited")
  })

  it.each([
    ["answers a page", answering(200, { "content-type": "text/html" }), "not_a_repository"],
    ["answers a page under the type of git", answering(200, greetingType, "<html>"), "corrupt"],
    ["breaks off in its greeting", answering(200, greetingType, "001e# service=git-upload"), "corrupt"],
    ["says an error", answering(200, greetingType, "0015ERR access denied"), "not_a_repository"],
    ["says nothing", answering(200, greetingType, ""), "corrupt"],
    ["lists refs that are none", answering(200, greetingType, "0020this is no sha and no name\n\n0000"), "corrupt"],
    [
      "uses other names",
      answering(200, greetingType, "000eversion 2\n0019object-format=sha256\n0000"),
      "not_a_repository"
    ]
  ])("%s", async (_, options, code) => {
    expect((await refusals(options)).code).toBe(code)
  })

  it("hangs, and is left after the time allowed", async () => {
    expect((await refusals({ intercept: () => true }, false, { timeoutMillis: 300 })).code).toBe("timeout")
  })

  it("hangs within a pack", () =>
    serving({}, async () => {
      const stuck = await serveGit(dir, {
        intercept: (request, response) => {
          if (request.headers["content-type"] === undefined || stuck.seen.at(-1)?.body.includes("ls-refs") === true) {
            return false
          }
          response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" })
          response.write("000dpackfile\n")
          return true
        }
      })
      const host = hostWith({ timeoutMillis: 500 })
      expect((await host.refusal((code) => see(code, repositoryAt(stuck.url)))).code).toBe("timeout")
      await stuck.close()
    }))

  it("is let go when nobody waits any more, and nothing stays on disk", () =>
    serving({ intercept: (request) => request.method === "POST" }, async (server) => {
      await hostWith().run((code) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(see(code, repositoryAt(server.url)))
          yield* Effect.sleep(200)
          yield* Fiber.interrupt(fiber)
        })
      )
      expect(readdirSync(workDir)).toEqual([])
    }))

  it("cannot be inside: a private address is blocked, and not named", () =>
    serving({}, async (server) => {
      const guarded = makeTestHost({ localRoots: [], workDir }, { allowHttp: true })
      for (const url of [server.url, "http://169.254.169.254/a/b", "http://[::1]/a/b", "http://nothing.invalid/a/b"]) {
        const refusal = await guarded.refusal((code) => code.inspect(repositoryAt(url)))
        expect(refusal.code).toBe("blocked")
        expect(refusal.message).not.toMatch(/127|169|::1|invalid/)
      }
      expect(server.seen).toEqual([])
    }))
})
