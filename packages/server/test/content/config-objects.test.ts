import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  addMember,
  makeControlPlane,
  makeTeam,
  makeWorkspace,
  rowCounts,
  withServices,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Theirs")

const create = (body: object, person: Workspace = owner) => person.call("POST", "/v1/config-objects", body)
const createObject = async (input: object, person: Workspace = owner, more: object = {}) => {
  const response = await create({ input: { type: "context", ...input }, ...more }, person)
  if (response.status !== 201) throw new Error(response.text)
  return response.body.item
}
const faults = (response: {
  readonly body: { readonly details: ReadonlyArray<{ readonly path: ReadonlyArray<unknown> }> }
}) => response.body.details.map(({ path }) => path.join("."))

const addVersion = async (objectId: string, rawSourceText: string): Promise<string> => {
  const response = await owner.call("POST", `/v1/config-objects/${objectId}/versions`, { input: { rawSourceText } })
  if (response.status !== 201) throw new Error(response.text)
  return response.body.item.id
}

describe("POST /v1/config-objects", () => {
  it("creates a private object with its first version from a text", async () => {
    const text =
      "---\nname: tidy-up\ndescription: Puts things where they belong\n---\n\n# Tidy up\n\nBegin at the door.\n"
    const object = await createObject({
      type: "skill",
      rawSourceText: text,
      metadata: { relativePath: "skills/tidy-up/SKILL.md" }
    })
    expect(object).toMatchObject({
      organizationId: owner.organizationId,
      objectType: "skill",
      sourceMode: "cloud",
      status: "active",
      title: "tidy-up",
      description: "Puts things where they belong",
      currentFileName: "SKILL.md",
      currentFileExtension: "md",
      currentRelativePath: "skills/tidy-up/SKILL.md",
      createdByOrgMembershipId: owner.membershipId,
      connectorInstanceId: null,
      deletedAt: null
    })
    expect(object.latestVersion).toMatchObject({
      configObjectId: object.id,
      ordinal: 1,
      rawSourceText: text,
      createdVia: "cloud",
      createdByOrgMembershipId: owner.membershipId,
      connectorSyncEventId: null,
      sourceRevisionRef: null,
      isDeletedVersion: false
    })
    expect((await owner.call("GET", `/v1/config-objects/${object.id}`)).body.item).toEqual(object)
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", `/v1/config-objects/${object.id}`)).status).toBe(404)
    expect((await member.call("GET", "/v1/config-objects")).body.items).toEqual([])
  })

  it("accepts a text, a payload or both, and rejects neither", async () => {
    const text = await createObject({ rawSourceText: "# Text" })
    expect(text.latestVersion.rawSourceText).toBe("# Text")
    const payload = await createObject({
      type: "custom",
      normalizedPayloadJson: { title: "Payload", deep: [1, { a: null }] }
    })
    expect(payload.title).toBe("Payload")
    expect(payload.latestVersion).toMatchObject({
      rawSourceText: null,
      normalizedPayloadJson: { title: "Payload", deep: [1, { a: null }] }
    })
    const both = await createObject({ rawSourceText: "# Text", normalizedPayloadJson: { kept: true } })
    expect(both.latestVersion).toMatchObject({ rawSourceText: "# Text", normalizedPayloadJson: { kept: true } })
    for (const input of [{}, { schemaVersion: "1", metadata: {} }, { rawSourceText: "" }]) {
      const response = await create({ input: { type: "context", ...input } })
      expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    }
  })

  it.each(["skill", "agent", "command", "tool", "mcp", "hook", "context", "custom"])("creates a %s", async (type) => {
    const object = await createObject({ type, normalizedPayloadJson: { name: "Any" } })
    expect(object.objectType).toBe(type)
    const listed = await owner.call("GET", `/v1/config-objects?type=${type}&limit=1`)
    expect(listed.body.items[0].id).toBe(object.id)
  })

  it("rejects connector objects, which only a sync creates", async () => {
    expect((await createObject({ rawSourceText: "x", sourceMode: "import" })).latestVersion.createdVia).toBe("import")
    const refused = await create({ input: { type: "context", rawSourceText: "x", sourceMode: "connector" } })
    expect([refused.status, faults(refused)]).toEqual([400, ["body.input.sourceMode"]])
  })

  it("adds the object once to each plugin that its creator can edit", async () => {
    const [one, two] = [
      await owner.client.plugins.create({ name: "One" }),
      await owner.client.plugins.create({ name: "Two" })
    ]
    const object = await createObject({ rawSourceText: "# In" }, owner, { pluginIds: [one.id, two.id, one.id] })
    for (const { id } of [one, two]) {
      const inside = (await owner.call("GET", `/v1/plugins/${id}/config-objects`)).body.items
      expect(inside.map((membership: { configObjectId: string }) => membership.configObjectId)).toEqual([object.id])
      expect((await owner.client.plugins.get(id)).memberCount).toBe(1)
    }
    const filtered = await owner.call("GET", `/v1/config-objects?pluginId=${one.id}`)
    expect(filtered.body.items.map(({ id }: { id: string }) => id)).toEqual([object.id])
  })

  it("hides missing, invisible and foreign plugins, and writes nothing", async () => {
    const member = await addMember(plane, owner, "member")
    const good = await member.client.plugins.create({ name: "Good" })
    const hidden = await owner.client.plugins.create({ name: "Hidden" })
    const foreign = await stranger.client.plugins.create({ name: "Foreign" })
    const before = await rowCounts(plane)
    const responses = await Promise.all(
      [hidden.id, foreign.id, makeId("plg")].map((id) =>
        create({ input: { type: "context", rawSourceText: "x" }, pluginIds: [good.id, id] }, member)
      )
    )
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]?.status).toBe(400)
    expect(responses[0] && faults(responses[0])).toEqual(["body.pluginIds.1"])
    expect(await rowCounts(plane)).toEqual(before)
    await owner.client.plugins.grantAccess(hidden.id, { orgMembershipId: member.membershipId, role: "viewer" })
    const seen = await create({ input: { type: "context", rawSourceText: "x" }, pluginIds: [hidden.id] }, member)
    expect([seen.status, seen.body.reason]).toEqual([403, "grant_required"])
    await owner.client.plugins.grantAccess(hidden.id, { orgMembershipId: member.membershipId, role: "editor" })
    await createObject({ rawSourceText: "x" }, member, { pluginIds: [hidden.id] })
  })

  it("adds an object to at most 100 plugins", async () => {
    const ids = Array.from({ length: 101 }, () => makeId("plg"))
    const response = await create({ input: { type: "context", rawSourceText: "x" }, pluginIds: ids })
    expect([response.status, faults(response)]).toEqual([400, ["body.pluginIds"]])
    const hundred = await create({ input: { type: "context", rawSourceText: "x" }, pluginIds: ids.slice(1) })
    expect(faults(hundred)).toEqual(["body.pluginIds.0"])
    expect((await create({ input: { type: "context", rawSourceText: "x" }, pluginIds: [] })).status).toBe(201)
  })

  it("truncates a long name at a character boundary", async () => {
    const object = await createObject({ rawSourceText: "x", metadata: { fileName: `${"a".repeat(254)}🐈.md` } })
    expect(object.currentFileName).toBe("a".repeat(254))
    expect((await createObject({ rawSourceText: `# ${"a".repeat(254)}🐈` })).title.isWellFormed()).toBe(true)
  })
})

describe("GET /v1/config-objects", () => {
  it("filters by type, title and plugin, and includes archived objects on request", async () => {
    const person = await makeWorkspace(plane, "Lists")
    const skill = await createObject({ type: "skill", normalizedPayloadJson: { title: "Sweep the floor" } }, person)
    const agent = await createObject({ type: "agent", rawSourceText: "# Sweep 100% of it" }, person)
    const ids = async (query: string) =>
      (await person.call("GET", `/v1/config-objects?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await ids("")).toEqual([agent.id, skill.id])
    expect(await ids("type=skill")).toEqual([skill.id])
    expect(await ids("q=SWEEP")).toEqual([agent.id, skill.id])
    expect(await ids("q=100%25")).toEqual([agent.id])
    expect(await ids("q=nothing")).toEqual([])
    expect(await ids(`connectorInstanceId=${makeId("cin")}`)).toEqual([])
    await withServices(
      plane,
      Effect.flatMap(SqlDatabase, (sql) => sql`UPDATE config_objects SET status = 'archived' WHERE id = ${skill.id}`)
    )
    expect(await ids("")).toEqual([agent.id])
    expect(await ids("archived=true")).toEqual([agent.id, skill.id])
    expect(await ids("archived=false")).toEqual([agent.id])
  })

  it("does not reveal the objects of an invisible plugin through a filter", async () => {
    const member = await addMember(plane, owner, "member")
    const plugin = await owner.client.plugins.create({ name: "Hidden" })
    const object = await createObject({ rawSourceText: "x" }, owner, { pluginIds: [plugin.id] })
    await owner.client.configObjects.grantAccess(object.id, { orgMembershipId: member.membershipId, role: "viewer" })
    const ask = async (id: string) => (await member.call("GET", `/v1/config-objects?pluginId=${id}`)).text
    expect(await ask(plugin.id)).toBe(await ask(makeId("plg")))
    await owner.client.plugins.grantAccess(plugin.id, { orgMembershipId: member.membershipId, role: "viewer" })
    expect(await ask(plugin.id)).toContain(object.id)
  })

  it("ends a page early instead of returning a hundred megabytes, and skips no object", async () => {
    const person = await makeWorkspace(plane, "Large")
    const text = "x".repeat(1_000_000)
    const ids: Array<string> = []
    for (let n = 0; n < 11; n++) ids.push((await createObject({ rawSourceText: text }, person)).id)
    const seen: Array<string> = []
    const sizes: Array<number> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const { body } = await person.call(
        "GET",
        `/v1/config-objects?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`
      )
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      sizes.push(body.items.length)
      cursor = body.nextCursor
    }
    expect(seen).toEqual(ids.toReversed())
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(9)
  })
})

describe("the versions of an object", () => {
  it("are all listed, newest first, and never change", async () => {
    const object = await createObject({ rawSourceText: "first" })
    const second = await addVersion(object.id, "second")
    const list = (await owner.call("GET", `/v1/config-objects/${object.id}/versions`)).body.items
    expect(
      list.map(({ ordinal, rawSourceText }: { ordinal: number; rawSourceText: string }) => [ordinal, rawSourceText])
    ).toEqual([
      [2, "second"],
      [1, "first"]
    ])
    const one = (await owner.call("GET", `/v1/config-objects/${object.id}/versions/${object.latestVersion.id}`)).body
      .item
    expect(one).toEqual(object.latestVersion)
    const now = (await owner.call("GET", `/v1/config-objects/${object.id}`)).body.item
    expect(now.latestVersion.id).toBe(second)
  })

  it("cannot be read through another object", async () => {
    const [one, two] = [await createObject({ rawSourceText: "one" }), await createObject({ rawSourceText: "two" })]
    const ask = (id: string) => owner.call("GET", `/v1/config-objects/${one.id}/versions/${id}`)
    const missing = await ask(makeId("cov"))
    const other = await ask(two.latestVersion.id)
    expect([other.status, other.text]).toEqual([404, missing.text])
  })

  it("increase the object's ETag", async () => {
    const object = await createObject({ rawSourceText: "first" })
    const ask = (etag = "") =>
      owner.call("GET", `/v1/config-objects/${object.id}`, undefined, { "if-none-match": etag })
    const etag = (await ask()).headers.get("etag") ?? ""
    expect((await ask(etag)).status).toBe(304)
    await addVersion(object.id, "second")
    const after = await ask(etag)
    expect([after.status, after.body.item.latestVersion.rawSourceText]).toEqual([200, "second"])
  })
})

describe("the grants of an object", () => {
  const grant = (id: string, body: object, person: Workspace = owner) =>
    person.call("POST", `/v1/config-objects/${id}/access`, body)
  const revoke = (id: string, grantId: string, person: Workspace = owner) =>
    person.call("DELETE", `/v1/config-objects/${id}/access/${grantId}`)
  const list = async (id: string) => (await owner.call("GET", `/v1/config-objects/${id}/access`)).body.items

  it("start with the creator as manager", async () => {
    const member = await addMember(plane, owner, "member")
    const object = await createObject({ rawSourceText: "x" }, member)
    expect(await list(object.id)).toEqual([
      expect.objectContaining({
        orgMembershipId: member.membershipId,
        teamId: null,
        orgWide: false,
        role: "manager",
        createdByOrgMembershipId: member.membershipId,
        removedAt: null
      })
    ])
  })

  it("keep one id when they are created, changed, revoked and recreated", async () => {
    const object = await createObject({ rawSourceText: "x" })
    const member = await addMember(plane, owner, "member")
    const receiver = { orgMembershipId: member.membershipId }
    const first = await grant(object.id, { ...receiver, role: "viewer" })
    expect([first.status, first.body.item.role]).toEqual([201, "viewer"])
    const id = first.body.item.id
    const second = await grant(object.id, { ...receiver, role: "editor" })
    expect([second.status, second.body.item.id, second.body.item.role]).toEqual([200, id, "editor"])
    expect((await member.call("GET", `/v1/config-objects/${object.id}`)).status).toBe(200)
    const revocation = await revoke(object.id, id)
    expect([revocation.status, revocation.text]).toEqual([204, ""])
    expect((await member.call("GET", `/v1/config-objects/${object.id}`)).status).toBe(404)
    const keptGrant = (await list(object.id)).find((one: { id: string }) => one.id === id)
    expect(keptGrant).toMatchObject({ role: "editor", removedAt: expect.any(String) })
    const again = await revoke(object.id, id)
    expect([again.status, again.body.error]).toEqual([404, "config_object_grant_not_found"])
    const third = await grant(object.id, { ...receiver, role: "viewer" })
    expect([third.status, third.body.item]).toEqual([200, { ...first.body.item }])
    expect((await member.call("GET", `/v1/config-objects/${object.id}`)).status).toBe(200)
  })

  it("name exactly one receiver of the organization", async () => {
    const object = await createObject({ rawSourceText: "x" })
    const team = await makeTeam(owner, [])
    const foreignTeam = await makeTeam(stranger, [])
    const before = await rowCounts(plane)
    for (const body of [
      { role: "viewer" },
      { orgMembershipId: owner.membershipId, teamId: team, role: "viewer" },
      { orgMembershipId: owner.membershipId, orgWide: true, role: "viewer" },
      { teamId: team, orgWide: true, role: "viewer" },
      { orgWide: false, role: "viewer" },
      { orgWide: true },
      { orgWide: true, role: "owner" },
      { orgMembershipId: null, orgWide: true, role: "viewer" }
    ]) {
      expect([body, (await grant(object.id, body)).status]).toEqual([body, 400])
    }
    for (const [member, ids] of [
      ["orgMembershipId", [stranger.membershipId, makeId("om")]],
      ["teamId", [foreignTeam, makeId("tem")]]
    ] as const) {
      const responses = await Promise.all(ids.map((id) => grant(object.id, { [member]: id, role: "viewer" })))
      expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect(responses[0] && [responses[0].status, faults(responses[0])]).toEqual([400, [`body.${member}`]])
    }
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("are managed by managers, not by editors or viewers", async () => {
    const object = await createObject({ rawSourceText: "x" })
    const member = await addMember(plane, owner, "member")
    const own = (await grant(object.id, { orgMembershipId: member.membershipId, role: "viewer" })).body.item.id
    for (const role of ["viewer", "editor"]) {
      await grant(object.id, { orgMembershipId: member.membershipId, role })
      const refused = await grant(object.id, { orgWide: true, role: "viewer" }, member)
      expect([role, refused.status, refused.body.reason]).toEqual([role, 403, "grant_required"])
      expect((await revoke(object.id, own, member)).status).toBe(403)
    }
    await grant(object.id, { orgMembershipId: member.membershipId, role: "manager" })
    expect((await grant(object.id, { orgWide: true, role: "viewer" }, member)).status).toBe(201)
    expect((await revoke(object.id, own, member)).status).toBe(204)
    expect((await grant(object.id, { orgWide: true, role: "viewer" }, member)).status).toBe(403)
  })

  it("are unique per receiver, also when many are created concurrently", async () => {
    const object = await createObject({ rawSourceText: "x" })
    const roles = ["viewer", "editor", "manager"]
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => grant(object.id, { orgWide: true, role: roles[index % 3] }))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 11 }, () => 200), 201])
    expect(new Set(responses.map(({ body }) => body.item.id)).size).toBe(1)
    expect((await list(object.id)).filter(({ orgWide }: { orgWide: boolean }) => orgWide)).toHaveLength(1)
  })

  it("apply to the members of a team while they are in it", async () => {
    const object = await createObject({ rawSourceText: "x" })
    const [inside, outside] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const team = await makeTeam(owner, [inside])
    await grant(object.id, { teamId: team, role: "editor" })
    expect((await inside.call("GET", `/v1/config-objects/${object.id}`)).status).toBe(200)
    expect((await outside.call("GET", `/v1/config-objects/${object.id}`)).status).toBe(404)
    await withServices(
      plane,
      Effect.flatMap(SqlDatabase, (sql) => sql`DELETE FROM team_members WHERE team_id = ${team}`)
    )
    expect((await inside.call("GET", `/v1/config-objects/${object.id}`)).status).toBe(404)
  })
})
