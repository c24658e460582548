import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  mintSession,
  type Person,
  withServices,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane()

interface Path {
  readonly level: string
  readonly steps: ReadonlyArray<{ readonly kind: string }>
}

interface Input {
  readonly orgMembershipId?: string
  readonly object: { readonly kind: string; readonly id: string }
  readonly action?: string
}
const explain = (person: Person, input: Input, headers?: Record<string, string>) =>
  person.call("POST", "/v1/access/explain", { action: "view", ...input }, headers)

/** A marketplace with one plugin with one skill, all private to the owner. */
const shelf = async (owner: Workspace) => {
  const organizationId = owner.organizationId as Id<"org">
  const plugin = await owner.client.plugins.create({ name: "Reviewer" })
  const skill = await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: "---\nname: review\ndescription: Reviews it.\n---\nReview it." },
    pluginIds: [plugin.id]
  })
  const marketplace = { kind: "marketplace", id: makeId("mkt") } as const
  await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      yield* sql`INSERT INTO marketplaces (organization_id, id, name, created_at, updated_at)
        VALUES (${organizationId}, ${marketplace.id}, 'Shelf', now(), now())`
      yield* sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
        VALUES (${organizationId}, ${makeId("mkp")}, ${marketplace.id}, ${plugin.id}, now())`
    }).pipe(Effect.orDie)
  )
  return {
    plugin: { kind: "plugin", id: plugin.id } as const,
    skill: { kind: "configObject", id: skill.id, title: skill.title } as const,
    marketplace
  }
}

const makeTeam = (organization: string, name: string, ...members: ReadonlyArray<Workspace>) => {
  const id = makeId("tem")
  const organizationId = organization as Id<"org">
  return withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      yield* sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
        VALUES (${organizationId}, ${id}, ${name}, now(), now())`
      for (const { membershipId } of members) {
        yield* sql`INSERT INTO team_members (organization_id, team_id, membership_id)
          VALUES (${organizationId}, ${id}, ${membershipId})`
      }
      return id
    }).pipe(Effect.orDie)
  )
}

const objectMissing = { error: "object_not_found", message: "No such object." }

describe("POST /v1/access/explain", () => {
  it("explains to an owner that the role grants access, and lists every other path", async () => {
    const owner = await makeWorkspace(plane)
    const { plugin } = await shelf(owner)
    const { body, status } = await explain(owner, { object: plugin, action: "manage" })
    expect(status).toBe(200)
    expect(body.explanation).toMatchObject({ allowed: true, level: "manager", needed: "manager", missing: null })
    expect(body.explanation.paths.map((path: Path) => path.steps.map(({ kind }) => kind))).toEqual([
      ["member", "role", "object"],
      ["member", "grant", "object"]
    ])
    expect(body.explanation.paths[0].steps[1].label).toBe("owner")
  })

  it("shows a member the complete path: team, grant, marketplace, plugin, object", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { marketplace, plugin, skill } = await shelf(owner)
    const team = await makeTeam(owner.organizationId, "Reviewers", member)
    const shared = await owner.client.marketplaces.grantAccess(marketplace.id, { teamId: team, role: "manager" })
    const { explanation } = (await explain(member, { object: skill })).body
    expect(explanation).toMatchObject({ allowed: true, level: "viewer", needed: "viewer", missing: null })
    expect(explanation.paths).toEqual([
      {
        level: "viewer",
        steps: [
          { kind: "member", id: member.membershipId, label: "You" },
          { kind: "team", id: team, label: "Reviewers" },
          { kind: "grant", id: shared.id, label: "manager" },
          { kind: "marketplace", id: marketplace.id, label: "Shelf" },
          { kind: "plugin", id: plugin.id, label: "Reviewer" },
          { kind: "object", id: skill.id, label: skill.title }
        ]
      }
    ])
    const more = (await explain(member, { object: skill, action: "edit" })).body.explanation
    expect([more.allowed, more.level]).toEqual([false, "viewer"])
    expect(more.missing).toContain("a grant with editor access on the config object")
  })

  it("explains what another member without access is missing", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { skill } = await shelf(owner)
    const { explanation } = (await explain(owner, { orgMembershipId: member.membershipId, object: skill })).body
    expect(explanation).toMatchObject({ allowed: false, level: null, needed: "viewer", paths: [] })
    expect(explanation.missing).toContain("Required: a grant with viewer access")
    expect(explanation.missing).toContain("plugin or marketplace that contains it")
  })

  it("lists the path with the highest level first and at most 50 paths", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { plugin } = await shelf(owner)
    for (let index = 0; index < 52; index++) {
      const teamId = await makeTeam(owner.organizationId, `Team ${index}`, member)
      await owner.client.plugins.grantAccess(plugin.id, { teamId, role: index === 40 ? "editor" : "viewer" })
    }
    const { explanation } = (await explain(member, { object: plugin })).body
    expect(explanation.level).toBe("editor")
    expect(explanation.paths.length).toBe(50)
    expect(explanation.paths.map((path: Path) => path.level).slice(0, 2)).toEqual(["editor", "viewer"])
  })

  it("hides what the caller cannot see", async () => {
    const owner = await makeWorkspace(plane)
    const asker = await addMember(plane, owner, "member")
    const member = await addMember(plane, owner, "member")
    const { marketplace, skill } = await shelf(owner)
    await owner.client.marketplaces.grantAccess(marketplace.id, {
      orgMembershipId: member.membershipId,
      role: "viewer"
    })
    await owner.client.configObjects.grantAccess(skill.id, {
      orgMembershipId: asker.membershipId,
      role: "viewer"
    })
    // Callers who ask about others without being an admin need a custom role.
    const { makeExplain } = await import("../../src/identity/access/explain.ts")
    const explanation = await withServices(
      plane,
      Effect.gen(function* () {
        const ask = yield* makeExplain
        return yield* ask(
          {
            kind: "member",
            organizationId: owner.organizationId as Id<"org">,
            principal: {
              kind: "session",
              sessionId: null,
              userId: makeId("usr"),
              membershipId: asker.membershipId as Id<"om">
            },
            isAdmin: false,
            isOwner: false,
            permissions: new Set(["access:read"] as const),
            provisional: false,
            hasManagedObjects: false,
            plan: "enterprise",
            request: {} as never
          },
          { orgMembershipId: member.membershipId as Id<"om">, object: skill, action: "view" }
        )
      }).pipe(Effect.orDie)
    )
    expect(explanation.level).toBe("viewer")
    expect(explanation.paths).toEqual([
      {
        level: "viewer",
        steps: [
          { kind: "member", id: member.membershipId, label: member.membershipId },
          { kind: "hidden", id: null, label: "Something you cannot see" },
          { kind: "object", id: skill.id, label: skill.title }
        ]
      }
    ])
    expect(JSON.stringify(explanation)).not.toContain(marketplace.id)
  })

  it("returns 403 for a question about another member without access:read, even if the object does not exist", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { plugin } = await shelf(owner)
    const refused = await explain(member, { orgMembershipId: owner.membershipId, object: plugin })
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    const elsewhere = await explain(member, { orgMembershipId: makeId("om"), object: { kind: "plugin", id: "x" } })
    expect(elsewhere.text).toBe(refused.text)
    // Naming oneself explicitly needs no permission.
    expect((await explain(member, { orgMembershipId: member.membershipId, object: plugin })).body).toEqual(
      objectMissing
    )
  })

  it("returns 404 for an object that is missing, foreign, invisible, removed, malformed, or of another kind", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const stranger = await makeWorkspace(plane)
    const { plugin } = await shelf(owner)
    const missing = await explain(owner, { object: { kind: "plugin", id: makeId("plg") } })
    expect([missing.status, missing.body]).toEqual([404, objectMissing])
    expect((await explain(stranger, { object: plugin })).text).toBe(missing.text)
    expect((await explain(member, { object: plugin })).text).toBe(missing.text)
    expect((await explain(owner, { object: { kind: "plugin", id: "%00';--" } })).text).toBe(missing.text)
    expect((await explain(owner, { object: { ...plugin, kind: "marketplace" } })).text).toBe(missing.text)
    for (const kind of ["mcpConnection", "llmProvider"]) {
      expect((await explain(owner, { object: { kind, id: makeId("emc") } })).text).toBe(missing.text)
    }
  })

  it("returns the same 400 for a member who is missing, foreign or removed", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const formerMember = await addMember(plane, owner, "member")
    const { plugin } = await shelf(owner)
    await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql`UPDATE memberships SET removed_at = now()
          WHERE organization_id = ${owner.organizationId} AND id = ${formerMember.membershipId}`
      ).pipe(Effect.orDie)
    )
    const missing = await explain(owner, { orgMembershipId: makeId("om"), object: plugin })
    expect(missing.status).toBe(400)
    expect(missing.body).toEqual({
      error: "invalid_request",
      details: [{ path: ["body", "orgMembershipId"], message: "does not exist in the organization" }]
    })
    expect((await explain(owner, { orgMembershipId: stranger.membershipId, object: plugin })).text).toBe(missing.text)
    expect((await explain(owner, { orgMembershipId: formerMember.membershipId, object: plugin })).text).toBe(
      missing.text
    )
  })

  it("returns 400 for a malformed body and 401 without a credential", async () => {
    const owner = await makeWorkspace(plane)
    expect((await explain(owner, { object: { kind: "team", id: "x" } })).status).toBe(400)
    expect((await explain(owner, { object: { kind: "plugin", id: "" } })).status).toBe(400)
    expect((await explain(owner, { object: { kind: "plugin", id: "x" }, action: "own" })).status).toBe(400)
    expect((await explain(owner, { object: { kind: "plugin", id: "x" }, orgMembershipId: "om_1" })).status).toBe(400)
    expect((await owner.call("POST", "/v1/access/explain", "[")).status).toBe(400)
    expect((await explain(owner, { object: { kind: "plugin", id: "x" } }, { authorization: "" })).status).toBe(401)
  })
})

describe("access.permissions", () => {
  const permissionsOf = async (person: Pick<Person, "call">) => {
    const { body, status } = await person.call("GET", "/v1/access/permissions")
    expect(status).toBe(200)
    return body.item
  }

  it("returns the permissions of the caller's role or key, in the order of the catalog", async () => {
    const owner = await makeWorkspace(plane)
    const catalog = (await owner.client.roles.permissions()).permissions
    const of = (role: "owner" | "admin" | "member") =>
      catalog.filter(({ roles }) => roles.includes(role)).map(({ permission }) => permission)
    const { organizationId } = owner
    expect(await permissionsOf(owner)).toEqual({
      organizationId,
      orgMembershipId: owner.membershipId,
      apiKeyId: null,
      isOwner: true,
      managesAllObjects: true,
      permissions: of("owner")
    })
    const admin = await addMember(plane, owner, "admin")
    expect(await permissionsOf(admin)).toMatchObject({
      isOwner: false,
      managesAllObjects: true,
      permissions: of("admin")
    })
    const member = await addMember(plane, owner, "member")
    expect(await permissionsOf(member)).toMatchObject({
      orgMembershipId: member.membershipId,
      managesAllObjects: false,
      permissions: of("member")
    })
    const key = await makeKey(plane, owner, ["plugins:read", "connectors:read"])
    expect(await permissionsOf(key)).toEqual({
      organizationId,
      orgMembershipId: null,
      apiKeyId: key.id,
      isOwner: false,
      managesAllObjects: false,
      permissions: ["connectors:read", "plugins:read"]
    })
  })

  it("returns the permissions of a custom role at once after they changed", async () => {
    const owner = await makeWorkspace(plane)
    const roleId = await makeRole(owner, ["audit:read"])
    const member = await addMember(plane, owner, roleId)
    expect((await permissionsOf(member)).permissions).toEqual(["audit:read"])
    await owner.call("PATCH", `/v1/roles/${roleId}`, { permissions: [] })
    expect((await permissionsOf(member)).permissions).toEqual([])
  })

  it("leaves out what a session from an API key cannot use", async () => {
    const owner = await makeWorkspace(plane)
    const minted = await mintSession(plane, owner, owner.membershipId)
    const { permissions } = await permissionsOf(minted)
    expect(permissions).toEqual(
      (await permissionsOf(owner)).permissions.filter(
        (permission: string) => !/^(apiKeys|roles|sso|scim|sessions|members|invitations):/.test(permission)
      )
    )
    expect(permissions).toContain("teams:read")
    expect((await minted.call("GET", "/v1/members")).body.reason).toBe("session_required")
  })

  it("requires a credential and a membership of the organization", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    expect((await call(plane)("GET", "/v1/access/permissions")).status).toBe(401)
    const headers = { "x-organization-id": other.organizationId }
    expect((await owner.call("GET", "/v1/access/permissions", undefined, headers)).status).toBe(404)
  })
})
