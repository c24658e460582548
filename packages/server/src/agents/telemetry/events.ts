import { bounds, type Reason } from "@orgplane/schema/telemetry"
import { type EventColumns, unitSeparator } from "../../infra/ports/event-store.ts"
import { momentOf } from "./moment.ts"

/** What events are judged by. */
export interface Rules {
  readonly types: ReadonlySet<string>
  /** The earliest and the latest moment, in milliseconds. */
  readonly from: number
  readonly until: number
}

/** What is left of the events of a request, and what became of the others. */
export interface Judged {
  kept: number
  dropped: number
  fieldsRemoved: number
  reasons: Partial<Record<Reason, number>> | undefined
  /** Infinite while nothing is kept. */
  earliest: number
  latest: number
  readonly columns: EventColumns
}

/** Members that say whose an event is: the authentication alone says that. */
const identity = new Set([
  "organizationId",
  "organization_id",
  "orgId",
  "userId",
  "user_id",
  "memberId",
  "membershipId",
  "orgMembershipId",
  "workerId",
  "worker_id",
  "apiKeyId",
  "tenantId"
])

const note = (judged: Judged, reason: Reason, count: number) => {
  const reasons = (judged.reasons ??= {})
  reasons[reason] = (reasons[reason] ?? 0) + count
}

const drop = (judged: Judged, reason: Reason) => {
  judged.dropped += 1
  note(judged, reason, 1)
}

const remove = (judged: Judged, reason: Reason, count = 1) => {
  judged.fieldsRemoved += count
  note(judged, reason, count)
}

type JsonObject = Readonly<Record<string, unknown>>
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const plain = /^[\x20-\x7e]*$/
/** Control characters, which are in no name, and halves of surrogate pairs, which no database takes. */
// oxlint-disable-next-line no-control-regex -- matching control characters is intended
const controls = /[\u0000-\u001f\u007f]/
const codePointsOf = (text: string) => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** A text that is kept as it is: of so many characters, none of which would tear a column apart. */
const isName = (value: unknown, maximum: number): value is string =>
  typeof value === "string" &&
  value.length > 0 &&
  (value.length <= maximum || (value.length <= 2 * maximum && codePointsOf(value) <= maximum)) &&
  (plain.test(value) || (!controls.test(value) && value.isWellFormed()))

/** A text that goes into JSON, where every character has a form, but for those that no database takes. */
const isText = (value: unknown, minimum: number, maximum: number): value is string =>
  typeof value === "string" &&
  value.length >= minimum &&
  (value.length <= maximum || (value.length <= 2 * maximum && codePointsOf(value) <= maximum)) &&
  (plain.test(value) || (value.isWellFormed() && !value.includes("\u0000")))

/** What needs no escape in JSON. */
const unescaped = /^[ !#-[\]-~]*$/
const quoted = (text: string) => (unescaped.test(text) ? `"${text}"` : JSON.stringify(text))

const depthMax = 32
const isStorable = (value: unknown, depth: number): boolean => {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000")
  if (typeof value !== "object" || value === null) return true
  if (depth === depthMax) return false
  return Object.entries(value).every(
    ([key, member]) => key.isWellFormed() && !key.includes("\u0000") && isStorable(member, depth + 1)
  )
}

/** Free-form members as JSON; undefined when they cannot be kept. */
const metadataOf = (value: unknown): string | undefined => {
  if (!isObject(value) || !isStorable(value, 0)) return undefined
  const text = JSON.stringify(value)
  // A character is at most three bytes, a pair of them four.
  const isShort = text.length * 3 <= bounds.metadataBytes
  return isShort || Buffer.byteLength(text) <= bounds.metadataBytes ? text : undefined
}

const absent = (value: unknown) => value === undefined || value === null

/** One dimension as JSON; undefined when it is of no type. */
const dimensionOf = (judged: Judged, dimension: unknown): string | undefined => {
  if (!isObject(dimension) || !isText(dimension["type"], 1, bounds.dimensionTypeLength)) {
    remove(judged, "dimension_malformed")
    return undefined
  }
  let text = `{"type":${quoted(dimension["type"])}`
  for (const name in dimension) {
    const value = dimension[name]
    switch (name) {
      case "type":
        break
      case "value":
      case "label":
        if (absent(value)) break
        if (isText(value, 0, name === "value" ? bounds.dimensionValueLength : bounds.dimensionLabelLength)) {
          text += `,"${name}":${quoted(value)}`
        } else remove(judged, "dimension_malformed")
        break
      case "metadata": {
        if (absent(value)) break
        const metadata = metadataOf(value)
        if (metadata === undefined) remove(judged, "metadata_malformed")
        else text += `,"metadata":${metadata}`
        break
      }
      default:
        remove(judged, identity.has(name) ? "field_identity" : "field_unknown")
    }
  }
  return `${text}}`
}

const dimensionsOf = (judged: Judged, value: unknown): string => {
  if (absent(value)) return ""
  if (!Array.isArray(value)) {
    remove(judged, "dimensions_malformed")
    return ""
  }
  const dimensions: ReadonlyArray<unknown> = value
  const extra = dimensions.length - bounds.dimensions
  if (extra > 0) remove(judged, "dimensions_too_many", extra)
  let text = ""
  for (let i = 0; i < dimensions.length && i < bounds.dimensions; i++) {
    const one = dimensionOf(judged, dimensions[i])
    if (one !== undefined) text += text === "" ? `[${one}` : `,${one}`
  }
  return text === "" ? "" : `${text}]`
}

/** Why an event cannot be kept at all, or its moment. */
const momentOrReason = (event: JsonObject, rules: Rules): number | Reason => {
  const { source, timestamp, type } = event
  if (typeof type !== "string" || !rules.types.has(type)) return "type_unknown"
  if (typeof timestamp !== "string") return "timestamp_malformed"
  const at = momentOf(timestamp)
  if (Number.isNaN(at)) return "timestamp_malformed"
  if (at < rules.from) return "timestamp_too_old"
  if (at > rules.until) return "timestamp_in_future"
  return source === "app" || source === "worker" ? at : "source_unknown"
}

const judgeOne = (judged: Judged, rules: Rules, event: unknown) => {
  if (!isObject(event)) return drop(judged, "event_malformed")
  const at = momentOrReason(event, rules)
  if (typeof at === "string") return drop(judged, at)
  let sessionId = ""
  let durationMs = ""
  let success = ""
  let dimensions = ""
  let id = ""
  for (const name in event) {
    const value = event[name]
    switch (name) {
      case "type":
      case "timestamp":
      case "source":
        break
      case "sessionId":
        if (isName(value, bounds.sessionIdLength)) sessionId = value
        else if (!absent(value)) remove(judged, "session_id_malformed")
        break
      case "durationMs":
        if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= bounds.durationMsMax) {
          durationMs = String(value)
        } else if (!absent(value)) remove(judged, "duration_malformed")
        break
      case "success":
        if (typeof value === "boolean") success = value ? "t" : "f"
        else if (!absent(value)) remove(judged, "success_malformed")
        break
      case "dimensions":
        dimensions = dimensionsOf(judged, value)
        break
      case "id":
        if (isName(value, bounds.idLength)) id = value
        else if (!absent(value)) remove(judged, "id_malformed")
        break
      default:
        remove(judged, identity.has(name) ? "field_identity" : "field_unknown")
    }
  }
  const { columns } = judged
  const between = judged.kept === 0 ? "" : unitSeparator
  columns.at += between + at
  columns.type += between + (event["type"] as string)
  columns.source += between + (event["source"] as string)
  columns.sessionId += between + sessionId
  columns.durationMs += between + durationMs
  columns.success += between + success
  columns.dimensions += between + dimensions
  columns.id += between + id
  judged.kept += 1
  if (at < judged.earliest) judged.earliest = at
  if (at > judged.latest) judged.latest = at
}

/**
 * Judges each event by itself: what is not known is dropped, what is not allowed is taken out, and both are counted. By
 * hand and in one pass, because this is most of what the server does for an event.
 */
export const judge = (rules: Rules, events: ReadonlyArray<unknown>): Judged => {
  const judged: Judged = {
    kept: 0,
    dropped: 0,
    fieldsRemoved: 0,
    reasons: undefined,
    earliest: Number.POSITIVE_INFINITY,
    latest: Number.NEGATIVE_INFINITY,
    columns: { at: "", type: "", source: "", sessionId: "", durationMs: "", success: "", dimensions: "", id: "" }
  }
  for (let i = 0; i < events.length; i++) judgeOne(judged, rules, events[i])
  return judged
}
