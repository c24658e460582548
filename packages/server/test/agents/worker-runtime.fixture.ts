/** A runtime whose behavior `mode` selects. The provisioner runs it as a process; it is never imported. */
import { spawn } from "node:child_process"
import { appendFileSync, renameSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

let input = ""
for await (const chunk of process.stdin) input += String(chunk)
if (input.trim() === "") process.exit(1)
const settings = JSON.parse(input) as Record<string, string> & { heartbeatSeconds: number }
// The file in which the test looks for secrets.
writeFileSync("settings.json", input, { mode: 0o600 })

const how = process.argv[2] ?? ""
if (how === "stubborn") process.on("SIGTERM", () => undefined)
if (how === "short-lived") process.exit(3)
if (how === "with-child") writeFileSync("child.pid", String(spawn("sleep", ["600"], { stdio: "ignore" }).pid))

const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}

const modes: Readonly<Record<string, (response: ServerResponse) => void>> = {
  hang: () => undefined,
  html: (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>Upgraded</p>"),
  "not json": (response) => void response.writeHead(200, { "content-type": "application/json" }).end("upgraded"),
  empty: (response) => void response.writeHead(200, { "content-type": "application/json" }).end(),
  redirect: (response) => void response.writeHead(307, { location: "/elsewhere" }).end("{}"),
  "redirect away": (response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end("{}"),
  "2 MiB": (response) => json(response, 200, { text: "x".repeat(2 * 1024 * 1024) }),
  endless: (response) => {
    response.writeHead(200, { "content-type": "application/json" })
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
      if (!response.destroyed) response.once("drain", more)
    }
    more()
  },
  leak: (response) => json(response, 200, { token: settings["runtimeToken"] }),
  "escaped leak": (response) => {
    const escaped = Array.from(settings["runtimeToken"] ?? "", (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    response.writeHead(200, { "content-type": "application/json" }).end(`{"token":"${escaped.join("")}"}`)
  },
  deep: (response) => {
    response.writeHead(200, { "content-type": "application/json" }).end("[".repeat(200_000) + "]".repeat(200_000))
  },
  "many headers": (response) => {
    for (let n = 0; n < 4000; n++) response.setHeader(`x-many-${n}`, "x".repeat(100))
    json(response, 200, {})
  },
  die: () => process.exit(4)
}

const server = createServer((request, response) => {
  let text = ""
  request.on("data", (chunk) => (text += String(chunk)))
  request.on("end", () => {
    const isKnown = request.headers.authorization === `Bearer ${settings["runtimeToken"]}`
    appendFileSync("requests.log", `${request.method} ${request.url} ${isKnown} ${text}\n`)
    if (!isKnown) return json(response, 401, { error: "unauthorized" })
    const { mode = "", status = 200 } = (text === "" ? {} : JSON.parse(text)) as { mode?: string; status?: number }
    const act = modes[mode]
    if (act === undefined) json(response, status, { said: status, pid: process.pid })
    else act(response)
  })
})

server.listen(0, "127.0.0.1", () => {
  const url = how === "foreign" ? "http://127.0.0.2:80" : `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const readyFile = settings["readyFile"] ?? ""
  writeFileSync(`${readyFile}.new`, JSON.stringify({ url }))
  renameSync(`${readyFile}.new`, readyFile)
})
