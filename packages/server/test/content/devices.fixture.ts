import { expect } from "vitest"
import { addMember, makeWorkspace, type Person, type TestPlane, type TestResponse, type Workspace } from "../harness.ts"
import { approvePending } from "./approvals.fixture.ts"
import { skill } from "./connectors.fixture.ts"
import { requested } from "./delivery/desired-state.fixture.ts"

export const reportsPath = "/v1/delivery/reports"

export interface Wanted {
  readonly pluginId: string
  readonly sha256: string
  readonly digest: string | null
}

/** An item of a response. */
export type Item = TestResponse["body"]

/** The plugins that a device of the caller should have installed, from the caller's desired state. */
export const wantedBy = async (plane: TestPlane, { token }: Pick<Person, "token">): Promise<ReadonlyArray<Wanted>> => {
  for (let tries = 0; tries < 20; tries += 1) {
    const { status, text } = await requested(plane, token)
    if (status === 200) {
      return JSON.parse(text).plugins.flatMap((plugin: Item) =>
        plugin.enabled && plugin.archive !== null
          ? [{ pluginId: plugin.pluginId, sha256: plugin.archive.sha256, digest: plugin.digest }]
          : []
      )
    }
    expect(status).toBe(503)
  }
  throw new Error("The archives were not created.")
}

/** The plugin that a device of the caller should have installed: the only one, or the one with the ID. */
export const pluginOf = async (plane: TestPlane, person: Pick<Person, "token">, pluginId?: string): Promise<Wanted> => {
  const plugins = await wantedBy(plane, person)
  const wanted = plugins.find((plugin) => pluginId === undefined || plugin.pluginId === pluginId)
  if (wanted === undefined) throw new Error("The plugin is not in the desired state.")
  return wanted
}

export const installed = (plugins: ReadonlyArray<Wanted>) =>
  plugins.map((plugin) => ({ ...plugin, state: "installed", failure: null }))

export const failed = (plugins: ReadonlyArray<Wanted>, failure = "download", installedSha256: string | null = null) =>
  plugins.map((plugin) => ({ ...plugin, state: "failed", failure, installedSha256 }))

let devices = 0
export const makeDeviceId = () => `device-${String((devices += 1)).padStart(12, "0")}`

export const reportOf = (input: object) => ({
  deviceId: "device-of-a-member",
  sequence: 1,
  agent: "claude-code",
  platform: "linux",
  revision: null,
  plugins: [],
  ...input
})

/** Sends a report of a device that is accepted. */
export const reportAccepted = async ({ call }: Pick<Person, "call">, input: object): Promise<void> => {
  const response = await call("POST", reportsPath, reportOf(input))
  expect([response.status, response.text]).toEqual([200, response.text])
  expect(response.body.accepted).toBe(true)
}

/** The body of a successful request. */
export const read = async ({ call }: Pick<Person, "call">, path: string): Promise<TestResponse["body"]> => {
  const response = await call("GET", path)
  expect([response.status, response.text]).toEqual([200, response.text])
  return response.body
}

export const statusOf = async (person: Pick<Person, "call">, query = "") =>
  (await read(person, `/v1/delivery/status${query}`)).item

export const counts = (input: object) => ({ running: 0, behind: 0, missing: 0, failed: 0, offline: 0, ...input })

/** A plugin with a skill and an approved release, which is on for every member. */
export const makeDelivered = async (owner: Workspace, name = "Notes") => {
  const { id: pluginId } = await owner.client.plugins.create({ name })
  await owner.client.plugins.grantAccess(pluginId, { role: "viewer", orgWide: true })
  const { id: objectId } = await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill("review", `${name}.`) },
    pluginIds: [pluginId]
  })
  await approvePending(owner, pluginId)
  const { id: assignmentId } = await owner.client.assignments.create({ pluginId, mode: "required" })
  /** Releases another text. */
  const release = async (text: string): Promise<void> => {
    await owner.client.configObjects.createVersion(objectId, { input: { rawSourceText: skill("review", `${text}.`) } })
    await approvePending(owner, pluginId)
  }
  return { pluginId, objectId, assignmentId, release }
}

/** An organization with a delivered plugin and a member. */
export const start = async (plane: TestPlane) => {
  const owner = await makeWorkspace(plane)
  await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
  const delivered = await makeDelivered(owner)
  const member = await addMember(plane, owner, "member")
  return { owner, member, ...delivered }
}
