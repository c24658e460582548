import type { CalendarEvent } from "@orgplane/schema/capabilities"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MeetingWish, SuiteUser } from "../../ports/suites.ts"
import { type Ask, decoded, failed, unexpected } from "./ask.ts"

/** A meeting is created asynchronously: the event is read again after each of these pauses. */
const pollPausesMillis = [250, 500, 1000, 2000, 4000]
/** The event may be changed by others between reading and changing it. */
const changesMax = 3

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const When = nullable(Schema.Struct({ dateTime: text, date: text }))

/** The used members of an event. */
const Event = Schema.Struct({
  id: Schema.String,
  etag: text,
  htmlLink: text,
  summary: text,
  start: When,
  end: When,
  hangoutLink: text,
  conferenceData: nullable(
    Schema.Struct({
      createRequest: nullable(
        Schema.Struct({ requestId: text, status: nullable(Schema.Struct({ statusCode: text })) })
      ),
      entryPoints: nullable(Schema.Array(Schema.Struct({ entryPointType: text, uri: text })))
    })
  )
})
type Event = typeof Event.Type

const linkOf = ({ conferenceData, hangoutLink }: Event): string | null =>
  hangoutLink ?? conferenceData?.entryPoints?.find(({ entryPointType }) => entryPointType === "video")?.uri ?? null

const stateOf = ({ conferenceData }: Event) => conferenceData?.createRequest?.status?.statusCode ?? null

const momentOf = (when: Event["start"]) => when?.dateTime ?? when?.date ?? ""

const toWire = (event: Event): CalendarEvent => ({
  ok: true,
  eventId: event.id,
  htmlLink: event.htmlLink ?? "",
  summary: event.summary ?? "",
  start: momentOf(event.start),
  end: momentOf(event.end),
  meetLink: linkOf(event)
})

/** The calendar suite. A meeting is added to an event once, and an existing meeting is kept. */
export const makeSuiteB = (ask: Ask) => {
  const eventPath = (eventId: string) => `/calendars/primary/events/${encodeURIComponent(eventId)}`

  const read = Effect.fnUntraced(function* (user: SuiteUser, eventId: string) {
    const { json } = yield* ask(user, { method: "GET", path: eventPath(eventId) })
    return yield* decoded(Event, json)
  })

  /** Waits for a meeting that is being created. If it takes longer, the next request returns it. */
  const whenReady = Effect.fnUntraced(function* (user: SuiteUser, before: Event) {
    let event = before
    for (const pause of pollPausesMillis) {
      if (linkOf(event) !== null || stateOf(event) !== "pending") break
      yield* Effect.sleep(pause)
      event = yield* read(user, event.id)
    }
    if (linkOf(event) === null && stateOf(event) === "failure") {
      return yield* failed("refused", "The suite cannot create a meeting for this event.")
    }
    return event
  })

  /**
   * Requests a meeting for the state of the event that was read; undefined if the event was changed in the meantime.
   */
  const requestMeeting = Effect.fnUntraced(function* (
    user: SuiteUser,
    { eventId, requestIdFor }: MeetingWish,
    seen: Event
  ) {
    const etag = seen.etag ?? ""
    const { json, status } = yield* ask(
      user,
      {
        method: "PATCH",
        path: `${eventPath(eventId)}?conferenceDataVersion=1`,
        headers: etag === "" ? {} : { "if-match": etag },
        body: {
          conferenceData: {
            createRequest: {
              // This is idempotent for one state of the event. For a later state, another meeting may be needed.
              requestId: requestIdFor(etag),
              conferenceSolutionKey: { type: "hangoutsMeet" }
            }
          }
        }
      },
      [412]
    )
    return status === 412 ? undefined : yield* decoded(Event, json)
  })

  const getEvent = Effect.fn("suites.getEvent")(function* (user: SuiteUser, eventId: string) {
    return toWire(yield* read(user, eventId))
  })

  const addMeeting = Effect.fn("suites.addMeeting")(function* (user: SuiteUser, wish: MeetingWish) {
    for (let changes = 0; changes < changesMax; changes += 1) {
      const seen = yield* read(user, wish.eventId)
      if (linkOf(seen) !== null || stateOf(seen) === "pending") {
        return { event: toWire(yield* whenReady(user, seen)), changed: false }
      }
      const updated = yield* requestMeeting(user, wish, seen)
      if (updated === undefined) continue
      if (linkOf(updated) === null && stateOf(updated) === null) return yield* unexpected()
      return { event: toWire(yield* whenReady(user, updated)), changed: true }
    }
    return yield* failed("refused", "The event is being changed by other requests. No meeting was added. Retry later.")
  })

  return { getEvent, addMeeting } as const
}
