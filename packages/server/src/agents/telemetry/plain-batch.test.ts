import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fieldSeparator, unitSeparator } from "../../infra/ports/event-store.ts"
import { checkEvents, encodeColumns } from "./events.ts"
import { makePlainReader, type PlainBatch } from "./plain-batch.ts"

const now = Date.UTC(2026, 10, 22, 10, 15)
const rules = {
  types: new Set(["user.active", "task.started", "task.failed", "tâche"]),
  from: now - 86_400_000 * 400,
  until: now + 86_400_000
}
const readPlain = makePlainReader(rules.types)
const read = (text: string) => readPlain(new TextEncoder().encode(text), rules.from, rules.until)

/** The dimensions are compared as JSON, because PostgreSQL stores them as jsonb. */
const readable = ({ columns, ...batch }: PlainBatch) => {
  const fields = new TextDecoder().decode(columns).split(fieldSeparator)
  const dimensions = (fields[6] ?? "")
    .split(unitSeparator)
    .map((text): unknown => (text === "" ? null : JSON.parse(text)))
  return { ...batch, fields: fields.toSpliced(6, 1), dimensions }
}

/** The result of parsing the text and checking each event. */
const checked = (text: string) => {
  const { events } = JSON.parse(text) as { readonly events: ReadonlyArray<unknown> }
  const { columns, dropped, earliest, fieldsRemoved, kept, latest } = checkEvents(rules, events)
  return { dropped, fieldsRemoved, ...readable({ kept, earliest, latest, columns: encodeColumns(columns) }) }
}

const plainText = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 70 })
  .filter((text) => !/["\\]/.test(text))
const plainDimension = fc.record(
  { type: plainText.filter((text) => text.length <= 64), value: plainText, label: plainText },
  { requiredKeys: ["type"] }
)
const plainEvent = fc.record(
  {
    type: fc.constantFrom("user.active", "task.started", "task.failed"),
    timestamp: fc
      .date({ min: new Date(rules.from), max: new Date(rules.until), noInvalidDate: true })
      .map((date) => date.toISOString()),
    source: fc.constantFrom("app", "worker"),
    sessionId: fc.option(plainText),
    durationMs: fc.option(fc.integer({ min: 0, max: 86_400_000 })),
    success: fc.option(fc.boolean()),
    dimensions: fc.option(fc.array(plainDimension, { maxLength: 8 })),
    id: fc.option(plainText)
  },
  { requiredKeys: ["type", "timestamp", "source"] }
)

/** Replaces the value of some field, or adds one, so that the batch may no longer be plain. */
const oddValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: "binary", maxLength: 140 }),
  fc.constantFrom("tâche", "2026-11-22T10:15:00Z", "2026-11-31T10:15:00.000Z", "1999-01-01T00:00:00.000Z"),
  fc.constantFrom(86_400_001, -0.5, 1e21, "2026-11-22T24:00:00.000Z", "2026-11-22T10:60:00.000Z", null, "", "app")
)
const oddEvent = fc
  .tuple(
    plainEvent,
    fc.constantFrom("type", "timestamp", "source", "sessionId", "durationMs", "success", "dimensions", "id", "userId"),
    oddValue
  )
  .map(([event, name, value]) => ({ ...event, [name]: value }))
const oddDimension = fc
  .tuple(plainEvent, plainDimension, fc.constantFrom("type", "value", "label", "metadata", "userId"), oddValue)
  .map(([event, dimension, name, value]) => ({ ...event, dimensions: [{ ...dimension, [name]: value }] }))

const shuffled = (event: object) =>
  fc
    .shuffledSubarray(Object.entries(event), { minLength: Object.keys(event).length })
    .map((entries) => Object.fromEntries(entries) as object)
const space = fc.constantFrom<string | number>(0, 0, 1, "\t")

describe("a plain batch", () => {
  test("is read as it is parsed and checked", () => {
    fc.assert(
      fc.property(fc.array(plainEvent.chain(shuffled), { minLength: 1, maxLength: 50 }), space, (events, indent) => {
        const text = JSON.stringify({ events }, null, indent)
        const batch = read(text)
        expect(batch).toBeDefined()
        if (batch !== undefined) expect({ dropped: 0, fieldsRemoved: 0, ...readable(batch) }).toEqual(checked(text))
      })
    )
  })

  test("is the only kind that is read without parsing", () => {
    const events = fc.array(fc.oneof(oddEvent, oddDimension, plainEvent), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(events, space, (events, indent) => {
        const text = JSON.stringify({ events }, null, indent)
        const batch = read(text)
        if (batch !== undefined) expect({ dropped: 0, fieldsRemoved: 0, ...readable(batch) }).toEqual(checked(text))
      }),
      { numRuns: 2000 }
    )
  })

  test("is valid JSON", () => {
    const text = JSON.stringify({
      events: [
        {
          type: "task.failed",
          timestamp: new Date(now).toISOString(),
          source: "app",
          sessionId: "s-1",
          durationMs: 12,
          success: false,
          dimensions: [{ type: "model", value: "m" }],
          id: null
        }
      ]
    })
    const insertions = fc.oneof(
      fc.constantFrom(",", '"', "}", "]", "{", "[", ":", "0", ".5", "e1", "-", "\\", " "),
      fc.string()
    )
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(3), insertions, (place, removed, inserted) => {
        const changed = text.slice(0, place) + inserted + text.slice(place + removed)
        const batch = read(changed)
        if (batch !== undefined) expect({ dropped: 0, fieldsRemoved: 0, ...readable(batch) }).toEqual(checked(changed))
      }),
      { numRuns: 20_000 }
    )
  })

  test.each([
    ["has an unknown field", `"sessionID":"s"`],
    ["has a field twice", `"source":"app"`],
    ["has an escaped character", `"id":"\\u0061"`],
    ["has a character that is not ASCII", `"id":"ä"`],
    ["has an ID that is too long", `"id":"${"a".repeat(129)}"`],
    ["has a duration with leading zeros", `"durationMs":01`],
    ["has metadata", `"dimensions":[{"type":"a","metadata":{}}]`],
    ["has nine dimensions", `"dimensions":[${Array(9).fill('{"type":"a"}').join(",")}]`]
  ])("does not include one that %s", (_, field) => {
    const event = `"type":"task.failed","timestamp":"${new Date(now).toISOString()}","source":"app"`
    expect(read(`{"events":[{${event}}]}`)).toBeDefined()
    expect(read(`{"events":[{${event},${field}}]}`)).toBeUndefined()
  })

  test("has at least one and at most 50 events", () => {
    const event = { type: "task.failed", timestamp: new Date(now).toISOString(), source: "app" }
    const withEvents = (count: number) => read(JSON.stringify({ events: Array.from({ length: count }, () => event) }))
    expect([0, 1, 50, 51].map((count) => withEvents(count)?.kept)).toEqual([undefined, 1, 50, undefined])
  })
})
