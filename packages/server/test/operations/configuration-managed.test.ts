/** Objects that a configuration document manages. */
import { describe, expect, it } from "vitest"
import {
  addMember,
  makeConnector,
  makeControlPlane,
  makeKey,
  makeTeam,
  makeWorkspace,
  type Person
} from "../harness.ts"

const plane = await makeControlPlane()

const apply = async (person: Person, document: object) => {
  const response = await person.call("POST", "/v1/configuration/apply", { document: { version: 1, ...document } })
  expect([response.status, response.text]).toEqual([200, response.text])
  return response.body.plan
}

/** A workspace whose document has one team, with the ID of that team. */
const withTeam = async (managed: object) => {
  const owner = await makeWorkspace(plane)
  const plan = await apply(owner, { teams: [{ key: "platform", name: "Platform" }], managed })
  const { body } = await owner.call("GET", "/v1/teams")
  return { owner, plan, teamId: String(body.items[0].id) }
}

describe("objects that a configuration document manages", () => {
  it("can be changed only by the document if other changes are refused", async () => {
    const { owner, plan, teamId } = await withTeam({ teams: "refuse" })
    expect(plan.changes.at(-1)).toEqual({
      kind: "teams",
      key: null,
      name: "teams",
      action: "update",
      fields: [{ field: "managed", before: "off", after: "refuse" }]
    })
    const member = await addMember(plane, owner, "member")
    const key = await makeKey(plane, owner, ["teams:read", "teams:write", "teams:manage"])
    for (const caller of [owner, key]) {
      for (const [method, path, body] of [
        ["PATCH", `/v1/teams/${teamId}`, { name: "Other" }],
        ["PUT", `/v1/teams/${teamId}/members/${member.membershipId}`, {}],
        ["DELETE", `/v1/teams/${teamId}`, undefined]
      ] as const) {
        const response = await caller.call(method, path, body)
        expect([method, response.status, response.body]).toEqual([
          method,
          403,
          expect.objectContaining({
            reason: "managed_by_configuration",
            message: "A configuration document manages teams/platform. Change it there, and apply the document."
          })
        ])
      }
    }
    expect((await owner.call("GET", `/v1/teams/${teamId}`)).body.team).toMatchObject({ name: "Platform" })
    // Objects without a key are not in a document, and objects of other kinds are not managed.
    const other = await makeTeam(owner, [], "Writers")
    expect((await owner.call("PATCH", `/v1/teams/${other}`, { name: "Authors" })).status).toBe(200)
    const role = await owner.call("POST", "/v1/roles", { name: "Reader", permissions: [] })
    expect(role.status).toBe(201)
    // The document itself can change them, also with the mode in place.
    await apply(owner, { teams: [{ key: "platform", name: "Platform team" }] })
    expect((await owner.call("GET", `/v1/teams/${teamId}`)).body.team).toMatchObject({ name: "Platform team" })
  })

  it("get a warning if other changes are allowed", async () => {
    const { owner, teamId } = await withTeam({ teams: "warn" })
    const response = await owner.call("PATCH", `/v1/teams/${teamId}`, { name: "Other" })
    expect([response.status, response.headers.get("orgplane-warning")]).toEqual([
      200,
      "A configuration document manages teams/platform."
    ])
  })

  it("are released by the document, and the mode is part of the export", async () => {
    const { owner, teamId } = await withTeam({ teams: "refuse" })
    const { document } = (await owner.call("GET", "/v1/configuration")).body
    expect(document.managed).toEqual({ teams: "refuse" })
    expect((await apply(owner, document)).changes).toEqual([])
    expect((await owner.call("GET", "/v1/configuration?kinds=roles")).body.document).not.toHaveProperty("managed")
    await apply(owner, { managed: { teams: "off" } })
    const response = await owner.call("PATCH", `/v1/teams/${teamId}`, { name: "Other" })
    expect([response.status, response.headers.get("orgplane-warning")]).toEqual([200, null])
    expect((await owner.call("GET", "/v1/configuration")).body.document).not.toHaveProperty("managed")
  })

  it("are managed in their own organization only", async () => {
    const { teamId } = await withTeam({ teams: "refuse" })
    const stranger = await makeWorkspace(plane)
    expect((await stranger.call("PATCH", `/v1/teams/${teamId}`, { name: "Other" })).status).toBe(404)
    const own = await makeTeam(stranger, [], "Platform")
    expect((await stranger.call("PATCH", `/v1/teams/${own}`, { name: "Other" })).status).toBe(200)
  })

  it("include the config objects of plugins, and the marketplaces of plugins", async () => {
    const owner = await makeWorkspace(plane)
    const object = { type: "custom", normalizedPayloadJson: { limit: 1 } }
    await apply(owner, {
      marketplaces: [{ key: "tools", name: "Tools" }],
      plugins: [{ key: "reviews", name: "Reviews", marketplaces: ["tools"], objects: [object] }],
      managed: { plugins: "refuse" }
    })
    const [plugin] = (await owner.call("GET", "/v1/plugins")).body.items
    const [marketplace] = (await owner.call("GET", "/v1/marketplaces")).body.items
    const [{ configObject }] = (await owner.call("GET", `/v1/plugins/${plugin.id}/config-objects`)).body.items
    const input = { type: "custom", normalizedPayloadJson: { limit: 2 } }
    const other = (await owner.call("POST", "/v1/config-objects", { input })).body.item
    const shelf = (await owner.call("POST", "/v1/marketplaces", { name: "Shelf" })).body.item
    const before = (await owner.call("GET", "/v1/configuration?kinds=plugins")).body
    for (const [method, path, body] of [
      ["POST", "/v1/config-objects", { input, pluginIds: [plugin.id] }],
      ["POST", `/v1/config-objects/${configObject.id}/versions`, { input }],
      ["POST", `/v1/config-objects/${configObject.id}/archive`, {}],
      ["DELETE", `/v1/config-objects/${configObject.id}`, undefined],
      ["POST", `/v1/config-objects/${other.id}/plugins`, { pluginId: plugin.id }],
      ["DELETE", `/v1/config-objects/${configObject.id}/plugins/${plugin.id}`, undefined],
      ["POST", `/v1/plugins/${plugin.id}/config-objects`, { configObjectId: other.id }],
      ["DELETE", `/v1/plugins/${plugin.id}/config-objects/${configObject.id}`, undefined],
      ["POST", `/v1/marketplaces/${shelf.id}/plugins`, { pluginId: plugin.id }],
      ["DELETE", `/v1/marketplaces/${marketplace.id}/plugins/${plugin.id}`, undefined]
    ] as const) {
      const response = await owner.call(method, path, body)
      expect([method, path, response.status, response.body.reason]).toEqual([
        method,
        path,
        403,
        "managed_by_configuration"
      ])
    }
    expect((await owner.call("GET", "/v1/configuration?kinds=plugins")).body).toEqual(before)
    // Access to a config object and its other plugins are not in the document.
    const grant = { orgWide: true, role: "viewer" }
    const granted = await owner.call("POST", `/v1/config-objects/${configObject.id}/access`, grant)
    expect([granted.status, granted.text]).toEqual([201, granted.text])
    const own = (await owner.call("POST", "/v1/plugins", { name: "Own" })).body.item
    const place = { pluginId: own.id }
    expect((await owner.call("POST", `/v1/config-objects/${configObject.id}/plugins`, place)).status).toBe(201)
    expect((await owner.call("DELETE", `/v1/config-objects/${configObject.id}/plugins/${own.id}`)).status).toBe(204)
    expect((await owner.call("POST", `/v1/marketplaces/${marketplace.id}/plugins`, place)).status).toBe(201)
    // An object that was in the plugin before is not managed any more.
    await apply(owner, { plugins: [{ key: "reviews", name: "Reviews", objects: [] }] })
    expect((await owner.call("DELETE", `/v1/config-objects/${configObject.id}`)).status).toBe(204)
  })

  it("include the delivery mode of marketplaces, but not their plugins", async () => {
    const owner = await makeWorkspace(plane)
    await apply(owner, { marketplaces: [{ key: "tools", name: "Tools" }], managed: { marketplaces: "refuse" } })
    const [{ id }] = (await owner.call("GET", "/v1/marketplaces")).body.items
    const mode = await owner.call("PUT", `/v1/approval-settings/marketplaces/${id}`, { deliveryMode: "hold_all" })
    expect([mode.status, mode.body.reason]).toEqual([403, "managed_by_configuration"])
    const plugin = (await owner.call("POST", "/v1/plugins", { name: "Own" })).body.item
    expect((await owner.call("POST", `/v1/marketplaces/${id}/plugins`, { pluginId: plugin.id })).status).toBe(201)
    expect((await owner.call("DELETE", `/v1/marketplaces/${id}/plugins/${plugin.id}`)).status).toBe(204)
  })

  it("include the status and the automatic import of connectors, but not unchanged branches", async () => {
    const owner = await makeWorkspace(plane)
    const { connectorInstanceId: id, connectorTargetId } = await makeConnector(plane, owner)
    const { connectors } = (await owner.call("GET", "/v1/configuration?kinds=connectors")).body.document
    await apply(owner, { connectors, managed: { connectors: "refuse" } })
    for (const [method, path, body] of [
      ["POST", `/v1/connector-instances/${id}/archive`, {}],
      ["POST", `/v1/connector-instances/${id}/disable`, {}],
      ["PUT", `/v1/connector-instances/${id}/auto-import`, { enabled: true }]
    ] as const) {
      const response = await owner.call(method, path, body)
      expect([path, response.status, response.body.reason]).toEqual([path, 403, "managed_by_configuration"])
    }
    const target = await owner.call("PATCH", `/v1/connector-targets/${connectorTargetId}`, {})
    expect([target.status, target.text]).toEqual([200, target.text])
  })
})
