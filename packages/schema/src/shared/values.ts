import * as Schema from "effect/Schema"

/** A moment in UTC with milliseconds, as every answer carries it: `2026-03-01T09:30:00.000Z`. */
export const Timestamp = Schema.String.check(Schema.isPattern(/^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)).annotate({
  identifier: "Timestamp",
  format: "date-time",
  description: "A moment in UTC, with milliseconds."
})

/** PostgreSQL holds neither U+0000 nor half of a surrogate pair, so they are refused where they come in. */
// oxlint-disable-next-line no-control-regex -- this character is what it is about
const storable = Schema.isPattern(/^[^\u0000\ud800-\udfff]*$/u, {
  message: "must hold neither the character U+0000 nor half of a surrogate pair"
})

/** Text of a caller, bounded in code points. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isBetweenCodePoints(minimum, maximum), storable)

const depthMax = 64
const isStorableText = (text: string) => !text.includes("\u0000") && text.isWellFormed()
const isStorable = (value: unknown, depth: number): boolean => {
  if (typeof value === "string") return isStorableText(value)
  if (typeof value !== "object" || value === null) return true
  if (depth === depthMax) return false
  return Object.entries(value).every(([key, member]) => isStorableText(key) && isStorable(member, depth + 1))
}

/** A free-form JSON object. */
export const JsonObject = Schema.Record(Schema.String, Schema.Json).annotate({ identifier: "JsonObject" })
export type JsonObject = typeof JsonObject.Type

/** A `JsonObject` a caller sends: at most 64 levels deep, and of text that can be stored. */
export const JsonInput = Schema.Record(Schema.String, Schema.Json).check(
  Schema.makeFilter(
    (value: Schema.JsonObject) =>
      isStorable(value, 0)
        ? undefined
        : `must be at most ${depthMax} levels deep and hold neither the character U+0000 nor half of a surrogate pair`,
    undefined,
    // What else is asked of it may go down all levels.
    true
  )
)

/** A boolean in a query string. */
export const QueryFlag = Schema.Literals(["true", "false"])

/** An e-mail address, as far as its form can tell; compared without regard to case. */
export const Email = Text(3, 254).check(
  Schema.isPattern(/^[^\s@,;:<>"()[\]\\]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/u, { message: "must be an e-mail address" })
)
