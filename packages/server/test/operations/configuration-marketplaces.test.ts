/** Configuration as code: marketplaces and access to them. */
import { describe, expect, it } from "vitest"
import { imported, connect, marketplace, repositoryIn, skill } from "../content/connectors.fixture.ts"
import { addMember, makeControlPlane, makeKey, makeWorkspace } from "../harness.ts"
import { actions, applied, exported, makePeople, makeTwin, planned, refusal } from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const grantsOf = async (person: Awaited<ReturnType<typeof makeWorkspace>>, id: string) =>
  (await person.call("GET", `/v1/marketplaces/${id}/access`)).body.items
    .filter(({ removedAt }: { removedAt: string | null }) => removedAt === null)
    .map(({ orgMembershipId, orgWide, role, teamId }: Record<string, unknown>) => [
      orgWide ? "everyone" : (teamId ?? orgMembershipId),
      role
    ])

describe("marketplaces in a configuration document", () => {
  it("are created with their delivery mode and exactly the listed grants, which a plan shows before", async () => {
    const { emails, owner, people } = await makePeople(plane, 1)
    const [email] = emails
    const document = {
      teams: [{ key: "platform", name: "Platform" }],
      marketplaces: [
        {
          key: "tools",
          name: "Tools",
          description: "For everyone",
          logoUrl: "https://example.com/logo.png",
          deliveryMode: "hold_all",
          access: [
            { member: email?.toUpperCase(), role: "manager" },
            { everyone: true, role: "viewer" },
            { team: "platform", role: "editor" }
          ]
        }
      ]
    }
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["create teams platform", "create marketplaces tools"])
    expect((await owner.call("GET", "/v1/marketplaces")).body.items).toEqual([])
    expect(await applied(owner, document, plan.planDigest)).toEqual(plan)
    const [made] = (await owner.call("GET", "/v1/marketplaces")).body.items
    expect(made).toMatchObject({ name: "Tools", description: "For everyone", logoUrl: "https://example.com/logo.png" })
    const [team] = (await owner.call("GET", "/v1/teams")).body.items
    expect((await grantsOf(owner, made.id)).toSorted()).toEqual(
      [
        [people[0]?.membershipId, "manager"],
        [team.id, "editor"],
        ["everyone", "viewer"]
      ].toSorted()
    )
    expect((await owner.call("GET", `/v1/approval-settings/marketplaces/${made.id}`)).body.item.deliveryMode).toBe(
      "hold_all"
    )
    expect((await exported(owner, "marketplaces")).marketplaces).toEqual([
      {
        key: "tools",
        name: "Tools",
        description: "For everyone",
        logoUrl: "https://example.com/logo.png",
        deliveryMode: "hold_all",
        access: [
          { everyone: true, role: "viewer" },
          { member: email, role: "manager" },
          { team: "platform", role: "editor" }
        ]
      }
    ])
    expect(actions(await applied(owner, document))).toEqual([])
    const changed = {
      marketplaces: [
        { key: "tools", name: "Tools", deliveryMode: "auto", access: [{ team: "platform", role: "viewer" }] }
      ]
    }
    expect(actions(await applied(owner, changed))).toEqual(["update marketplaces tools deliveryMode access"])
    expect(await grantsOf(owner, made.id)).toEqual([[team.id, "viewer"]])
    expect(actions(await applied(owner, changed))).toEqual([])
    // A field that is omitted is not changed.
    expect(actions(await applied(owner, { marketplaces: [{ key: "tools", name: "Tools 2" }] }))).toEqual([
      "update marketplaces tools name"
    ])
    expect(await grantsOf(owner, made.id)).toEqual([[team.id, "viewer"]])
    const audited = (await owner.call("GET", "/v1/audit-events?limit=100")).body.items
    expect(audited.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(["marketplace.create", "marketplace.grant", "marketplace.revoke", "marketplace.update"])
    )
  })

  it("without grants can be accessed by their creator only", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, { marketplaces: [{ key: "tools", name: "Tools" }] })
    const [made] = (await owner.call("GET", "/v1/marketplaces")).body.items
    expect(await grantsOf(owner, made.id)).toEqual([[owner.membershipId, "manager"]])
  })

  it("report recipients that do not exist, and malformed entries, by their location", async () => {
    const { owner } = await makePeople(plane, 0)
    const entry = { key: "tools", name: "Tools" }
    const withAccess = (...access: ReadonlyArray<object>) => ({ marketplaces: [{ ...entry, access }] })
    expect(await refusal(owner, withAccess({ everyone: true, role: "viewer" }, { team: "x", role: "viewer" }))).toEqual(
      [400, "invalid_request", ["marketplaces", 0, "access", 1, "team"], "does not exist: x"]
    )
    expect(await refusal(owner, withAccess({ member: "nobody@x.example", role: "viewer" }))).toEqual([
      400,
      "invalid_request",
      ["marketplaces", 0, "access", 0, "member"],
      "is not the email address of a member: nobody@x.example"
    ])
    for (const [document, place] of [
      [withAccess({ role: "viewer" }), ["marketplaces", 0, "access", 0]],
      [withAccess({ everyone: true, role: "owner" }), ["marketplaces", 0, "access", 0, "role"]],
      [
        withAccess({ member: "A@x.example", role: "viewer" }, { member: "a@x.example", role: "editor" }),
        ["marketplaces", 0, "access"]
      ],
      [{ marketplaces: [{ key: "tools" }] }, ["marketplaces", 0]],
      [{ marketplaces: [{ ...entry, source: { connector: "c", branch: "main" } }] }, ["marketplaces", 0]],
      [{ marketplaces: [{ ...entry, deliveryMode: "never" }] }, ["marketplaces", 0, "deliveryMode"]]
    ] as const) {
      expect((await refusal(owner, document)).slice(0, 3)).toEqual([400, "invalid_request", place])
    }
    expect(
      await refusal(owner, { marketplaces: [{ key: "tools", source: { connector: "c", branch: "main" } }] })
    ).toEqual([400, "invalid_request", ["marketplaces", 0, "source"], "is not the source of an imported marketplace"])
    expect((await owner.call("GET", "/v1/marketplaces")).body.items).toEqual([])
  })

  it("are archived by prune, with the digest of the plan", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, {
      marketplaces: [
        { key: "a", name: "A" },
        { key: "b", name: "B" }
      ]
    })
    const document = { marketplaces: [{ key: "a", name: "A" }], prune: { marketplaces: true } }
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["delete marketplaces b"])
    expect(await refusal(owner, document)).toEqual([409, "plan_digest_required"])
    await applied(owner, document, plan.planDigest)
    const listed = (await owner.call("GET", "/v1/marketplaces?archived=true")).body.items
    expect(listed.map(({ archivedAt, name }: Record<string, unknown>) => [name, archivedAt !== null])).toEqual([
      ["B", true],
      ["A", false]
    ])
  })

  it("require access to all marketplaces, and the permissions of the changed fields", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const document = { marketplaces: [{ key: "a", name: "A", deliveryMode: "hold_all" }] }
    const { planDigest } = await planned(owner, document)
    expect(await refusal(stranger, document, planDigest)).toEqual([409, "plan_digest_mismatch"])
    const read = [
      "organizations:read",
      "organizations:write",
      "marketplaces:read",
      "approvals:read",
      "teams:read",
      "members:read"
    ]
    for (const permissions of [
      read,
      [...read, "marketplaces:write", "approvals:manage"],
      [...read, "marketplaces:manage", "marketplaces:write"]
    ]) {
      const key = await makeKey(plane, owner, permissions)
      expect(await refusal(key, document)).toEqual([403, "permission_required"])
    }
    const key = await makeKey(plane, owner, [...read, "marketplaces:manage", "marketplaces:write", "approvals:manage"])
    expect(actions(await applied(key, document))).toEqual(["create marketplaces a"])
    expect(actions(await applied(owner, document))).toEqual([])
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", "/v1/configuration?kinds=marketplaces")).status).toBe(403)
  })

  it("that were imported are addressed by their source, never removed, and can be shared", async () => {
    const owner = await makeWorkspace(plane)
    const files = {
      ".claude-plugin/marketplace.json": marketplace(["lint"]),
      "plugins/lint/skills/lint/SKILL.md": skill("lint")
    }
    const connected = await connect(owner, repositoryIn(plane, files), "Acme tools")
    await imported(owner, connected)
    const [before] = (await exported(owner, "marketplaces")).marketplaces
    expect(before).toMatchObject({ source: { connector: "acme-tools", branch: "main" } })
    expect(Object.keys(before)).toEqual(["key", "source", "logoUrl", "deliveryMode", "access"])
    const document = {
      marketplaces: [{ key: "acme", source: before.source, access: [{ everyone: true, role: "viewer" }] }],
      prune: { marketplaces: true }
    }
    expect(actions(await applied(owner, document))).toEqual([
      "adopt marketplaces acme",
      "update marketplaces acme access"
    ])
    expect(actions(await applied(owner, document))).toEqual([])
    expect((await exported(owner, "marketplaces")).marketplaces).toMatchObject([
      { key: "acme", access: [{ everyone: true, role: "viewer" }] }
    ])
    const renamed = { marketplaces: [{ key: "acme", name: "Ours" }] }
    expect((await planned(owner, renamed)).problems).toEqual([
      {
        path: ["marketplaces", 0, "name"],
        message: "comes from the repository. Replace it with the `source` of the object"
      }
    ])
    const moved = { marketplaces: [{ key: "acme", source: { connector: "acme-tools", branch: "next" } }] }
    expect((await refusal(owner, moved)).slice(2)).toEqual([
      ["marketplaces", 0, "source"],
      "cannot be changed, because the key belongs to another object"
    ])
    // Another organization does not have the connector.
    const twin = await makeTwin(plane, owner)
    expect((await refusal(twin, document)).slice(0, 3)).toEqual([400, "invalid_request", ["marketplaces", 0, "source"]])
  })
})
