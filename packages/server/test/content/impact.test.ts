import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { roleOf } from "../../src/identity/grants/index.ts"
import { makeId } from "../../src/infra/ids.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { bruteLevel, graphs, isGone, objectsOf, putGraph } from "../identity/access-graph.ts"
import { addMember, makeControlPlane, makeWorkspace, withServices, type Person } from "../harness.ts"

interface Loss {
  readonly orgMembershipId: string
  readonly object: { readonly id: string }
  readonly from: string
  readonly to: string | null
}

const plane = await makeControlPlane()
const notFound = { error: "grant_not_found", message: "No such grant." }
const impactOf = (person: Person, grantId: string) => person.call("POST", "/v1/access/impact", { grantId })

interface Loss {
  readonly orgMembershipId: string
  readonly object: { readonly id: string }
  readonly from: string
  readonly to: string | null
}

const paths = {
  mcpConnection: "mcp-connections",
  llmProvider: "llm-providers",
  connectorInstance: "connector-instances",
  configObject: "config-objects",
  plugin: "plugins",
  marketplace: "marketplaces"
} as const

describe("POST /v1/access/impact", () => {
  it("200 predicts exactly what a revocation changes, in random graphs", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => {
        const placed = await putGraph(plane, graph)
        const objects = objectsOf(placed).filter(({ kind, index }) => !isGone(graph, kind, index))
        for (const [place, grant] of graph.grants.entries()) {
          const id = placed.grants[place] ?? ""
          const response = await impactOf(placed.owner, id)
          if (grant.revoked || isGone(graph, grant.kind, grant.object)) {
            expect([response.status, response.body]).toEqual([404, notFound])
            continue
          }
          const expected = placed.members.flatMap((person, member) =>
            objects.flatMap(({ kind, id, index }) => {
              const before = bruteLevel(graph, member, kind, index)
              const after = bruteLevel(graph, member, kind, index, grant)
              return after < before
                ? [{ orgMembershipId: person.membershipId, id, from: roleOf(before), to: roleOf(after) }]
                : []
            })
          )
          const { impact } = response.body
          const losses = (impact.losses as ReadonlyArray<Loss>).map(({ from, object, orgMembershipId, to }) => ({
            orgMembershipId,
            id: object.id,
            from,
            to
          }))
          const key = (loss: object) => JSON.stringify(loss)
          expect(losses.map(key).toSorted()).toEqual(expected.map(key).toSorted())
          expect(impact.memberCount).toBe(new Set(expected.map((loss) => loss.orgMembershipId)).size)
          expect(impact.truncated).toBe(false)
        }
        // One of them is revoked through the API.
        const place = graph.grants.findIndex((grant) => !grant.revoked && !isGone(graph, grant.kind, grant.object))
        const grant = graph.grants[place]
        if (grant === undefined) return
        const id = placed.grants[place] ?? ""
        const { impact } = (await impactOf(placed.owner, id)).body
        const object = placed.ids[grant.kind][grant.object]
        expect((await placed.owner.call("DELETE", `/v1/${paths[grant.kind]}/${object}/access/${id}`)).status).toBe(204)
        for (const loss of impact.losses) {
          const { explanation } = (
            await placed.owner.call("POST", "/v1/access/explain", {
              orgMembershipId: loss.orgMembershipId,
              object: { kind: loss.object.kind, id: loss.object.id },
              action: "view"
            })
          ).body
          expect(explanation.level).toBe(loss.to)
        }
        expect((await impactOf(placed.owner, id)).body).toEqual(notFound)
      }),
      { numRuns: 15, endOnFailure: true }
    )
  }, 180_000)

  it("200 lists the first five hundred and indicates more, for a grant with many members", async () => {
    const owner = await makeWorkspace(plane)
    const organizationId = owner.organizationId as Id<"org">
    const plugin = await owner.client.plugins.create({ name: "Everybody's" })
    const object = makeId("cob")
    await withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* sql`INSERT INTO users (id, name, created_at, updated_at)
          SELECT ${organizationId} || i, 'Member', now(), now() FROM generate_series(1, 300) i`
        yield* sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
          SELECT ${organizationId}, 'om_0' || lpad(i::text, 25, '0'), ${organizationId} || i, 'member', now(), now()
          FROM generate_series(1, 300) i`
        yield* sql`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at,
            updated_at) VALUES (${organizationId}, ${object}, 'skill', 'cloud', 'active', 'A skill', now(), now())`
        yield* sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
          VALUES (${organizationId}, ${makeId("pco")}, ${plugin.id}, ${object}, now())`
      }).pipe(Effect.orDie)
    )
    const grant = await owner.client.plugins.grantAccess(plugin.id, { orgWide: true, role: "editor" })
    const row = (
      await withServices(
        plane,
        Effect.flatMap(
          SqlDatabase,
          (sql) => sql`SELECT id FROM memberships WHERE organization_id = ${organizationId}`
        ).pipe(Effect.orDie)
      )
    ).length
    const { impact } = (await impactOf(owner, grant.id)).body
    // The owner needs no grant, and loses nothing.
    expect([impact.memberCount, impact.losses.length, impact.truncated]).toEqual([row - 1, 500, true])
    expect(impact.losses[0]).toMatchObject({ object: { kind: "plugin", id: plugin.id }, from: "editor", to: null })
    expect(impact.losses[499]).toMatchObject({ object: { kind: "configObject", id: object }, from: "viewer", to: null })
  })

  it("404 with identical bytes for a foreign, missing or malformed grant and one on an invisible object", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const plugin = await owner.client.plugins.create({ name: "Private" })
    const grant = await owner.client.plugins.grantAccess(plugin.id, { orgWide: true, role: "viewer" })
    const missing = await impactOf(owner, makeId("pag"))
    expect([missing.status, missing.body]).toEqual([404, notFound])
    expect((await impactOf(stranger, grant.id)).text).toBe(missing.text)
    expect((await impactOf(owner, "not a grant")).text).toBe(missing.text)
  })

  it("403 without access:read, 400 without a grant, 401 without a credential", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const refused = await impactOf(member, makeId("pag"))
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    expect((await owner.call("POST", "/v1/access/impact", {})).status).toBe(400)
    expect((await owner.call("POST", "/v1/access/impact", { grantId: "a\u0000b" })).status).toBe(400)
    expect((await owner.call("POST", "/v1/access/impact", { grantId: "x" }, { authorization: "" })).status).toBe(401)
  })
})
