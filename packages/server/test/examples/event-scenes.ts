/** Requests of the examples about events: a member created a plugin. */
import { expect } from "vitest"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import type { Scene } from "./scenes.ts"

const created = async (more: Partial<Scene> = {}): Promise<Scene> => {
  const plane = await makeControlPlane()
  const owner = await makeWorkspace(plane, "Acme")
  await owner.call("PATCH", "/v1/me", { name: "Ada Lovelace" })
  const plugin = await owner.client.plugins.create({ name: "Reviewer" })
  const events = () => owner.call("GET", `/v1/events?types=plugin.create&objectId=${plugin.id}`)
  await expect.poll(async () => (await events()).body.items).toHaveLength(1)
  const [event] = (await events()).body.items
  return { plane, token: owner.token, things: { AuditEventId: event.id }, ...more }
}

export const eventScenes: Readonly<Record<string, () => Promise<Scene>>> = {
  "events.list": () => created({ query: { types: "plugin.*" } }),
  "events.get": () => created(),
  "events.stream": () => created({ query: { types: "plugin.*" }, headers: { "last-event-id": "0" } })
}
