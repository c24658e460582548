import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { levelOf, roleOf } from "../../src/identity/grants/index.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { bruteLevel, graphs, isGone, objectsOf, putGraph } from "./access-graph.ts"
import { makeControlPlane, withServices, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()

const levelInSql = (member: Workspace, kind: Parameters<typeof levelOf>[2], id: string) =>
  withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const holder = {
        organizationId: member.organizationId as Id<"org">,
        isAdmin: false,
        principal: { kind: "session" as const, membershipId: member.membershipId as Id<"om"> }
      }
      const [row] = yield* sql<{ level: number }>`SELECT ${levelOf(sql, holder, kind, sql`${id}::text`)} AS level`
      return row?.level ?? -1
    }).pipe(Effect.orDie)
  )

const idsOf = async (member: Workspace, path: string): Promise<ReadonlyArray<string>> => {
  const mismatches: Array<string> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { status, body } = await member.call("GET", `${path}limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    mismatches.push(...(body.items as ReadonlyArray<{ id: string }>).map((item) => item.id))
    cursor = body.nextCursor as string | null
  }
  return mismatches
}

describe("access decisions", () => {
  it("agree between explain, lists and the rule for every member and object of random graphs", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => {
        const placed = await putGraph(plane, graph)
        for (const [member, person] of placed.members.entries()) {
          const visible = {
            configObject: [] as Array<string>,
            plugin: [] as Array<string>,
            marketplace: [] as Array<string>,
            connectorInstance: [] as Array<string>,
            mcpConnection: [] as Array<string>,
            llmProvider: [] as Array<string>
          }
          for (const { kind, id, index } of objectsOf(placed)) {
            const level = bruteLevel(graph, member, kind, index)
            expect(await levelInSql(person, kind, id)).toBe(level)
            if (level > 0 && !isGone(graph, kind, index)) visible[kind].push(id)

            const object = { kind, id }
            const byOwner = await placed.owner.call("POST", "/v1/access/explain", {
              orgMembershipId: person.membershipId,
              object,
              action: "edit"
            })
            const bySelf = await person.call("POST", "/v1/access/explain", { object, action: "view" })
            if (isGone(graph, kind, index)) {
              expect([byOwner.status, byOwner.body.error]).toEqual([404, "object_not_found"])
              expect(bySelf.text).toBe(byOwner.text)
              continue
            }
            expect(byOwner.status).toBe(200)
            const { explanation } = byOwner.body
            expect(explanation.level).toBe(roleOf(level))
            expect(explanation.allowed).toBe(level >= 2)
            expect(explanation.missing === null).toBe(level >= 2)
            // The paths match the level: the first has the highest level, and there is one exactly when there is
            // access.
            expect(explanation.paths[0]?.level ?? null).toBe(explanation.level)
            if (level === 0)
              expect([bySelf.status, bySelf.text]).toEqual([
                404,
                (
                  await placed.owner.call("POST", "/v1/access/explain", {
                    object: { kind, id: "nothing" },
                    action: "view"
                  })
                ).text
              ])
            else expect(bySelf.body.explanation.level).toBe(roleOf(level))
          }
          const newestFirst = (ids: ReadonlyArray<string>) => ids.toSorted().toReversed()
          expect(await idsOf(person, "/v1/plugins?archived=true&")).toEqual(newestFirst(visible.plugin))
          expect(await idsOf(person, "/v1/marketplaces?archived=true&")).toEqual(newestFirst(visible.marketplace))
          expect(await idsOf(person, "/v1/config-objects?")).toEqual(newestFirst(visible.configObject))
          expect(await idsOf(person, "/v1/connector-instances?")).toEqual(newestFirst(visible.connectorInstance))
          expect(await idsOf(person, "/v1/mcp-connections?")).toEqual(newestFirst(visible.mcpConnection))
          expect(await idsOf(person, "/v1/llm-providers?")).toEqual(newestFirst(visible.llmProvider))
        }
      }),
      { numRuns: 8, endOnFailure: true }
    )
  }, 180_000)
})
