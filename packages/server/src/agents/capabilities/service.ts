import {
  type CreateMailDraft,
  NeedsConnection,
  type Suite,
  SuiteAApiError,
  SuiteBApiError,
  type UpdateCalendarEvent
} from "@orgplane/schema/capabilities"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { digestOf } from "../../infra/audit/record.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { OAuthTokens, type TokenQuery } from "../oauth/index.ts"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import { SuiteFailed, Suites, type SuiteUser } from "../../infra/ports/suites.ts"
import { partyOf, personOf, refOf } from "./credential.ts"

const notConnected = (why: string) => new NeedsConnection({ message: why })

const reconnect = (reason: string) => notConnected(`reconnect_required: ${reason}`)

/** What the suite could not be asked for, because a token could not be had. */
const renewalFailed = ({ message }: McpFailed) => new SuiteFailed({ code: "unavailable", message })

/** What agents do in a person's suites, as that person. */
export class CapabilitiesService extends Context.Service<CapabilitiesService>()(
  "@orgplane/server/capabilities/Service",
  {
    make: Effect.gen(function* () {
      const suites = yield* Suites
      const tokens = yield* OAuthTokens
      const { alone, mutate, recall } = yield* Mutate

      const queryOf = Effect.fnUntraced(function* (caller: Member, suite: Suite) {
        const person = yield* personOf(caller)
        const signIn = suites.signIn(suite)
        if (signIn === null) {
          return yield* notConnected("not_connected: The operator of this server has not set the suite up.")
        }
        const party = partyOf(signIn)
        const query: TokenQuery = { ...refOf(person, suite), issuer: party.server.issuer, party }
        return query
      })

      const tokenFor = (query: TokenQuery) =>
        tokens.tokenFor(query).pipe(
          Effect.catchTags({
            TokenMissing: () => Effect.fail(notConnected("not_connected: Connect your account first.")),
            ReconnectRequired: ({ reason }) => Effect.fail(reconnect(reason)),
            McpFailed: (failure) => Effect.fail(renewalFailed(failure))
          })
        )

      const refusedTwice = Effect.fnUntraced(function* (query: TokenQuery, token: Redacted.Redacted) {
        const reason = "The suite does not accept the connection any more."
        yield* tokens.giveUp(query, token, reason).pipe(
          // Somebody has connected or disconnected meanwhile: that stands.
          Effect.catchTags({ TokenMissing: () => Effect.void, ReconnectRequired: () => Effect.void })
        )
        return yield* reconnect(reason)
      })

      /**
       * Acts in the suite as the caller. A token that it does not take is renewed and tried once more, and then the
       * connection is at its end. A 401 says that nothing was done, so this repeats nothing.
       */
      const acting = Effect.fnUntraced(function* <A>(
        query: TokenQuery,
        work: (user: SuiteUser) => Effect.Effect<A, SuiteFailed>
      ) {
        const { organizationId } = query
        const first = yield* tokenFor(query)
        return yield* work({ organizationId, token: first }).pipe(
          Effect.catchIf(
            ({ code }) => code === "unauthorized",
            () =>
              Effect.gen(function* () {
                const second = yield* tokenFor({ ...query, rejected: first })
                return yield* work({ organizationId, token: second }).pipe(
                  Effect.catchIf(
                    ({ code }) => code === "unauthorized",
                    () => refusedTwice(query, second)
                  )
                )
              })
          )
        )
      })

      const within = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.timeoutOrElse(effect, {
          duration: suites.timeoutMillis,
          orElse: () =>
            Effect.fail(
              new SuiteFailed({
                code: "unavailable",
                message: "The suite gave no answer in time; whether it did anything is not known."
              })
            )
        })

      /** A failure as the caller learns it; how long to wait stands in a header, as everywhere. */
      const told =
        <E>(caller: Member, ApiError: new (said: { readonly message: string }) => E) =>
        ({ message, retryAfterSeconds }: SuiteFailed) => {
          if (retryAfterSeconds !== undefined) caller.request.responseHeaders["retry-after"] = String(retryAfterSeconds)
          return Effect.fail(new ApiError({ message }))
        }

      const createMailDraft = Effect.fnUntraced(function* (caller: Member, draft: typeof CreateMailDraft.Type) {
        yield* recall(caller)
        const query = yield* queryOf(caller, "suite-a")
        const make = within(acting(query, (user) => suites.createDraft(user, draft))).pipe(
          Effect.catchTag("SuiteFailed", told(caller, SuiteAApiError))
        )
        const { bcc = [], body, cc = [], subject, to } = draft
        const change = {
          target: "suite-a",
          after: {
            suite: "suite-a",
            operation: caller.request.operation,
            recipients: { ...digestOf(JSON.stringify({ to, cc, bcc })), count: to.length + cc.length + bcc.length },
            subject: digestOf(subject),
            body: digestOf(body)
          }
        }
        return yield* alone(
          caller,
          // A draft that is there is written down, also when whoever asked is gone by then.
          Effect.uninterruptibleMask((restore) =>
            Effect.flatMap(restore(make), (made) =>
              mutate(caller, "capability.create_mail_draft", Effect.succeed(made), () => change)
            )
          )
        )
      })

      const getMailMessage = Effect.fnUntraced(function* (caller: Member, messageId: string) {
        const query = yield* queryOf(caller, "suite-a")
        return yield* within(acting(query, (user) => suites.getMessage(user, messageId))).pipe(
          Effect.catchTag("SuiteFailed", told(caller, SuiteAApiError))
        )
      })

      /** Adds a meeting to an event that has none. What changes nothing is not in the audit. */
      const updateCalendarEvent = Effect.fnUntraced(function* (
        caller: Member,
        eventId: string,
        { createMeetLink }: typeof UpdateCalendarEvent.Type
      ) {
        const query = yield* queryOf(caller, "suite-b")
        const requestIdFor = (state: string) =>
          sha256(JSON.stringify([query.organizationId, query.membershipId, eventId, state])).slice(0, 32)
        const { changed, event } = yield* within(
          acting(query, (user) =>
            createMeetLink
              ? suites.addMeeting(user, { eventId, requestIdFor })
              : Effect.map(suites.getEvent(user, eventId), (event) => ({ event, changed: false }))
          )
        ).pipe(Effect.catchTag("SuiteFailed", told(caller, SuiteBApiError)))
        if (!changed) return event
        return yield* mutate(caller, "capability.update_calendar_event", Effect.succeed(event), () => ({
          target: "suite-b",
          after: { suite: "suite-b", operation: caller.request.operation, event: digestOf(eventId) }
        }))
      })

      return { createMailDraft, getMailMessage, updateCalendarEvent } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
