/** Servers that are killed while a ring of a rollout starts. */
import { expect, it, vi } from "vitest"
import { ask, makeDataDir, makeWorkspace, type Running, startServer, until } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const skill = (text: string) => `---\nname: review\ndescription: How to review.\n---\n\n${text}\n`

/** A plugin with an approved release, whose next releases reach `First` (a team without members), `Owner`, and everyone. */
const start = async (ring: { readonly soakMinutes: number; readonly promotion: "manual" | "automatic" }) => {
  const environment = { ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none" }
  let server: Running = await startServer(environment)
  const token = await makeWorkspace(server.baseUrl)
  const send = (method: string, path: string, body?: object) => ask(server.baseUrl, token, method, path, body)
  const succeeded = async (method: string, path: string, body?: object) => {
    const response = await send(method, path, body)
    expect([response.status, response.status < 300 ? "" : response.text]).toEqual([response.status, ""])
    return response.body
  }
  await succeeded("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
  const pluginId: string = (await succeeded("POST", "/v1/plugins", { name: "Notes" })).item.id
  const objectId: string = (
    await succeeded("POST", "/v1/config-objects", {
      input: { type: "skill", rawSourceText: skill("Release 0.") },
      pluginIds: [pluginId]
    })
  ).item.id
  const approve = async () => {
    const [release] = (await succeeded("GET", `/v1/approvals?pluginId=${pluginId}`)).items
    await succeeded("POST", "/v1/approvals/approve", {
      releases: [{ releaseId: release.id, digest: release.digest }]
    })
    return release.digest as string
  }
  const first = await approve()
  await succeeded("POST", "/v1/assignments", { pluginId, mode: "required" })
  const [owner] = (await succeeded("GET", "/v1/members")).items
  const teamId: string = (await succeeded("POST", "/v1/teams", { name: "Nobody" })).team.id
  const common = { teamIds: [], memberIds: [], percent: 0, ...ring }
  await succeeded("PATCH", "/v1/rollout-settings", {
    rings: [
      { ...common, name: "First", teamIds: [teamId] },
      { ...common, name: "Owner", memberIds: [owner.id] }
    ]
  })
  return {
    first,
    send,
    succeeded,
    release: async (text: string) => {
      await succeeded("POST", `/v1/config-objects/${objectId}/versions`, { input: { rawSourceText: skill(text) } })
      return approve()
    },
    rollout: async () => (await succeeded("GET", `/v1/rollouts?pluginId=${pluginId}`)).items[0],
    received: async () => (await succeeded("GET", "/v1/me/desired-state")).plugins[0]?.digest as string | undefined,
    /** Kills the server without warning, and starts it again on its data. */
    restart: async () => {
      server.signal("SIGKILL")
      await server.ended
      server = await startServer(environment)
    },
    stop: async () => {
      server.signal("SIGTERM")
      expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
    }
  }
}

it("a server that is killed during a promotion has started the ring completely or not at all", async () => {
  const plane = await start({ soakMinutes: 43_200, promotion: "manual" })
  let previous = plane.first
  // The response to a promotion takes some milliseconds.
  for (const millis of [0, 5]) {
    const digest = await plane.release(`Release after ${millis} ms.`)
    const { id } = await plane.rollout()
    for (const [ring, next, received] of [
      ["First", { state: "active", ring: "Owner" }, previous],
      ["Owner", { state: "completed", ring: "Everyone" }, digest]
    ] as const) {
      expect(await plane.received()).toBe(received)
      const promotion = plane.send("POST", `/v1/rollouts/${id}/promote`, { ring }).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, millis))
      await plane.restart()
      const isAcknowledged = (await promotion)?.status === 200
      const after = await plane.rollout()
      expect(after.id).toBe(id)
      if (after.state !== next.state || after.ring !== next.ring) {
        expect([isAcknowledged, after]).toMatchObject([false, { state: "active", ring }])
        expect(await plane.received()).toBe(received)
        await plane.succeeded("POST", `/v1/rollouts/${id}/promote`, { ring })
      }
      expect(await plane.rollout()).toMatchObject(next)
      expect(await plane.received()).toBe(digest)
    }
    previous = digest
    const { item } = await plane.succeeded("GET", `/v1/rollouts/${id}`)
    // Each step exactly once.
    expect(item.steps.map(({ step }: { step: string }) => step)).toEqual([
      "created",
      "ring_started",
      "ring_started",
      "completed"
    ])
  }
  await plane.stop()
})

it("a rollout continues by itself when its server is killed again and again", async () => {
  const plane = await start({ soakMinutes: 0, promotion: "automatic" })
  const digest = await plane.release("Release 1.")
  const { id } = await plane.rollout()
  // The worker starts a ring every few seconds.
  for (const step of [1, 2]) {
    await until(plane.rollout, ({ ringNumber, state }) => ringNumber > step || state === "completed")
    await plane.restart()
  }
  await until(plane.rollout, ({ state }) => state === "completed")
  expect(await plane.received()).toBe(digest)
  const { item } = await plane.succeeded("GET", `/v1/rollouts/${id}`)
  expect(item.steps.map(({ step }: { step: string }) => step)).toEqual([
    "created",
    "ring_started",
    "ring_started",
    "completed"
  ])
  await plane.stop()
})
