import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { addMember, type TestResponse, call, makeWorkspace, type Person, runSql, type TestPlane } from "../harness.ts"
import { loseKeyOf } from "../operations/lost-key.fixture.ts"
import { releaseAfterEachTest } from "../setup/file-state.ts"
import {
  anyRuntime,
  becomes,
  exampleRuntime,
  isAlive,
  makeCloudWorker,
  makeProviding,
  pidOf,
  placesIn
} from "./workers.fixture.ts"

vi.setConfig({ testTimeout: 180_000 })
releaseAfterEachTest()

const runs = { instance: { status: "running" } }
const errorOf = ({ body, status }: TestResponse) => [status, body.reason ?? body.error]
const ends = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000, interval: 100 })

/** The folder of the only new runtime. */
const newIn = (folder: string, existing: ReadonlyArray<string>): string => {
  const [place] = placesIn(folder).filter((place) => !existing.includes(place))
  if (place === undefined) throw new Error("There is no new runtime.")
  return place
}

const makeRunning = async (person: Person, folder: string) => {
  const existing = placesIn(folder)
  const worker = await makeCloudWorker(person)
  await becomes(person, worker.path, runs)
  return { ...worker, place: newIn(folder, existing) }
}

/** The contents of all tables as text. */
const everythingIn = (plane: TestPlane): Promise<string> =>
  runSql(plane, (sql) =>
    Effect.gen(function* () {
      const tables = yield* sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
      const texts = yield* Effect.forEach(
        tables,
        ({ name }) => sql<{ text: string | null }>`SELECT string_agg(t::text, ' ') AS text FROM ${sql(name)} t`
      )
      return texts.map(([row]) => row?.text ?? "").join("\n")
    })
  )

/** The process information that every user of the machine can read. */
const processList = (): string =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      const read = (file: string) => {
        try {
          return readFileSync(`/proc/${pid}/${file}`, "utf8")
        } catch {
          return ""
        }
      }
      return `${read("cmdline")} ${read("environ")}`
    })
    .join("\n")

describe("a cloud worker", () => {
  it("is started, communicates in both directions, is upgraded, and stops when it is removed", async () => {
    const { folder, plane } = await makeProviding(["node", exampleRuntime])
    const owner = await makeWorkspace(plane)
    const worker = await makeCloudWorker(owner)
    const { instance } = await becomes(owner, worker.path, { worker: { status: "healthy" }, ...runs })
    expect(instance).toEqual({
      provider: "local-process",
      region: expect.any(String),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      status: "running",
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    const place = newIn(folder, [])
    const pid = pidOf(place)
    const runtime = await owner.call("GET", `${worker.path}/runtime`)
    expect([runtime.status, runtime.body]).toEqual([200, { version: "1.0.0", upgrading: false, pid }])
    const upgraded = await owner.call("POST", `${worker.path}/runtime/upgrade`, { version: "2.0.0" })
    expect([upgraded.status, upgraded.body]).toEqual([200, { upgraded: true, from: "1.0.0", to: "2.0.0" }])
    const unknown = await owner.call("POST", `${worker.path}/runtime/upgrade`, { version: "next" })
    expect([unknown.status, unknown.body]).toEqual([422, { error: "no_such_version" }])
    await becomes(owner, worker.path, { worker: { imageVersion: "2.0.0", lastActiveAt: expect.any(String) } })
    const { items } = (await owner.call("GET", `${worker.path}/activity`)).body
    expect(items[0]).toMatchObject({ kind: "runtime.upgrade", message: "From 1.0.0 to 2.0.0" })
    // The worker token is only known to its runtime.
    expect(errorOf(await owner.call("POST", `${worker.path}/tokens`, {}))).toEqual([409, "worker_provided"])
    expect((await owner.call("DELETE", worker.path)).status).toBe(204)
    await ends(pid)
    await vi.waitFor(() => expect(placesIn(folder)).toEqual([]), { timeout: 60_000 })
  })

  it("is a single process when two servers try to start it", async () => {
    const { folder, plane } = await makeProviding(["node", anyRuntime])
    const owner = await makeWorkspace(plane)
    const two =
      plane.database.kind === "postgres"
        ? await makeProviding(["node", anyRuntime], { database: plane.database }, folder)
        : undefined
    const workers = await Promise.all(Array.from({ length: 6 }, () => makeCloudWorker(owner)))
    for (const { path } of workers) await becomes(owner, path, runs)
    expect(placesIn(folder).length).toBe(6)
    const [row] = await runSql(
      plane,
      (sql) => sql<{ starts: number }>`SELECT sum(starts)::int AS starts FROM worker_instances`
    )
    expect(row?.starts).toBe(6)
    if (two !== undefined) {
      const runtimeResponse = await call(two.plane, owner.token)("GET", `${workers[0]?.path}/runtime`)
      expect(runtimeResponse.status).toBe(200)
    }
    const pids = placesIn(folder).map(pidOf)
    for (const { path } of workers) await owner.call("DELETE", path)
    for (const pid of pids) await ends(pid)
  })

  it("stops with the membership of its creator, and with the organization", async () => {
    const { folder, plane } = await makeProviding(["node", exampleRuntime])
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const theirs = await makeRunning(member, folder)
    const pid = pidOf(theirs.place)
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    await ends(pid)
    await becomes(owner, theirs.path, { worker: { status: "stopped" }, instance: { status: "stopped", url: null } })
    expect(errorOf(await owner.call("GET", `${theirs.path}/runtime`))).toEqual([409, "worker_runtime_unavailable"])
  })

  it("is cleaned up with a deleted organization, and a failed cleanup blocks nothing", async () => {
    const { folder, plane } = await makeProviding(["node", anyRuntime])
    const [one, two] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const stoppedWorker = await makeRunning(one, folder)
    const purged = await makeRunning(two, folder)
    const pids = [pidOf(stoppedWorker.place), pidOf(purged.place)]
    // A row of another machine, which cannot be stopped here; it comes first.
    const foreign = join(folder, "wki_00000000000000000000000000")
    mkdirSync(foreign)
    writeFileSync(
      join(foreign, "process.json"),
      JSON.stringify({ pid: process.pid, startedAt: "1", host: "elsewhere" })
    )
    expect((await one.call("DELETE", "/v1/organization")).status).toBe(204)
    await runSql(plane, (sql) => sql`DELETE FROM worker_instances WHERE worker_id = ${purged.id}`)
    for (const pid of pids) await ends(pid)
    await vi.waitFor(() => expect(placesIn(folder)).toEqual([foreign]), { timeout: 60_000 })
    // Its row is updated after its process has exited, not at the same time.
    await vi.waitFor(
      async () => {
        const [row] = await runSql(
          plane,
          (sql) => sql<{ status: string; ciphertext: unknown }>`SELECT status, ciphertext FROM worker_instances
            WHERE worker_id = ${stoppedWorker.id}`
        )
        expect(row).toEqual({ status: "stopped", ciphertext: null })
      },
      { timeout: 60_000, interval: 100 }
    )
  })

  it("is not contacted if the key that encrypts its token is lost", async () => {
    const { folder, plane } = await makeProviding(["node", anyRuntime])
    const owner = await makeWorkspace(plane)
    const { path } = await makeRunning(owner, folder)
    await loseKeyOf(plane, owner, "worker_instances")
    expect(errorOf(await owner.call("GET", `${path}/runtime`))).toEqual([409, "worker_runtime_unavailable"])
  })

  it("is not contacted when its runtime is on another machine", async () => {
    const { folder, plane } = await makeProviding(["node", anyRuntime])
    const owner = await makeWorkspace(plane)
    const { id, path, place } = await makeRunning(owner, folder)
    await runSql(plane, (sql) => sql`UPDATE worker_instances SET region = 'elsewhere' WHERE worker_id = ${id}`)
    expect(errorOf(await owner.call("GET", `${path}/runtime`))).toEqual([409, "worker_runtime_unavailable"])
    expect(errorOf(await owner.call("POST", `${path}/runtime/upgrade`, {}))).toEqual([
      409,
      "worker_runtime_unavailable"
    ])
    expect(existsSync(join(place, "requests.log"))).toBe(false)
  })

  it("is restarted when its process exits, and fails when it keeps exiting", async () => {
    const { folder, plane } = await makeProviding(["node", anyRuntime])
    const owner = await makeWorkspace(plane)
    const { path, place } = await makeRunning(owner, folder)
    const pid = pidOf(place)
    process.kill(pid, "SIGKILL")
    await ends(pid)
    await becomes(owner, path, { worker: { status: "provisioning" } })
    const again = await vi.waitFor(
      () => {
        expect(pidOf(place)).not.toBe(pid)
        return pidOf(place)
      },
      { timeout: 60_000, interval: 100 }
    )
    await becomes(owner, path, runs)
    expect((await owner.call("GET", `${path}/runtime`)).body.pid).toBe(again)

    const { plane: short } = await makeProviding(["node", anyRuntime, "short-lived"])
    const other = await makeWorkspace(short)
    const failedWorker = await makeCloudWorker(other)
    const failedState = await becomes(other, failedWorker.path, {
      worker: { status: "failed" },
      instance: { status: "failed" }
    })
    expect(failedState.worker.statusReason).toBe("The runtime was started 3 times and exited each time.")
    const [row] = await runSql(
      short,
      (sql) => sql<{ starts: number }>`SELECT starts FROM worker_instances
        WHERE organization_id = ${other.organizationId}`
    )
    expect(row?.starts).toBe(3)
    expect(errorOf(await other.call("POST", `${failedWorker.path}/runtime/upgrade`, {}))).toEqual([
      409,
      "worker_runtime_unavailable"
    ])
  })

  it("is killed when it does not stop, and fails when its program does not exist", async () => {
    const stubborn = await makeProviding(["node", anyRuntime, "stubborn"])
    const owner = await makeWorkspace(stubborn.plane)
    const { path, place } = await makeRunning(owner, stubborn.folder)
    const pid = pidOf(place)
    await owner.call("DELETE", path)
    await ends(pid)

    const nowhere = await makeProviding(["/nowhere/to/be/found"])
    const other = await makeWorkspace(nowhere.plane)
    const failedWorker = await makeCloudWorker(other)
    await becomes(other, failedWorker.path, { instance: { status: "failed", url: null } })
  })
})

describe("an unclaimed workspace", () => {
  it("can have one cloud worker, and local workers", async () => {
    const { plane } = await makeProviding(["/nowhere/to/be/found"])
    const response = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Strangers" })
    const owner = call(plane, response.body.session.token)
    const cloud = { name: "In the cloud", destination: "cloud" }
    const first = await owner("POST", "/v1/workers", cloud)
    expect(first.status).toBe(201)
    expect(errorOf(await owner("POST", "/v1/workers", cloud))).toEqual([403, "provisional_organization"])
    expect((await owner("POST", "/v1/workers", { name: "Here", destination: "local" })).status).toBe(201)
    await owner("DELETE", `/v1/workers/${first.body.worker.id}`)
    expect((await owner("POST", "/v1/workers", cloud)).status).toBe(201)
  })
})

describe("a runtime's response", () => {
  it("is forwarded once when it is permitted JSON, and otherwise becomes a 502", async () => {
    const { folder, plane } = await makeProviding(["node", anyRuntime])
    const owner = await makeWorkspace(plane)
    const { path, place } = await makeRunning(owner, folder)
    const upgrade = (body: object, headers = {}) => owner.call("POST", `${path}/runtime/upgrade`, body, headers)
    for (const status of [200, 201, 202, 400, 404, 409, 422]) {
      const response = await upgrade({ status })
      expect([response.status, response.body]).toEqual([status, { said: status, pid: pidOf(place) }])
    }
    const failed = [502, "worker_runtime_error"]
    for (const status of [401, 403, 410, 429, 500, 503]) expect(errorOf(await upgrade({ status }))).toEqual(failed)
    const bad = ["html", "not json", "empty", "redirect", "redirect away", "2 MiB", "endless", "leak", "escaped leak"]
    const worse = ["deep", "many headers"]
    for (const mode of [...bad, ...worse]) {
      expect([mode, ...errorOf(await upgrade({ mode }))]).toEqual([mode, ...failed])
    }
    // Each request was sent once with the shared secret, and no redirect was followed.
    const sent = readFileSync(join(place, "requests.log"), "utf8").trim().split("\n")
    expect(sent.length).toBe(7 + 6 + 11)
    expect(sent.every((line) => line.startsWith("POST /runtime/upgrade true "))).toBe(true)

    const key = { "idempotency-key": "upgrade-once" }
    expect((await upgrade({ status: 202 }, key)).status).toBe(202)
    expect(errorOf(await upgrade({ status: 202 }, key))).toEqual([409, "idempotency_key_completed"])
    expect(readFileSync(join(place, "requests.log"), "utf8").trim().split("\n").length).toBe(25)

    const together = await Promise.all(Array.from({ length: 8 }, () => upgrade({ status: 200 })))
    expect(together.map(({ status }) => status)).toEqual(together.map(() => 200))
    // The request makes it exit: the request is not repeated, and the runtime restarts by itself.
    expect(errorOf(await upgrade({ mode: "die" }))).toEqual(failed)
    await vi.waitFor(async () => expect((await upgrade({})).status).toBe(200), { timeout: 60_000, interval: 500 })
    expect(isAlive(pidOf(place))).toBe(true)
  })

  it("may take up to thirty seconds", async () => {
    const { folder, plane } = await makeProviding(["node", anyRuntime])
    const owner = await makeWorkspace(plane)
    const { path } = await makeRunning(owner, folder)
    const response = await owner.call("POST", `${path}/runtime/upgrade`, { mode: "hang" })
    expect(errorOf(response)).toEqual([502, "worker_runtime_error"])
    // The next one is not blocked by it.
    expect((await owner.call("GET", `${path}/runtime`)).status).toBe(200)
  })
})

describe("the secrets of a worker and its runtime", () => {
  it("appear in no table, audit event, response, metric, log or process list", async () => {
    const logged: Array<string> = []
    const write = process.stderr.write.bind(process.stderr)
    const spy = vi.spyOn(process.stderr, "write").mockImplementation((chunk, ...rest) => {
      logged.push(String(chunk))
      return (write as (...failedState: ReadonlyArray<unknown>) => boolean)(chunk, ...rest)
    })
    const { folder, plane } = await makeProviding(["node", anyRuntime], {
      logLevel: "debug",
      metricsToken: "the token of the metrics"
    })
    const owner = await makeWorkspace(plane)
    const { path, place } = await makeRunning(owner, folder)
    const { runtimeToken, workerToken } = JSON.parse(readFileSync(join(place, "settings.json"), "utf8"))
    expect([workerToken, runtimeToken]).toEqual([expect.stringMatching(/^opw_/), expect.stringMatching(/^\S{40,}$/)])
    const beat = await call(plane, workerToken)("POST", `${path}/heartbeat`, {})
    expect(beat.status).toBe(200)
    const responses = [
      await owner.call("GET", path),
      await owner.call("GET", `${path}/tokens`),
      await owner.call("GET", "/v1/audit-events"),
      await owner.call("POST", `${path}/runtime/upgrade`, { mode: "leak" }),
      await owner.call("POST", `${path}/runtime/upgrade`, { mode: "html" }),
      await owner.call("POST", `${path}/runtime/upgrade`, {}),
      await call(plane)("GET", "/v1/metrics", undefined, { authorization: "Bearer the token of the metrics" })
    ]
    const places = {
      results: responses.map(({ headers, text }) => text + JSON.stringify([...headers])).join("\n"),
      tables: await everythingIn(plane),
      log: logged.join(""),
      processes: processList(),
      // The server's files for it, and its output.
      files: ["process.json", "ready.json", "output.log"].map((name) => readFileSync(join(place, name), "utf8")).join()
    }
    spy.mockRestore()
    expect(places.processes).toContain("worker-runtime.fixture.ts")
    for (const [where, text] of Object.entries(places)) {
      for (const [name, secret] of Object.entries({ workerToken, runtimeToken })) {
        expect([where, name, text.includes(secret as string)]).toEqual([where, name, false])
      }
    }
    // It has no access to the server's own environment either.
    const environ = readFileSync(`/proc/${pidOf(place)}/environ`, "utf8")
      .split("\0")
      .filter(Boolean)
    expect(environ.map((line) => line.split("=")[0]).toSorted()).toEqual(["ORGPLANE_WORKER_INSTANCE", "PATH"])
  })
})
