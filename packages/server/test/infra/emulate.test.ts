/** Tests the REST adapter with a code host emulator of another project. */
import { createEmulator, type Emulator } from "emulate"
import { afterAll, beforeAll, expect, it } from "vitest"
import { app as ours, serveCodeHost } from "../../../../test/fixtures/code-host-server.ts"
import { makeRepository } from "../../../../test/fixtures/git.ts"
import { join } from "node:path"
import { opened, repositoryOf, run, withApp } from "../../src/infra/adapters/rest/rest.fixture.ts"
import * as Redacted from "effect/Redacted"
import { makeId } from "../../src/infra/ids.ts"
import { contents, imported, marketplace, skill, synced } from "../content/connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, runSql } from "../harness.ts"

const appId = "12345"
let emulator: Emulator
let privateKey: string

beforeAll(async () => {
  emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      tokens: { "octocat-token": { login: "octocat", scopes: ["repo"] } },
      github: {
        users: [{ login: "octocat" }],
        orgs: [{ login: "acme", members: [{ login: "octocat", role: "admin" }] }],
        repos: [
          { owner: "octocat", name: "plugins", private: true, auto_init: true },
          { owner: "octocat", name: "empty", private: true, auto_init: false },
          { owner: "acme", name: "elsewhere", auto_init: true }
        ],
        apps: [
          {
            app_id: Number(appId),
            slug: "orgplane",
            name: "orgplane",
            permissions: { contents: "read", metadata: "read" },
            installations: [{ installation_id: 1, account: "octocat" }]
          }
        ]
      }
    }
  })
  privateKey = emulator.generatedSecrets.find(({ kind }) => kind === "github.app_private_key")?.value ?? ""
})
afterAll(() => emulator.close())

const api = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(emulator.url + path, {
    method,
    headers: { authorization: "Bearer octocat-token", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Commits files on a branch, like a client of the host. */
const push = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const { object } = await api("GET", "/repos/octocat/plugins/git/ref/heads/main")
  const base = await api("GET", `/repos/octocat/plugins/git/commits/${object.sha}`)
  const tree = await api("POST", "/repos/octocat/plugins/git/trees", {
    base_tree: base.tree.sha,
    tree: Object.entries(files).map(([path, content]) => ({ path, mode: "100644", type: "blob", content }))
  })
  const commit = await api("POST", "/repos/octocat/plugins/git/commits", {
    message: "Change files",
    tree: tree.sha,
    parents: [object.sha]
  })
  await api("PATCH", "/repos/octocat/plugins/git/refs/heads/main", { sha: commit.sha })
  return commit.sha
}

const options = () => ({ appId, privateKey: Redacted.make(privateKey) })

it("has the same results with the emulator as with the repository's own test server", async () => {
  const plane = await makeControlPlane({ workers: false })
  const files = { "README.md": "# plugins\n", "a/b/c.md": "deep", "a.md": "é\n", "empty.md": "" }
  await push(files)
  const readme = await api("GET", "/repos/octocat/plugins/git/trees/main?recursive=1")
  expect(readme.truncated).toBe(false)
  const dir = join(plane.repositories, "same")
  makeRepository(dir, files)
  const standIn = await serveCodeHost()
  standIn.add(7, "octocat/plugins", { dir })
  standIn.install(1, { account: "octocat", repositories: [7] })
  const own = await withApp(standIn.url, async (app) => opened(app, repositoryOf(7)).see())
  await standIn.close()
  await withApp(
    emulator.url,
    async (app) => {
      const ref = { installationId: "1", organizationId: "org_test" }
      const info = await run(app.find(ref, "octocat/plugins"))
      expect(info).toMatchObject({ fullName: "octocat/plugins", defaultBranch: "main" })
      const repository = repositoryOf(info.repositoryId)
      expect(await run(app.inspect(repository))).toEqual(info)
      const seen = await opened(app, repository).see()
      expect(seen.entries).toEqual(own.entries)
      expect([...seen.contents].sort()).toEqual([...own.contents].sort())
      expect(seen).toMatchObject({ truncated: false, strategy: "git-tree-recursive" })
      expect(await run(app.branches(repository, 1, 10))).toEqual({
        items: [{ name: "main", revision: seen.revision }],
        next: null
      })
      const refused = opened(app, repository).refusal
      expect((await refused.head("none")).code).toBe("branch_not_found")
      expect((await refused.see("main", "f".repeat(40))).code).toBe("branch_not_found")
      const empty = repositoryOf((await run(app.find(ref, "octocat/empty"))).repositoryId)
      expect(await run(app.inspect(empty))).toMatchObject({ defaultBranch: null })
      expect((await opened(app, empty).refusal.head("main")).code).toBe("empty_repository")
      expect(await run(app.installUrl("org_test", "s"))).toBe(`${emulator.url}/apps/orgplane/installations/new?state=s`)
    },
    options()
  )
})

it("connects, imports and reconciles a repository of the emulator", async () => {
  const plane = await makeControlPlane({
    codeHostApp: { url: emulator.url, appId, privateKey, clientId: ours.clientId, clientSecret: ours.clientSecret }
  })
  const owner = await makeWorkspace(plane)
  // This host has no list of a person's installations, so the verification is omitted.
  const accountId = makeId("cac")
  await runSql(
    plane,
    (sql) => sql`INSERT INTO connector_accounts (organization_id, id, adapter, remote_id, name, created_at, updated_at)
      VALUES (${owner.organizationId}, ${accountId}, 'rest', '1', 'octocat', now(), now())`
  )
  await push({
    ".claude-plugin/marketplace.json": marketplace(["reviewer"]),
    "plugins/reviewer/skills/review/SKILL.md": skill("review")
  })
  const setup = (repositoryFullName: string) =>
    owner.call("POST", "/v1/connectors/codehost/setup", {
      adapter: "rest",
      connectorAccountId: accountId,
      repositoryFullName
    })
  const response = await setup("octocat/plugins")
  expect(response.status).toBe(201)
  const connected = { instance: response.body.item.connectorInstance, target: response.body.item.connectorTarget }
  for (const name of ["acme/elsewhere", "octocat/none"]) expect((await setup(name)).status).toBe(400)
  expect((await imported(owner, connected)).syncEvent).toMatchObject({ status: "completed" })
  const revision = await push({ "plugins/reviewer/skills/review/SKILL.md": skill("review", "Read it twice.") })
  expect(await synced(owner, connected)).toMatchObject({ status: "completed", revision, counts: { objectsUpdated: 1 } })
  expect((await contents(owner))["reviewer"]?.["skill plugins/reviewer/skills/review/SKILL.md"]).toContain(
    "Read it twice."
  )
})
