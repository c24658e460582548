import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import {
  addMember,
  type TestResponse,
  call,
  engine,
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  type Person,
  runSql
} from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"

vi.setConfig({ testTimeout: 120_000 })

const plane = await makeControlPlane({ workerHeartbeatSeconds: 30 })
const missing = "wrk_01h455vb4pex5vsknk084sn02q"

/** A local worker and a function to call the API as it. */
const makeWorker = async (person: Person, name = "A worker") => {
  const response = await person.call("POST", "/v1/workers", { name, destination: "local" })
  expect(response.status).toBe(201)
  const { token, worker } = response.body
  return { id: worker.id as string, token: token as string, path: `/v1/workers/${worker.id}`, as: call(plane, token) }
}

const errorOf = ({ body, status }: TestResponse) => [status, body.reason ?? body.error]

describe("a worker", () => {
  it("is created with a token shown once, and belongs to its creator", async () => {
    const owner = await makeWorkspace(plane)
    const response = await owner.call("POST", "/v1/workers", {
      name: "Laptop",
      description: "Mine",
      destination: "local"
    })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      worker: {
        id: expect.stringMatching(/^wrk_/),
        orgId: owner.organizationId,
        createdByUserId: owner.userId,
        isMine: true,
        name: "Laptop",
        description: "Mine",
        destination: "local",
        status: "provisioning",
        statusReason: null,
        imageVersion: null,
        workspacePath: null,
        sandboxBackend: null,
        lastHeartbeatAt: null,
        lastActiveAt: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String)
      },
      instance: null,
      token: expect.stringMatching(/^opw_/)
    })
    const got = await owner.call("GET", `/v1/workers/${response.body.worker.id}`)
    expect(got.body).toEqual({ worker: response.body.worker, instance: null })
    expect(got.text).not.toContain("opw_")
    expect(response.headers.get("cache-control")).toBe("no-store")
  })

  it("is visible with permission, and changed by its creator, owners, admins and keys that manage workers", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const other = await addMember(plane, owner, "member")
    const outsider = await makeWorkspace(plane, "Other")
    const { path } = await makeWorker(member)
    const visible = await other.call("GET", path)
    expect([visible.status, visible.body.worker.isMine]).toEqual([200, false])
    for (const [method, at, body] of [
      ["PATCH", path, { name: "Theirs" }],
      ["DELETE", path, undefined],
      ["POST", `${path}/tokens`, {}],
      ["GET", `${path}/tokens`, undefined],
      ["GET", `${path}/activity`, undefined],
      ["GET", `${path}/runtime`, undefined],
      ["POST", `${path}/runtime/upgrade`, {}]
    ] as const) {
      expect(errorOf(await other.call(method, at, body))).toEqual([403, "not_creator"])
      const foreign = await outsider.call(method, at, body)
      const absent = await outsider.call(method, at.replace(/wrk_\w+/, missing), body)
      expect([foreign.status, foreign.text]).toEqual([404, absent.text])
      expect(foreign.body.error).toBe("worker_not_found")
    }
    const managing = await makeKey(plane, owner, ["workers:read", "workers:write", "workers:manage"])
    const writing = await makeKey(plane, owner, ["workers:read", "workers:write"])
    expect((await managing.call("PATCH", path, { name: "Managed" })).status).toBe(200)
    expect(errorOf(await writing.call("PATCH", path, { name: "Written" }))).toEqual([403, "not_creator"])
    expect((await owner.call("PATCH", path, { description: "Kept" })).body.worker).toMatchObject({
      name: "Managed",
      description: "Kept",
      isMine: false
    })
    expect((await member.call("DELETE", path)).status).toBe(204)
    expect((await member.call("DELETE", path)).status).toBe(404)
    const reader = await addMember(plane, owner, await makeRole(owner, ["workers:read"]))
    expect(errorOf(await reader.call("POST", "/v1/workers", { name: "N", destination: "local" }))).toEqual([
      403,
      "permission_required"
    ])
  })

  it("cannot be created by an API key, and not in the cloud without a provisioner", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["workers:write", "workers:manage"])
    const input = { name: "By a key", destination: "local" }
    expect(errorOf(await key.call("POST", "/v1/workers", input))).toEqual([403, "session_required"])
    const cloud = { name: "In the cloud", destination: "cloud" }
    expect(errorOf(await owner.call("POST", "/v1/workers", cloud))).toEqual([409, "provisioner_unavailable"])
    for (const body of [
      {},
      { name: "" },
      { name: "N" },
      { name: "N", destination: "moon" },
      { destination: "local" }
    ]) {
      expect((await owner.call("POST", "/v1/workers", body)).status).toBe(400)
    }
    expect((await owner.call("GET", "/v1/workers")).body.items).toEqual([])
  })

  it("is listed newest first, by owner, status and destination", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const mine = await makeWorker(owner)
    const theirs = await makeWorker(member)
    await theirs.as("POST", `${theirs.path}/heartbeat`, {})
    const ids = async (query: string) =>
      (await owner.call("GET", `/v1/workers${query}`)).body.items.map((worker: { id: string }) => worker.id)
    expect(await ids("")).toEqual([theirs.id, mine.id])
    expect(await ids("?mine=true")).toEqual([mine.id])
    expect(await ids("?mine=false")).toEqual([theirs.id])
    expect(await ids("?status=healthy")).toEqual([theirs.id])
    expect(await ids("?destination=cloud")).toEqual([])
    const first = (await owner.call("GET", "/v1/workers?limit=1")).body
    expect(await ids(`?limit=1&cursor=${first.nextCursor}`)).toEqual([mine.id])
    expect((await owner.call("GET", "/v1/workers?status=well")).status).toBe(400)
  })

  it("is found by part of the name, together with the other filters", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const ids: Array<string> = []
    for (const name of searchedNames) ids.push((await makeWorker(owner, name)).id)
    await expectSearch(owner, { path: "/v1/workers", ids })
    const theirs = await makeWorker(member, "Dark blue")
    await expectSearch(owner, { path: "/v1/workers", ids, filter: "mine=true&destination=local" })
    const { items } = (await owner.call("GET", "/v1/workers?q=blue&mine=false")).body
    expect(items).toMatchObject([{ id: theirs.id }])
  })

  it("is limited to fifty per member, also for concurrent requests", async () => {
    const owner = await makeWorkspace(plane)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO workers (organization_id, id, name, destination, status, created_by_membership_id,
          created_by_user_id, created_at, updated_at)
        SELECT ${owner.organizationId}, 'wrk_' || n, 'W', 'local', 'stopped', ${owner.membershipId}, ${owner.userId},
          now(), now() FROM generate_series(1, 49) n`
    )
    const input = { name: "One more", destination: "local" }
    const responses = await Promise.all(Array.from({ length: 4 }, () => owner.call("POST", "/v1/workers", input)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  })

  it("stores no token with an idempotency key", async () => {
    const owner = await makeWorkspace(plane)
    const input = { name: "Once", destination: "local" }
    const key = { "idempotency-key": "workers-once" }
    expect((await owner.call("POST", "/v1/workers", input, key)).status).toBe(201)
    expect(errorOf(await owner.call("POST", "/v1/workers", input, key))).toEqual([409, "idempotency_key_completed"])
    expect((await owner.call("GET", "/v1/workers")).body.items.length).toBe(1)
  })
})

describe("a heartbeat", () => {
  it("marks the worker as healthy, and keeps values reported earlier", async () => {
    const owner = await makeWorkspace(plane)
    const { as, path } = await makeWorker(owner)
    const heartbeat = { imageVersion: "1.2.3", workspacePath: "/work", sandboxBackend: "none", detail: "All is well." }
    const response = await as("POST", `${path}/heartbeat`, heartbeat)
    expect([response.status, response.body]).toEqual([200, { status: "healthy", heartbeatSeconds: 30 }])
    await as("POST", `${path}/heartbeat`, { sandboxBackend: null })
    const { worker } = (await owner.call("GET", path)).body
    expect(worker).toMatchObject({
      status: "healthy",
      statusReason: null,
      imageVersion: "1.2.3",
      workspacePath: "/work",
      sandboxBackend: null,
      lastHeartbeatAt: expect.any(String)
    })
    expect((await as("POST", `${path}/heartbeat`, { stopping: true })).body.status).toBe("stopped")
    expect((await as("POST", `${path}/heartbeat`, { detail: "x".repeat(501) })).status).toBe(400)
  })

  it("is accepted only from the worker itself, and a worker can do nothing else", async () => {
    const owner = await makeWorkspace(plane)
    const [one, two] = [await makeWorker(owner), await makeWorker(owner)]
    const outsider = await makeWorker(await makeWorkspace(plane, "Other"))
    const others = [
      await one.as("POST", `${two.path}/heartbeat`, {}),
      await one.as("POST", `${outsider.path}/heartbeat`, {}),
      await one.as("POST", `/v1/workers/${missing}/heartbeat`, {}),
      await one.as("POST", `${two.path}/activity`, { kind: "task", message: "Mine" })
    ]
    expect(others.map(errorOf)).toEqual(others.map(() => [404, "worker_not_found"]))
    expect(new Set(others.map(({ text }) => text)).size).toBe(1)
    expect((await owner.call("POST", `${one.path}/heartbeat`, {})).status).toBe(403)
    for (const path of ["/v1/workers", one.path, "/v1/members", `${one.path}/tokens`]) {
      expect((await one.as("GET", path)).status).toBe(403)
    }
    expect((await one.as("PATCH", one.path, { name: "Me" })).status).toBe(403)
  })

  it("marks the worker as failed after three missed ones, until the next one", async () => {
    const quick = await makeControlPlane({ workerHeartbeatSeconds: 1 })
    const owner = await makeWorkspace(quick)
    const { token, worker } = (await owner.call("POST", "/v1/workers", { name: "W", destination: "local" })).body
    const path = `/v1/workers/${worker.id}`
    const beat = (body: object) => call(quick, token)("POST", `${path}/heartbeat`, body)
    const reaches = (status: string) =>
      vi.waitFor(
        async () => {
          const { body } = await owner.call("GET", path)
          expect(body.worker.status).toBe(status)
          return body.worker
        },
        { timeout: 60_000, interval: 250 }
      )
    expect((await beat({})).body.status).toBe("healthy")
    expect((await reaches("failed")).statusReason).toBe("No heartbeat for 3 seconds.")
    expect((await beat({})).body.status).toBe("healthy")
    expect((await reaches("healthy")).statusReason).toBe(null)
    await reaches("failed")
    // A worker that announced its stop is not marked as failed.
    await beat({ stopping: true })
    const silent = await beat({ stopping: true })
    expect(silent.body.status).toBe("stopped")
  })

  it.skipIf(engine === "pglite")("that was in flight does not undo the stop of a worker", async () => {
    const owner = await makeWorkspace(plane)
    const { as, id, path } = await makeWorker(owner)
    const isBlocked = () =>
      vi.waitFor(
        async () => {
          const rows = await runSql(
            plane,
            (sql) => sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
          )
          expect(rows.length).toBe(1)
        },
        { timeout: 60_000, interval: 10 }
      )
    const pending = await runSql(plane, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`UPDATE worker_tokens SET revoked_at = now() WHERE worker_id = ${id}`
          yield* sql`UPDATE workers SET status = 'stopped' WHERE id = ${id}`
          const heartbeat = as("POST", `${path}/heartbeat`, {})
          yield* Effect.promise(isBlocked)
          return { heartbeat }
        })
      )
    )
    expect(errorOf(await pending.heartbeat)).toEqual([404, "worker_not_found"])
    expect((await owner.call("GET", path)).body.worker.status).toBe("stopped")
  })
})

describe("the activity of a worker", () => {
  it("is listed newest first for its owner, and updates the time of last activity", async () => {
    const owner = await makeWorkspace(plane)
    const { as, id, path } = await makeWorker(owner)
    const first = await as("POST", `${path}/activity`, { kind: "task.started", message: "Reads the mail" })
    expect(first.status).toBe(201)
    expect(first.body.activity).toEqual({
      id: expect.stringMatching(/^wka_/),
      workerId: id,
      kind: "task.started",
      message: "Reads the mail",
      sessionId: null,
      occurredAt: first.body.activity.createdAt,
      createdAt: expect.any(String)
    })
    const at = new Date(Date.now() - 60_000).toISOString()
    await as("POST", `${path}/activity`, { kind: "task", message: "Done", sessionId: "s", occurredAt: at })
    const { items } = (await owner.call("GET", `${path}/activity`)).body
    expect(items.map((one: { message: string }) => one.message)).toEqual(["Done", "Reads the mail"])
    expect(items[0]).toMatchObject({ occurredAt: at, sessionId: "s" })
    expect((await owner.call("GET", path)).body.worker.lastActiveAt).toBe(items[0].createdAt)
    const page = (await owner.call("GET", `${path}/activity?limit=1`)).body
    expect((await owner.call("GET", `${path}/activity?cursor=${page.nextCursor}`)).body.items.length).toBe(1)
  })

  it("is limited in size and to the last day", async () => {
    const owner = await makeWorkspace(plane)
    const { as, path } = await makeWorker(owner)
    const good = { kind: "task", message: "M" }
    for (const body of [
      {},
      { kind: "task" },
      { ...good, message: "" },
      { ...good, message: "m".repeat(2001) },
      { ...good, kind: "k".repeat(65) },
      { ...good, occurredAt: "yesterday" },
      { ...good, occurredAt: "2001-01-01T00:00:00Z" },
      { ...good, occurredAt: new Date(Date.now() + 3_600_000).toISOString() }
    ]) {
      expect((await as("POST", `${path}/activity`, body)).status).toBe(400)
    }
    expect((await owner.call("GET", `${path}/activity`)).body.items).toEqual([])
  })
})

describe("the token of a worker", () => {
  it("is created beside the others or in their place, listed without its value, and revoked at once", async () => {
    const owner = await makeWorkspace(plane)
    const { as, path, token } = await makeWorker(owner)
    const beat = (credential: string) => call(plane, credential)("POST", `${path}/heartbeat`, {})
    const second = await owner.call("POST", `${path}/tokens`, { expiresInSeconds: 3600 })
    expect(second.status).toBe(201)
    expect([(await beat(token)).status, (await beat(second.body.token)).status]).toEqual([200, 200])
    const third = await owner.call("POST", `${path}/tokens`, { graceSeconds: 0 })
    expect([(await beat(token)).status, (await beat(second.body.token)).status]).toEqual([401, 401])
    expect((await beat(third.body.token)).status).toBe(200)
    const listed = await owner.call("GET", `${path}/tokens`)
    expect(listed.body.items).toEqual([third.body.workerToken])
    expect(listed.text).not.toContain("opw_")
    const graced = await owner.call("POST", `${path}/tokens`, { graceSeconds: 600 })
    expect((await beat(third.body.token)).status).toBe(200)
    expect((await owner.call("DELETE", `${path}/tokens/${third.body.workerToken.id}`)).status).toBe(204)
    expect((await beat(third.body.token)).status).toBe(401)
    const again = await owner.call("DELETE", `${path}/tokens/${third.body.workerToken.id}`)
    expect(errorOf(again)).toEqual([404, "worker_token_not_found"])
    // It is not found under another worker.
    const other = await makeWorker(owner)
    const elsewhere = await owner.call("DELETE", `${other.path}/tokens/${graced.body.workerToken.id}`)
    expect(errorOf(elsewhere)).toEqual([404, "worker_token_not_found"])
    expect((await as("POST", `${path}/heartbeat`, {})).status).toBe(401)
  })

  it("is limited to five active ones", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await makeWorker(owner)
    for (let count = 1; count < 5; count += 1) {
      expect((await owner.call("POST", `${path}/tokens`, {})).status).toBe(201)
    }
    expect(errorOf(await owner.call("POST", `${path}/tokens`, {}))).toEqual([409, "quota_exceeded"])
    expect((await owner.call("POST", `${path}/tokens`, { graceSeconds: -1 })).status).toBe(400)
  })

  it("ends with the worker and with its creator's membership, also after they return", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const [remaining, removed] = [await makeWorker(member), await makeWorker(member)]
    const beat = (worker: typeof remaining) => worker.as("POST", `${worker.path}/heartbeat`, {})
    expect([(await beat(remaining)).status, (await beat(removed)).status]).toEqual([200, 200])
    await member.call("DELETE", removed.path)
    expect([(await beat(remaining)).status, (await beat(removed)).status]).toEqual([200, 401])
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    expect((await beat(remaining)).status).toBe(401)
    const { worker } = (await owner.call("GET", remaining.path)).body
    expect(worker).toMatchObject({ status: "stopped", statusReason: "Its owner left the organization." })
    expect((await owner.call("DELETE", remaining.path)).status).toBe(204)
  })
})

describe("a worker without a provisioned runtime", () => {
  it("cannot be inspected or upgraded", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await makeWorker(owner)
    const unavailable = [409, "worker_runtime_unavailable"]
    expect(errorOf(await owner.call("GET", `${path}/runtime`))).toEqual(unavailable)
    expect(errorOf(await owner.call("POST", `${path}/runtime/upgrade`, {}))).toEqual(unavailable)
    for (const body of [[], "text", 7]) {
      const response = await owner.call("POST", `${path}/runtime/upgrade`, JSON.stringify(body))
      expect(response.status).toBe(400)
    }
  })
})
