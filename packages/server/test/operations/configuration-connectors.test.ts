/** Configuration as code: the branches and mappings of connectors, and accounts on code hosts. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeKey, makeWorkspace, runSql } from "../harness.ts"
import {
  actions,
  applied,
  demanded,
  exported,
  type Item,
  makeTwin,
  planned,
  problemsOf,
  refusal,
  send
} from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const plugins = [
  { key: "reviews", name: "Reviews" },
  { key: "lint", name: "Lint" }
]
const mapping = { selector: "skills", objectType: "skill", plugin: "reviews" }
const context = { selector: "docs/context", objectType: "context" }
const branches: ReadonlyArray<Item> = [
  { branch: "main", config: { b: 1, a: [2] }, mappings: [mapping, context] },
  { branch: "next", mappings: [{ ...mapping, plugin: "lint", autoAddToPlugin: false }] }
]
const connector = { key: "skills", name: "Skills", remoteId: "https://git.example/acme/skills", branch: "next" }
const document = (changes: Item = {}) => ({ plugins, connectors: [{ ...connector, branches, ...changes }] })
const stored = [
  {
    branch: "main",
    config: { a: [2], b: 1 },
    mappings: [
      { ...context, autoAddToPlugin: false },
      { ...mapping, autoAddToPlugin: true }
    ]
  },
  { branch: "next", config: {}, mappings: [{ ...mapping, plugin: "lint", autoAddToPlugin: false }] }
]

describe("the branches of connectors in a configuration document", () => {
  it("are connected with their mappings, without reading the repository, and are the same in another organization", async () => {
    const owner = await makeWorkspace(plane)
    const plan = await planned(owner, document({ status: "disabled" }))
    expect(actions(plan)).toEqual(["create plugins reviews", "create plugins lint", "create connectors skills"])
    expect((await exported(owner)).connectors).toEqual([])
    expect(await applied(owner, document({ status: "disabled" }), plan.planDigest)).toEqual(plan)
    expect(actions(await applied(owner, document({ branches: branches.toReversed() })))).toEqual([])
    const first = await exported(owner)
    expect(first.connectors).toMatchObject([{ branch: "next", status: "disabled", branches: stored }])
    expect((await planned(owner, first)).hasChanges).toBe(false)
    const twin = await makeTwin(plane, owner)
    await applied(twin, first)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(first))
    expect(actions(await applied(twin, first))).toEqual([])
  })

  it("change their mappings field by field, and keep those that stay", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document())
    const mappingIds = async () => {
      const [{ id }] = demanded(await owner.call("GET", "/v1/connector-instances")).items
      const { items } = demanded(await owner.call("GET", `/v1/connector-instances/${id}/targets`))
      const main = items.find(({ externalTargetRef }: Item) => externalTargetRef === "refs/heads/main")
      const listed = demanded(await owner.call("GET", `/v1/connector-targets/${main.id}/mappings`)).items
      return Object.fromEntries(listed.map((one: Item) => [one.selector, one.id]))
    }
    const before = await mappingIds()
    const next = [
      {
        branch: "main",
        config: { c: 1 },
        mappings: [
          { ...mapping, plugin: "lint" },
          { ...context, selector: "docs" }
        ]
      },
      branches[1]
    ]
    const plan = await planned(owner, document({ branches: next }))
    expect(actions(plan)).toEqual(["update connectors skills branches"])
    expect(plan.changes[0].fields[0].before).toEqual(stored)
    expect(await applied(owner, document({ branches: next }), plan.planDigest)).toEqual(plan)
    expect(actions(await applied(owner, document({ branches: next })))).toEqual([])
    const after = await mappingIds()
    expect([Object.keys(after).toSorted(), after["skills"]]).toEqual([["docs", "skills"], before["skills"]])
    // Fields that are omitted stay.
    expect(actions(await applied(owner, { connectors: [connector] }))).toEqual([])
    const events = demanded(await owner.call("GET", "/v1/audit-events?limit=100")).items
    expect(events.map(({ action }: Item) => action)).toEqual(
      expect.arrayContaining(
        ["target.create", "target.update", "mapping.create", "mapping.update", "mapping.delete"].map(
          (name) => `connector.${name}`
        )
      )
    )
  })

  it("report what is invalid, with its location", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document())
    const of = (mappings: Item) =>
      document({
        branches: [
          { branch: "next", mappings: [] },
          { branch: "main", mappings }
        ]
      })
    const at = (index: number, field: string) => ["branches", 1, "mappings", index, field]
    expect(await problemsOf(owner, of([context, { ...mapping, plugin: "nothing" }]))).toEqual([
      [at(1, "plugin"), "does not exist: nothing"]
    ])
    expect((await problemsOf(owner, of([mapping, { ...context, selector: "../up" }])))[0][0]).toEqual(at(1, "selector"))
    expect((await problemsOf(owner, of([{ ...context, autoAddToPlugin: true }])))[0][0]).toEqual(
      at(0, "autoAddToPlugin")
    )
    expect(await problemsOf(owner, document({ branches: branches.slice(1) }))).toEqual([
      [["branches"], "must include main, because branches cannot be removed"]
    ])
    const invalid = async (changes: Item) => (await refusal(owner, document(changes))).slice(2)
    expect(await invalid({ branches: branches.slice(0, 1) })).toEqual([
      ["connectors", 0, "branches"],
      "must include the value of `branch`"
    ])
    expect((await invalid({ branches: [...branches, branches[1]] }))[1]).toBe("must not contain duplicate branches")
    expect((await invalid({ branches: [branches[1], { branch: "a", mappings: [mapping, mapping] }] }))[1]).toBe(
      "must not contain duplicate mappings"
    )
    expect(
      (await invalid({ branches: [{ branch: "next", mappings: [{ selector: "a", objectType: "x" }] }] }))[0]
    ).toEqual(["connectors", 0, "branches", 0, "mappings", 0, "objectType"])
    const disabled = await problemsOf(owner, document({ status: "disabled", branches: [...branches, { branch: "z" }] }))
    expect(disabled).toEqual([])
    await applied(owner, document({ status: "disabled" }))
    expect((await problemsOf(owner, document({ branches: [...branches, { branch: "z" }] })))[0][1]).toContain(
      "disabled"
    )
    expect(
      actions(await applied(owner, document({ status: "active", branches: [...branches, { branch: "z" }] })))
    ).toEqual(["update connectors skills status branches"])
  })

  it("lose mappings only for callers with access to all connectors", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document())
    const base = [
      ...["organizations:read", "organizations:write", "connectors:read", "connectors:write", "members:read"],
      ...["teams:read", "marketplaces:read", "marketplaces:manage", "approvals:read", "configObjects:read"]
    ]
    const none = { connectors: document({ branches: [{ branch: "main" }, { branch: "next" }] }).connectors }
    const messageOf = async (permissions: ReadonlyArray<string>) =>
      (await send(await makeKey(plane, owner, permissions), "apply", none)).body.message
    expect(await messageOf(base)).toContain("This requires")
    expect((await exported(owner)).connectors[0].branches).toEqual(stored)
    expect((await send(await addMember(plane, owner, "member"), "apply", none)).body.reason).toBe("permission_required")
    await applied(owner, none)
    expect((await exported(owner)).connectors[0].branches[0].mappings).toEqual([])
    expect((await exported(await makeWorkspace(plane))).connectors).toEqual([])
  })

  it("are changed elsewhere only as the document allows", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, { ...document(), managed: { connectors: "refuse" } })
    const [{ id }] = demanded(await owner.call("GET", "/v1/connector-instances")).items
    const [target] = demanded(await owner.call("GET", `/v1/connector-instances/${id}/targets`)).items
    const { items } = demanded(await owner.call("GET", `/v1/connector-targets/${target.id}/mappings`))
    for (const [method, path, body] of [
      ["PATCH", `/v1/connector-targets/${target.id}`, { config: { x: 1 } }],
      ["POST", `/v1/connector-targets/${target.id}/mappings`, { selector: "new", objectType: "skill" }],
      ["PATCH", `/v1/connector-mappings/${items[0].id}`, { autoAddToPlugin: false }],
      ["DELETE", `/v1/connector-mappings/${items[0].id}`, undefined]
    ] as const) {
      const { body: response, status } = await owner.call(method, path, body)
      expect([path, status, response?.reason]).toEqual([path, 403, "managed_by_configuration"])
    }
    expect((await owner.call("PATCH", `/v1/connector-mappings/${items[0].id}`, {})).status).toBe(200)
  })

  it("leave out mappings that imports created, and the plugin of a mapping if it was archived", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document())
    const [{ id }] = demanded(await owner.call("GET", "/v1/plugins")).items.filter(
      ({ name }: Item) => name === "Reviews"
    )
    expect((await owner.call("POST", `/v1/plugins/${id}/archive`, {})).status).toBe(200)
    await runSql(
      plane,
      (sql) => sql`UPDATE connector_mappings SET config_json = '{"candidateKey":"."}'
        WHERE organization_id = ${owner.organizationId} AND selector = 'docs/context'`
    )
    const first = await exported(owner, "connectors")
    expect(first.connectors[0].branches[0].mappings).toEqual([
      { selector: "skills", objectType: "skill", autoAddToPlugin: false }
    ])
    expect(actions(await applied(owner, first))).toEqual([])
    await applied(owner, { connectors: [{ ...first.connectors[0], name: "Other" }] })
    const rows = await runSql(
      plane,
      (sql) => sql`SELECT plugin_id FROM connector_mappings WHERE organization_id = ${owner.organizationId}
        AND plugin_id = ${id} AND removed_at IS NULL`
    )
    expect(rows).toHaveLength(1)
  })
})

describe("connector accounts in a configuration document", () => {
  const accounts = [
    { key: "mirror", adapter: "git", remoteId: "git:mirror.example:8443", name: "The mirror" },
    { key: "source", remoteId: "git:Git.Example" }
  ]

  it("are created before the connectors that use them, moved, and removed when nothing uses them", async () => {
    const owner = await makeWorkspace(plane)
    const both = { connectorAccounts: accounts, connectors: [connector] }
    const plan = await planned(owner, both)
    expect(actions(plan)).toEqual([
      "create connectorAccounts mirror",
      "create connectorAccounts source",
      "create connectors skills"
    ])
    expect(await applied(owner, both, plan.planDigest)).toEqual(plan)
    expect(actions(await applied(owner, both))).toEqual([])
    const first = await exported(owner)
    expect(first.connectorAccounts).toEqual([
      accounts[0],
      { key: "source", adapter: "git", remoteId: "git:git.example", name: "git.example" }
    ])
    const twin = await makeTwin(plane, owner)
    await applied(twin, first)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(first))
    const moved = {
      connectorAccounts: [accounts[1], { ...accounts[0], key: "copy" }],
      moved: [{ kind: "connectorAccounts", from: "mirror", to: "copy" }]
    }
    expect(actions(await applied(owner, moved))).toEqual(["move connectorAccounts copy"])
    const none = { connectorAccounts: [], prune: { connectorAccounts: true } }
    const { problems } = await planned(owner, none)
    expect(problems).toEqual([
      {
        path: ["prune", "connectorAccounts"],
        message: "cannot be removed: The account is used by connector instances. Remove the instances first."
      }
    ])
    const rest = { ...none, connectorAccounts: [accounts[1]] }
    expect((await refusal(owner, rest))[1]).toBe("plan_digest_required")
    const removal = await planned(owner, rest)
    expect(actions(removal)).toEqual(["delete connectorAccounts copy"])
    await applied(owner, rest, removal.planDigest)
    expect(demanded(await owner.call("GET", "/v1/connector-accounts")).items).toHaveLength(1)
  })

  it("report what is invalid, and require the permissions of their own operations", async () => {
    const owner = await makeWorkspace(plane)
    const of = (changes: Item) => ({ connectorAccounts: [{ ...accounts[0], ...changes }] })
    expect((await problemsOf(owner, of({ adapter: "rest", remoteId: "1" })))[0][0]).toEqual(["adapter"])
    for (const remoteId of ["git:file", "git:", "https://git.example", "git:a/b"]) {
      expect((await problemsOf(owner, of({ remoteId })))[0][0]).toEqual(["remoteId"])
    }
    const base = ["organizations:read", "organizations:write"]
    const messageOf = async (permissions: ReadonlyArray<string>) =>
      (await send(await makeKey(plane, owner, permissions), "apply", of({}))).body.message
    expect(await messageOf(base)).toBe("This requires the permission connectors:read.")
    expect(await messageOf([...base, "connectors:read"])).toContain("This requires access to all objects")
    await applied(owner, of({}))
    expect(await problemsOf(owner, of({ name: "Other" }))).toEqual([
      [["name"], "cannot be changed. Use another key for another account."]
    ])
    await applied(owner, { ...of({}), managed: { connectorAccounts: "refuse" } })
    const [{ id }] = demanded(await owner.call("GET", "/v1/connector-accounts")).items
    expect((await owner.call("POST", `/v1/connector-accounts/${id}/disconnect`)).body.reason).toBe(
      "managed_by_configuration"
    )
    expect((await exported(await makeWorkspace(plane))).connectorAccounts).toEqual([])
  })
})
