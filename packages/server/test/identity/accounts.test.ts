import { beforeAll, describe, expect, it } from "vitest"
import { app, type CodeHostServer } from "../../../../test/fixtures/code-host-server.ts"
import { makeRepository } from "../../../../test/fixtures/git.ts"
import { join } from "node:path"
import { appAt, install, makeCodeHost } from "../content/code-host.fixture.ts"
import { all, connect, repositoryIn } from "../content/connectors.fixture.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeWorkspace,
  rowCounts,
  runSql,
  signIn,
  type TestPlane,
  type Workspace,
  call
} from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"

let host: CodeHostServer
let plane: TestPlane
let installations = 100

/** A second installation with its own repository, which ada administers and rob can read. */
const installed = (repositories: ReadonlyArray<string> = ["plugins"]) => {
  const id = (installations += 1)
  const ids = repositories.map((name, index) => {
    const dir = join(plane.repositories, `host-${id}-${index}`)
    makeRepository(dir, { "a.md": name }, { branch: "trunk" })
    host.add(id * 1000 + index, `team-${id}/${name}`, { dir })
    return id * 1000 + index
  })
  host.install(id, { account: `team-${id}`, repositories: ids, admins: ["ada"], readers: ["rob"] })
  return { id: String(id), repositoryIds: ids.map(String), account: `team-${id}` }
}

const start = async (person: Workspace) =>
  (await person.call("POST", "/v1/connectors/codehost/install/start")).body.item
const complete = (person: Pick<Workspace, "call">, state: string, code: string, installationId: string) =>
  person.call("POST", "/v1/connectors/codehost/install/complete", { state, code, installationId })

beforeAll(async () => {
  host = await makeCodeHost()
  plane = await makeControlPlane(appAt(host))
})

describe("connector app installation", () => {
  it("creates an account for an installation that the user administers, and returns it again on a second completion", async () => {
    const owner = await makeWorkspace(plane)
    const there = installed()
    const started = await owner.call("POST", "/v1/connectors/codehost/install/start")
    expect(started.status).toBe(200)
    expect(started.headers.get("cache-control")).toBe("no-store")
    const { expiresAt, state, url } = started.body.item
    expect(url).toBe(`${host.url}/apps/${app.slug}/installations/new?state=${state}`)
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
    const completed = await complete(owner, state, host.codeOf("ada"), there.id)
    expect(completed.status).toBe(201)
    expect(completed.body.item).toMatchObject({
      adapter: "rest",
      remoteId: there.id,
      name: there.account,
      status: "active",
      statusReason: null
    })
    const again = await complete(owner, (await start(owner)).state, host.codeOf("ada"), there.id)
    expect([again.status, again.body.item.id]).toEqual([200, completed.body.item.id])
    expect(await all(owner.client.connectors.listAccounts())).toHaveLength(1)
    expect(host.liveUserTokens()).toBe(0)
  })

  it("replays the response of an idempotency key without doing anything", async () => {
    const owner = await makeWorkspace(plane)
    const there = installed()
    const body = { state: (await start(owner)).state, code: host.codeOf("ada"), installationId: there.id }
    const ask = () =>
      owner.call("POST", "/v1/connectors/codehost/install/complete", body, { "idempotency-key": "complete" })
    const first = await ask()
    const requestCount = host.seen.length
    const again = await ask()
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(host.seen.length).toBe(requestCount)
    const begin = () =>
      owner.call("POST", "/v1/connectors/codehost/install/start", undefined, { "idempotency-key": "start" })
    const begun = await begin()
    const twice = await begin()
    expect([begun.status, twice.status, twice.body.error]).toEqual([200, 409, "idempotency_key_completed"])
    expect(twice.text).not.toContain(begun.body.item.state)
  })

  it("binds the installation to the session that started it, and stays usable after another session tried it", async () => {
    const owner = await makeWorkspace(plane)
    const other = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const elsewhere = await signIn(plane, owner.userId, owner.organizationId)
    const there = installed()
    const { state } = await start(owner)
    const before = await rowCounts(plane)
    const requestCount = host.seen.length
    for (const person of [other, admin, { call: call(plane, elsewhere.token) }]) {
      const response = await complete(person, state, host.codeOf("ada"), there.id)
      expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "state"]])
    }
    expect(await rowCounts(plane)).toEqual(before)
    // No code was used for it.
    expect(host.seen.length).toBe(requestCount)
    expect((await complete(owner, state, host.codeOf("ada"), there.id)).status).toBe(201)
  })

  it("expires after ten minutes and can be used once", async () => {
    const owner = await makeWorkspace(plane)
    const there = installed()
    const { state } = await start(owner)
    const twins = await Promise.all(
      Array.from({ length: 5 }, () => complete(owner, state, host.codeOf("ada"), there.id))
    )
    expect(twins.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400])
    const late = await start(owner)
    await runSql(plane, (sql) => sql`UPDATE connector_installs SET expires_at = now() - interval '1 second'`)
    expect((await complete(owner, late.state, host.codeOf("ada"), there.id)).status).toBe(400)
    const stored = await runSql(plane, (sql) => sql`SELECT row_to_json(t)::text AS text FROM connector_installs t`)
    expect(JSON.stringify(stored)).not.toContain(late.state)
  })

  it("rejects a user who does not administer all of it, with the same response as for a missing installation", async () => {
    const owner = await makeWorkspace(plane)
    const there = installed(["one", "two"])
    const refused = []
    for (const [login, id] of [
      ["rob", there.id],
      ["eve", there.id],
      ["ada", "999999"],
      ["ada", "1e3"],
      ["ada", `${there.id}/repositories`]
    ] as const) {
      refused.push(await complete(owner, (await start(owner)).state, host.codeOf(login), id))
    }
    for (const response of refused) expect([response.status, response.body]).toEqual([400, refused[0]?.body])
    expect(refused[0]?.body.details[0].path).toEqual(["body", "installationId"])
    const spent = await complete(owner, (await start(owner)).state, "nothing", there.id)
    expect([spent.status, spent.body.details[0].path]).toEqual([400, ["body", "code"]])
    expect(await all(owner.client.connectors.listAccounts())).toEqual([])
    expect(host.liveUserTokens()).toBe(0)
  })

  it("assigns an installation to one organization until that organization disconnects it", async () => {
    const [first, second] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const there = installed()
    const account = await install(host, first, there.id)
    const taken = await complete(second, (await start(second)).state, host.codeOf("ada"), there.id)
    expect([taken.status, taken.body.error]).toEqual([409, "installation_taken"])
    expect(await all(second.client.connectors.listAccounts())).toEqual([])
    expect((await first.call("POST", `/v1/connector-accounts/${account.id}/disconnect`)).body.item.status).toBe(
      "disconnected"
    )
    expect((await first.call("GET", `/v1/connector-accounts/${account.id}`)).status).toBe(404)
    expect((await install(host, second, there.id)).remoteId).toBe(there.id)
    const races = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const raced = installed()
    const states = await Promise.all(races.map(start))
    const responses = await Promise.all(
      races.map((person, index) => complete(person, states[index].state, host.codeOf("ada"), raced.id))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  it("reports a suspended installation", async () => {
    const owner = await makeWorkspace(plane)
    const there = installed()
    const { state } = await start(owner)
    host.suspend(Number(there.id), true)
    const response = await complete(owner, state, host.codeOf("ada"), there.id)
    // Its repositories cannot be read, so no user can prove to administer it.
    expect([response.status, response.body.error]).toEqual([502, "codehost_api_error"])
    expect(response.body.message).toContain("suspended")
  })

  it("requires a user who may connect repositories, not an API key or plain member", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const key = await makeKey(plane, owner, ["connectors:read", "connectors:write", "connectors:manage"])
    for (const path of ["start", "complete"]) {
      const body = path === "start" ? undefined : { state: "s", code: "c", installationId: "1" }
      const refused = await key.call("POST", `/v1/connectors/codehost/install/${path}`, body)
      expect([refused.status, refused.body.reason]).toEqual([403, "session_required"])
      expect((await member.call("POST", `/v1/connectors/codehost/install/${path}`, body)).body.reason).toBe(
        "permission_required"
      )
    }
  })

  it("fails when no app is configured or the code host is unavailable", async () => {
    const bare = await makeControlPlane()
    const owner = await makeWorkspace(bare)
    const response = await owner.call("POST", "/v1/connectors/codehost/install/start")
    expect([response.status, response.body.error]).toEqual([409, "codehost_not_configured"])
    host.intercept = () => ({ status: 500 })
    const away = await makeControlPlane(appAt(host))
    const person = await makeWorkspace(away)
    const failed = await person.call("POST", "/v1/connectors/codehost/install/start")
    host.intercept = () => undefined
    expect([failed.status, failed.body.error]).toEqual([502, "codehost_api_error"])
  })
})

describe("connector accounts", () => {
  it("creates one plain Git account per host", async () => {
    const owner = await makeWorkspace(plane)
    const response = await owner.call("POST", "/v1/connector-accounts", {
      adapter: "git",
      url: "https://Git.Example:443/"
    })
    expect([response.status, response.body.item.remoteId, response.body.item.name]).toEqual([
      201,
      "git:git.example",
      "git.example"
    ])
    const twin = await owner.call("POST", "/v1/connector-accounts", { adapter: "git", url: "https://git.example" })
    expect([twin.status, twin.body.error]).toEqual([409, "connector_account_exists"])
    for (const url of [
      "git.example",
      "ssh://git.example",
      "https://git.example/a",
      "https://u:p@git.example",
      "file:///"
    ]) {
      const refused = await owner.call("POST", "/v1/connector-accounts", { adapter: "git", url })
      expect([url, refused.status, refused.body.details?.[0].path]).toEqual([url, 400, ["body", "url"]])
    }
    expect(
      (await owner.call("POST", "/v1/connector-accounts", { adapter: "rest", url: "https://a.example" })).status
    ).toBe(400)
    const { id } = response.body.item
    expect((await owner.client.connectors.getAccount(id)).name).toBe("git.example")
    const listed = await owner.call("GET", `/v1/connector-accounts/${id}/repositories`)
    expect([listed.status, listed.body.error]).toEqual([409, "repositories_not_listed"])
  })

  it("are listed by part of the name or of the remote ID, if the caller sees them", async () => {
    const owner = await makeWorkspace(plane)
    const path = "/v1/connector-accounts"
    const ids: Array<string> = []
    for (const [index, name] of searchedNames.entries()) {
      const url = `https://git-${index}.example`
      ids.push((await owner.call("POST", path, { adapter: "git", url, name })).body.item.id)
    }
    await expectSearch(owner, { path, ids })
    expect((await owner.call("GET", `${path}?q=GIT-1.ex`)).body.items).toMatchObject([{ id: ids[1] }])
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", `${path}?q=blue`)).body.items).toEqual([])
  })

  it("cannot be disconnected while a connector instance uses them", async () => {
    const owner = await makeWorkspace(plane)
    const { instance } = await connect(owner, repositoryIn(plane, { "a.md": "a" }))
    const path = `/v1/connector-accounts/${instance.connectorAccountId}/disconnect`
    const used = await owner.call("POST", path)
    expect([used.status, used.body.error]).toEqual([409, "connector_account_in_use"])
    await owner.client.connectors.remove(instance.id)
    const headers = { "idempotency-key": "once" }
    expect((await owner.call("POST", path, undefined, headers)).status).toBe(200)
    expect((await owner.call("POST", path, undefined, headers)).status).toBe(200)
    expect((await owner.call("POST", path)).status).toBe(404)
    // The next connection to the host creates its account again.
    expect((await connect(owner, repositoryIn(plane, { "a.md": "a" }))).instance.connectorAccountId).not.toBe(
      instance.connectorAccountId
    )
  })

  it("are visible to members who may connect repositories, or who can see an instance of the account", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { instance } = await connect(owner, repositoryIn(plane, { "a.md": "a" }))
    await owner.client.connectors.createAccount({ adapter: "git", url: "https://unused.example" })
    expect(await all(owner.client.connectors.listAccounts())).toHaveLength(2)
    expect(await all(member.client.connectors.listAccounts())).toEqual([])
    expect((await member.call("GET", `/v1/connector-accounts/${instance.connectorAccountId}`)).status).toBe(404)
    await owner.client.connectors.grantAccess(instance.id, { orgMembershipId: member.membershipId, role: "viewer" })
    expect((await all(member.client.connectors.listAccounts())).map(({ id }) => id)).toEqual([
      instance.connectorAccountId
    ])
    expect(
      (await member.call("GET", `/v1/connector-accounts/${instance.connectorAccountId}/repositories`)).status
    ).toBe(403)
  })
})

describe("connectable repositories", () => {
  it("lists repositories and branches page by page", async () => {
    const owner = await makeWorkspace(plane)
    const names = Array.from({ length: 7 }, (_, index) => `r${index}`)
    const there = installed(names)
    const { id } = await install(host, owner, there.id)
    const pages = []
    let cursor: string | null = null
    do {
      const search = new URLSearchParams({ limit: "3", ...(cursor === null ? {} : { cursor }) })
      const { body } = await owner.call("GET", `/v1/connector-accounts/${id}/repositories?${search}`)
      pages.push(body.items.map((row: { fullName: string }) => row.fullName.split("/")[1]))
      cursor = body.nextCursor
    } while (cursor !== null)
    expect(pages).toEqual([["r0", "r1", "r2"], ["r3", "r4", "r5"], ["r6"]])
    const [first] = await all(owner.client.connectors.listRepositories(id))
    expect(first).toEqual({
      id: there.repositoryIds[0],
      fullName: `${there.account}/r0`,
      defaultBranch: "trunk",
      private: true
    })
    const branches = await all(owner.client.connectors.listBranches(id, { remoteId: there.repositoryIds[0] ?? "" }))
    expect(branches).toEqual([{ name: "trunk", revision: expect.stringMatching(/^[0-9a-f]{40}$/) }])
    const strange = await owner.call("GET", `/v1/connector-accounts/${id}/branches?remoteId=999999`)
    expect([strange.status, strange.body.details[0].path]).toEqual([400, ["query", "remoteId"]])
    expect((await owner.call("GET", `/v1/connector-accounts/${id}/branches`)).status).toBe(400)
    const other = await makeWorkspace(plane)
    expect((await other.call("GET", `/v1/connector-accounts/${id}/repositories`)).status).toBe(404)
  })

  it("connects a repository by name or id when an account of the organization includes it", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const [there, elsewhere] = [installed(), installed()]
    const account = await install(host, owner, there.id)
    const foreign = await install(host, other, elsewhere.id)
    const setup = (more: object) =>
      owner.call("POST", "/v1/connectors/codehost/setup", {
        adapter: "rest",
        repositoryFullName: `${there.account}/plugins`,
        connectorAccountId: account.id,
        ...more
      })
    const response = await setup({ name: "By name" })
    expect(response.status).toBe(201)
    expect(response.body.item).toMatchObject({
      connectorAccount: { id: account.id },
      connectorInstance: { adapter: "rest", remoteId: there.repositoryIds[0], name: "By name" },
      connectorTarget: { remoteId: `${there.repositoryIds[0]}#trunk`, externalTargetRef: "refs/heads/trunk" }
    })
    const before = await rowCounts(plane)
    for (const [more, path] of [
      [{ repositoryFullName: `${elsewhere.account}/plugins` }, "repositoryFullName"],
      [{ repositoryFullName: "../../app" }, "repositoryFullName"],
      [{ connectorAccountId: foreign.id }, "connectorAccountId"],
      [{ connectorAccountId: "cac_01h455vb4pex5vsknk084sn02q" }, "connectorAccountId"],
      [{ connectorAccountId: undefined }, "connectorAccountId"],
      [{ cloneUrl: "https://git.example/a/b" }, "cloneUrl"],
      [{ credential: { token: "t" } }, "credential"],
      [{ branch: "none" }, "branch"],
      [{ adapter: "git", cloneUrl: "/nowhere", repositoryFullName: undefined }, "connectorAccountId"]
    ] as const) {
      const refused = await setup(more)
      expect([more, refused.status, refused.body.details?.[0].path]).toEqual([more, 400, ["body", path]])
    }
    expect(await rowCounts(plane)).toEqual(before)
    const created = await owner.call("POST", "/v1/connector-instances", {
      connectorAccountId: account.id,
      remoteId: there.repositoryIds[0],
      name: "By id",
      config: { a: 1 }
    })
    expect([created.status, created.body.item.name, created.body.item.instanceConfigJson]).toEqual([
      201,
      "By id",
      { a: 1 }
    ])
    expect(Object.keys(created.body.item)).not.toContain("hasCredential")
    for (const [remoteId, status] of [
      [elsewhere.repositoryIds[0], 400],
      ["../app", 400]
    ] as const) {
      const refused = await owner.call("POST", "/v1/connector-instances", { connectorAccountId: account.id, remoteId })
      expect([refused.status, refused.body.details[0].path]).toEqual([status, ["body", "remoteId"]])
      const moved = await owner.call("PATCH", `/v1/connector-instances/${created.body.item.id}`, { remoteId })
      expect([moved.status, moved.body.details[0].path]).toEqual([400, ["body", "remoteId"]])
    }
    const git = await owner.client.connectors.createAccount({ adapter: "git", url: "https://git.example" })
    const wrong = await owner.call("POST", "/v1/connector-instances", {
      connectorAccountId: git.id,
      remoteId: "https://other.example/a/b"
    })
    expect([wrong.status, wrong.body.details[0].path]).toEqual([400, ["body", "connectorAccountId"]])
  })
})
