import type { CalendarEvent } from "@orgplane/schema/capabilities"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MeetingWish, SuiteUser } from "../../ports/suites.ts"
import { type Ask, decoded, failed, strange } from "./ask.ts"

/** A meeting is made by and by: the event is looked at again after each of these. */
const lookPausesMillis = [250, 500, 1000, 2000, 4000]
/** Somebody else may change the event between our look and our change. */
const changesMax = 3

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const When = nullable(Schema.Struct({ dateTime: text, date: text }))

/** What is read of an event. */
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

/** A calendar: an event gets a meeting once, and keeps the one it has. */
export const makeSuiteB = (ask: Ask) => {
  const place = (eventId: string) => `/calendars/primary/events/${encodeURIComponent(eventId)}`

  const look = Effect.fnUntraced(function* (user: SuiteUser, eventId: string) {
    const { json } = yield* ask(user, { method: "GET", path: place(eventId) })
    return yield* decoded(Event, json)
  })

  /** Waits for a meeting that is being made; one that takes longer is there at the next request. */
  const settled = Effect.fnUntraced(function* (user: SuiteUser, before: Event) {
    let event = before
    for (const pause of lookPausesMillis) {
      if (linkOf(event) !== null || stateOf(event) !== "pending") break
      yield* Effect.sleep(pause)
      event = yield* look(user, event.id)
    }
    if (linkOf(event) === null && stateOf(event) === "failure") {
      return yield* failed("refused", "The suite could not make a meeting for this event.")
    }
    return event
  })

  /** One change of the event as it was seen; undefined when somebody else changed it meanwhile. */
  const requested = Effect.fnUntraced(function* (user: SuiteUser, { eventId, requestIdFor }: MeetingWish, seen: Event) {
    const etag = seen.etag ?? ""
    const { json, status } = yield* ask(
      user,
      {
        method: "PATCH",
        path: `${place(eventId)}?conferenceDataVersion=1`,
        headers: etag === "" ? {} : { "if-match": etag },
        body: {
          conferenceData: {
            createRequest: {
              // Asked twice for one state of the event it makes one meeting; for the next state another may be wanted.
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
    return toWire(yield* look(user, eventId))
  })

  const addMeeting = Effect.fn("suites.addMeeting")(function* (user: SuiteUser, wish: MeetingWish) {
    for (let changes = 0; changes < changesMax; changes += 1) {
      const seen = yield* look(user, wish.eventId)
      if (linkOf(seen) !== null || stateOf(seen) === "pending") {
        return { event: toWire(yield* settled(user, seen)), changed: false }
      }
      const made = yield* requested(user, wish, seen)
      if (made === undefined) continue
      if (linkOf(made) === null && stateOf(made) === null) return yield* strange()
      return { event: toWire(yield* settled(user, made)), changed: true }
    }
    return yield* failed("refused", "The event is being changed by others; nothing was added.")
  })

  return { getEvent, addMeeting } as const
}
