/** A collector in this process that accepts OTLP over HTTP, and stores what it receives. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"

export interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: object }>
}

export const serverKind = 2

/** `hangs`: it receives exports, but does not respond. */
export const startCollector = async ({ hangs = false } = {}) => {
  const spans: Array<Span> = []
  const logs: Array<string> = []
  const metrics = new Map<string, number>()
  const requests = { "/v1/traces": 0, "/v1/metrics": 0, "/v1/logs": 0 }
  let everything = ""
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (part: string) => (text += part))
    request.on("end", () => {
      everything += text
      const body = JSON.parse(text)
      requests[request.url as keyof typeof requests] += 1
      for (const resource of body.resourceSpans ?? []) {
        for (const scope of resource.scopeSpans) spans.push(...scope.spans)
      }
      for (const resource of body.resourceLogs ?? []) {
        for (const scope of resource.scopeLogs) {
          for (const record of scope.logRecords) logs.push(JSON.stringify(record.body))
        }
      }
      for (const resource of body.resourceMetrics ?? []) {
        for (const scope of resource.scopeMetrics) {
          for (const metric of scope.metrics) {
            const points: ReadonlyArray<{ asInt?: string; asDouble?: number }> = metric.sum?.dataPoints ?? []
            if (points.length > 0) {
              metrics.set(
                metric.name,
                points.reduce((sum, point) => sum + Number(point.asInt ?? point.asDouble ?? 0), 0)
              )
            }
          }
        }
      }
      if (!hangs) response.end("{}")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    logs,
    metrics,
    requests,
    everything: () => everything,
    stop: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    }
  }
}

const collectors: Array<{ stop: () => Promise<unknown> }> = []
afterAll(() => Promise.all(collectors.map((collector) => collector.stop())))
export const collect = async (options?: { readonly hangs?: boolean }) => {
  const collector = await startCollector(options)
  collectors.push(collector)
  return collector
}

/** An attribute of a span as JSON. */
export const attribute = (span: Span, key: string) =>
  JSON.stringify(span.attributes.find((attribute) => attribute.key === key)?.value)
