/** Traces of a server process, as a collector receives them. */
import { randomBytes } from "node:crypto"
import { afterAll, describe, expect, it, vi } from "vitest"
import { make } from "../../packages/server/src/control-plane.ts"
import { makeRepository } from "../fixtures/git.ts"
import { serveGit } from "../fixtures/git-server.ts"
import { attribute, collect, serverKind, type Span } from "./collector.fixture.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, startServer, until } from "./server.fixture.ts"

vi.setConfig({ testTimeout: 240_000 })

const closing: Array<() => Promise<unknown>> = []
afterAll(() => Promise.all(closing.map((close) => close())))

const traceOf = () => [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")] as const
const traceparent = ([trace, span]: readonly [string, string], flags = "01") => `00-${trace}-${span}-${flags}`

const hasAncestor = (spans: ReadonlyArray<Span>, span: Span, ancestor: Span): boolean => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent !== undefined && (parent === ancestor || hasAncestor(spans, parent, ancestor))
}

describe("the traces of a server", () => {
  it("connect a request to its statements, its job and the job's outbound requests, and follow the caller's decision", async () => {
    const collector = await collect()
    const repository = makeFolder()
    makeRepository(repository, {
      ".claude-plugin/marketplace.json": JSON.stringify({
        name: "tools",
        owner: { name: "Acme" },
        plugins: [{ name: "alpha", source: "./plugins/alpha" }]
      }),
      "plugins/alpha/commands/go.md": "# Go\n"
    })
    const git = await serveGit(repository)
    closing.push(git.close)
    const server = await startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_OTLP_URL: collector.url,
      // Only what a caller traces, and failures.
      ORGPLANE_TRACE_SAMPLE_RATIO: "0",
      ORGPLANE_OUTBOUND_ALLOW: "127.0.0.0/8",
      ORGPLANE_OUTBOUND_ALLOW_HTTP: "127.0.0.1"
    })
    const token = await makeWorkspace(server.baseUrl)
    const send = (method: string, path: string, body: unknown, parent: string) =>
      fetch(`${server.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", traceparent: parent },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    const created = await ask(server.baseUrl, token, "POST", "/v1/connectors/codehost/setup", {
      adapter: "git",
      cloneUrl: git.url
    })
    const { connectorInstance } = created.body.item
    const traced = traceOf()
    const applied = await send(
      "POST",
      `/v1/connector-instances/${connectorInstance.id}/discovery/apply`,
      { selectedKeys: ["marketplace:alpha"], autoImportNewPlugins: false },
      traceparent(traced)
    )
    expect(applied.status).toBeLessThan(300)
    await until(
      () => ask(server.baseUrl, token, "GET", "/v1/config-objects"),
      ({ body }) => body.items.length > 0
    )
    const untraced = traceOf()
    expect((await send("GET", "/v1/teams", undefined, traceparent(untraced, "00"))).status).toBe(200)
    // No webhook secret is configured, so the response is 503.
    const failed = traceOf()
    const path = "/v1/webhooks/connectors/codehost"
    expect((await send("POST", path, {}, traceparent(failed, "00"))).status).toBe(503)
    expect((await ask(server.baseUrl, undefined, "POST", path, {})).status).toBe(503)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })

    const spans = collector.spans.filter(({ traceId }) => traceId === traced[0])
    const request = spans.find(({ kind }) => kind === serverKind)
    const job = spans.find(({ name }) => name === "connectors.sync")
    if (request === undefined || job === undefined)
      throw new Error(`Spans: ${spans.map(({ name }) => name).join(", ")}`)
    expect(request).toMatchObject({ name: "connectors.apply", parentSpanId: traced[1] })
    expect(attribute(request, "http.response.status_code")).toContain(String(applied.status))
    expect(attribute(request, "orgplane.request_id")).toContain(applied.headers.get("x-request-id"))
    const statements = spans.filter((span) => attribute(span, "db.query.text") !== undefined)
    expect(statements.some((span) => hasAncestor(spans, span, request) && !hasAncestor(spans, span, job))).toBe(true)
    expect(statements.some((span) => hasAncestor(spans, span, job))).toBe(true)
    expect(hasAncestor(spans, job, request)).toBe(true)
    const outbound = spans.filter(({ name }) => name.startsWith("outbound."))
    expect(outbound.some((span) => hasAncestor(spans, span, job))).toBe(true)
    // No trace has gaps.
    for (const span of spans) expect(span === request || hasAncestor(spans, span, request)).toBe(true)

    // Of all other work, only the failed requests have a span, each one.
    const others = collector.spans.filter(({ traceId }) => traceId !== traced[0])
    expect(others.map(({ kind, name }) => [kind, name])).toEqual([
      [serverKind, "webhooks.codehost"],
      [serverKind, "webhooks.codehost"]
    ])
    expect(others.find(({ traceId }) => traceId === failed[0])).toMatchObject({ parentSpanId: failed[1] })
    expect(others.every((span) => attribute(span, "http.response.status_code")?.includes("503"))).toBe(true)
    // Statements have placeholders instead of values.
    const attributesOfStatements = JSON.stringify(statements.map(({ attributes }) => attributes))
    expect(attributesOfStatements).toContain("$1")
    expect(attributesOfStatements.includes(connectorInstance.id.slice(4))).toBe(false)
    expect(collector.everything().includes(token)).toBe(false)
  })

  it("keep a limited number of exports in memory while the collector does not respond", async () => {
    const collector = await collect({ hangs: true })
    const metricsToken = "the token of the metrics"
    const plane = await make({
      database: { kind: "pglite", dataDir: makeDataDir() },
      otlpUrl: collector.url,
      metricsToken,
      logLevel: "none"
    })
    const send = (path: string, headers: Record<string, string> = {}) =>
      plane.fetch(new Request(`http://localhost${path}`, { headers }))
    const dropped = async () => {
      const text = await (await send("/v1/metrics", { authorization: `Bearer ${metricsToken}` })).text()
      return Number(/^orgplane_otlp_exports_total\{signal="traces",outcome="dropped"\} (\d+)/mu.exec(text)?.[1] ?? "0")
    }
    // A request has several spans, and a batch a thousand.
    while ((await dropped()) === 0) {
      const responses = await Promise.all(Array.from({ length: 100 }, () => send("/v1/version")))
      expect(responses.every(({ status }) => status === 200)).toBe(true)
    }
    expect(collector.requests["/v1/traces"]).toBeLessThanOrEqual(2)
    await collector.stop()
    await plane.dispose()
  })
})
