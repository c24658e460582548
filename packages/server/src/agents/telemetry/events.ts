import { bounds, type Reason } from "@orgplane/schema/telemetry"
import { fieldSeparator, unitSeparator } from "../../infra/ports/event-store.ts"
import { momentOf } from "./moment.ts"

/** The rules that events are checked against. */
export interface Rules {
  readonly types: ReadonlySet<string>
  /** The earliest and latest accepted time, in milliseconds. */
  readonly from: number
  readonly until: number
}

/** The accepted events by column, see `EventBatch`. */
interface EventColumns {
  at: string
  type: string
  source: string
  sessionId: string
  durationMs: string
  success: string
  dimensions: string
  id: string
}

/** The accepted events of a request, and the counts of dropped events and removed fields. */
export interface CheckedEvents {
  kept: number
  dropped: number
  fieldsRemoved: number
  reasons: Partial<Record<Reason, number>> | undefined
  /** Infinity until an event is accepted. */
  earliest: number
  latest: number
  readonly columns: EventColumns
}

/** Fields that state the owner of an event. They are removed, because only authentication determines the owner. */
const identityFields = new Set([
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

const countReason = (checked: CheckedEvents, reason: Reason, count: number) => {
  const reasons = (checked.reasons ??= {})
  reasons[reason] = (reasons[reason] ?? 0) + count
}

const dropEvent = (checked: CheckedEvents, reason: Reason) => {
  checked.dropped += 1
  countReason(checked, reason, 1)
}

const removeField = (checked: CheckedEvents, reason: Reason, count = 1) => {
  checked.fieldsRemoved += count
  countReason(checked, reason, count)
}

type JsonObject = Readonly<Record<string, unknown>>
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const printableAscii = /^[\x20-\x7e]*$/
/** Control characters never occur in names, and PostgreSQL rejects lone surrogates. */
// oxlint-disable-next-line no-control-regex -- matching control characters is intended
const controls = /[\u0000-\u001f\u007f]/
const codePointsOf = (text: string) => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** A text stored as is: within the length limit and without characters that would break the column encoding. */
const isName = (value: unknown, maximum: number): value is string =>
  typeof value === "string" &&
  value.length > 0 &&
  (value.length <= maximum || (value.length <= 2 * maximum && codePointsOf(value) <= maximum)) &&
  (printableAscii.test(value) || (!controls.test(value) && value.isWellFormed()))

/** A text stored as JSON, where every character can be encoded except those that PostgreSQL rejects. */
const isText = (value: unknown, minimum: number, maximum: number): value is string =>
  typeof value === "string" &&
  value.length >= minimum &&
  (value.length <= maximum || (value.length <= 2 * maximum && codePointsOf(value) <= maximum)) &&
  (printableAscii.test(value) || (value.isWellFormed() && !value.includes("\u0000")))

/** Text that needs no escaping in JSON. */
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

/** Free-form metadata as JSON; undefined when it cannot be stored. */
const metadataOf = (value: unknown): string | undefined => {
  if (!isObject(value) || !isStorable(value, 0)) return undefined
  const text = JSON.stringify(value)
  // A UTF-16 unit takes at most three bytes in UTF-8, a surrogate pair four.
  const isShort = text.length * 3 <= bounds.metadataBytes
  return isShort || Buffer.byteLength(text) <= bounds.metadataBytes ? text : undefined
}

const isAbsent = (value: unknown) => value === undefined || value === null

/** One dimension as JSON; undefined when it has no valid type. */
const dimensionOf = (checked: CheckedEvents, dimension: unknown): string | undefined => {
  if (!isObject(dimension) || !isText(dimension["type"], 1, bounds.dimensionTypeLength)) {
    removeField(checked, "dimension_malformed")
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
        if (isAbsent(value)) break
        if (isText(value, 0, name === "value" ? bounds.dimensionValueLength : bounds.dimensionLabelLength)) {
          text += `,"${name}":${quoted(value)}`
        } else removeField(checked, "dimension_malformed")
        break
      case "metadata": {
        if (isAbsent(value)) break
        const metadata = metadataOf(value)
        if (metadata === undefined) removeField(checked, "metadata_malformed")
        else text += `,"metadata":${metadata}`
        break
      }
      default:
        removeField(checked, identityFields.has(name) ? "field_identity" : "field_unknown")
    }
  }
  return `${text}}`
}

const dimensionsOf = (checked: CheckedEvents, value: unknown): string => {
  if (isAbsent(value)) return ""
  if (!Array.isArray(value)) {
    removeField(checked, "dimensions_malformed")
    return ""
  }
  const dimensions: ReadonlyArray<unknown> = value
  const extra = dimensions.length - bounds.dimensions
  if (extra > 0) removeField(checked, "dimensions_too_many", extra)
  let text = ""
  for (let i = 0; i < dimensions.length && i < bounds.dimensions; i++) {
    const one = dimensionOf(checked, dimensions[i])
    if (one !== undefined) text += text === "" ? `[${one}` : `,${one}`
  }
  return text === "" ? "" : `${text}]`
}

/** The time of an event, or the reason to drop it. */
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

const checkEvent = (checked: CheckedEvents, rules: Rules, event: unknown) => {
  if (!isObject(event)) return dropEvent(checked, "event_malformed")
  const at = momentOrReason(event, rules)
  if (typeof at === "string") return dropEvent(checked, at)
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
        else if (!isAbsent(value)) removeField(checked, "session_id_malformed")
        break
      case "durationMs":
        if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= bounds.durationMsMax) {
          durationMs = String(value)
        } else if (!isAbsent(value)) removeField(checked, "duration_malformed")
        break
      case "success":
        if (typeof value === "boolean") success = value ? "t" : "f"
        else if (!isAbsent(value)) removeField(checked, "success_malformed")
        break
      case "dimensions":
        dimensions = dimensionsOf(checked, value)
        break
      case "id":
        if (isName(value, bounds.idLength)) id = value
        else if (!isAbsent(value)) removeField(checked, "id_malformed")
        break
      default:
        removeField(checked, identityFields.has(name) ? "field_identity" : "field_unknown")
    }
  }
  const { columns } = checked
  const between = checked.kept === 0 ? "" : unitSeparator
  columns.at += between + at
  columns.type += between + (event["type"] as string)
  columns.source += between + (event["source"] as string)
  columns.sessionId += between + sessionId
  columns.durationMs += between + durationMs
  columns.success += between + success
  columns.dimensions += between + dimensions
  columns.id += between + id
  checked.kept += 1
  if (at < checked.earliest) checked.earliest = at
  if (at > checked.latest) checked.latest = at
}

/**
 * Checks each event on its own: unknown events are dropped, fields that are not allowed are removed, and both are
 * counted. Hand-written and single-pass, because this is most of the server's work per event.
 */
export const checkEvents = (rules: Rules, events: ReadonlyArray<unknown>): CheckedEvents => {
  const checked: CheckedEvents = {
    kept: 0,
    dropped: 0,
    fieldsRemoved: 0,
    reasons: undefined,
    earliest: Number.POSITIVE_INFINITY,
    latest: Number.NEGATIVE_INFINITY,
    columns: { at: "", type: "", source: "", sessionId: "", durationMs: "", success: "", dimensions: "", id: "" }
  }
  for (let i = 0; i < events.length; i++) checkEvent(checked, rules, events[i])
  return checked
}

/** The columns as the store expects them. */
export const encodeColumns = (columns: EventColumns): Uint8Array =>
  Buffer.from(
    [
      columns.at,
      columns.type,
      columns.source,
      columns.sessionId,
      columns.durationMs,
      columns.success,
      columns.dimensions,
      columns.id
    ].join(fieldSeparator)
  )
