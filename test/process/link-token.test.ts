import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { ask, makeDataDir, makeWorkspace, startServer } from "./server.fixture.ts"

it("never writes the token of a marketplace link to logs, errors, metrics or traces", async () => {
  const received: Array<string> = []
  const receiver = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      received.push(Buffer.concat(parts).toString())
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  try {
    const server = await startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_LOG_LEVEL: "debug",
      ORGPLANE_METRICS_TOKEN: "metrics-token-of-a-test",
      ORGPLANE_OTLP_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    })
    const owner = await makeWorkspace(server.baseUrl)
    const send = (method: string, path: string, body?: unknown) => ask(server.baseUrl, owner, method, path, body)
    const marketplace = (await send("POST", "/v1/marketplaces", { name: "Tools" })).body.item.id as string
    const created = await send("POST", `/v1/marketplaces/${marketplace}/links`, { name: "A laptop" })
    const path = new URL(created.body.item.url as string).pathname
    const token = path.split("/")[3] ?? ""
    expect(token).toMatch(/^opl_[0-9A-Za-z]{49}$/)
    const responses: Array<string> = []
    for (const [method, at] of [
      ["GET", path],
      ["POST", path],
      ["GET", `${path}?token=${token}`],
      ["GET", `/${path}`],
      ["GET", path.replace("marketplace.json", "plugins/not-an-id")],
      ["GET", path.replace("marketplace.json", `plugins/plg_${"0".repeat(26)}`)],
      ["GET", path.replace("marketplace.json", "%ff")],
      ["GET", path.replace(token, `${token}x`)],
      ["GET", path.replace("opl_", "opl%5F")],
      ["GET", path.replace("opl_", "%6fpl%255f")],
      [
        "POST",
        path.replace(
          token,
          token.replaceAll(/./gu, (one) => `%${one.charCodeAt(0).toString(16)}`)
        )
      ],
      ["GET", `/v1/marketplaces?q=${token}`]
    ] as const) {
      const { status, text } = await send(method, at)
      responses.push(`${status} ${text}`)
    }
    // The marketplace response contains the token in the URLs of its plugins, but this one has no plugins.
    expect(responses[0]).toContain('"name":"tools"')
    expect(responses.filter((text) => text.includes(token))).toEqual([])
    const metrics = await fetch(`${server.baseUrl}/v1/metrics`, {
      headers: { authorization: "Bearer metrics-token-of-a-test" }
    })
    expect(await metrics.text()).not.toContain(token)
    expect((await send("GET", "/v1/audit-events?limit=100")).text).not.toContain(token)
    server.signal("SIGTERM")
    const { stderr, stdout } = await server.ended
    // Without the first characters, which some requests encode, and completely encoded.
    const shown = [stdout, stderr, ...received].filter(
      (text) => text.includes(token.slice(4)) || text.includes("%6f%70%6c")
    )
    expect(shown).toEqual([])
  } finally {
    receiver.close()
  }
})
