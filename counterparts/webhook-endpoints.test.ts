/** Webhooks that the `standardwebhooks` library verifies, and webhooks that it signs and the client verifies. */
import { createServer } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { verifyWebhook } from "../packages/client/src/index.ts"
import { startWorkspace, type Workspace } from "./control-plane.ts"
import { fileOf } from "./programs.ts"

interface Verifier {
  verify(body: string, headers: Readonly<Record<string, string>>): unknown
  sign(id: string, time: Date, body: string): string
}
interface Library {
  readonly Webhook: new (secret: string) => Verifier
}
interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const { Webhook } = createRequire(import.meta.url)(fileOf("standardwebhooks", "dist/index.js")) as Library

const received: Array<Received> = []
const receiver = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    received.push({ headers: request.headers as Received["headers"], body: Buffer.concat(chunks).toString() })
    response.writeHead(204).end()
  })
})
let workspace: Workspace

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  workspace = await startWorkspace()
})
afterAll(async () => {
  await workspace?.close()
  receiver.closeAllConnections()
  receiver.close()
})

const call: Workspace["call"] = (...request) => workspace.call(...request)

describe("the standardwebhooks library", () => {
  it("verifies webhooks with the secret of the endpoint, and with both secrets during a rotation", async () => {
    const { port } = receiver.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/`
    const created = await call("POST", "/v1/webhook-endpoints", { name: "Hook", url, types: ["plugin.create"] })
    const { item } = await call("POST", "/v1/plugins", { name: "Überprüfung 😀" })
    await expect.poll(() => received.length).toBe(1)
    const [first] = received as [Received]
    expect(new Webhook(created.secret).verify(first.body, first.headers)).toMatchObject({
      type: "plugin.create",
      data: { object: { id: item.id } }
    })
    expect(() => new Webhook(created.secret).verify(`${first.body} `, first.headers)).toThrow("No matching signature")

    const rotated = await call("POST", `/v1/webhook-endpoints/${created.item.id}/rotate-secret`, {})
    await call("POST", `/v1/webhook-endpoints/${created.item.id}/test`)
    const test = received[1] as Received
    for (const secret of [created.secret, rotated.secret]) {
      expect(new Webhook(secret).verify(test.body, test.headers)).toMatchObject({ type: "webhook.test" })
    }
  })

  it("signs webhooks that the client verifies", async () => {
    const secret = `whsec_${Buffer.from("a secret for tests, 32 bytes long").toString("base64")}`
    const time = new Date()
    const body = JSON.stringify({ type: "plugin.create", timestamp: time.toISOString(), data: { name: "Über 😀" } })
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("msg_1", time, body)
    }
    expect(await verifyWebhook({ headers, body }, { secret })).toEqual({ id: "msg_1", ...JSON.parse(body) })
  })
})
