/**
 * A minimal worker runtime: it handles `GET /runtime` and `POST /runtime/upgrade`, sends heartbeats, and reports
 * its activity. An orgplane server starts it for a cloud worker:
 *
 *   ORGPLANE_WORKER_COMMAND='["node","/path/to/worker-runtime.ts"]'
 *
 * The settings are one line of JSON on standard input. If the input ends without a line, the runtime exits.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { writeFileSync, renameSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"

if (process.env["ORGPLANE_WORKER_INSTANCE"] === undefined) {
  console.log("This program is started by an orgplane server: set ORGPLANE_WORKER_COMMAND.") // => This program is started by an orgplane server: set ORGPLANE_WORKER_COMMAND.
  process.exit(0)
}

interface Settings {
  readonly controlPlaneUrl: string
  readonly workerId: string
  readonly workerToken: string
  readonly runtimeToken: string
  readonly heartbeatSeconds: number
  readonly readyFile: string
}

const firstLine = async (): Promise<string | undefined> => {
  for await (const line of createInterface({ input: process.stdin })) return line
  return undefined
}
const line = await firstLine()
// The server that started this process has exited, so no server manages it anymore.
if (line === undefined) process.exit(1)
const settings = JSON.parse(line) as Settings
process.stdin.destroy()

let version = "1.0.0"
let upgrading = false

/** Sends a report to the control plane. A refused token means that the worker was removed. */
const report = async (kind: "heartbeat" | "activity", body: unknown): Promise<void> => {
  try {
    const response = await fetch(`${settings.controlPlaneUrl}/v1/workers/${settings.workerId}/${kind}`, {
      method: "POST",
      headers: { authorization: `Bearer ${settings.workerToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000)
    })
    if (response.status === 401) process.exit(0)
  } catch {
    // The next heartbeat reports again.
  }
}

const heartbeat = () =>
  report("heartbeat", { imageVersion: version, workspacePath: process.cwd(), sandboxBackend: "process" })

const digest = (text: string) => createHash("sha256").update(text).digest()
const isAuthorized = (request: IncomingMessage) =>
  timingSafeEqual(digest(request.headers.authorization ?? ""), digest(`Bearer ${settings.runtimeToken}`))

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  let text = ""
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > 1_048_576) throw new Error("too large")
  }
  return JSON.parse(text)
}

const handle = async (request: IncomingMessage): Promise<readonly [number, unknown]> => {
  if (!isAuthorized(request)) return [401, { error: "unauthorized" }]
  if (request.method === "GET" && request.url === "/runtime") return [200, { version, upgrading, pid: process.pid }]
  if (request.method !== "POST" || request.url !== "/runtime/upgrade") return [404, { error: "not_found" }]
  const payload = await bodyOf(request).catch(() => undefined)
  if (typeof payload !== "object" || payload === null) return [400, { error: "invalid_request" }]
  const target = "version" in payload ? payload.version : "1.1.0"
  if (typeof target !== "string" || !/^\d+\.\d+\.\d+$/.test(target)) return [422, { error: "no_such_version" }]
  if (upgrading) return [409, { error: "upgrade_in_progress" }]
  upgrading = true
  const before = version
  await report("activity", { kind: "runtime.upgrade", message: `From ${before} to ${target}` })
  version = target
  upgrading = false
  await heartbeat()
  return [200, { upgraded: true, from: before, to: version }]
}

const server = createServer((request, response) => {
  void handle(request).then(([status, body]) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(body))
  })
})

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  // Rename the file when it is complete, so that the server never reads an incomplete file.
  writeFileSync(`${settings.readyFile}.new`, JSON.stringify({ url: `http://127.0.0.1:${port}` }), { mode: 0o600 })
  renameSync(`${settings.readyFile}.new`, settings.readyFile)
  void heartbeat().then(() => report("activity", { kind: "runtime.started", message: `Version ${version}` }))
  setInterval(() => void heartbeat(), settings.heartbeatSeconds * 1000)
})

process.on("SIGTERM", () => {
  void report("heartbeat", { stopping: true }).then(() => process.exit(0))
})
