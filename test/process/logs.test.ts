/** The lines that a server logs follow the published schema, and belong to the requests and jobs that cause them. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import logSchema from "../../packages/server/log.schema.json" with { type: "json" }
import { makeRepository } from "../fixtures/git.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, startServer, until } from "./server.fixture.ts"

vi.setConfig({ testTimeout: 240_000 })

interface Line {
  readonly level: string
  readonly message: string
  readonly request_id?: string
  readonly trace_id?: string
  readonly span_id?: string
  readonly fields?: Readonly<Record<string, unknown>>
}

it("writes every line in the documented format, with the IDs of the request, also for the job that it queued", async () => {
  const folder = makeFolder()
  const dir = join(folder, "repositories/plugins")
  makeRepository(dir, {
    ".claude-plugin/marketplace.json": JSON.stringify({
      name: "tools",
      owner: { name: "Acme" },
      plugins: [{ name: "alpha", source: "./plugins/alpha" }]
    }),
    "plugins/alpha/commands/go.md": "# Go\n"
  })
  const server = await startServer({
    ORGPLANE_DATA_DIR: makeDataDir(),
    ORGPLANE_SEED: "none",
    ORGPLANE_LOG_LEVEL: "debug",
    ORGPLANE_GIT_LOCAL_ROOTS: join(folder, "repositories")
  })
  const token = await makeWorkspace(server.baseUrl)
  const [trace, span] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")]
  const send = (method: string, path: string, body: unknown, requestId: string) =>
    fetch(`${server.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-request-id": requestId,
        traceparent: `00-${trace}-${span}-01`
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  const created = await send(
    "POST",
    "/v1/connectors/codehost/setup",
    { adapter: "git", cloneUrl: dir },
    "request-that-connects"
  )
  const { connectorInstance } = (await created.json()).item
  const applied = await send(
    "POST",
    `/v1/connector-instances/${connectorInstance.id}/discovery/apply`,
    { selectedKeys: ["marketplace:alpha"], autoImportNewPlugins: false },
    "request-that-queues"
  )
  expect(applied.status).toBeLessThan(300)
  expect((await send("GET", `/v1/plugins/${token}`, undefined, "request-that-fails")).status).toBe(400)
  await until(
    () => ask(server.baseUrl, token, "GET", "/v1/config-objects"),
    ({ body }) => body.items.length > 0
  )
  const { body: audit } = await ask(server.baseUrl, token, "GET", "/v1/audit-events?limit=100")
  server.signal("SIGTERM")
  const { code, stderr } = await server.ended
  expect(code).toBe(0)

  const isLine = new Ajv2020({ allErrors: true }).compile(logSchema)
  const lines = stderr
    .trimEnd()
    .split("\n")
    .map((text): Line => JSON.parse(text))
  for (const line of lines) expect([line, isLine(line), isLine.errors]).toEqual([line, true, null])
  expect(stderr).not.toContain(token)

  const of = (requestId: string) => lines.filter(({ request_id }) => request_id === requestId)
  expect(of("request-that-fails")).toMatchObject([
    {
      level: "debug",
      message: "Served a request.",
      trace_id: trace,
      span_id: span,
      fields: { operation: "plugins.get", method: "GET", status: 400, durationMs: expect.any(Number) }
    }
  ])
  // The job may end before or after the response of the request that queued it.
  const queueing = of("request-that-queues").toSorted((one, other) => one.message.localeCompare(other.message))
  expect(queueing).toMatchObject([
    { level: "info", message: "A connector sync ended.", trace_id: trace, fields: { status: "completed" } },
    { message: "Served a request.", trace_id: trace }
  ])
  const events: ReadonlyArray<{ actorKind: string; requestId: string | null }> = audit.items
  expect(events.filter(({ actorKind }) => actorKind === "system").map(({ requestId }) => requestId)).toEqual(
    expect.arrayContaining(["request-that-queues"])
  )
})
