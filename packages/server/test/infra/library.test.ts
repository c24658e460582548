import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bruteLevel, type Graph, graphs, isArchived, isGone, objectsOf, putGraph } from "../identity/access-graph.ts"
import { addMember, makeControlPlane, makeWorkspace, type Person } from "../harness.ts"

const plane = await makeControlPlane()

interface Entry {
  readonly kind: "plugin" | "configObject"
  readonly id: string
  readonly name: string
  readonly through: { readonly kind: string; readonly id: string | null }
}

const all = async (person: Person, query = ""): Promise<ReadonlyArray<Entry>> => {
  const entries: Array<Entry> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { body, status } = await person.call(
      "GET",
      `/v1/me/library?limit=3${query}${cursor === "" ? "" : `&cursor=${cursor}`}`
    )
    expect(status).toBe(200)
    entries.push(...(body.items as ReadonlyArray<Entry>))
    cursor = body.nextCursor as string | null
  }
  return entries
}

/** Whether the member keeps access to the same objects when only the grants of these edges remain. */
const onlyThrough = (graph: Graph, keeps: (index: number) => boolean): Graph => ({
  ...graph,
  grants: graph.grants.filter((_, index) => keeps(index))
})

describe("GET /v1/me/library", () => {
  it("200 lists each object a person can use once, with an edge that is sufficient, in random graphs", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => {
        const placed = await putGraph(plane, graph)
        for (const [member, person] of placed.members.entries()) {
          const expected = objectsOf(placed).filter(
            ({ kind, index }) =>
              (kind === "plugin" || kind === "configObject") &&
              !isGone(graph, kind, index) &&
              !isArchived(graph, kind, index) &&
              bruteLevel(graph, member, kind, index) > 0
          )
          const listed = await all(person)
          expect(listed.map(({ id }) => id)).toEqual(
            expected
              .map(({ id }) => id)
              .toSorted()
              .toReversed()
          )
          for (const { id, through } of listed) {
            const object = expected.find((object) => object.id === id)
            if (object === undefined) throw new Error("not expected")
            const behind = onlyThrough(graph, (index) => {
              const grant = graph.grants[index]
              if (grant === undefined || grant.revoked) return false
              switch (through.kind) {
                case "direct":
                case "orgWide":
                  return placed.grants[index] === through.id
                case "team":
                  return (
                    grant.receiver !== "everybody" &&
                    "team" in grant.receiver &&
                    placed.teams[grant.receiver.team] === through.id &&
                    placed.ids[grant.kind][grant.object] === id
                  )
                default:
                  return placed.ids[grant.kind][grant.object] === through.id
              }
            })
            expect(bruteLevel(behind, member, object.kind, object.index)).toBe(
              bruteLevel(graph, member, object.kind, object.index)
            )
          }
          const plugins = listed.filter(({ kind }) => kind === "plugin")
          expect(await all(person, "&kind=plugin")).toEqual(plugins)
          expect((await all(person, "&kind=configObject")).length).toBe(listed.length - plugins.length)
        }
        const everything = objectsOf(placed).filter(
          ({ kind, index }) =>
            (kind === "plugin" || kind === "configObject") &&
            !isGone(graph, kind, index) &&
            !isArchived(graph, kind, index)
        )
        const owned = await all(placed.owner)
        expect(owned.length).toBe(everything.length)
        expect(new Set(owned.map(({ through }) => JSON.stringify(through)))).toEqual(
          new Set(owned.length === 0 ? [] : [JSON.stringify({ kind: "admin", id: null })])
        )
      }),
      { numRuns: 12, endOnFailure: true }
    )
  }, 180_000)

  it("200 omits objects that are archived or no longer shared, and is empty without access", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", "/v1/me/library")).body).toEqual({ items: [], nextCursor: null })
    const plugin = await owner.client.plugins.create({ name: "Shared" })
    const grant = await owner.client.plugins.grantAccess(plugin.id, {
      orgMembershipId: member.membershipId,
      role: "viewer"
    })
    expect(await all(member)).toEqual([
      { kind: "plugin", id: plugin.id, name: "Shared", through: { kind: "direct", id: grant.id } }
    ])
    await owner.client.plugins.revokeAccess(plugin.id, grant.id)
    expect(await all(member)).toEqual([])
  })

  it("400 for a cursor of another list or person, 401 without a credential", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    for (const name of ["a", "b", "c"]) await owner.client.plugins.create({ name })
    const { nextCursor } = (await owner.call("GET", "/v1/me/library?limit=1")).body
    expect((await owner.call("GET", `/v1/me/library?limit=1&cursor=${nextCursor}`)).status).toBe(200)
    expect((await owner.call("GET", `/v1/me/library?kind=plugin&cursor=${nextCursor}`)).status).toBe(400)
    expect((await owner.call("GET", `/v1/plugins?cursor=${nextCursor}`)).status).toBe(400)
    expect((await admin.call("GET", `/v1/me/library?cursor=${nextCursor}`)).status).toBe(400)
    expect((await owner.call("GET", "/v1/me/library?kind=marketplace")).status).toBe(400)
    expect((await owner.call("GET", "/v1/me/library", undefined, { authorization: "" })).status).toBe(401)
  })
})
