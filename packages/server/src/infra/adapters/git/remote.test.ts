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

/** The error of each port method for a host that misbehaves in this way. */
const refusals = (options: GitServerOptions, withCredential = false, bounds: CodeHostGitOptions["bounds"] = {}) =>
  serving(options, async (server) => {
    const repository = repositoryAt(server.url, withCredential ? credential : null)
    const host = hostWith(bounds)
    const failures = [
      await host.refusal((code) => code.inspect(repository)),
      await host.refusal((code) => code.head(repository, "main")),
      await host.refusal((code) => see(code, repository))
    ]
    for (const { message } of failures) expect(message).not.toMatch(/canary|127\.0\.0|orgplane-git|\/tmp/)
    return { code: [...new Set(failures.map(({ code }) => code))].join(), failure: failures[0] }
  })

const responding = (status: number, headers: Record<string, string> = {}, body = "<html>") => ({
  intercept: (_: unknown, response: ServerResponse) => {
    response.writeHead(status, headers).end(body)
    return true
  }
})

const greetingType = { "content-type": "application/x-git-upload-pack-advertisement" }

describe("reading a remote repository", () => {
  it.each(["both", "git", "plain"] as const)("reads a host that serves this spelling of the address: %s", (spelling) =>
    serving({ spelling }, async (server) => {
      const seen = await hostWith().run((code) => see(code, repositoryAt(server.url)))
      expect([seen.revision, textAt(seen, "README.md")]).toEqual([revision, "# Hello\n"])
    })
  )

  it("derives the name of a remote repository from owner and name", () =>
    serving({ path: "/git/team/plugins" }, async (server) => {
      expect(await hostWith().run((code) => code.inspect(repositoryAt(server.url)))).toEqual({
        cloneUrl: server.url,
        fullName: "team/plugins",
        defaultBranch: "main"
      })
    }))

  it("requests one commit only, and sends no known commits", () =>
    serving({}, async (server) => {
      await hostWith().run((code) => see(code, repositoryAt(server.url)))
      const bodies = server.seen.map(({ body }) => body).join("\n")
      expect(bodies).toContain("deepen 1")
      expect(bodies).not.toMatch(/have |thin-pack|filter /)
    }))
})

describe("credentials of a remote repository", () => {
  it("are sent with Basic authentication to their origin only", async () => {
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
    ["a missing credential", null],
    ["a wrong credential", { username: "x", token: Redacted.make("canary-wrong") }]
  ])("reports %s", (_, wrong) =>
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
  ])("maps status %i to %s, with a credential to %s", async (status, without, having) => {
    expect((await refusals(responding(status))).code).toBe(without)
    expect((await refusals(responding(status), true)).code).toBe(having)
  })
})

describe("a code host that misbehaves", () => {
  it("is not contacted again before the time that it requires", async () => {
    expect((await refusals(responding(429, { "retry-after": "7" }))).failure).toMatchObject({
      code: "rate_limited",
      retryAfterMillis: 7000
    })
    expect((await refusals(responding(403, { "x-ratelimit-remaining": "0" }))).code).toBe("rate_limited")
  })

  it.each([
    ["returns an HTML page", responding(200, { "content-type": "text/html" }), "not_a_repository"],
    ["returns an HTML page with git's content type", responding(200, greetingType, "<html>"), "corrupt"],
    [
      "closes the connection in its first response",
      responding(200, greetingType, "001e# service=git-upload"),
      "corrupt"
    ],
    ["returns an error line", responding(200, greetingType, "0015ERR access denied"), "not_a_repository"],
    ["returns an empty response", responding(200, greetingType, ""), "corrupt"],
    ["lists invalid refs", responding(200, greetingType, "0020this is no sha and no name\n\n0000"), "corrupt"],
    [
      "uses another object format",
      responding(200, greetingType, "000eversion 2\n0019object-format=sha256\n0000"),
      "not_a_repository"
    ]
  ])("fails with the expected code when the host %s", async (_, options, code) => {
    expect((await refusals(options)).code).toBe(code)
  })

  it("times out when the host hangs", async () => {
    expect((await refusals({ intercept: () => true }, false, { timeoutMillis: 300 })).code).toBe("timeout")
  })

  it("times out when the host hangs within a pack", () =>
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

  it("is disconnected on interruption, and leaves no files", () =>
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

  it("is blocked at a private address, which the error does not contain", () =>
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
