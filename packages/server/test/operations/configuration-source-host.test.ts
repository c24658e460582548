/** The configuration source in a repository of a code host: commit statuses, and commits that are found by polling. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import type { CodeHostServer } from "../../../../test/fixtures/code-host-server.ts"
import { commit, makeRepository } from "../../../../test/fixtures/git.ts"
import { ReconcileService } from "../../src/content/connectors/reconcile.ts"
import { appAt, install, makeCodeHost } from "../content/code-host.fixture.ts"
import { makeControlPlane, makeWorkspace, runSql, type TestPlane, withServices } from "../harness.ts"
import { ended, reported, setSource, teams } from "./configuration-source.fixture.ts"

let host: CodeHostServer
let plane: TestPlane
let count = 0

beforeAll(async () => {
  host = await makeCodeHost()
  plane = await makeControlPlane(appAt(host))
})

/** A repository of the host, without plugins. */
const connected = async (text: string) => {
  const owner = await makeWorkspace(plane)
  const id = (count += 1)
  const dir = join(plane.repositories, `host-${id}`)
  const revision = makeRepository(dir, { "orgplane.yaml": text })
  host.add(id, `team-${id}/org`, { dir })
  host.install(id, { account: `team-${id}`, repositories: [id], admins: ["ada"] })
  const account = await install(host, owner, String(id))
  const item = await owner.client.connectors.setup({
    adapter: "rest",
    connectorAccountId: account.id,
    repositoryFullName: `team-${id}/org`
  })
  return { id, dir, owner, revision, instance: item.connectorInstance, target: item.connectorTarget }
}
type Connected = Awaited<ReturnType<typeof connected>>

const statusesOf = ({ id }: Connected) =>
  host.statuses
    .filter(({ repository }) => repository === id)
    .map(({ description, revision, state }) => [revision, state, description])

/** Compares all branches with the host, as the worker does regularly. */
const poll = async () => {
  await runSql(plane, (sql) => sql`UPDATE connector_targets SET reconcile_at = now()`)
  await withServices(
    plane,
    Effect.flatMap(ReconcileService, ({ round }) => round)
  )
}

describe("the status of a commit", () => {
  it("states what a run has changed, and why one failed", async () => {
    const configured = await connected(teams("one"))
    await setSource(configured)
    expect(await reported(configured.owner, 1)).toMatchObject({
      status: "applied",
      commitStatus: { result: "set", message: null }
    })
    const broken = commit(configured.dir, { "orgplane.yaml": "version: 1\nteams:\n  - key: one\n" })
    await poll()
    expect(await reported(configured.owner, 2)).toMatchObject({
      status: "failed",
      trigger: "reconcile",
      revision: broken
    })
    expect(statusesOf(configured)).toEqual([
      [configured.revision, "success", "Applied: 1 to create."],
      [broken, "failure", "orgplane.yaml:3: 1 problem"]
    ])
    // The same commit is not read again.
    await poll()
    await poll()
    expect(statusesOf(configured)).toHaveLength(2)
  })

  it("is pending while a run is held for approval", async () => {
    const keys = ["a", "b", "c", "d", "e", "f", "g"]
    const configured = await connected(teams(...keys))
    const { dir, owner } = configured
    await setSource(configured)
    await reported(configured.owner, 1)
    const revision = commit(dir, { "orgplane.yaml": `${teams("a")}prune: { teams: true }\n` })
    await poll()
    const held = await reported(configured.owner, 2)
    expect(held.status).toBe("held")
    await owner.client.configurationRuns.approve(held.id, { planDigest: held.planDigest ?? "" })
    expect((await reported(configured.owner, 2)).status).toBe("applied")
    expect(statusesOf(configured).slice(1)).toEqual([
      [revision, "pending", "Pending approval: 6 to remove."],
      [revision, "success", "Applied: 6 to remove."]
    ])
  })

  it("is recorded as failed if the host refuses it, and the run is not affected", async () => {
    const configured = await connected(teams("one"))
    host.intercept = (method, path) => (method === "POST" && path.includes("/statuses/") ? { status: 403 } : undefined)
    try {
      await setSource(configured)
      expect(await reported(configured.owner, 1)).toMatchObject({
        status: "applied",
        commitStatus: {
          result: "failed",
          message: "The app is not allowed to set commit statuses. Give it permission to write them."
        }
      })
    } finally {
      host.intercept = () => undefined
    }
  })
})

describe("a code host that cannot be reached", () => {
  it("is retried, and the run then continues", async () => {
    const configured = await connected(teams("one"))
    let failures = 0
    host.intercept = (_, path) => {
      if (!path.includes("/git/commits/") || failures >= 3) return undefined
      failures += 1
      return { status: 500 }
    }
    try {
      await setSource(configured)
      expect((await ended(configured.owner, 1)).status).toBe("applied")
      expect(failures).toBe(3)
    } finally {
      host.intercept = () => undefined
    }
  })
})
