/** The reconciler finds every change whose webhook was lost. */
import * as Effect from "effect/Effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import type { CodeHostServer } from "../../../../test/fixtures/code-host-server.ts"
import { commit, gitDirOf, makeRepository, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import { ReconcileService } from "../../src/content/connectors/reconcile.ts"
import { appAt, install, makeCodeHost } from "./code-host.fixture.ts"
import { contents, imported, marketplace, skill, until } from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, runSql, type TestPlane, withServices } from "../harness.ts"

let host: CodeHostServer
let plane: TestPlane
let count = 0

beforeAll(async () => {
  host = await makeCodeHost()
  plane = await makeControlPlane(appAt(host))
})

/** A repository of an installation, connected and imported. */
const connected = async () => {
  const owner = await makeWorkspace(plane)
  const id = (count += 1)
  const dir = join(plane.repositories, `host-${id}`)
  makeRepository(dir, {
    ".claude-plugin/marketplace.json": marketplace(["reviewer"]),
    "plugins/reviewer/skills/s/SKILL.md": skill("s")
  })
  host.add(id, `team-${id}/plugins`, { dir })
  host.install(id, { account: `team-${id}`, repositories: [id], admins: ["ada"] })
  const account = await install(host, owner, String(id))
  const item = await owner.client.connectors.setup({
    adapter: "rest",
    connectorAccountId: account.id,
    repositoryFullName: `team-${id}/plugins`
  })
  const { connectorInstance: instance, connectorTarget: target } = item
  await imported(owner, { instance, target })
  const get = () => owner.client.connectors.getInstance(instance.id)
  const accountNow = async () =>
    (await owner.client.connectors.listAccounts()).items.find((one) => one.id === account.id)
  return { id, dir, owner, instance, target, get, accountNow }
}

/** Makes everything due, as after the interval, and runs one comparison. */
const reconcile = async () => {
  await runSql(plane, (sql) => sql`UPDATE connector_targets SET reconcile_at = now()`)
  await runSql(plane, (sql) => sql`UPDATE connector_accounts SET reconcile_at = now()`)
  return withServices(
    plane,
    Effect.flatMap(ReconcileService, ({ installationRound, round }) => Effect.all([round, installationRound]))
  )
}

describe("without a webhook, the reconciler finds", () => {
  it("a push", async () => {
    const { dir, owner } = await connected()
    commit(dir, { "plugins/reviewer/skills/s/SKILL.md": skill("s", "Do it better.") })
    await reconcile()
    await until(
      async () => JSON.stringify(await contents(owner)),
      (text) => text.includes("Do it better.")
    )
  })

  it("a deleted branch, and a restored one", async () => {
    const { dir, get } = await connected()
    const head = readRefs(gitDirOf(dir)).get("refs/heads/main") ?? ""
    expect(head).toMatch(/^[0-9a-f]{40}$/)
    writeRef(dir, "refs/heads/aside", head)
    rmSync(join(gitDirOf(dir), "refs/heads/main"))
    await reconcile()
    await until(get, ({ status }) => status === "error")
    writeRef(dir, "refs/heads/main", head)
    await reconcile()
    expect(await until(get, ({ status }) => status === "active")).toMatchObject({ statusReason: null })
  })

  it("a renamed or transferred repository that can still be read", async () => {
    const { id, instance, owner } = await connected()
    host.rename(id, `team-${id}/renamed`)
    await reconcile()
    expect((await owner.client.connectors.discovery(instance.id)).repositoryFullName).toBe(`team-${id}/renamed`)
    host.rename(id, `other-${id}/renamed`)
    await reconcile()
    expect((await owner.client.connectors.discovery(instance.id)).repositoryFullName).toBe(`other-${id}/renamed`)
  })

  it("an archived repository, and one that is no longer archived", async () => {
    const { get, id } = await connected()
    host.archive(id, true)
    await reconcile()
    expect(await get()).toMatchObject({
      status: "error",
      statusReason: "The repository is archived on the code host. Imported content is kept."
    })
    host.archive(id, false)
    await reconcile()
    expect(await get()).toMatchObject({ status: "active", statusReason: null })
  })

  it("an archived repository once, without syncing it again and again", async () => {
    const { get, id, instance, owner } = await connected()
    host.archive(id, true)
    await reconcile()
    expect((await get()).status).toBe("error")
    const syncs = async () => (await owner.client.connectors.listSyncEvents(instance.id)).items.length
    const before = await syncs()
    for (const _ of [1, 2]) await reconcile()
    expect([(await get()).status, await syncs()]).toEqual(["error", before])
  })

  it("a repository that was deleted, transferred or removed from the installation, and a restored one", async () => {
    const { dir, get, id } = await connected()
    host.remove(id)
    await reconcile()
    const lost = await until(get, ({ status }) => status === "error")
    expect(lost.statusReason).toContain("The repository does not exist, or the installation does not include it.")
    host.add(id, `team-${id}/plugins`, { dir })
    await reconcile()
    expect(await until(get, ({ status }) => status === "active")).toMatchObject({ statusReason: null })
  })

  it("a suspended installation, and one that works again", async () => {
    const { accountNow, get, id } = await connected()
    const reason = "The installation is suspended on the code host. Imported content is kept."
    host.suspend(id, true)
    await reconcile()
    expect(await accountNow()).toMatchObject({ status: "error", statusReason: reason })
    expect(await until(get, ({ status }) => status === "error")).toMatchObject({ status: "error" })
    host.suspend(id, false)
    await reconcile()
    expect(await accountNow()).toMatchObject({ status: "active", statusReason: null })
    expect(await until(get, ({ status }) => status === "active")).toMatchObject({ statusReason: null })
  })

  it("a removed installation, even if nothing was connected through it", async () => {
    const { accountNow, get, id } = await connected()
    const owner = await makeWorkspace(plane)
    const empty = (count += 1)
    host.add(empty, `team-${empty}/plugins`, { dir: join(plane.repositories, `host-${id}`) })
    host.install(empty, { account: `team-${empty}`, repositories: [empty], admins: ["ada"] })
    const account = await install(host, owner, String(empty))
    host.uninstall(id)
    host.uninstall(empty)
    await reconcile()
    const lost = {
      status: "error",
      statusReason: "The installation was removed on the code host. Imported content is kept."
    }
    expect(await accountNow()).toMatchObject(lost)
    expect(await until(get, ({ status }) => status === "error")).toMatchObject({ status: "error" })
    const { items } = await owner.client.connectors.listAccounts()
    expect(items.find((one) => one.id === account.id)).toMatchObject(lost)
    // Without a change, nothing is recorded.
    const [, again] = await reconcile()
    expect(again.found).toBe(0)
  })
})
