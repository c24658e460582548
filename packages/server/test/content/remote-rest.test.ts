import { join } from "node:path"
import { expect, it } from "vitest"
import { commit, makeRepository } from "../../../../test/fixtures/git.ts"
import { appAt, install, makeCodeHost } from "./code-host.fixture.ts"
import { contents, ended, imported, synced } from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { generateMarketplace, marketplaceOf, serveElsewhere } from "./remote.fixture.ts"

it(
  "imports a marketplace of over a hundred plugins in every form through a REST API",
  { timeout: 240_000 },
  async () => {
    const [elsewhere, host] = [await serveElsewhere(), await makeCodeHost()]
    const plane = await makeControlPlane({ ...appAt(host), remoteSources: elsewhere.sources })
    const { entries, own, plugins } = await generateMarketplace(elsewhere, 112, 11)
    const dir = join(plane.repositories, "guild")
    makeRepository(dir, { ...marketplaceOf(entries), ...own })
    host.add(1, "guild/plugins", { dir })
    host.install(1, { account: "guild", repositories: [1], admins: ["ada"] })
    const owner = await makeWorkspace(plane)
    const account = await install(host, owner, "1")
    const { connectorInstance: instance, connectorTarget: target } = await owner.client.connectors.setup({
      adapter: "rest",
      connectorAccountId: account.id,
      repositoryFullName: "guild/plugins"
    })
    const applied = await imported(owner, { instance, target })
    const objects = [...plugins.values()].reduce((sum, { files }) => sum + Object.keys(files).length - 1, 0)
    expect(applied.plugins).toHaveLength(112)
    expect(await ended(owner, applied.syncEvent.id)).toMatchObject({
      status: "completed",
      counts: { objectsCreated: objects },
      warnings: []
    })
    const held = await contents(owner)
    expect(Object.keys(held)).toHaveLength(112)
    commit(dir, { "README.md": "# Changed\n" })
    expect(await synced(owner, { instance, target })).toMatchObject({
      status: "completed",
      counts: { objectsCreated: 0, objectsUpdated: 0, objectsDeleted: 0, objectsUnchanged: objects }
    })
    expect(await contents(owner)).toEqual(held)
  }
)
