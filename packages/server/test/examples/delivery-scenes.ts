/** Requests of the examples about devices: a plugin that runs on one device, and failed on another one. */
import * as Effect from "effect/Effect"
import { DeliveryHistoryService } from "../../src/content/devices/history-service.ts"
import { failed, installed, reportAccepted, reportOf, start, wantedBy } from "../content/devices.fixture.ts"
import { addMember, makeControlPlane, makeTeam, makeWorkspace, withServices } from "../harness.ts"
import type { Scene } from "./scenes.ts"

const laptop = "Zc4iGtDqQmW8v2Ns0aXy1w"
const devbox = "p7RkB3uVx9LhTqYe5JmD2A"

const report = {
  deviceId: laptop,
  sequence: 42,
  agent: "claude-code",
  clientVersion: "1.4.0",
  platform: "macos",
  revision: 1
}

const delivering = async () => {
  const plane = await makeControlPlane()
  const { member, owner, pluginId } = await start(plane)
  await member.call("PATCH", "/v1/me", { name: "Ada Lovelace" })
  const plugins = await wantedBy(plane, member)
  await makeTeam(owner, [member], "Platform")
  return { plane, owner, member, plugins, pluginId, token: owner.token }
}

/** Reads what two devices of the member have reported. */
const reported =
  (query: Readonly<Record<string, string>> = {}) =>
  async (): Promise<Scene> => {
    const { member, plane, plugins, token } = await delivering()
    await reportAccepted(member, { ...report, plugins: installed(plugins) })
    await reportAccepted(member, { ...report, deviceId: devbox, platform: "linux", plugins: failed(plugins) })
    await withServices(
      plane,
      Effect.flatMap(DeliveryHistoryService, (history) => history.record)
    )
    const things = { OrganizationMembershipId: member.membershipId, DeviceId: devbox }
    return { plane, token, query, things }
  }

/** A member for whom an assignment requires a plugin. */
const assigned = async (): Promise<Scene> => {
  const plane = await makeControlPlane({ workers: false })
  const owner = await makeWorkspace(plane, "Acme")
  const member = await addMember(plane, owner, "member")
  const plugin = (await owner.call("POST", "/v1/plugins", { name: "Code review" })).body.item
  await owner.call("POST", "/v1/config-objects", {
    input: { type: "context", rawSourceText: "# How we review" },
    pluginIds: [plugin.id]
  })
  await owner.call("POST", `/v1/plugins/${plugin.id}/access`, { orgWide: true, role: "viewer" })
  await owner.call("POST", "/v1/assignments", { pluginId: plugin.id, mode: "required" })
  return { plane, token: owner.token, things: { OrganizationMembershipId: member.membershipId } }
}

export const deliveryScenes: Readonly<Record<string, () => Promise<Scene>>> = {
  "desiredState.getMember": assigned,
  "delivery.report": async () => {
    const { member, plane, plugins } = await delivering()
    return { plane, token: member.token, body: reportOf({ ...report, plugins: installed(plugins) }) }
  },
  "delivery.status": reported(),
  "delivery.listTeams": reported(),
  "delivery.listMembers": reported({ state: "failed" }),
  "delivery.listDevices": reported({ platform: "linux" }),
  "delivery.getDevice": reported(),
  "delivery.removeDevice": reported(),
  "delivery.history": reported(),
  "delivery.usage": reported()
}
