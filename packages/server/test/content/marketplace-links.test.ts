import { describe, expect, it } from "vitest"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeTeam,
  makeWorkspace,
  runSql
} from "../harness.ts"
import { fetched, isGenuine, sha256 } from "./plugin-archives.fixture.ts"
import { addToTeam } from "../infra/http-world.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)

const pluginNamed = async (name: string) => {
  const { id } = await owner.client.plugins.create({ name })
  await owner.client.configObjects.create({
    input: { type: "context", rawSourceText: "#!/bin/sh\n", metadata: { fileName: "run.sh" } },
    pluginIds: [id]
  })
  return id
}
const pathOf = (url: string) => new URL(url).pathname
const readBy = async (url: string) => {
  const { bytes, headers, status } = await fetched(plane, pathOf(url))
  const text = Buffer.from(bytes).toString()
  return { status, headers, text, body: status === 200 ? JSON.parse(text) : undefined }
}
const notFound = '{"error":"marketplace_link_not_found","message":"No such marketplace link."}'
const refused = async (url: string) => {
  const { status, text } = await readBy(url)
  expect([status, text]).toEqual([404, notFound])
}

describe("a marketplace link", () => {
  it("shows the marketplace and its zip archives without a credential", async () => {
    const id = await pluginNamed("Deploy")
    const marketplace = await makeMarketplace(plane, owner, [id], "Tools")
    const link = await owner.client.marketplaces.createLink(marketplace, { name: "A laptop" })
    expect(link.minimumClientVersion).toBe("2.1.224")
    const { body, headers } = await readBy(link.url)
    expect([body.name, body.plugins.map(({ name }: { name: string }) => name)]).toEqual(["tools", ["deploy"]])
    expect(headers.get("cache-control")).toBe("private, no-cache")
    const { sha256: digest, url } = body.plugins[0].source
    const archive = await fetched(plane, pathOf(url))
    expect([archive.status, archive.headers.get("content-type"), sha256(archive.bytes)]).toEqual([
      200,
      "application/zip",
      digest
    ])
    expect(await isGenuine(plane, id, archive.headers, archive.bytes)).toBe(true)
    // The same content has another digest as a tar.gz, and both archives are stored.
    const tar = await fetched(plane, `/v1/plugins/${id}/archive`, { authorization: `Bearer ${owner.token}` })
    const zip = await fetched(plane, `/v1/plugins/${id}/archive?format=zip`, { authorization: `Bearer ${owner.token}` })
    expect([sha256(zip.bytes), sha256(tar.bytes) === digest]).toEqual([digest, false])
    const etag = headers.get("etag") ?? ""
    expect((await fetched(plane, pathOf(link.url), { "if-none-match": etag })).status).toBe(304)
  })

  it("is stored as a digest, and its token is returned once", async () => {
    const marketplace = await makeMarketplace(plane, owner, [])
    const { id, url } = await owner.client.marketplaces.createLink(marketplace, { name: "Secret" })
    const token = url.split("/").at(-2) ?? ""
    expect(token).toMatch(/^opl_/)
    const { items } = await owner.client.marketplaces.listLinks(marketplace)
    expect(items.map((item) => [item.id, "url" in item])).toEqual([[id, false]])
    const audit = await owner.call("GET", "/v1/audit-events?limit=100")
    expect([audit.text.includes("marketplace.link.create"), audit.text.includes(token)]).toEqual([true, false])
    const rows = await runSql(plane, (sql) => sql`SELECT l::text AS text FROM marketplace_links l WHERE id = ${id}`)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it("has the access that its member has at the time of the request", async () => {
    const member = await addMember(plane, owner, "member")
    const id = await pluginNamed("Shared")
    const marketplace = await makeMarketplace(plane, owner, [id])
    const share = () =>
      owner.client.marketplaces.grantAccess(marketplace, { orgMembershipId: member.membershipId, role: "viewer" })
    const grant = await share()
    const { url } = await member.client.marketplaces.createLink(marketplace, { name: "Mine" })
    const archive = (await readBy(url)).body.plugins[0].source.url
    expect((await fetched(plane, pathOf(archive))).status).toBe(200)
    const expectNotFound = async () => {
      await refused(url)
      expect((await fetched(plane, pathOf(archive))).status).toBe(404)
    }
    await owner.client.marketplaces.revokeAccess(marketplace, grant.id)
    await expectNotFound()
    await share()
    expect((await readBy(url)).status).toBe(200)
    await owner.client.marketplaces.archive(marketplace)
    await expectNotFound()
    await owner.client.marketplaces.restore(marketplace)
    await owner.client.plugins.archive(id)
    expect((await readBy(url)).body.plugins).toEqual([])
    await owner.client.plugins.restore(id)
    // A plugin that the member can see otherwise is not in this marketplace.
    const other = await pluginNamed("Elsewhere")
    await owner.client.plugins.grantAccess(other, { orgMembershipId: member.membershipId, role: "viewer" })
    expect((await fetched(plane, pathOf(archive).replace(id, other))).status).toBe(404)
    await owner.client.members.remove(member.membershipId)
    await expectNotFound()
  })

  it("for a team has the team's access, and can be created only by a manager of the marketplace", async () => {
    const [manager, viewer] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const team = await makeTeam(owner, [], "Platform")
    await addToTeam(owner, team, viewer)
    const marketplace = await makeMarketplace(plane, owner, [await pluginNamed("Team")])
    const { client } = owner
    await client.marketplaces.grantAccess(marketplace, { orgMembershipId: manager.membershipId, role: "manager" })
    const grant = await client.marketplaces.grantAccess(marketplace, { teamId: team, role: "viewer" })
    const path = `/v1/marketplaces/${marketplace}/links`
    expect((await viewer.call("POST", path, { name: "x", teamId: team })).status).toBe(403)
    const link = await manager.client.marketplaces.createLink(marketplace, { name: "Team", teamId: team })
    expect([link.teamId, link.orgMembershipId]).toEqual([team, null])
    expect((await readBy(link.url)).body.plugins).toHaveLength(1)
    await client.marketplaces.revokeAccess(marketplace, grant.id)
    await refused(link.url)
    await client.marketplaces.grantAccess(marketplace, { teamId: team, role: "viewer" })
    expect((await readBy(link.url)).status).toBe(200)
    await client.teams.remove(team)
    await refused(link.url)
  })

  it("for a team ends with the team, even if everyone can see the marketplace", async () => {
    const team = await makeTeam(owner, [], "Ending")
    const marketplace = await makeMarketplace(plane, owner, [])
    await owner.client.marketplaces.grantAccess(marketplace, { orgWide: true, role: "viewer" })
    const { url } = await owner.client.marketplaces.createLink(marketplace, { name: "Team", teamId: team })
    expect((await readBy(url)).status).toBe(200)
    await owner.client.teams.remove(team)
    await refused(url)
  })

  it("stops working when its creator or a manager revokes it, and when it expires", async () => {
    const member = await addMember(plane, owner, "member")
    const marketplace = await makeMarketplace(plane, owner, [])
    await owner.client.marketplaces.grantAccess(marketplace, { orgWide: true, role: "viewer" })
    const path = `/v1/marketplaces/${marketplace}/links`
    const [mine, owners] = [
      await member.client.marketplaces.createLink(marketplace, { name: "Mine" }),
      await owner.client.marketplaces.createLink(marketplace, { name: "Owner's" })
    ]
    expect((await member.client.marketplaces.listLinks(marketplace)).items.map(({ id }) => id)).toEqual([mine.id])
    expect((await owner.client.marketplaces.listLinks(marketplace)).items).toHaveLength(2)
    const foreign = await member.call("DELETE", `${path}/${owners.id}`)
    expect([foreign.status, foreign.text]).toEqual([404, notFound])
    await owner.client.marketplaces.revokeLink(marketplace, mine.id)
    await refused(mine.url)
    expect((await owner.call("DELETE", `${path}/${mine.id}`)).status).toBe(404)
    expect((await readBy(owners.url)).status).toBe(200)
    await runSql(
      plane,
      (sql) => sql`UPDATE marketplace_links SET expires_at = now() - interval '1 second' WHERE id = ${owners.id}`
    )
    await refused(owners.url)
  })

  it("rejects invalid names, teams and expiry times, and API keys", async () => {
    const marketplace = await makeMarketplace(plane, owner, [])
    const path = `/v1/marketplaces/${marketplace}/links`
    for (const [body, place] of [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "x", expiresAt: "soon" }, "expiresAt"],
      [{ name: "x", expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
      [{ name: "x", teamId: `tem_${"0".repeat(26)}` }, "teamId"]
    ] as const) {
      const response = await owner.call("POST", path, body)
      expect([response.status, response.text.includes(place)]).toEqual([400, true])
    }
    await owner.client.marketplaces.grantAccess(marketplace, { orgWide: true, role: "viewer" })
    const key = await makeKey(plane, owner, ["marketplaces:read"])
    expect((await key.call("POST", path, { name: "x" })).status).toBe(403)
    const stranger = await makeWorkspace(plane, "Strangers")
    expect((await stranger.call("POST", path, { name: "x" })).status).toBe(404)
    for (const token of ["x", makeToken("opl"), makeToken("ops"), "opl_redacted"]) {
      await refused(`http://localhost/v1/marketplace-links/${token}/marketplace.json`)
    }
  })

  it("accepts its token only as a path segment of its own, percent-encoded or not", async () => {
    const marketplace = await makeMarketplace(plane, owner, [])
    const { url } = await owner.client.marketplaces.createLink(marketplace, { name: "Place" })
    const token = url.split("/").at(-2) ?? ""
    for (const segment of [`x${token}`, `${token}-more`, `${token}%00`]) await refused(url.replace(token, segment))
    for (const segment of ["x", "opl_redacted"]) {
      const path = `${pathOf(url).replace(token, segment)}?token=${token}`
      expect((await fetched(plane, path)).status).toBe(404)
    }
    expect((await fetched(plane, pathOf(url).replace("opl_", "opl%5F"))).status).toBe(200)
  })

  it("limits requests with unknown links, but not requests with a valid link", async () => {
    const limited = await makeControlPlane({ workers: false })
    const { client } = await makeWorkspace(limited)
    const marketplace = await client.marketplaces.create({ name: "Busy" })
    const { url } = await client.marketplaces.createLink(marketplace.id, { name: "Good" })
    const ask = async (path: string) => (await fetched(limited, path)).status
    const unknown = () => ask(`/v1/marketplace-links/${makeToken("opl")}/marketplace.json`)
    const responses = await Promise.all(Array.from({ length: 70 }, unknown))
    expect(new Set(responses)).toEqual(new Set([404, 429]))
    expect(await ask(pathOf(url))).toBe(200)
    // From here on unknown tokens have a budget of lookups, and the link that was valid needs none of it.
    const refusals = await Promise.all(
      Array.from({ length: 120 }, () =>
        call(limited)("GET", `/v1/marketplace-links/${makeToken("opl")}/marketplace.json`)
      )
    )
    expect(
      refusals.filter(({ status, text }) => status === 429 && text.includes("was not checked")).length
    ).toBeGreaterThan(0)
    expect(await ask(pathOf(url))).toBe(200)
  })
})

describe("below the configured public URL", () => {
  it.each(["https://plane.example", "https://plane.example/", "https://plane.example/orgplane"])(
    "links of marketplaces and archives start with the public URL %s",
    async (publicUrl) => {
      const below = await makeControlPlane({ publicUrl, pathPrefix: "/orgplane", workers: false })
      const there = await makeWorkspace(below)
      const ask = call(below, there.token)
      const { body: plugin } = await ask("POST", "/orgplane/v1/plugins", { name: "Deploy" })
      const marketplace = await makeMarketplace(below, there, [plugin.item.id], "Tools")
      const path = `/orgplane/v1/marketplaces/${marketplace}`
      const { body: link } = await ask("POST", `${path}/links`, { name: "A laptop" })
      const linked = await call(below)("GET", pathOf(link.item.url))
      const { body: manifest } = await ask("GET", `${path}/marketplace.json`)
      const urls = [link.item.url, ...[linked.body, manifest].map(({ plugins }) => plugins[0].source.url)]
      for (const url of urls) expect(url).toMatch(/^https:\/\/plane\.example\/orgplane\/v1\//u)
      for (const url of urls) {
        expect((await call(below)("GET", url.replace("https://plane.example", ""))).status).toBe(200)
      }
    }
  )
})
