import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { commit, makeRepository } from "../fixtures/git.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, type Running, startServer, until } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const fileCount = 1500
const pathOf = (index: number) => `plugins/p${index % 3}/commands/c${index}.md`
const textOf = (index: number, round = 0) => `# Command ${index}\n\n${`Round ${round}. `.repeat(20)}\n`
const manifest = JSON.stringify({
  name: "large",
  owner: { name: "Acme" },
  plugins: [0, 1, 2].map((index) => ({ name: `p${index}`, source: `./plugins/p${index}` }))
})

type Content = ReadonlyMap<string, string>

const makeLarge = (dir: string): Content => {
  const files = new Map(Array.from({ length: fileCount }, (_, index) => [pathOf(index), textOf(index)]))
  makeRepository(dir, { ".claude-plugin/marketplace.json": manifest, ...Object.fromEntries(files) })
  return files
}

const readAll = async (server: Running, token: string, path: string) => {
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of several lists, checked by expect()
  const items: Array<any> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`
    const { body } = await ask(server.baseUrl, token, "GET", `${path}?limit=100${query}`)
    items.push(...body.items)
    cursor = body.nextCursor
  }
  return items
}

interface Object {
  readonly currentRelativePath: string
  readonly latestVersion: { readonly ordinal: number; readonly rawSourceText: string }
}

/** The objects of all plugins: path to text and ordinal. */
const readObjects = async (server: Running, token: string) => {
  const seen = new Map<string, { readonly text: string; readonly ordinal: number }>()
  for (const plugin of await readAll(server, token, "/v1/plugins")) {
    for (const row of await readAll(server, token, `/v1/plugins/${plugin.id}/config-objects`)) {
      const object = row.configObject as Object
      expect(seen.has(object.currentRelativePath)).toBe(false)
      seen.set(object.currentRelativePath, {
        text: object.latestVersion.rawSourceText,
        ordinal: object.latestVersion.ordinal
      })
    }
  }
  return seen
}

/** The number of objects of each plugin. */
const countsOf = async (server: Running, token: string): Promise<string> =>
  (await readAll(server, token, "/v1/plugins"))
    .map((plugin) => plugin.memberCount as number)
    .sort((a, b) => a - b)
    .join()

const eventOf = async (server: Running, token: string, id: string) =>
  (await ask(server.baseUrl, token, "GET", `/v1/connector-sync-events/${id}`)).body.item

const progressOf = (event: { counts: { objectsCreated: number; objectsUpdated: number } }) =>
  event.counts.objectsCreated + event.counts.objectsUpdated

const kill = async (server: Running) => {
  server.signal("SIGKILL")
  await server.ended
}

const hasEnded = ({ status }: { status: string; attempt: number }) => status !== "queued" && status !== "running"

describe("a server that is killed while it imports", () => {
  it("completes the import after a restart, and readers never see a part of it", async () => {
    const folder = makeFolder()
    const dir = join(folder, "repositories/large")
    const head = makeLarge(dir)
    const environment = {
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_GIT_LOCAL_ROOTS: join(folder, "repositories")
    }
    let server = await startServer(environment)
    const token = await makeWorkspace(server.baseUrl)
    const send = (method: string, path: string, body?: unknown) => ask(server.baseUrl, token, method, path, body)
    const response = await send("POST", "/v1/connectors/codehost/setup", { adapter: "git", cloneUrl: dir })
    const at = `/v1/connector-instances/${response.body.item.connectorInstance.id}`
    const seen = new Set<string>()

    /** Kills the server when each progress is reached, restarts it, and waits for the end. */
    const killAt = async (eventId: string, moments: ReadonlyArray<number>) => {
      for (const moment of moments) {
        await until(
          async () => {
            seen.add(await countsOf(server, token))
            return eventOf(server, token, eventId)
          },
          (event) => hasEnded(event) || (event.status === "running" && progressOf(event) >= moment)
        )
        await kill(server)
        server = await startServer(environment)
      }
      return until(async () => {
        seen.add(await countsOf(server, token))
        return eventOf(server, token, eventId)
      }, hasEnded)
    }

    const applied = await send("POST", `${at}/discovery/apply?wait=0`, {
      selectedKeys: ["marketplace:p0", "marketplace:p1", "marketplace:p2"],
      autoImportNewPlugins: false
    })
    expect(applied.status).toBe(200)
    // Right after the start, after the first batch, and around publication.
    const first = await killAt(applied.body.item.syncEvent.id, [0, 1 + Math.floor(Math.random() * 400), 1001])
    expect(first).toMatchObject({
      status: "completed",
      counts: { filesScanned: fileCount + 1, objectsCreated: fileCount, objectsUpdated: 0, objectsDeleted: 0 }
    })
    expect(
      new Map([...(await readObjects(server, token))].map(([path, { ordinal, text }]) => [path, [text, ordinal]]))
    ).toEqual(new Map([...head].map(([path, text]) => [path, [text, 1]])))
    // It must have been killed in the middle at least once.
    expect(first.attempt).toBeGreaterThan(1)
    expect([...seen].filter((counts) => counts !== "0,0,0" && counts !== "500,500,500")).toEqual([])

    // A change of most files: readers see the old content until all of the new content is published.
    seen.clear()
    const changes = Object.fromEntries([
      ...Array.from({ length: 900 }, (_, index) => [pathOf(index), textOf(index, 1)] as const),
      ...Array.from({ length: 300 }, (_, index) => [pathOf(1200 + index), null] as const),
      ...Array.from({ length: 60 }, (_, index) => [pathOf(2100 + index), textOf(index, 2)] as const)
    ])
    const revision = commit(dir, changes)
    const requested = await send("POST", `${at}/sync`)
    const second = await killAt(requested.body.item.id, [1 + Math.floor(Math.random() * 900)])
    expect(second).toMatchObject({
      status: "completed",
      revision,
      counts: { objectsCreated: 60, objectsUpdated: 900, objectsDeleted: 300, objectsUnchanged: 300 }
    })
    const expected = new Map<string, readonly [string, number]>()
    for (const [path, text] of head) if (!(path in changes)) expected.set(path, [text, 1])
    for (const [path, text] of Object.entries(changes)) {
      if (text !== null) expected.set(path, [text, head.has(path) ? 2 : 1])
    }
    expect(
      new Map(
        [...(await readObjects(server, token))].map(([path, { ordinal, text }]) => [path, [text, ordinal] as const])
      )
    ).toEqual(expected)
    expect([...seen].filter((counts) => counts !== "500,500,500" && counts !== "420,420,420")).toEqual([])
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
  })
})

describe("several servers on one PostgreSQL", async () => {
  const postgres = await startPostgres({ maxConnections: 100 })
  afterAll(() => postgres.stop())

  it("start concurrently on an empty database, and one takes over from a killed one", async () => {
    const folder = makeFolder()
    const dir = join(folder, "repositories/large")
    const head = makeLarge(dir)
    const environment = {
      ORGPLANE_DATABASE_URL: await postgres.createDatabase("processes"),
      ORGPLANE_DATA_DIR: join(folder, "data"),
      ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
      ORGPLANE_GIT_LOCAL_ROOTS: join(folder, "repositories")
    }
    const servers = await Promise.all([1, 2, 3].map(() => startServer(environment)))
    const [one, two, three] = servers as [Running, Running, Running]
    const versions = await Promise.all(servers.map(({ baseUrl }) => ask(baseUrl, undefined, "GET", "/v1/version")))
    expect(new Set(versions.map(({ text }) => text)).size).toBe(1)
    for (const { baseUrl } of servers) expect((await ask(baseUrl, undefined, "GET", "/v1/ready")).status).toBe(200)

    const token = await makeWorkspace(one.baseUrl)
    for (const { baseUrl } of servers) {
      expect((await ask(baseUrl, token, "GET", "/v1/organization")).status).toBe(200)
    }
    // One server remains to do the work, and is killed in the middle of it.
    for (const other of [two, three]) {
      other.signal("SIGTERM")
      expect(await other.ended).toMatchObject({ code: 0, stderr: "" })
    }
    const response = await ask(one.baseUrl, token, "POST", "/v1/connectors/codehost/setup", {
      adapter: "git",
      cloneUrl: dir
    })
    const applied = await ask(
      one.baseUrl,
      token,
      "POST",
      `/v1/connector-instances/${response.body.item.connectorInstance.id}/discovery/apply?wait=0`,
      { selectedKeys: ["marketplace:p0", "marketplace:p1", "marketplace:p2"], autoImportNewPlugins: false }
    )
    const id: string = applied.body.item.syncEvent.id
    await until(
      () => eventOf(one, token, id),
      (event) => hasEnded(event) || progressOf(event) > 0
    )
    await kill(one)
    const successor = await startServer(environment)
    expect(await until(() => eventOf(successor, token, id), hasEnded)).toMatchObject({
      status: "completed",
      counts: { objectsCreated: fileCount }
    })
    expect(
      new Map([...(await readObjects(successor, token))].map(([path, { ordinal, text }]) => [path, [text, ordinal]]))
    ).toEqual(new Map([...head].map(([path, text]) => [path, [text, 1]])))
    successor.signal("SIGTERM")
    expect(await successor.ended).toMatchObject({ code: 0, stderr: "" })
  })
})
