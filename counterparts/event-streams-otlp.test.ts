/**
 * A stream of events to a receiver that reads each request with the code that is generated from OpenTelemetry's own protocol
 * definitions.
 */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorkspace, type Workspace } from "./control-plane.ts"
import { fileOf } from "./programs.ts"

/** A message type of protobufjs. `verify` returns why a message is invalid. */
interface MessageType {
  fromObject(value: object): object
  verify(message: object): string | null
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(message: object, options: object): object
}
type Definitions = Readonly<Record<"ExportLogsServiceRequest" | "ExportLogsServiceResponse", MessageType>>

const definitions = (): Definitions => {
  const root = createRequire(import.meta.url)(
    fileOf("@opentelemetry/otlp-transformer", "build/src/generated/root.js")
  ) as {
    readonly opentelemetry: { readonly proto: { readonly collector: { readonly logs: { readonly v1: Definitions } } } }
  }
  return root.opentelemetry.proto.collector.logs.v1
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue: string }
}
interface Logs {
  readonly resourceLogs: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeLogs: ReadonlyArray<{
      readonly logRecords: ReadonlyArray<{
        readonly timeUnixNano: string
        readonly severityNumber: number
        readonly eventName: string
        readonly body: { readonly stringValue: string }
      }>
    }>
  }>
}

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly sent: unknown
  /** The request after it was encoded with the definitions and decoded again. */
  readonly logs: Logs
  readonly fault: string | null
}

const received: Array<Received> = []
let rejectedLogRecords = 0
let collector: Server
let endpoint = ""
let workspace: Workspace

beforeAll(async () => {
  const { ExportLogsServiceRequest: request, ExportLogsServiceResponse: response } = definitions()
  collector = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const sent = JSON.parse(Buffer.concat(chunks).toString()) as object
      const message = request.fromObject(sent)
      const decoded = request.decode(request.encode(message).finish())
      received.push({
        path: incoming.url ?? "",
        headers: incoming.headers,
        sent,
        logs: request.toObject(decoded, { longs: String }) as Logs,
        fault: request.verify(message)
      })
      const partialSuccess = rejectedLogRecords === 0 ? {} : { partialSuccess: { rejectedLogRecords } }
      const body = response.toObject(response.fromObject(partialSuccess), { longs: String })
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/logs`
  workspace = await startWorkspace()
})
afterAll(async () => {
  await workspace.close()
  collector.closeAllConnections()
  collector.close()
})

const call: Workspace["call"] = (...request) => workspace.call(...request)

const createStream = async () => {
  const destination = { kind: "otlp", url: endpoint, headers: { "x-api-key": "a-key" } }
  return (await call("POST", "/v1/event-streams", { name: "Collector", destination, after: 0 })).item
}

const records = () =>
  received.flatMap(({ logs }) =>
    logs.resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap((one) => one.logRecords))
  )

describe("an OpenTelemetry receiver", () => {
  it("reads every batch with the official definitions, without a member that it does not know", async () => {
    const stream = await createStream()
    for (let index = 0; index < 3; index += 1) await call("POST", "/v1/plugins", { name: `Plugin ${index}` })
    const names = () => records().map(({ eventName }) => eventName)
    await expect.poll(() => names().filter((name) => name === "plugin.create").length).toBe(3)
    for (const { fault, headers, logs, path, sent } of received) {
      expect([path, fault, headers["x-api-key"], headers["content-type"]]).toEqual([
        "/v1/logs",
        null,
        "a-key",
        "application/json"
      ])
      // The definitions drop unknown members.
      expect(logs).toEqual(sent)
      const attributes = logs.resourceLogs[0]?.resource.attributes.map(({ key, value }) => [key, value.stringValue])
      expect(attributes).toEqual([
        ["service.name", "orgplane"],
        ["orgplane.organization.id", stream.organizationId]
      ])
    }
    for (const { body, eventName, severityNumber, timeUnixNano } of records()) {
      const line = JSON.parse(body.stringValue) as { readonly type?: string; readonly createdAt?: string }
      expect(severityNumber).toBe(9)
      if (line.type === undefined) continue
      expect(eventName).toBe(line.type)
      expect(new Date(Number(BigInt(timeUnixNano) / 1_000_000n)).toISOString()).toBe(line.createdAt)
    }
    await call("DELETE", `/v1/event-streams/${stream.id}`)
  })

  it("that rejects log records gets the same batch again", async () => {
    rejectedLogRecords = 2
    received.length = 0
    const { id } = await createStream()
    await expect
      .poll(async () => (await call("GET", `/v1/event-streams/${id}`)).item)
      .toMatchObject({ lastError: "The collector rejected 2 log records.", position: 0 })
    rejectedLogRecords = 0
    await expect
      .poll(async () => (await call("GET", `/v1/event-streams/${id}`)).item)
      .toMatchObject({ lastError: null, lag: 0 })
    expect(received[1]?.logs).toEqual(received[0]?.logs)
  })
})
