import { expect } from "vitest"
import { addMember, makeTeam, makeWorkspace, type Person, type TestPlane } from "../harness.ts"
import { approvePending } from "./approvals.fixture.ts"
import { skill } from "./connectors.fixture.ts"
import { stateOf } from "./delivery/desired-state.fixture.ts"

export const later = { soakMinutes: 43_200, promotion: "manual" } as const
export const ring = (name: string, more: object = {}) => ({
  name,
  teamIds: [],
  memberIds: [],
  percent: 0,
  ...later,
  ...more
})

/** Sends a request that must succeed, and returns its body. */
export const succeeded = async (person: Person, method: string, path: string, body?: object) => {
  const response = await person.call(method, path, body)
  expect([response.status, response.status < 300 ? "" : response.text]).toEqual([response.status, ""])
  return response.body
}

/**
 * A plugin whose releases are held for approval, and three rings: the member `canary`, the team of the member `early`, and
 * everyone, such as the member `last`.
 */
export const start = async (plane: TestPlane, more: { readonly rings?: object } = {}) => {
  const owner = await makeWorkspace(plane)
  await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
  const canary = await addMember(plane, owner, "member")
  const early = await addMember(plane, owner, "member")
  const last = await addMember(plane, owner, "member")
  const teamId = await makeTeam(owner, [early])
  const { id: pluginId } = await owner.client.plugins.create({ name: "Notes" })
  await owner.client.plugins.grantAccess(pluginId, { role: "viewer", orgWide: true })
  const { id: objectId } = await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill("review", "First.") },
    pluginIds: [pluginId]
  })
  await approvePending(owner, pluginId)
  const assignment = await succeeded(owner, "POST", "/v1/assignments", { pluginId, mode: "required" })
  await succeeded(owner, "PATCH", "/v1/rollout-settings", {
    rings: [
      ring("Canary", { memberIds: [canary.membershipId], ...more.rings }),
      ring("Early", { teamIds: [teamId], ...more.rings })
    ]
  })
  /** The digest of the newest approved release. */
  const latest = async (): Promise<{ id: string; digest: string }> =>
    (await owner.call("GET", `/v1/approvals?state=approved&pluginId=${pluginId}`)).body.items[0]
  const first = await latest()
  const write = (text: string) =>
    owner.client.configObjects.createVersion(objectId, { input: { rawSourceText: skill("review", `${text}.`) } })
  /** Approves a release with another text. */
  const release = async (text: string) => {
    await write(text)
    await approvePending(owner, pluginId)
    return latest()
  }
  /** The newest rollout. */
  const rollout = async () => (await owner.call("GET", `/v1/rollouts?pluginId=${pluginId}`)).body.items[0]
  const act = (id: string, verb: string, body?: object) => owner.call("POST", `/v1/rollouts/${id}/${verb}`, body)
  /** The digests that the three members receive. */
  const digests = async (people: ReadonlyArray<Person> = [canary, early, last]) => {
    const received: Array<string | null> = []
    for (const { token } of people) {
      const [plugin] = (await stateOf(plane, token)).body.plugins
      received.push(plugin?.digest ?? null)
    }
    return received
  }
  return {
    owner,
    canary,
    early,
    last,
    teamId,
    pluginId,
    assignmentId: assignment.item.id as string,
    first,
    write,
    release,
    rollout,
    act,
    digests
  }
}
