import * as Schema from "effect/Schema"

/** A UTC time with milliseconds, as in every response: `2026-03-01T09:30:00.000Z`. */
export const Timestamp = Schema.String.check(Schema.isPattern(/^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)).annotate({
  identifier: "Timestamp",
  format: "date-time",
  description: "A UTC time with milliseconds."
})

/** PostgreSQL cannot store U+0000 or unpaired surrogates, so requests with them are rejected. */
// oxlint-disable-next-line no-control-regex -- matching U+0000 is intended
const storable = Schema.isPattern(/^[^\u0000\ud800-\udfff]*$/u, {
  message: "must not contain the character U+0000 or unpaired surrogates"
})

/** Text from a caller, bounded in code points. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isBetweenCodePoints(minimum, maximum), storable)

const day = /^\d{4}-\d\d-\d\d$/u

/** A UTC date in the only accepted form. */
export const UtcDay = Schema.String.check(Schema.isPattern(day)).annotate({
  identifier: "UtcDay",
  description: "A UTC date: `2026-03-01`."
})

/** A UTC date in a query. */
export const optionalDay = (description: string) =>
  Schema.optionalKey(
    Schema.String.check(Schema.isPattern(day, { message: "must be a date such as 2026-03-01" })).annotate({
      description
    })
  )

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

/** A `JsonObject` in a request: at most 64 levels deep, and without characters that cannot be stored. */
export const JsonInput = Schema.Record(Schema.String, Schema.Json).check(
  Schema.makeFilter(
    (value: Schema.JsonObject) =>
      isStorable(value, 0)
        ? undefined
        : `must be at most ${depthMax} levels deep and must not contain the character U+0000 or unpaired surrogates`,
    undefined,
    // Abort: later checks can recurse into all levels.
    true
  )
)

/** A boolean in a query string. */
export const QueryFlag = Schema.Literals(["true", "false"])

/** An email address, validated by its form only. Compared case-insensitively. */
export const Email = Text(3, 254).check(
  Schema.isPattern(/^[^\s@,;:<>"()[\]\\]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/u, { message: "must be an email address" })
)
