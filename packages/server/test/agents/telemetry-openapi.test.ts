/** The OpenAPI document about telemetry, compared with what the server accepts and stores. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as formats from "ajv-formats"
import { describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { anEvent, sendEvents } from "./telemetry.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const me = await makeWorkspace(plane)

const document = JSON.parse(await readFile(join(import.meta.dirname, "../../../../docs/openapi.json"), "utf8"))
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default.default(ajv)
ajv.addSchema(document, "document")
const validatorOf = (name: string) => ajv.compile({ $ref: `document#/components/schemas/${name}` })
const isBatch = validatorOf("IngestTelemetry")
const isEvent = validatorOf("TelemetryEvent")

const ingest = (body: unknown) => me.call("POST", "/v1/telemetry/ingest", body)

describe("the OpenAPI document about POST /v1/telemetry/ingest", () => {
  it.each([
    ["one event", { events: [anEvent()] }],
    ["50 events", { events: Array.from({ length: 50 }, () => anEvent()) }],
    ["an event of an unknown type", { events: [anEvent({ type: "nobody.knows" })] }],
    ["an event without a timestamp", { events: [anEvent({ timestamp: undefined })] }],
    [
      "an unknown source, a long duration and unknown members",
      { events: [anEvent({ source: "tv", durationMs: 1e12 })] }
    ],
    ["what is no event", { events: [null, 1, "x", [], {}] }],
    ["members beside the events", { events: [anEvent()], sentAt: "now" }],
    ["no events", { events: [] }],
    ["51 events", { events: Array.from({ length: 51 }, () => anEvent()) }],
    ["events that are no array", { events: anEvent() }],
    ["no member events", { items: [] }],
    ["an array", [anEvent()]],
    ["null", null]
  ])("declares a body valid exactly when the server returns 204: %s", async (_, body) => {
    const sent = JSON.parse(JSON.stringify(body))
    expect((await ingest(sent)).status).toBe(isBatch(sent) ? 204 : 400)
  })

  it.each([
    ["nothing more", {}],
    ["every member", { id: "é-1", sessionId: "s 1", durationMs: 86_400_000, success: false, dimensions: [] }],
    ["a dimension", { dimensions: [{ type: "model", label: "", value: "", metadata: { deep: [1] } }] }],
    ["a duration of a part", { durationMs: 1.5 }],
    ["a duration of more than a day", { durationMs: 86_400_001 }],
    ["a control character in the id", { id: "a\u0007" }],
    ["a control character in the session", { sessionId: "a\nb" }],
    ["an empty id", { id: "" }],
    ["a long session", { sessionId: "s".repeat(129) }],
    ["an unknown source", { source: "tv" }],
    ["a success in words", { success: "yes" }],
    ["nine dimensions", { dimensions: Array.from({ length: 9 }, () => ({ type: "model" })) }],
    ["a dimension without a type", { dimensions: [{ value: "x" }] }],
    ["a long value", { dimensions: [{ type: "model", value: "v".repeat(129) }] }],
    ["no type", { type: undefined }],
    ["a timestamp without a time", { timestamp: "2026-11-22" }]
  ])("declares an event valid exactly when it is stored unchanged: %s", async (_, more) => {
    const event = JSON.parse(JSON.stringify(anEvent(more)))
    const { response, entry } = await sendEvents(me, [event])
    expect(response.status).toBe(204)
    expect(entry.accepted === 1 && entry.fieldsRemoved === 0).toBe(isEvent(event))
  })

  it("lists the event types that every server accepts", async () => {
    const described = await me.call("GET", "/v1/telemetry/schema")
    for (const type of described.body.telemetry.types) {
      expect(document.components.schemas.TelemetryEvent.properties.type.description).toContain(`\`${type}\``)
    }
  })
})
