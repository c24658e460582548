import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeConnector,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  mintSession,
  type Person,
  runSql
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })

const search = async (person: Pick<Person, "call">, query: string) => {
  const { body, status, text } = await person.call("GET", `/v1/search?${query}`)
  expect([status, status === 200 ? "" : text]).toEqual([200, ""])
  return body as { items: Array<{ kind: string; id: string; name: string; detail: string | null }>; truncated: boolean }
}

/** An organization with one object of each kind whose name contains `word`. */
const makeNamed = async (word: string) => {
  const owner = await makeWorkspace(plane)
  const plugin = await owner.client.plugins.create({ name: `The ${word}`, description: "Reviews\nchanges." })
  const marketplaceId = await makeMarketplace(plane, owner, [], word)
  const { connectorInstanceId } = await makeConnector(plane, owner, `${word}/plugins`)
  const { body } = await owner.call("POST", "/v1/mcp-connections", {
    name: `${word} tools`,
    url: "https://mcp.example/mcp",
    authType: "none"
  })
  const member = await addMember(plane, owner, "member")
  await runSql(plane, (sql) => sql`UPDATE users SET name = ${`Ada ${word}`} WHERE id = ${member.userId}`)
  const teamId = await makeTeam(owner, [], `team ${word}`)
  return {
    owner,
    member,
    ids: {
      plugin: plugin.id,
      marketplace: marketplaceId,
      connectorInstance: connectorInstanceId,
      mcpConnection: body.mcpConnection.id as string,
      member: member.membershipId,
      team: teamId
    }
  }
}

describe("search.objects", () => {
  it("finds objects of every kind by part of the name: equal names first, then beginnings", async () => {
    const { ids, owner } = await makeNamed("Review")
    const { items, truncated } = await search(owner, "q=rEvIeW")
    expect(items.map(({ kind, id }) => [kind, id])).toEqual([
      ["marketplace", ids.marketplace],
      ["connectorInstance", ids.connectorInstance],
      ["mcpConnection", ids.mcpConnection],
      ["plugin", ids.plugin],
      ["member", ids.member],
      ["team", ids.team]
    ])
    expect(truncated).toBe(false)
    expect(items.find(({ kind }) => kind === "plugin")).toMatchObject({
      name: "The Review",
      detail: "Reviews changes."
    })
    expect(items.find(({ kind }) => kind === "mcpConnection")?.detail).toBe("https://mcp.example/mcp")
    for (const [kind, id] of Object.entries(ids)) {
      expect((await search(owner, `q=review&kind=${kind}`)).items.map((item) => [item.kind, item.id])).toEqual([
        [kind, id]
      ])
    }
  })

  it("finds a member by email address, and treats wildcards as text", async () => {
    const { member, owner } = await makeNamed("Email")
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET name = NULL, email = 'grace_h@acme.example' WHERE id = ${member.userId}`
    )
    expect((await search(owner, "q=grace_h")).items).toEqual([
      { kind: "member", id: member.membershipId, name: "grace_h@acme.example", detail: "grace_h@acme.example" }
    ])
    expect((await search(owner, "q=graceXh")).items).toEqual([])
    expect((await search(owner, "q=%25")).items).toEqual([])
  })

  it("returns only objects that the caller can see, of kinds that the caller can list", async () => {
    const { ids, member, owner } = await makeNamed("Secret")
    expect((await search(member, "q=secret")).items.map(({ kind }) => kind)).toEqual(["member", "team"])
    await owner.client.plugins.grantAccess(ids.plugin, { role: "viewer", orgMembershipId: member.membershipId })
    expect((await search(member, "q=secret")).items.map(({ kind }) => kind)).toEqual(["plugin", "member", "team"])
    const minted = await mintSession(plane, owner, owner.membershipId)
    expect((await search(minted, "q=secret")).items.map(({ kind }) => kind)).not.toContain("member")
    const nobody = await addMember(plane, owner, await makeRole(owner, []))
    expect(await search(nobody, "q=secret")).toEqual({ items: [], truncated: false })
    const key = await makeKey(plane, owner, ["teams:read"])
    expect((await search(key, "q=secret")).items.map(({ id }) => id)).toEqual([ids.team])
    expect((await search(await makeWorkspace(plane), "q=secret")).items).toEqual([])
    expect((await call(plane)("GET", "/v1/search?q=secret")).status).toBe(401)
  })

  it("limits the objects of each kind", async () => {
    const owner = await makeWorkspace(plane)
    for (let count = 0; count < 7; count += 1) await makeTeam(owner, [], `Crew ${count}`)
    const first = await search(owner, "q=crew")
    expect([first.items.length, first.truncated]).toEqual([5, true])
    const all = await search(owner, "q=crew&limit=7")
    expect([all.items.length, all.truncated]).toEqual([7, false])
  })

  it("rejects a missing or malformed query and names the member", async () => {
    const owner = await makeWorkspace(plane)
    for (const [query, member] of [
      ["", "q"],
      ["q=", "q"],
      [`q=${"a".repeat(256)}`, "q"],
      ["q=a&kind=role", "kind"],
      ["q=a&limit=21", "limit"]
    ] as const) {
      const { body, status } = await owner.call("GET", `/v1/search?${query}`)
      expect([status, body.error]).toEqual([400, "invalid_request"])
      expect(body.details[0].path).toEqual(["query", member])
    }
  })
})
