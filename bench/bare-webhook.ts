/** A minimal webhook receiver: reads the body, compares the signature, stores nothing. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const secret = process.env["WEBHOOK_SECRET"] ?? ""
const json = { "content-type": "application/json" }

createServer((request, response) => {
  const mac = createHmac("sha256", secret)
  request.on("data", (part: Buffer) => mac.update(part))
  request.on("end", () => {
    if (request.method === "GET") return response.writeHead(200, json).end("{}")
    const signature = Buffer.from(String(request.headers["x-hub-signature-256"]).slice(7), "hex")
    const expectedMac = mac.digest()
    if (signature.length !== expectedMac.length || !timingSafeEqual(signature, expectedMac))
      return response.writeHead(401, json).end("{}")
    const deliveryId = String(request.headers["x-github-delivery"])
    return response.writeHead(202, json).end(JSON.stringify({ ok: true, accepted: true, deliveryId, queued: true }))
  })
}).listen(Number(process.env["PORT"]), "127.0.0.1")
