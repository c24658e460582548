import { randomBytes } from "node:crypto"
import { describe, expect, it, vi } from "vitest"
import { make } from "../../packages/server/src/control-plane.ts"
import { attribute, collect, serverKind, type Span, startCollector } from "./collector.fixture.ts"
import { makeDataDir, makeWorkspace, startServer, until } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

// Exports happen at intervals, so each test mostly waits.
describe.concurrent("an OpenTelemetry collector", () => {
  it("receives the telemetry of requests at every interval and at shutdown, with the caller's trace and without secrets", async () => {
    const collector = await collect()
    const server = await startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_LOG_LEVEL: "debug",
      ORGPLANE_OTLP_URL: collector.url
    })
    const token = await makeWorkspace(server.baseUrl)
    const requested = (span: Span) => span.kind === serverKind
    const ask = async (trace: string, parent: string, query = "") => {
      const response = await fetch(`${server.baseUrl}/v1/teams${query}`, {
        headers: { authorization: `Bearer ${token}`, traceparent: `00-${trace}-${parent}-01` }
      })
      expect(response.status).toBe(200)
      await response.text()
    }
    const ofTrace = (trace: string) => collector.spans.filter((span) => span.traceId === trace)

    // Each is sent after the previous one has arrived, which shows that the exporter continues after its first
    // interval.
    for (let interval = 0; interval < 2; interval += 1) {
      const [trace, parent] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")]
      await ask(trace, parent, "?limit=7")
      const spans = await until(
        () => Promise.resolve(ofTrace(trace)),
        (spans) => spans.some(requested)
      )
      const [request] = spans.filter(requested)
      expect(request).toMatchObject({ parentSpanId: parent })
      expect(request && attribute(request, "http.route")).toContain("/v1/teams")
      expect(request && attribute(request, "http.response.status_code")).toContain("200")
      expect(request && attribute(request, "url.query")).toContain("limit=REDACTED")
      // The statements of the request are below it.
      expect(spans.filter((span) => span.kind !== serverKind).length).toBeGreaterThan(0)
    }
    const counted = () => collector.metrics.get("orgplane_http_requests_total") ?? 0
    await until(
      () => Promise.resolve(counted()),
      (count) => count >= 3
    )
    const metricsBefore = collector.requests["/v1/metrics"]
    await until(
      () => Promise.resolve(collector.requests["/v1/metrics"]),
      (count) => count > metricsBefore
    )
    await until(
      () => Promise.resolve(collector.logs.length),
      (count) => count > 0
    )

    // The telemetry of a request right before shutdown is flushed by it.
    const [trace, parent] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")]
    await ask(trace, parent)
    const countBefore = counted()
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
    expect(ofTrace(trace).filter(requested)).toMatchObject([{ parentSpanId: parent }])
    expect(counted()).toBeGreaterThan(countBefore)
    expect(collector.everything()).not.toContain(token)
  })

  it("receives the telemetry of an embedded control plane, and the rest when it is disposed", async () => {
    const collector = await collect()
    const plane = await make({
      database: { kind: "pglite", dataDir: makeDataDir() },
      otlpUrl: collector.url,
      logLevel: "none"
    })
    const [trace, parent] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")]
    const response = await plane.fetch(
      new Request("http://localhost/v1/version", { headers: { traceparent: `00-${trace}-${parent}-01` } })
    )
    expect(response.status).toBe(200)
    await plane.dispose()
    expect(collector.spans.filter((span) => span.traceId === trace && span.kind === serverKind)).toMatchObject([
      { parentSpanId: parent }
    ])
    expect(collector.metrics.get("orgplane_http_requests_total")).toBe(1)
  })

  it("delays neither requests nor shutdown when it is unreachable", async () => {
    const collector = await startCollector()
    await collector.stop()
    const server = await startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_OTLP_URL: collector.url
    })
    expect((await fetch(`${server.baseUrl}/v1/ready`)).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})
