/**
 * The runtime of a worker, as small as it can be: it answers `GET /runtime` and `POST /runtime/upgrade`, says that it
 * lives, and reports what it does. An orgplane server starts it for a cloud worker:
 *
 *   ORGPLANE_WORKER_COMMAND='["node","/path/to/worker-runtime.ts"]'
 *
 * The settings come as one line of JSON on standard input; whose input ends without one, ends too.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { writeFileSync, renameSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"

if (process.env["ORGPLANE_WORKER_INSTANCE"] === undefined) {
  console.log("An orgplane server starts me, as ORGPLANE_WORKER_COMMAND.") // => An orgplane server starts me, as ORGPLANE_WORKER_COMMAND.
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
// Whoever started us is gone: nobody knows of us, and we know nothing.
if (line === undefined) process.exit(1)
const settings = JSON.parse(line) as Settings
process.stdin.destroy()

let version = "1.0.0"
let upgrading = false

/** Tells the control plane; a token that is refused means that the worker is no more. */
const tell = async (what: "heartbeat" | "activity", body: unknown): Promise<void> => {
  try {
    const answer = await fetch(`${settings.controlPlaneUrl}/v1/workers/${settings.workerId}/${what}`, {
      method: "POST",
      headers: { authorization: `Bearer ${settings.workerToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000)
    })
    if (answer.status === 401) process.exit(0)
  } catch {
    // It is told again with the next heartbeat.
  }
}

const heartbeat = () =>
  tell("heartbeat", { imageVersion: version, workspacePath: process.cwd(), sandboxBackend: "process" })

const digest = (text: string) => createHash("sha256").update(text).digest()
const isOurs = (request: IncomingMessage) =>
  timingSafeEqual(digest(request.headers.authorization ?? ""), digest(`Bearer ${settings.runtimeToken}`))

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  let text = ""
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > 1_048_576) throw new Error("too large")
  }
  return JSON.parse(text)
}

const answerTo = async (request: IncomingMessage): Promise<readonly [number, unknown]> => {
  if (!isOurs(request)) return [401, { error: "unauthorized" }]
  if (request.method === "GET" && request.url === "/runtime") return [200, { version, upgrading, pid: process.pid }]
  if (request.method !== "POST" || request.url !== "/runtime/upgrade") return [404, { error: "not_found" }]
  const wish = await bodyOf(request).catch(() => undefined)
  if (typeof wish !== "object" || wish === null) return [400, { error: "invalid_request" }]
  const wanted = "version" in wish ? wish.version : "1.1.0"
  if (typeof wanted !== "string" || !/^\d+\.\d+\.\d+$/.test(wanted)) return [422, { error: "no_such_version" }]
  if (upgrading) return [409, { error: "upgrade_in_progress" }]
  upgrading = true
  const before = version
  await tell("activity", { kind: "runtime.upgrade", message: `From ${before} to ${wanted}` })
  version = wanted
  upgrading = false
  await heartbeat()
  return [200, { upgraded: true, from: before, to: version }]
}

const server = createServer((request, response) => {
  void answerTo(request).then(([status, body]) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(body))
  })
})

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  // Whole at once: whoever looks finds all of it or nothing.
  writeFileSync(`${settings.readyFile}.new`, JSON.stringify({ url: `http://127.0.0.1:${port}` }), { mode: 0o600 })
  renameSync(`${settings.readyFile}.new`, settings.readyFile)
  void heartbeat().then(() => tell("activity", { kind: "runtime.started", message: `Version ${version}` }))
  setInterval(() => void heartbeat(), settings.heartbeatSeconds * 1000)
})

process.on("SIGTERM", () => {
  void tell("heartbeat", { stopping: true }).then(() => process.exit(0))
})
