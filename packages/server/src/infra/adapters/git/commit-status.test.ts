/** Commit statuses of hosts that are read by their clone URL. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import type { CommitStatus } from "../../ports/code-host.ts"
import { makeFolder, makeTestHost, repositoryAt } from "./git.fixture.ts"

const credential = { username: "robot", token: Redacted.make("canary-token") }
const status: CommitStatus = {
  revision: "a".repeat(40),
  state: "failure",
  context: "orgplane configuration",
  description: "org.yaml:3: 1 problem"
}

interface Seen {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: unknown
}

type Respond = (seen: Seen) => readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]

/** A host that responds with JSON, or with HTML for text. */
const serving = async <A>(
  respond: Respond,
  use: (origin: string, seen: ReadonlyArray<Seen>) => Promise<A>
): Promise<A> => {
  const seen: Array<Seen> = []
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const call = {
      method: request.method ?? "",
      path: request.url ?? "",
      authorization: request.headers.authorization,
      body: text === "" ? undefined : JSON.parse(text)
    }
    seen.push(call)
    const [code, body, headers] = respond(call)
    const type = typeof body === "string" ? "text/html" : "application/json"
    response.writeHead(code, { "content-type": type, ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const host = makeTestHost({ localRoots: [], workDir: makeFolder() })
const set = (urls: ReadonlyArray<string>, withCredential = true) =>
  host.run((code) =>
    Effect.forEach(urls, (url) => {
      if (code.setCommitStatus === undefined) throw new Error("The adapter sets no commit statuses.")
      return code.setCommitStatus(repositoryAt(url, withCredential ? credential : null), status)
    })
  )
const refusal = (url: string) =>
  host.refusal((code) => {
    if (code.setCommitStatus === undefined) throw new Error("The adapter sets no commit statuses.")
    return code.setCommitStatus(repositoryAt(url, credential), status)
  })

const posts = (seen: ReadonlyArray<Seen>) => seen.filter(({ method }) => method === "POST")

describe("setting a commit status", () => {
  it("uses the API of Gitea and Forgejo, also below a path", () =>
    serving(
      ({ method, path }) =>
        path === "/git/api/v1/version" ? [200, { version: "11.0.1" }] : method === "POST" ? [201, {}] : [404, "none"],
      async (origin, seen) => {
        expect(await set([`${origin}/git/acme/org`, `${origin}/git/acme/other`])).toEqual([true, true])
        expect(posts(seen)).toEqual([
          {
            method: "POST",
            path: `/git/api/v1/repos/acme/org/statuses/${status.revision}`,
            authorization: `Basic ${Buffer.from("robot:canary-token").toString("base64")}`,
            body: { state: "failure", context: status.context, description: status.description }
          },
          expect.objectContaining({ path: `/git/api/v1/repos/acme/other/statuses/${status.revision}` })
        ])
        // The host is recognized once, without the credential.
        expect(seen.filter(({ method }) => method === "GET")).toMatchObject([{ authorization: undefined }])
      }
    ))

  it("uses the API of Gitea and Forgejo if they require users to sign in", () =>
    serving(
      ({ method }) =>
        method === "POST" ? [201, {}] : [403, { message: "Only signed in user is allowed to call APIs.", url: "" }],
      async (origin, seen) => {
        expect(await set([`${origin}/acme/org`])).toEqual([true])
        expect(posts(seen)).toMatchObject([{ path: `/api/v1/repos/acme/org/statuses/${status.revision}` }])
      }
    ))

  it("uses the API of GitLab, also in subgroups", () =>
    serving(
      ({ method, path }) =>
        path === "/api/v4/version"
          ? [401, { message: "401 Unauthorized" }]
          : method === "POST"
            ? [201, {}]
            : [404, "none"],
      async (origin, seen) => {
        expect(await set([`${origin}/acme/platform/org`])).toEqual([true])
        expect(posts(seen)).toEqual([
          {
            method: "POST",
            path: `/api/v4/projects/acme%2Fplatform%2Forg/statuses/${status.revision}`,
            authorization: "Bearer canary-token",
            body: { state: "failed", name: status.context, description: status.description }
          }
        ])
        expect(seen.filter(({ authorization }) => authorization !== undefined)).toHaveLength(1)
      }
    ))

  it("uses the API of a GitHub server", () =>
    serving(
      ({ method, path }) =>
        path === "/api/v3/meta" ? [200, { installed_version: "3.18.0" }] : method === "POST" ? [201, {}] : [404, {}],
      async (origin, seen) => {
        expect(await set([`${origin}/acme/org`])).toEqual([true])
        expect(posts(seen)).toMatchObject([{ path: `/api/v3/repos/acme/org/statuses/${status.revision}` }])
      }
    ))

  it.each([
    ["a redirect to the sign-in page", [302, "", { location: "/users/sign_in" }]],
    ["a long page", [404, "a".repeat(100_000)]]
  ] as const)("recognizes a host that responds to other requests with %s", (_, other) =>
    serving(
      ({ method, path }) =>
        path === "/api/v4/version" ? [401, { message: "401 Unauthorized" }] : method === "POST" ? [201, {}] : other,
      async (origin, seen) => {
        expect(await set([`${origin}/acme/org`])).toEqual([true])
        expect(posts(seen)).toMatchObject([{ path: `/api/v4/projects/acme%2Forg/statuses/${status.revision}` }])
      }
    )
  )

  it.each([
    [502, "unreachable"],
    [429, "rate_limited"]
  ])("fails if the host responds to a probe with %i, and recognizes it later", (failure, expected) => {
    let isFailing = true
    return serving(
      ({ method, path }) =>
        isFailing
          ? [failure, "later"]
          : path === "/api/v1/version"
            ? [200, { version: "1" }]
            : method === "POST"
              ? [201, {}]
              : [404, "none"],
      async (origin, seen) => {
        expect((await refusal(`${origin}/acme/org`)).code).toBe(expected)
        expect(seen).toHaveLength(1)
        isFailing = false
        expect(await set([`${origin}/acme/org`])).toEqual([true])
      }
    )
  })

  it("sends no credential to another host, and reports that it has no statuses", () =>
    serving(
      () => [200, "<html>version</html>"],
      async (origin, seen) => {
        expect(await set([`${origin}/acme/org`])).toEqual([false])
        expect(await set([`${origin}/acme/org`], false)).toEqual([false])
        expect(seen.filter(({ authorization, method }) => authorization !== undefined || method !== "GET")).toEqual([])
      }
    ))

  it("reports a refusal without the credential and the response", () =>
    serving(
      ({ method }) => (method === "POST" ? [403, { message: "canary" }] : [200, { version: "1" }]),
      async (origin) => {
        const { code, message } = await refusal(`${origin}/acme/org`)
        expect([code, message]).toEqual([
          "unauthorized",
          "The credential of the connector is not allowed to set commit statuses. Give it permission to write them."
        ])
      }
    ))
})
