import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeTeam,
  makeWorkspace,
  mintSession,
  signInByEmail
} from "../harness.ts"
import { makeTemplate, reviewer } from "../content/templates.fixture.ts"

const plane = await makeControlPlane({ workers: false })

interface Line {
  readonly kind: string
  readonly item: Readonly<Record<string, unknown>>
}
const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

describe("GET /v1/organization/export", () => {
  it("streams everything the organization owns, nothing of another, and no credentials", async () => {
    const owner = await makeWorkspace(plane, "Exported")
    const stranger = await makeWorkspace(plane, "Other")
    await stranger.client.plugins.create({ name: "Not yours" })
    const member = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner, [member], "Writers")
    const key = await makeKey(plane, owner, ["plugins:read"])
    const plugin = await owner.client.plugins.create({ name: "Reviewer" })
    const object = await owner.client.configObjects.create({
      input: { type: "context", rawSourceText: "# How to review" },
      pluginIds: [plugin.id]
    })
    await owner.call("POST", `/v1/plugins/${plugin.id}/access`, { teamId, role: "viewer" })
    const response = await owner.call("GET", "/v1/organization/export")
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"])
    expect(response.headers.get("content-disposition")).toContain("organization.ndjson")
    expect(response.headers.get("cache-control")).toBe("no-store")
    const exportLines = lines(response.text)
    expect(exportLines[0]).toMatchObject({ kind: "organization", item: { id: owner.organizationId, name: "Exported" } })
    expect(exportLines.at(-1)).toEqual({ kind: "end", item: { count: exportLines.length - 1 } })
    const items = (kind: string) => exportLines.filter((line) => line.kind === kind).map((line) => line.item)
    expect(items("member").map(({ id }) => id)).toEqual([owner.membershipId, member.membershipId])
    expect(items("team")).toMatchObject([{ id: teamId, name: "Writers" }])
    expect(items("teamMember")).toEqual([{ teamId, orgMembershipId: member.membershipId }])
    expect(items("plugin")).toMatchObject([{ id: plugin.id, createdByOrgMembershipId: owner.membershipId }])
    expect(items("plugin")[0]?.["createdAt"]).toBe(plugin.createdAt)
    expect(items("configObjectVersion")).toMatchObject([
      { configObjectId: object.id, rawSourceText: "# How to review" }
    ])
    expect(items("grant").map(({ objectId, role, teamId: of }) => [objectId, role, of])).toEqual(
      expect.arrayContaining([[plugin.id, "viewer", teamId]])
    )
    expect(items("apiKey")).toMatchObject([{ id: key.id, permissions: ["plugins:read"] }])
    expect(response.text).not.toContain(key.key)
    expect(response.text).not.toContain('digest":"\\\\x')
    expect(response.text).not.toContain(stranger.organizationId)
    expect(response.text).not.toContain("Not yours")
  })

  it("streams templates with their versions, and workers without their tokens", async () => {
    const owner = await makeWorkspace(plane)
    const template = await makeTemplate(owner)
    const worker = await owner.call("POST", "/v1/workers", { name: "Desk", destination: "local" })
    expect([worker.status, worker.text]).toEqual([201, expect.any(String)])
    const { text } = await owner.call("GET", "/v1/organization/export")
    const items = (kind: string) => lines(text).flatMap((line) => (line.kind === kind ? [line.item] : []))
    expect(items("template")).toMatchObject([{ id: template.id, latestVersionId: template.versionId }])
    expect(items("templateVersion")).toMatchObject([
      { id: template.versionId, templateId: template.id, ordinal: 1, content: { plugin: reviewer.plugin } }
    ])
    expect(items("worker")).toMatchObject([{ id: worker.body.worker.id, name: "Desk", destination: "local" }])
    expect(text).not.toContain(worker.body.token)
    expect(worker.body.token).toMatch(/^opw_/)
  })

  it("streams more than one batch, each row once", async () => {
    const owner = await makeWorkspace(plane)
    const pluginIds: Array<string> = []
    for (let index = 0; index < 205; index += 1) pluginIds.push((await owner.client.plugins.create({ name: "p" })).id)
    const exportLines = lines((await owner.call("GET", "/v1/organization/export")).text)
    expect(exportLines.filter(({ kind }) => kind === "plugin").map(({ item }) => item["id"])).toEqual(pluginIds)
  })

  it("streams versions in small batches, since each can be several MiB", async () => {
    const owner = await makeWorkspace(plane)
    for (let index = 0; index < 12; index += 1) {
      await owner.client.configObjects.create({ input: { type: "context", rawSourceText: `# Skill ${index}` } })
    }
    const request = new Request("http://localhost/v1/organization/export", {
      headers: { authorization: `Bearer ${owner.token}` }
    })
    const chunks: Array<string> = []
    const decoder = new TextDecoder()
    for await (const chunk of (await plane.fetch(request)).body ?? []) chunks.push(decoder.decode(chunk))
    const versions = chunks.map((text) => text.split('{"kind":"configObjectVersion"').length - 1)
    expect(versions.reduce((left, right) => left + right, 0)).toBe(12)
    expect(Math.max(...versions)).toBeLessThanOrEqual(5)
  })

  it("returns 403 for everyone except an owner with a session", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    expect((await admin.call("GET", "/v1/organization/export")).body.reason).toBe("owner_required")
    const key = await makeKey(plane, owner, ["organizations:manage"])
    expect((await key.call("GET", "/v1/organization/export")).body.reason).toBe("session_required")
  })
})

describe("GET /v1/me/export", () => {
  it("streams the data of the user and of no one else", async () => {
    const person = await signInByEmail(plane, "me@example.com")
    const createResponse = await person.call("POST", "/v1/organizations", { name: "Mine" })
    const response = await person.call("GET", "/v1/me/export")
    expect(response.status).toBe(200)
    const exportLines = lines(response.text)
    expect(exportLines.map(({ kind }) => kind)).toEqual(["user", "membership", "session", "end"])
    expect(exportLines[0]?.item).toMatchObject({ id: person.userId, email: "me@example.com" })
    expect(exportLines[1]?.item).toMatchObject({
      role: "owner",
      organization: { id: createResponse.body.organization.id }
    })
    expect(exportLines[2]?.item).toMatchObject({ id: person.sessionId })
    expect(response.text).not.toContain(person.token)
  })

  it("returns 403 for a session that is bound to one organization, and 401 without a credential", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const minted = await mintSession(plane, owner, member.membershipId)
    expect((await minted.call("GET", "/v1/me/export")).body.reason).toBe("session_required")
    expect((await call(plane)("GET", "/v1/me/export")).status).toBe(401)
  })
})
