/** Handwritten checks of request bodies. */
import { type CreateBody, descriptionMax, nameMax } from "./peer-create.ts"
import { type EventBody, typeNames } from "./peer-ingest.ts"

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const knownTypes = new Set(typeNames)
const isEvent = (event: EventBody) =>
  knownTypes.has(event.type) &&
  isTime.test(event.timestamp) &&
  (event.source === "app" || event.source === "worker") &&
  (event.sessionId === undefined || (typeof event.sessionId === "string" && event.sessionId.length <= 128)) &&
  (event.durationMs === undefined || Number.isInteger(event.durationMs)) &&
  (event.success === undefined || typeof event.success === "boolean") &&
  (event.dimensions === undefined || Array.isArray(event.dimensions))

const isObject = (body: unknown): body is Readonly<Record<string, unknown>> => typeof body === "object" && body !== null

export const isEvents = (body: unknown): body is { readonly events: ReadonlyArray<EventBody> } =>
  isObject(body) &&
  Array.isArray(body["events"]) &&
  body["events"].length > 0 &&
  body["events"].length <= 50 &&
  body["events"].every(isEvent)

export const isCreateBody = (body: unknown): body is CreateBody => {
  if (!isObject(body)) return false
  const { description, name } = body
  return (
    typeof name === "string" &&
    name.length > 0 &&
    name.length <= nameMax &&
    (description === undefined ||
      description === null ||
      (typeof description === "string" && description.length <= descriptionMax))
  )
}
