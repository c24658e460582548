/** Requests of the examples about events: a member created a plugin. */
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, expect } from "vitest"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { makeControlPlane, makeWorkspace, withServices } from "../harness.ts"
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

/** A destination that accepts everything. */
const serveReceiver = async (): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
}

export const eventScenes: Readonly<Record<string, () => Promise<Scene>>> = {
  "audit.get": async () => {
    const plane = await makeControlPlane({ workers: false })
    const owner = await makeWorkspace(plane, "Acme")
    const { body } = await owner.call("POST", "/v1/teams", { name: "Platform" })
    const [event] = (await owner.call("GET", `/v1/audit-events?targetId=${body.team.id}`)).body.items
    return { plane, token: owner.token, things: { AuditEventId: event.id } }
  },
  "events.list": () => created({ query: { types: "plugin.*" } }),
  "events.get": () => created(),
  "events.stream": () => created({ query: { types: "plugin.*" }, headers: { "last-event-id": "0" } }),
  "events.checkpoints": async () => {
    const scene = await created()
    await withServices(
      scene.plane,
      Effect.flatMap(AuditChain, ({ checkpoint }) => Effect.orDie(checkpoint(0)))
    )
    return scene
  },
  "eventStreams.test": async () => {
    const plane = await makeControlPlane({
      workers: false,
      outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
    })
    const owner = await makeWorkspace(plane, "Acme")
    const destination = { kind: "https", url: await serveReceiver() }
    const { body } = await owner.call("POST", "/v1/event-streams", { name: "SIEM", destination })
    return { plane, token: owner.token, things: { EventStreamId: body.item.id } }
  }
}
