/** Connecting, importing, syncing and removing a repository: the CLI against a real server, both as processes. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { commit, makeRepository } from "../../../test/fixtures/git.ts"
import { startPlane } from "./plane.ts"

const root = new URL("../../../", import.meta.url).pathname

let plane: Awaited<ReturnType<typeof startPlane>>
let repository = ""
let token = ""

const samples = () => {
  const folder = join(root, "examples/sample-plugins")
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [relative(".", name), readFileSync(join(folder, name), "utf8")])
  )
}

beforeAll(async () => {
  plane = await startPlane((home) => ({ ORGPLANE_GIT_LOCAL_ROOTS: home }))
  repository = join(plane.home, "plugins.git")
  makeRepository(repository, samples(), { bare: true })
})

afterAll(() => plane.stop())

/** Runs `orgplane` without a terminal. */
const orgplane = (...args: ReadonlyArray<string>) => plane.run("config", args, "", { ORGPLANE_TOKEN: token })

/** Runs a command with `-o json` and parses the output. */
const json = async (...args: ReadonlyArray<string>) => {
  const { code, err, out } = await orgplane(...args, "-o", "json")
  if (code !== 0) throw new Error(`orgplane ${args.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

it("connects, imports, syncs and removes a repository", { timeout: 240_000 }, async () => {
  const workspace = await json("bootstrap", "workspace", "--workspace-name", "Acme")
  token = workspace.session.token

  const connected = (await json("connectors", "setup", "--clone-url", repository)).item
  const instance: string = connected.connectorInstance.id
  const target: string = connected.connectorTarget.id

  const discovery = (await json("connectors", "discovery", instance)).item
  expect(discovery.discoveredPlugins.length).toBeGreaterThanOrEqual(5)
  const keys: ReadonlyArray<string> = discovery.discoveredPlugins
    .filter((plugin: { selectedByDefault: boolean }) => plugin.selectedByDefault)
    .map((plugin: { key: string }) => plugin.key)
  expect(keys).toHaveLength(3)
  expect(discovery.warnings.join(" ")).toContain("cost-report")

  const all = await json("connectors", "tree", instance, "--all")
  const paged = await json("connectors", "tree", instance, "--limit", "3")
  expect(all.items.length).toBe(discovery.treeSummary.scannedEntryCount)
  expect(paged.items).toEqual(all.items.slice(0, 3))

  const shortName = keys[0]?.split(":")[1] ?? ""
  const byShortName = await orgplane("connectors", "plan", instance, "--select", shortName)
  expect(byShortName.code).toBe(0)
  expect(byShortName.out).toContain(`--select ${keys[0] ?? ""}`)
  const everything = await orgplane("connectors", "plan", instance, "--all")
  for (const key of keys) expect(everything.out).toContain(`--select ${key}`)
  const unknown = await orgplane("connectors", "plan", instance, "--select", "nothing")
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining(`has no plugin 'nothing'. Plugins: `)])
  const nothing = await orgplane("connectors", "plan", instance)
  expect([nothing.code, nothing.err]).toEqual([0, expect.stringContaining("No plugins are selected")])
  expect((await orgplane("connectors", "discovery", instance)).out).toContain(keys[0])

  const applied = await orgplane(
    ...["connectors", "apply", instance, "--auto-import-new-plugins", "--share", "orgWide", "-o", "json"],
    ...keys.flatMap((key) => ["--select", key])
  )
  expect(applied.code).toBe(0)
  expect(applied.err).toContain("completed")
  const imported = JSON.parse(applied.out).item
  expect(imported.plugins).toHaveLength(3)

  const resolved = (await json("marketplaces", "resolved", imported.marketplace.id)).item
  expect(
    resolved.plugins.map((plugin: { cloudReadiness: { state: string } }) => plugin.cloudReadiness.state).sort()
  ).toEqual(["needs_admin_setup", "needs_admin_setup", "ready"].sort())
  expect(resolved.source.repositoryFullName).toBe("plugins")
  const archive = join(plane.home, "plugin.tar.gz")
  const download = await orgplane("plugins", "download", resolved.plugins[0].id, "--to", archive)
  expect(download).toMatchObject({ code: 0, out: "" })
  const names = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).split("\n")
  expect(names).toContain(".claude-plugin/plugin.json")

  const mappings = await json("connectors", "list-mappings", target, "--all")
  const skills = await json("connectors", "list-mappings", target, "--object-type", "skill", "--all")
  const searched = await json("connectors", "list-mappings", target, "--search", "release-train", "--all")
  expect(skills.items.length).toBeGreaterThan(0)
  expect(skills.items.length).toBeLessThan(mappings.items.length)
  expect(searched.items.every((row: { selector: string }) => row.selector.includes("release-train"))).toBe(true)

  const plugin = imported.plugins[0].id
  const objects = await json("plugins", "list-objects", plugin, "--all")
  const [member] = objects.items
  expect(member.configObject.latestVersion.ordinal).toBe(1)
  expect((await json("connectors", "list-access", instance)).items).toHaveLength(1)
  expect((await json("marketplaces", "list-access", imported.marketplace.id)).items).toHaveLength(2)

  const path: string = member.configObject.currentRelativePath
  commit(repository, { [path]: `${member.configObject.latestVersion.rawSourceText}\nOne more line.\n` })
  const synced = await orgplane("connectors", "sync", instance, "--watch", "-o", "json")
  expect(synced.code).toBe(0)
  const versions = await Promise.all(
    objects.items.map(async (row: { configObjectId: string }) => {
      const page = await json("config-objects", "list-versions", row.configObjectId)
      return [row.configObjectId, page.items.length]
    })
  )
  expect(versions.filter(([, count]) => count === 2)).toEqual([[member.configObjectId, 2]])

  const refused = await orgplane("connectors", "remove", instance)
  expect(refused).toMatchObject({ code: 2, out: "" })
  const removed = (await json("connectors", "remove", instance, "--yes")).item
  expect(removed).toEqual({
    deletedConfigObjectCount: 16,
    deletedConnectorMappingCount: mappings.items.length,
    removedConnectorInstanceId: instance
  })
  expect((await orgplane("connectors", "get", instance)).code).toBe(3)
})

it("distinguishes failures by exit code", async () => {
  const stranger = token
  token = "ops_nothing"
  expect((await orgplane("plugins", "list")).code).toBe(4)
  token = stranger
  expect((await orgplane("plugins", "get", "plg_01h455vb4pex5vsknk084sn02q")).code).toBe(3)
  expect((await orgplane("plugins", "list", "--limit", "none")).code).toBe(2)
  const api = await orgplane("api", "GET", "/v1/organization")
  expect(JSON.parse(api.out).organization.name).toBe("Acme")
})
