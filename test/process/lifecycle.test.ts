import { once } from "node:events"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { ask, makeDataDir, makeFolder, makeWorkspace, runServer, seedOf, startServer } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe("the program on an empty directory", () => {
  it("seeds once, keeps its secrets private to its user, and continues after a restart", async () => {
    const dataDir = join(makeFolder(), "deep/data")
    const first = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    const seed = seedOf(dataDir)
    expect(Object.keys(seed).sort()).toEqual([
      "baseUrl",
      "configObjectId",
      "connectorInstanceId",
      "connectorTargetId",
      "marketplaceId",
      "organizationId",
      "ownerToken",
      "pid",
      "pluginId"
    ])
    expect(seed).toMatchObject({ baseUrl: first.baseUrl, pid: first.pid })
    expect([modeOf(dataDir), modeOf(join(dataDir, "seed.json")), modeOf(join(dataDir, "secret-key"))]).toEqual([
      "700",
      "600",
      "600"
    ])
    // Standard output that is not a terminal is stored in logs.
    expect(first.stdout()).toContain(join(dataDir, "seed.json"))
    expect(first.stdout()).not.toContain(seed.ownerToken)
    const get = (path: string) => ask(first.baseUrl, seed.ownerToken, "GET", path)
    for (const path of [
      `/v1/marketplaces/${seed.marketplaceId}/resolved`,
      `/v1/plugins/${seed.pluginId}/config-objects`,
      `/v1/config-objects/${seed.configObjectId}`,
      `/v1/connector-targets/${seed.connectorTargetId}/mappings`,
      `/v1/connector-instances/${seed.connectorInstanceId}/discovery`
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 200])
    }
    const before = (await get(`/v1/connector-instances/${seed.connectorInstanceId}/sync-events`)).text
    first.signal("SIGTERM")
    expect(await first.ended).toMatchObject({ code: 0, signal: null, stderr: "" })

    const second = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    expect(seedOf(dataDir)).toEqual({ ...seed, baseUrl: second.baseUrl, pid: second.pid })
    const after = await ask(
      second.baseUrl,
      seed.ownerToken,
      "GET",
      `/v1/connector-instances/${seed.connectorInstanceId}/sync-events`
    )
    expect(after.text).toBe(before)
    expect((await ask(second.baseUrl, seed.ownerToken, "GET", "/v1/connector-instances")).body.items).toHaveLength(1)

    // While it runs, no other process can use the directory.
    const third = await runServer({ ORGPLANE_DATA_DIR: dataDir })
    expect(third).toMatchObject({ code: 1, stdout: "" })
    expect(third.stderr).toBe(
      `orgplane cannot start: The data directory ${dataDir} is in use by process ${second.pid}. ` +
        "Stop that process, or set ORGPLANE_DATA_DIR to another directory.\n"
    )
    expect((await ask(second.baseUrl, seed.ownerToken, "GET", "/v1/connector-instances")).status).toBe(200)

    // After it ends, however it ends, another process can use the directory.
    second.signal("SIGKILL")
    expect(await second.ended).toMatchObject({ signal: "SIGKILL" })
    expect(readdirSync(dataDir).filter((name) => name.startsWith("orgplane.lock."))).toHaveLength(1)
    const fourth = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    const list = await ask(fourth.baseUrl, seed.ownerToken, "GET", "/v1/connector-instances")
    expect(list.body.items).toHaveLength(1)
    fourth.signal("SIGINT")
    expect(await fourth.ended).toMatchObject({ code: 0, signal: null, stderr: "" })
    expect(readdirSync(dataDir).filter((name) => name.startsWith("orgplane.lock."))).toEqual([])
  })

  it("seeds nothing with ORGPLANE_SEED=none, and completes an accepted request on SIGTERM", async () => {
    const dataDir = makeDataDir()
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" })
    expect(readdirSync(dataDir)).not.toContain("seed.json")
    expect(server.stdout()).not.toContain("token")
    const token = await makeWorkspace(server.baseUrl)

    // The headers and half of the body have arrived when the server is stopped.
    const url = new URL(server.baseUrl)
    const body = JSON.stringify({ input: { type: "context", rawSourceText: "# Kept\n" }, pluginIds: [] })
    const socket = connect(Number(url.port), url.hostname)
    await once(socket, "connect")
    socket.setEncoding("utf8")
    let response = ""
    socket.on("data", (text: string) => (response += text))
    socket.write(
      `POST /v1/config-objects HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`
    )
    // The server has read the headers, so the request is accepted.
    while (!response.includes("100 Continue")) await once(socket, "data")
    socket.write(body.slice(0, 20))
    server.signal("SIGTERM")
    socket.write(body.slice(20))
    await once(socket, "close")
    expect(response).toMatch(/HTTP\/1.1 201 /)
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
    const again = await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" })
    const items = (await ask(again.baseUrl, token, "GET", "/v1/config-objects")).body.items
    expect(items.map(({ title }: { title: string }) => title)).toEqual(["Kept"])
    again.signal("SIGTERM")
    expect((await again.ended).code).toBe(0)
  })

  it("prints the malformed setting and exits with 2", async () => {
    const dataDir = makeFolder()
    const cases: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [{ ORGPLANE_PORT: "http" }, /^orgplane cannot start: ORGPLANE_PORT must be a port from 0 to 65535\.\n$/],
      [{ ORGPLANE_SEED: "some" }, /ORGPLANE_SEED must be demo or none/],
      [{ ORGPLANE_DATABASE_URL: "mysql://canary@host/db" }, /ORGPLANE_DATABASE_URL must be a postgres:\/\/ URL/],
      [{ ORGPLANE_DATABASE_URL: "postgres://u:canary@host/db" }, /ORGPLANE_SECRET_KEYS must be set/],
      [{ ORGPLANE_SECRET_KEYS: "canary" }, /ORGPLANE_SECRET_KEYS must list keys of at least 32 characters/],
      [{ ORGPLANE_OUTBOUND_ALLOW: "10.0.0.0/99" }, /ORGPLANE_OUTBOUND_ALLOW must list addresses/],
      [{ ORGPLANE_LOG_LEVEL: "loud" }, /ORGPLANE_LOG_LEVEL must be one of/],
      [{ ORGPLANE_PUBLIC_URL: "ftp://x" }, /ORGPLANE_PUBLIC_URL must be an http or https URL/],
      [{ ORGPLANE_PATH_PREFIX: "x/" }, /ORGPLANE_PATH_PREFIX must be a path such as \/orgplane/],
      [{ ORGPLANE_BOOTSTRAP: "canary" }, /ORGPLANE_BOOTSTRAP must be open, off, or a token/]
    ]
    for (const [environment, sentence] of cases) {
      const ended = await runServer({ ORGPLANE_DATA_DIR: dataDir, ...environment })
      expect([environment, ended.code, ended.stdout]).toEqual([environment, 2, ""])
      expect(ended.stderr).toMatch(sentence)
      expect(ended.stderr).not.toContain("canary")
    }
    expect(readdirSync(dataDir)).toEqual([])
  })

  it("prints the reason why it cannot start and exits with 1", async () => {
    const folder = makeFolder()
    const file = join(folder, "file")
    writeFileSync(file, "not a directory")
    const inFile = await runServer({ ORGPLANE_DATA_DIR: join(file, "data") })
    expect(inFile).toMatchObject({ code: 1, stdout: "" })
    expect(inFile.stderr).toMatch(/^orgplane cannot start: [^\n]+\n$/)
    const dataDir = makeDataDir()
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" })
    const taken = await runServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_PORT: new URL(server.baseUrl).port
    })
    expect(taken.code).toBe(1)
    expect(taken.stderr).toMatch(/^orgplane cannot start: [^\n]+\n$/)
    server.signal("SIGTERM")
    expect((await server.ended).code).toBe(0)
    expect(readFileSync(file, "utf8")).toBe("not a directory")
  })
})
