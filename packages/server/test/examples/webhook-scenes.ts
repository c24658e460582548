/** Requests of the examples about webhook endpoints: a plugin was created, and its event was delivered. */
import { expect } from "vitest"
import { reachesLoopback } from "../agents/oauth.fixture.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { createEndpoint, messagesOf, serveReceiver } from "../identity/webhook-endpoints.fixture.ts"
import type { Scene } from "./scenes.ts"

const delivered = async (): Promise<Scene> => {
  const plane = await makeControlPlane({ outbound: reachesLoopback })
  const owner = await makeWorkspace(plane, "Acme")
  const receiver = await serveReceiver(() => ({ status: 200, body: "ok" }))
  const endpoint = await createEndpoint(owner, receiver.url, { name: "Deployments", types: ["plugin.*"] })
  await owner.client.plugins.create({ name: "Reviewer" })
  await expect
    .poll(async () => (await messagesOf(owner, endpoint)).map(({ state }) => state), { timeout: 20_000 })
    .toEqual(["delivered"])
  const [message] = await messagesOf(owner, endpoint)
  return { plane, token: owner.token, things: { WebhookEndpointId: endpoint.item.id, WebhookMessageId: message.id } }
}

export const webhookScenes: Readonly<Record<string, () => Promise<Scene>>> = {
  "webhookEndpoints.test": delivered,
  "webhookEndpoints.listMessages": delivered,
  "webhookEndpoints.getMessage": delivered
}
