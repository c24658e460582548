/** The client and the CLI of the last release against this server, and those of this version against its server. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import * as current from "../packages/client/src/index.ts"
import { type BuiltRelease, buildRelease, releases } from "../scripts/release-packages.ts"
import { cliProgram } from "../test/programs.ts"
import { makeFolder, seedOf, startServer } from "../test/process/server.fixture.ts"

type Clients = typeof current

const last = releases().at(-1)
if (last === undefined) throw new Error("The folder releases is empty.")

let built: BuiltRelease
let previous: Clients
beforeAll(async () => {
  built = buildRelease(last)
  const entry = join(built.app, "node_modules/@orgplane/client/dist/index.js")
  previous = (await import(pathToFileURL(entry).href)) as Clients
})

const pairs = [
  { title: `the clients of ${last.version} and this server`, old: "clients" },
  { title: `these clients and the server of ${last.version}`, old: "server" }
] as const

describe.each(pairs)("$title", ({ old }) => {
  const start = async () => {
    const dataDir = makeFolder()
    const program = old === "server" ? { program: join(built.app, "node_modules/@orgplane/server/dist/bin.js") } : {}
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "demo" }, program)
    const seed = seedOf(dataDir)
    return {
      clients: old === "clients" ? previous : current,
      seed,
      options: { baseUrl: server.baseUrl, token: seed.ownerToken },
      orgplane: async (...args: ReadonlyArray<string>) => {
        const cli = old === "clients" ? join(built.app, "node_modules/@orgplane/cli/dist/main.js") : cliProgram
        const env = {
          PATH: process.env["PATH"],
          HOME: dataDir,
          NO_COLOR: "1",
          ORGPLANE_BASE_URL: server.baseUrl,
          ORGPLANE_TOKEN: seed.ownerToken
        }
        const result = await promisify(execFile)(process.execPath, [cli, ...args], { env }).catch(
          (error: unknown) => error
        )
        const { code = 0, stderr, stdout } = result as { code?: number; stderr: string; stdout: string }
        return { code, stderr, stdout }
      },
      stop: async () => {
        server.signal("SIGTERM")
        expect(await server.ended).toMatchObject({ code: 0 })
      }
    }
  }

  it("create, read, page, change, upload and stream with the client", async () => {
    const { clients, options, seed, stop } = await start()
    const client = clients.createClient(options)

    const team = await client.teams.create({ name: "Platform" })
    expect(await client.teams.update(team.id, { name: "Infrastructure" })).toMatchObject({ name: "Infrastructure" })
    for (let n = 0; n < 5; n++) await client.plugins.create({ name: `Plugin ${n}` })
    const names: Array<string> = []
    for await (const { name } of client.plugins.list({ limit: 2 })) names.push(name)
    expect(names).toEqual(expect.arrayContaining([0, 1, 2, 3, 4].map((n) => `Plugin ${n}`)))

    const object = await client.configObjects.create({
      input: { type: "skill", rawSourceText: "---\nname: review\ndescription: Reviews code.\n---\n\nReview.\n" },
      pluginIds: [seed.pluginId]
    })
    expect(await client.configObjects.get(object.id)).toMatchObject({ id: object.id })
    const archive = new Response(await client.plugins.download(seed.pluginId))
    expect((await archive.arrayBuffer()).byteLength).toBeGreaterThan(200)

    const { apiKey, key } = await client.apiKeys.create({ name: "Deploy", permissions: ["teams:read"] })
    const byKey = clients.createClient({ baseUrl: options.baseUrl, apiKey: key })
    expect(await byKey.apiKeys.current()).toMatchObject({ id: apiKey.id })
    expect(await byKey.teams.get(team.id)).toMatchObject({ name: "Infrastructure" })
    await expect(byKey.teams.create({ name: "Other" })).rejects.toMatchObject({ status: 403 })
    await expect(client.teams.get("tem_01h455vb4pex5vsknk084sn02q")).rejects.toMatchObject({ status: 404 })
    await expect(client.teams.create({ name: "Infrastructure" })).rejects.toMatchObject({ status: 409 })
    await expect(client.teams.create({ name: "" })).rejects.toMatchObject({ status: 400 })

    await client.memory.save({ content: "The deployment runs on Fridays.", tags: ["deployment"] })
    const lines = await new Response(await client.audit.export()).text()
    expect(lines).toContain("team.create")
    expect(await client.audit.verify()).toMatchObject({ valid: true })
    await stop()
  })

  it("list, write, sync, wait and fail with the CLI", async () => {
    const { orgplane, seed, stop } = await start()
    expect(await orgplane("teams", "create", "--name", "Platform", "-q")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^tem_\w+\n$/u)
    })
    expect(await orgplane("teams", "list", "--jq", ".[].name")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Platform\n")
    })
    expect(await orgplane("plugins", "list", "-o", "ndjson", "--all")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(seed.pluginId)
    })
    expect(await orgplane("connectors", "sync", seed.connectorInstanceId, "--wait")).toMatchObject({ code: 0 })
    expect(await orgplane("teams", "get", "tem_01h455vb4pex5vsknk084sn02q")).toMatchObject({ code: 3 })
    expect(await orgplane("plugins", "create", "--unknown")).toMatchObject({ code: 2 })
    const status = await orgplane("auth", "status", "--json", "role")
    expect(JSON.parse(status.stdout)).toEqual({ role: "owner" })
    await stop()
  })
})

it("compares two versions", () => {
  const manifest = join(built.app, "node_modules/@orgplane/client/package.json")
  expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({ version: last.version })
  expect(previous.createClient).not.toBe(current.createClient)
})
