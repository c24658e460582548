/** A receiver of events in a process of its own: counts requests, and the lines of their bodies. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

let requests = 0
let lines = 0
const server = createServer((request, response) => {
  request.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
  })
  request.on("end", () => {
    requests += 1
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on("message", () => process.send?.({ requests, lines }))
process.on("disconnect", () => process.exit())
