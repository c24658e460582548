import { describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import {
  connect,
  type Connected,
  ended,
  imported,
  marketplace,
  repositoryIn,
  rows,
  skill,
  synced
} from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()

const betaManifest = "plugins/beta/.claude-plugin/plugin.json"

/** An organization that imported a repository of two plugins, and the commits of those plugins. */
const world = async () => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, {
    ".claude-plugin/marketplace.json": marketplace(["alpha", "beta"]),
    "plugins/alpha/skills/plan/SKILL.md": skill("plan"),
    "plugins/alpha/commands/go.md": "# Go\n",
    [betaManifest]: '{"name":"beta"}',
    "plugins/beta/commands/stop.md": "# Stop\n"
  })
  const connected = await connect(owner, dir)
  const applied = await imported(owner, connected)
  const idOf = (name: string) => applied.plugins.find((plugin) => plugin.name === name)?.id ?? ""
  const commitOf = async (name: string) => {
    const { extension } = await owner.client.plugins.get(idOf(name))
    return extension?.manifest.source.reference.split("@")[1]
  }
  const named = async () => ({ alpha: await commitOf("alpha"), beta: await commitOf("beta") })
  return { owner, dir, connected, idOf, named, first: applied.syncEvent.revision ?? "" }
}

const rolledBack = async (owner: Workspace, { instance }: Connected, revision: string) =>
  ended(owner, (await owner.client.connectors.rollback(instance.id, { revision })).id)

const go = (dir: string, text: string) => commit(dir, { "plugins/alpha/commands/go.md": text })

describe("the commit of a plugin from a repository", () => {
  it("is that of its branch, and a commit that does not change a plugin writes nothing for it", async () => {
    const { connected, dir, first, idOf, named, owner } = await world()
    expect(await named()).toEqual({ alpha: first, beta: first })
    const written = () =>
      rows(
        plane,
        (sql) => sql<{ id: string; at: string; version: number }>`SELECT id, xmin::text AS at, version FROM plugins
          WHERE organization_id = ${owner.organizationId} ORDER BY id`
      )
    const before = await written()
    const { updatedAt } = await owner.client.plugins.get(idOf("beta"))
    const second = go(dir, "# Go on\n")
    await synced(owner, connected)
    expect(await named()).toEqual({ alpha: second, beta: second })
    const ofBeta = (all: Awaited<ReturnType<typeof written>>) => all.filter(({ id }) => id === idOf("beta"))
    expect(ofBeta(before)).toHaveLength(1)
    expect(ofBeta(await written())).toEqual(ofBeta(before))
    expect((await owner.client.plugins.get(idOf("beta"))).updatedAt).toBe(updatedAt)
    expect(
      await rows(
        plane,
        (sql) => sql`SELECT (SELECT count(*)::int FROM published_plugins
            WHERE organization_id = ${owner.organizationId}) AS plugins,
          (SELECT count(*)::int FROM target_publications WHERE organization_id = ${owner.organizationId}) AS publications`
      )
    ).toEqual([{ plugins: 3, publications: 2 }])
    const page = await owner.client.plugins.list({})
    expect(page.items.map(({ extension }) => extension?.manifest.source.reference.split("@")[1])).toEqual([
      second,
      second
    ])
  })

  it("stays unchanged for a plugin that cannot be read, and follows when it can", async () => {
    const { connected, dir, first, named, owner } = await world()
    const second = commit(dir, { [betaManifest]: '{"name":' })
    await synced(owner, connected)
    expect(await named()).toEqual({ alpha: second, beta: first })
    const third = go(dir, "# Go on\n")
    await synced(owner, connected)
    expect(await named()).toEqual({ alpha: third, beta: first })
    await rolledBack(owner, connected, second)
    expect(await named()).toEqual({ alpha: second, beta: first })
    await rolledBack(owner, connected, first)
    expect(await named()).toEqual({ alpha: first, beta: first })
    const fourth = commit(dir, { [betaManifest]: '{"name":"beta"}' })
    await synced(owner, connected)
    expect(await named()).toEqual({ alpha: fourth, beta: fourth })
  })

  it("stays when the plugin no longer has a branch, and is in an export", async () => {
    const { connected, dir, idOf, named, owner } = await world()
    const own = { input: { type: "context", rawSourceText: "# Mine\n" }, pluginIds: [idOf("alpha"), idOf("beta")] }
    expect((await owner.call("POST", "/v1/config-objects", own)).status).toBe(201)
    const second = commit(dir, { ".claude-plugin/marketplace.json": marketplace(["alpha"]) })
    await synced(owner, connected)
    const third = go(dir, "# Go on\n")
    await synced(owner, connected)
    const { beta } = await named()
    expect(beta).not.toBe(second)
    expect(await named()).toEqual({ alpha: third, beta })
    await owner.client.connectors.remove(connected.instance.id)
    expect(await named()).toEqual({ alpha: third, beta })
    const { text } = await owner.call("GET", "/v1/organization/export")
    expect(text).toContain(`@${third}"`)
    expect(text).toContain(`@${beta}"`)
  })
})
