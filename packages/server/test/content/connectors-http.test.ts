import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IncomingMessage, ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { afterAll, describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { type GitServer, type GitServerOptions, serveGit } from "../../../../test/fixtures/git-server.ts"
import { layerCodeHostGit } from "../../src/infra/adapters/git/index.ts"
import { layerOutbound } from "../../src/infra/outbound/index.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  connect,
  contents,
  ended,
  hurry,
  imported,
  isEnded,
  marketplace,
  repositoryIn,
  rows,
  synced,
  until
} from "./connectors.fixture.ts"
import {
  addMember,
  makeControlPlane,
  makeWorkspace,
  rowCounts,
  type TestPlane,
  withServices,
  type Workspace
} from "../harness.ts"
import { loseKeyOf } from "../operations/lost-key.fixture.ts"

const outbound = { allowCidrs: ["127.0.0.0/8"], allowHttp: true }
/** The real client and the real adapter with low limits, so that limited operations end soon. */
const plane = await makeControlPlane({
  outbound,
  ports: {
    codeHost: layerCodeHostGit({
      localRoots: [],
      workDir: tmpdir(),
      allowHttp: true,
      bounds: { timeoutMillis: 3000, packBytesMax: 200_000 }
    }).pipe(Layer.provide(Layer.orDie(layerOutbound(outbound))))
  }
})

const servers: Array<GitServer> = []
afterAll(() => Promise.all(servers.map((server) => server.close())))
const serve = async (dir: string, options: GitServerOptions = {}) => {
  const server = await serveGit(dir, options)
  servers.push(server)
  return server
}

const files = {
  ".claude-plugin/marketplace.json": marketplace(["alpha"]),
  "plugins/alpha/commands/go.md": "# Go\n"
}
const local = await makeControlPlane({ workers: false })
const dirOf = () => repositoryIn(local, files)

const setup = (owner: Workspace, body: object) =>
  owner.call("POST", "/v1/connectors/codehost/setup", { adapter: "git", ...body })

/** Every row of every table as text; bytes as hexadecimal. */
const dump = (of: TestPlane): Promise<string> =>
  withServices(
    of,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const tables = yield* sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
      const texts: Array<string> = []
      for (const { name } of tables) {
        const rowTexts = yield* sql<{ text: string }>`SELECT t::text AS text FROM ${sql(name)} t`
        texts.push(...rowTexts.map((row) => row.text))
      }
      return texts.join("\n")
    })
  )

describe("a repository over HTTPS", () => {
  it("is imported and synced like a local one", async () => {
    const owner = await makeWorkspace(plane)
    const dir = dirOf()
    const server = await serve(dir)
    const connected = await connect(owner, `${server.url}.git/`)
    expect(connected.instance).toMatchObject({ remoteId: server.url, name: "team/plugins" })
    await imported(owner, connected)
    const revision = commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    expect(await synced(owner, connected)).toMatchObject({
      status: "completed",
      revision,
      counts: { objectsUpdated: 1 }
    })
    expect(await contents(owner)).toEqual({ alpha: { "command plugins/alpha/commands/go.md": "# Gone on\n" } })
  })

  it("is read with its credential, which is not sent elsewhere or stored in any table, response or audit event", async () => {
    const owner = await makeWorkspace(plane)
    const token = "canary-3f6d0c1e9b7a"
    const credential = { username: "robot-canary", token }
    const server = await serve(dirOf(), { credential })
    const other = await serve(dirOf())
    const refused = await setup(owner, { cloneUrl: server.url })
    expect([refused.status, refused.body.details[0].path]).toEqual([400, ["body", "credential"]])
    const wrong = await setup(owner, { cloneUrl: server.url, credential: { ...credential, token: `${token}-wrong` } })
    expect([wrong.status, wrong.body.details[0].path]).toEqual([400, ["body", "credential"]])
    expect(wrong.text).not.toContain(token)

    const connection = await setup(owner, { cloneUrl: server.url, credential })
    expect(connection.status).toBe(201)
    const { connectorInstance: instance, connectorTarget: target } = connection.body.item
    const applied = await imported(owner, { instance, target })
    expect(applied.syncEvent.status).toBe("completed")
    const last = server.seen.at(-1)
    expect(last?.authorization).toBe(`Basic ${Buffer.from(`robot-canary:${token}`).toString("base64")}`)

    const dumped = await dump(plane)
    for (const form of [token, "robot-canary"].flatMap((text) => [
      text,
      Buffer.from(text).toString("hex"),
      Buffer.from(text).toString("base64").replace(/.=*$/, "")
    ])) {
      expect(dumped).not.toContain(form)
    }
    const responses = [connection.text, (await owner.call("GET", `/v1/connector-instances/${instance.id}`)).text]
    expect(responses.join()).not.toContain(token)
    const sealed = () =>
      rows(plane, (sql) => sql`SELECT 1 FROM sealed_values WHERE organization_id = ${owner.organizationId}`)
    expect(await sealed()).toHaveLength(1)

    // The credential stays for the same origin. It is never sent to another origin, and is not restored afterwards.
    const path = `/v1/connector-instances/${instance.id}`
    expect((await owner.call("PATCH", path, { remoteId: `${server.origin}/team/plugins` })).status).toBe(200)
    expect(await synced(owner, { instance, target })).toMatchObject({ status: "completed" })
    const moved = await owner.call("PATCH", path, { remoteId: other.url })
    expect(moved.body.item.connectorAccountId).not.toBe(instance.connectorAccountId)
    expect(await sealed()).toHaveLength(0)
    expect(await synced(owner, { instance, target })).toMatchObject({ status: "completed" })
    expect(other.seen.length).toBeGreaterThan(0)
    expect(other.seen.map(({ authorization }) => authorization)).toEqual(other.seen.map(() => undefined))
    await owner.call("PATCH", path, { remoteId: server.url })
    expect(await synced(owner, { instance, target })).toMatchObject({
      status: "failed",
      error: { code: "unauthorized" }
    })
  })

  it("uses a new credential that a manager sets, and keeps the current one if the host rejects the new one", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const viewer = await addMember(plane, owner, "member")
    const accepted = { username: "git", token: "first-canary" }
    const server = await serve(dirOf(), { credential: accepted })
    const connection = await setup(owner, { cloneUrl: server.url, credential: { token: "first-canary" } })
    const { connectorInstance: instance, connectorTarget: target } = connection.body.item
    const path = `/v1/connector-instances/${instance.id}/credential`
    const sealed = () =>
      rows(plane, (sql) => sql`SELECT id FROM sealed_values WHERE organization_id = ${owner.organizationId}`)
    const before = await sealed()

    const wrong = await owner.call("PUT", path, { token: "second-canary" })
    expect([wrong.status, wrong.body.details]).toMatchObject([400, [{ path: ["body", "token"] }]])
    expect(wrong.text).not.toContain("second-canary")
    for (const [caller, body, status] of [
      [owner, {}, 400],
      [owner, { token: "" }, 400],
      [owner, { token: "second-canary", username: "robot\n" }, 400],
      [stranger, { token: "second-canary" }, 404],
      [viewer, { token: "second-canary" }, 403]
    ] as const) {
      expect((await caller.call("PUT", path, body)).status).toBe(status)
    }
    expect(await sealed()).toEqual(before)

    // The host accepts another token from now on.
    Object.assign(accepted, { username: "robot", token: "second-canary" })
    expect(await synced(owner, { instance, target })).toMatchObject({
      status: "failed",
      error: { code: "unauthorized" }
    })
    for (let attempt = 0; attempt < 2; attempt++) {
      const set = await owner.call("PUT", path, { username: "robot", token: "second-canary" })
      expect([set.status, set.body.item.id]).toEqual([200, instance.id])
      expect(set.text).not.toContain("second-canary")
    }
    expect(await synced(owner, { instance, target })).toMatchObject({ status: "completed" })
    const after = await sealed()
    expect([after.length, after[0]?.id === before[0]?.id]).toEqual([1, false])
    expect(await dump(plane)).not.toContain("second-canary")
  })

  it("fails to sync if the key that encrypts its credential is lost, and the error states the fix", async () => {
    const owner = await makeWorkspace(plane)
    const server = await serve(dirOf(), { credential: { username: "git", token: "t" } })
    const connection = await setup(owner, { cloneUrl: server.url, credential: { token: "t" } })
    const { connectorInstance: instance, connectorTarget: target } = connection.body.item
    await loseKeyOf(plane, owner, "sealed_values")
    const requests = server.seen.length
    expect(await synced(owner, { instance, target })).toMatchObject({
      status: "failed",
      error: {
        message:
          "The stored credential of this repository cannot be decrypted, because the secret key of the server was lost. Set the credential of the connector again."
      }
    })
    expect(server.seen.length).toBe(requests)
  })

  it("loses its credential when its instance is removed", async () => {
    const owner = await makeWorkspace(plane)
    const credential = { username: "git", token: "t" }
    const server = await serve(dirOf(), { credential })
    const connection = await setup(owner, { cloneUrl: server.url, credential: { token: "t" } })
    await owner.client.connectors.remove(connection.body.item.connectorInstance.id)
    expect(
      await rows(plane, (sql) => sql`SELECT 1 FROM sealed_values WHERE organization_id = ${owner.organizationId}`)
    ).toEqual([])
  })
})

describe("a host that responds with an error", () => {
  const respondWith = (run: (response: ServerResponse, request: IncomingMessage) => void): GitServerOptions => ({
    intercept: (request, response) => {
      run(response, request)
      return true
    }
  })

  it("is reported immediately with the cause, and nothing is written", async () => {
    const owner = await makeWorkspace(plane)
    const authorizations: Array<string | undefined> = []
    const trap = await serve(dirOf(), {
      intercept: (request) => {
        authorizations.push(request.headers.authorization)
        return false
      }
    })
    const credential = { token: "secret" }
    const cases: ReadonlyArray<readonly [string, GitServerOptions, object, number, unknown]> = [
      ["401", respondWith((response) => response.writeHead(401).end()), {}, 400, ["body", "credential"]],
      ["403", respondWith((response) => response.writeHead(403).end()), { credential }, 400, ["body", "credential"]],
      ["404", respondWith((response) => response.writeHead(404).end()), {}, 400, ["body", "cloneUrl"]],
      [
        "HTML",
        respondWith((response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>")),
        {},
        400,
        ["body", "cloneUrl"]
      ],
      [
        "redirect",
        respondWith((response, { url }) => response.writeHead(302, { location: `${trap.origin}${url}` }).end()),
        { credential },
        400,
        ["body", "cloneUrl"]
      ],
      [
        "429",
        respondWith((response) => response.writeHead(429, { "retry-after": "7" }).end()),
        {},
        502,
        "codehost_api_error"
      ],
      ["500", respondWith((response) => response.writeHead(500).end("stack trace")), {}, 502, "codehost_api_error"],
      ["cut", respondWith((response) => response.destroy()), {}, 502, "codehost_api_error"],
      ["silence", respondWith(() => undefined), {}, 502, "codehost_api_error"],
      [
        "drip",
        respondWith((response) => {
          response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" })
          const timer = setInterval(() => response.write("0"), 100)
          response.on("close", () => clearInterval(timer))
        }),
        {},
        502,
        "codehost_api_error"
      ],
      ["branch", {}, { branch: "nope" }, 400, ["body", "branch"]]
    ]
    const before = await rowCounts(plane)
    await Promise.all(
      cases.map(async ([name, options, body, status, what]) => {
        const server = await serve(dirOf(), options)
        const setupResponse = await setup(owner, { cloneUrl: server.url, ...body })
        expect([name, setupResponse.status, setupResponse.body.details?.[0].path ?? setupResponse.body.error]).toEqual([
          name,
          status,
          what
        ])
        expect(setupResponse.text).not.toMatch(/stack trace|Sign in|secret/)
      })
    )
    expect(authorizations).toEqual([])
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("is rejected with one sentence if its address is private", async () => {
    const guarded = await makeControlPlane({ outbound: { allowHttp: true } })
    const owner = await makeWorkspace(guarded)
    const server = await serve(dirOf())
    const before = await rowCounts(guarded)
    const hosts = [
      server.origin.slice(7),
      "10.1.2.3",
      "[::1]:8080",
      "169.254.169.254",
      "[::ffff:127.0.0.1]",
      "localhost:1"
    ]
    const responses = await Promise.all(hosts.map((host) => setup(owner, { cloneUrl: `http://${host}/team/plugins` })))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(responses[0]?.body.details).toEqual([{ path: ["body", "cloneUrl"], message: expect.any(String) }])
    expect(server.seen).toEqual([])
    expect(await rowCounts(guarded)).toEqual(before)
    const plain = await makeWorkspace(local)
    expect((await setup(plain, { cloneUrl: "http://example.com/team/plugins" })).body.details[0].path).toEqual([
      "body",
      "cloneUrl"
    ])
  })

  it("fails a sync immediately if its pack is larger than allowed", async () => {
    const owner = await makeWorkspace(plane)
    let bytesSent = 0
    const dir = dirOf()
    const options: { -readonly [K in keyof GitServerOptions]: GitServerOptions[K] } = {}
    const server = await serve(dir, options)
    const connected = await connect(owner, server.url)
    await imported(owner, connected)
    const before = await contents(owner)
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    options.pack = function* () {
      yield Buffer.from("PACK\0\0\0\u0002\0\0\0\u0009", "latin1")
      for (const piece = Buffer.alloc(50_000, 1); bytesSent < 100_000_000; bytesSent += piece.length) yield piece
    }
    const event = await synced(owner, connected)
    expect(event).toMatchObject({ status: "failed", attempt: 1, error: { code: "limit_exceeded" } })
    expect(bytesSent).toBeGreaterThan(200_000)
    expect(bytesSent).toBeLessThan(20_000_000)
    expect(await contents(owner)).toEqual(before)
    expect((await owner.client.connectors.getInstance(connected.instance.id)).status).toBe("error")
  })
})

describe("a host that fails during a sync", () => {
  const flaky = async () => {
    const owner = await makeWorkspace(plane)
    const dir = dirOf()
    const state: { fail: ((response: ServerResponse) => void) | undefined } = { fail: undefined }
    const server = await serve(dir, {
      intercept: (_, response) => {
        state.fail?.(response)
        return state.fail !== undefined
      }
    })
    const connected = await connect(owner, server.url)
    await imported(owner, connected)
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    return { owner, server, connected, state }
  }
  const waits = (organizationId: string) =>
    rows<{ seconds: number }>(
      plane,
      (sql) => sql`SELECT ceil(extract(epoch FROM visible_at - now()))::int AS seconds
      FROM effect_queue WHERE state = 'pending' AND acquired_by IS NULL AND element LIKE ${`%${organizationId}%`}`
    )

  it("is retried with increasing delays, then fails with the reason, and recovers with the next sync", async () => {
    const { connected, owner, state } = await flaky()
    state.fail = (response) => response.writeHead(503).end()
    const before = await contents(owner)
    const { id } = await owner.client.connectors.sync(connected.instance.id)
    const delays: Array<number> = []
    for (let attempt = 1; attempt < 6; attempt++) {
      const event = await until(
        () => owner.client.connectors.getSyncEvent(id),
        (event) => event.attempt === attempt && event.error !== null
      )
      expect(event).toMatchObject({ status: "running", error: { code: "unreachable" }, endedAt: null })
      const [wait] = await until(
        () => waits(owner.organizationId),
        (rowTexts) => rowTexts.length === 1
      )
      delays.push(wait?.seconds ?? 0)
      expect((await owner.client.connectors.getInstance(connected.instance.id)).status).toBe("active")
      await hurry(plane)
    }
    expect(delays.slice(2)).toEqual([...delays.slice(2)].sort((a, b) => a - b))
    expect(delays.at(-1)).toBeGreaterThan(8)
    const event = await ended(owner, id)
    expect(event).toMatchObject({ status: "failed", attempt: 6, error: { code: "unreachable" } })
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({
      status: "error",
      statusReason: event.error?.message
    })
    expect(await contents(owner)).toEqual(before)
    expect(await waits(owner.organizationId)).toEqual([])
    state.fail = undefined
    expect(await synced(owner, connected)).toMatchObject({ status: "completed", counts: { objectsUpdated: 1 } })
    expect((await owner.client.connectors.getInstance(connected.instance.id)).status).toBe("active")
  })

  it("is not contacted for as long as it asks, while other hosts are served", async () => {
    const { connected, owner, state } = await flaky()
    const other = await flaky()
    state.fail = (response) => response.writeHead(429, { "retry-after": "600" }).end()
    const { id } = await owner.client.connectors.sync(connected.instance.id)
    await until(
      () => owner.client.connectors.getSyncEvent(id),
      ({ error }) => error?.code === "rate_limited"
    )
    const [wait] = await until(
      () => waits(owner.organizationId),
      (rowTexts) => rowTexts.length === 1
    )
    expect(wait?.seconds).toBeGreaterThan(500)
    expect(await synced(other.owner, other.connected)).toMatchObject({ status: "completed" })
    state.fail = undefined
    await hurry(plane)
    // A delay that the host asked for is not a failed attempt.
    expect(await ended(owner, id)).toMatchObject({ status: "completed", attempt: 1, error: null })
  })

  it("does not block other branches while it is slow, and one branch is never synced twice at a time", async () => {
    const slow = await flaky()
    const others = await Promise.all([flaky(), flaky()])
    let open = 0
    let most = 0
    const held: Array<ServerResponse> = []
    slow.state.fail = (response) => {
      open += 1
      most = Math.max(most, open)
      response.on("close", () => (open -= 1))
      held.push(response)
    }
    const first = await slow.owner.client.connectors.sync(slow.connected.instance.id)
    await until(
      async () => held.length,
      (count) => count === 1
    )
    // It waits behind the slow one without blocking others.
    const second = await slow.owner.client.connectors.sync(slow.connected.instance.id)
    expect(second.id).not.toBe(first.id)
    for (const { connected, owner } of others) expect((await synced(owner, connected)).status).toBe("completed")
    expect(isEnded(await slow.owner.client.connectors.getSyncEvent(first.id))).toBe(false)
    slow.state.fail = undefined
    for (const response of held) response.destroy()
    await hurry(plane)
    await until(
      async () => {
        await hurry(plane)
        return [
          await slow.owner.client.connectors.getSyncEvent(first.id),
          await slow.owner.client.connectors.getSyncEvent(second.id)
        ]
      },
      (events) => events.every(isEnded)
    )
    expect(most).toBe(1)
    expect((await slow.owner.client.connectors.getSyncEvent(second.id)).status).toBe("completed")
  })
})
