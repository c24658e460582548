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
import { retryAfter } from "../../infra/http/retry-after.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { OAuthTokens, type TokenQuery } from "../oauth/index.ts"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import { SuiteFailed, Suites, type SuiteUser } from "../../infra/ports/suites.ts"
import { partyOf, sessionMemberOf, refOf } from "./credential.ts"

const notConnected = (message: string) => new NeedsConnection({ message })

const reconnect = (reason: string) => notConnected(`reconnect_required: ${reason}`)

/** The suite error to return when no token can be obtained. */
const renewalFailed = ({ message }: McpFailed) => new SuiteFailed({ code: "unavailable", message })

/** The operations that agents perform in a member's suites, as that member. */
export class CapabilitiesService extends Context.Service<CapabilitiesService>()(
  "@orgplane/server/capabilities/Service",
  {
    make: Effect.gen(function* () {
      const suites = yield* Suites
      const tokens = yield* OAuthTokens
      const { alone, mutate, recall } = yield* Mutate

      const queryOf = Effect.fnUntraced(function* (caller: Member, suite: Suite) {
        const member = yield* sessionMemberOf(caller)
        const signIn = suites.signIn(suite)
        if (signIn === null) {
          return yield* notConnected("not_connected: The operator of this server has not configured the suite.")
        }
        const party = partyOf(signIn)
        const query: TokenQuery = { ...refOf(member, suite), issuer: party.server.issuer, party }
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

      const rejectAgain = Effect.fnUntraced(function* (query: TokenQuery, token: Redacted.Redacted) {
        const reason = "The suite no longer accepts the connection."
        yield* tokens.requireReconnect(query, token, reason).pipe(
          // A concurrent connect or disconnect takes precedence.
          Effect.catchTags({ TokenMissing: () => Effect.void, ReconnectRequired: () => Effect.void })
        )
        return yield* reconnect(reason)
      })

      /**
       * Calls the suite as the caller. If the token is rejected, it is renewed and the call is retried once; a second
       * rejection disconnects the account. The retry is safe, because a call that returned 401 had no effect.
       */
      const withToken = Effect.fnUntraced(function* <A>(
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
                    () => rejectAgain(query, second)
                  )
                )
              })
          )
        )
      })

      const withTimeout = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.timeoutOrElse(effect, {
          duration: suites.timeoutMillis,
          orElse: () =>
            Effect.fail(
              new SuiteFailed({
                code: "unavailable",
                message: "The suite did not respond in time. The action may have been carried out."
              })
            )
        })

      /** Translates a failure for the caller, with the retry delay of the suite. */
      const fail =
        <E extends object>(ApiError: new (options: { readonly message: string }) => E) =>
        ({ message, retryAfterSeconds }: SuiteFailed) => {
          const error = new ApiError({ message })
          return Effect.fail(retryAfterSeconds === undefined ? error : retryAfter(error, retryAfterSeconds))
        }

      const createMailDraft = Effect.fnUntraced(function* (caller: Member, draft: typeof CreateMailDraft.Type) {
        yield* recall(caller)
        const query = yield* queryOf(caller, "suite-a")
        const make = withTimeout(withToken(query, (user) => suites.createDraft(user, draft))).pipe(
          Effect.catchTag("SuiteFailed", fail(SuiteAApiError))
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
          // A created draft is always audited, even if the caller disconnects.
          Effect.uninterruptibleMask((restore) =>
            Effect.flatMap(restore(make), (draft) =>
              mutate(caller, "capability.create_mail_draft", Effect.succeed(draft), () => change)
            )
          )
        )
      })

      const getMailMessage = Effect.fnUntraced(function* (caller: Member, messageId: string) {
        const query = yield* queryOf(caller, "suite-a")
        return yield* withTimeout(withToken(query, (user) => suites.getMessage(user, messageId))).pipe(
          Effect.catchTag("SuiteFailed", fail(SuiteAApiError))
        )
      })

      /** Adds a meeting to an event that has none. A no-op is not audited. */
      const updateCalendarEvent = Effect.fnUntraced(function* (
        caller: Member,
        eventId: string,
        { createMeetLink }: typeof UpdateCalendarEvent.Type
      ) {
        const query = yield* queryOf(caller, "suite-b")
        const requestIdFor = (state: string) =>
          sha256(JSON.stringify([query.organizationId, query.membershipId, eventId, state])).slice(0, 32)
        const { changed, event } = yield* withTimeout(
          withToken(query, (user) =>
            createMeetLink
              ? suites.addMeeting(user, { eventId, requestIdFor })
              : Effect.map(suites.getEvent(user, eventId), (event) => ({ event, changed: false }))
          )
        ).pipe(Effect.catchTag("SuiteFailed", fail(SuiteBApiError)))
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
