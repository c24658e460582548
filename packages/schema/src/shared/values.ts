import * as Schema from "effect/Schema"

/** A moment in UTC with milliseconds, as every answer carries it: `2026-03-01T09:30:00.000Z`. */
export const Timestamp = Schema.String.check(Schema.isPattern(/^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)).annotate({
  identifier: "Timestamp",
  format: "date-time",
  description: "A moment in UTC, with milliseconds."
})

/** PostgreSQL text cannot hold U+0000, so it is refused where it comes in. */
// oxlint-disable-next-line no-control-regex -- this character is what it is about
const withoutNul = Schema.isPattern(/^[^\u0000]*$/u, { message: "must not hold the character U+0000" })

/** Text of a caller, bounded in code points. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isBetweenCodePoints(minimum, maximum), withoutNul)

const depthMax = 64
const isStorable = (value: unknown, depth: number): boolean => {
  if (typeof value === "string") return !value.includes("\u0000")
  if (typeof value !== "object" || value === null) return true
  if (depth === depthMax) return false
  return Object.entries(value).every(([key, member]) => !key.includes("\u0000") && isStorable(member, depth + 1))
}

/** A free-form JSON object, at most 64 levels deep and without U+0000. */
export const JsonObject = Schema.Record(Schema.String, Schema.Json).annotate({ identifier: "JsonObject" })
export type JsonObject = typeof JsonObject.Type

/** A `JsonObject` a caller sends. */
export const JsonInput = Schema.Record(Schema.String, Schema.Json).check(
  Schema.makeFilter((value: Schema.JsonObject) =>
    isStorable(value, 0) ? undefined : `must be at most ${depthMax} levels deep and hold no character U+0000`
  )
)

/** A boolean in a query string. */
export const QueryFlag = Schema.Literals(["true", "false"])

/** An e-mail address, as far as its form can tell; compared without regard to case. */
export const Email = Text(3, 254).check(
  Schema.isPattern(/^[^\s@,;:<>"()[\]\\]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/u, { message: "must be an e-mail address" })
)
