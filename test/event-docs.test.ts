/** The reference of events: an example of each type that a test has recorded, and each is an event. */
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventExamples, withoutExample } from "../scripts/codegen/event-docs.ts"
import { Event } from "../packages/schema/src/events.ts"
import { eventTypes } from "../packages/schema/src/shared/event-types.ts"

const page = readFileSync(join(import.meta.dirname, "../docs/event-types.md"), "utf8")
const decode = Schema.decodeUnknownSync(Schema.Record(Schema.String, Event), { onExcessProperty: "error" })

describe("the reference of events", () => {
  it("has an example of each type, except of those that no organization's feed contains", () => {
    expect([...Object.keys(eventExamples), ...Object.keys(withoutExample)].toSorted()).toEqual(eventTypes)
  })

  it("has only events of their type as examples", () => {
    for (const [type, event] of Object.entries(decode(eventExamples))) expect(event.type).toBe(type)
  })

  it("describes each type", () => {
    expect(eventTypes.filter((type) => !page.includes(`\n### ${type}\n\n`))).toEqual([])
  })
})
