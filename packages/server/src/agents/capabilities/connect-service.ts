import {
  type CapabilityConnection,
  type CompleteSuiteConnect,
  type Suite,
  SuiteAApiError,
  SuiteBApiError,
  SuiteNotConfigured
} from "@orgplane/schema/capabilities"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest, OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings } from "../../infra/config/settings.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { type CredentialStatus, isState, OAuthSignIn, OAuthTokens, demandReturnTo } from "../oauth/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { Suites } from "../../infra/ports/suites.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { partyOf, sessionMemberOf, purpose, refOf } from "./credential.ts"

/** Rolls the transaction back: a no-op is not audited. */
class NothingEnded extends Data.TaggedError("NothingEnded") {}

const allSuites: ReadonlyArray<Suite> = ["suite-b", "suite-a"]

/** The error class of each suite. */
export const suiteError = (suite: Suite, message: string) =>
  suite === "suite-a" ? new SuiteAApiError({ message }) : new SuiteBApiError({ message })

/** A member's connections to the suites. */
export class SuiteConnectService extends Context.Service<SuiteConnectService>()(
  "@orgplane/server/capabilities/ConnectService",
  {
    make: Effect.gen(function* () {
      const suites = yield* Suites
      const signIn = yield* OAuthSignIn
      const tokens = yield* OAuthTokens
      const pages = yield* Pages
      const settings = yield* Settings
      const { publicUrl } = settings
      const { alone, mutate, recall } = yield* Mutate
      const redirectUri = `${publicUrl}/v1/capabilities/callback`

      const toWire = (suite: Suite, credential: CredentialStatus | undefined): CapabilityConnection => {
        const configured = suites.signIn(suite)
        // Tokens from a previously configured issuer do not work with the current one.
        const isOtherIssuer = configured !== null && credential !== undefined && credential.issuer !== configured.issuer
        return {
          suite,
          configured: configured !== null,
          status: credential === undefined ? "not_connected" : isOtherIssuer ? "reconnect_required" : credential.status,
          statusReason: isOtherIssuer
            ? "The operator has changed the suite's authorization server. Connect again."
            : (credential?.statusReason ?? null),
          scopes: credential?.scopes ?? [],
          connectedAt: credential === undefined ? null : iso(credential.connectedAt),
          updatedAt: credential === undefined ? null : iso(credential.updatedAt)
        }
      }

      const find = Effect.fnUntraced(function* (caller: Member, requested: ReadonlyArray<Suite>) {
        const { membershipId, organizationId } = yield* sessionMemberOf(caller)
        const statuses = yield* tokens.statusOf(organizationId, purpose, requested, membershipId)
        return requested.map((suite) =>
          toWire(
            suite,
            statuses.find((status) => status.subjectId === suite && status.membershipId === membershipId)
          )
        )
      })

      const get = (caller: Member, suite: Suite) =>
        Effect.flatMap(find(caller, [suite]), ([connection]) =>
          connection === undefined
            ? Effect.die(new Error("A requested suite is missing from the result."))
            : Effect.succeed(connection)
        )

      const list = Effect.fnUntraced(function* (caller: Member, query: PageQuery) {
        const { membershipId } = yield* sessionMemberOf(caller)
        return yield* pages.listBy(caller, query, {
          filters: [membershipId],
          rows: (after, limit) =>
            find(caller, allSuites.filter((suite) => after === null || suite < after).slice(0, limit)),
          idOf: ({ suite }) => suite,
          toWire: (connection) => connection
        })
      })

      const configured = (suite: Suite) => {
        const configuredSignIn = suites.signIn(suite)
        return configuredSignIn === null ? Effect.fail(new SuiteNotConfigured()) : Effect.succeed(configuredSignIn)
      }

      const startConnect = Effect.fnUntraced(function* (
        caller: Member,
        suite: Suite,
        input: { readonly returnTo?: string }
      ) {
        const member = yield* sessionMemberOf(caller)
        const returnTo = yield* demandReturnTo(settings, input.returnTo)
        yield* recall(caller)
        const suiteSignIn = yield* configured(suite)
        const prepared = signIn.prepare(member, {
          purpose,
          subjectId: suite,
          isShared: false,
          party: partyOf(suiteSignIn),
          scopes: suiteSignIn.scopes,
          redirectUri,
          returnTo,
          extra: suiteSignIn.authorizationParameters
        })
        const expiresAt = yield* mutate(caller, "capability.start_connect", Effect.map(prepared.begin, iso), () => ({
          target: suite,
          after: { suite }
        }))
        return { url: prepared.url, state: prepared.state, expiresAt }
      })

      const exchange = Effect.fnUntraced(function* (
        caller: Member,
        suite: Suite,
        input: typeof CompleteSuiteConnect.Type
      ) {
        const member = yield* sessionMemberOf(caller)
        // The state is consumed before the request to the suite, so it can never be used twice.
        const started = yield* signIn.take(member, purpose, suite, input.state)
        if (started === undefined) {
          return yield* InvalidRequest.at(
            ["body", "state"],
            "must be the state of a sign-in that this session started for the suite less than ten minutes ago"
          )
        }
        const { issuer } = started.party.server
        if (input.iss !== undefined && input.iss !== issuer) {
          return yield* InvalidRequest.at(
            ["body", "iss"],
            "must be the issuer of the authorization server that the browser was redirected to"
          )
        }
        const received = yield* signIn.exchange(started, input).pipe(
          Effect.catchTag("GrantRefused", ({ error, reason }) =>
            Effect.fail(
              error === "invalid_grant"
                ? InvalidRequest.at(["body", "code"], "was rejected by the suite")
                : suiteError(suite, reason)
            )
          ),
          Effect.catchTag("McpFailed", ({ message }) => Effect.fail(suiteError(suite, message)))
        )
        return yield* mutate(
          caller,
          "capability.connect",
          Effect.gen(function* () {
            // Removing a membership deletes its credentials; none may be stored afterwards.
            if (!(yield* tokens.lockOwner(caller.organizationId, caller.principal))) {
              return yield* new OrganizationNotFound()
            }
            yield* tokens.store(started.ref, started.party, received)
            return yield* get(caller, suite)
          }),
          () => ({ target: suite, after: { suite, issuer, hasRefreshToken: received.refreshToken !== null } })
        )
      })

      /** Exchanges the code that this session's browser returned. A code can be exchanged once. */
      const completeConnect = Effect.fnUntraced(function* (
        caller: Member,
        suite: Suite,
        input: typeof CompleteSuiteConnect.Type
      ) {
        const storedResponse = yield* recall<CapabilityConnection>(caller)
        if (storedResponse !== undefined) return storedResponse
        yield* configured(suite)
        return yield* alone(caller, exchange(caller, suite, input))
      })

      const disconnect = Effect.fnUntraced(function* (caller: Member, suite: Suite) {
        const ref = refOf(yield* sessionMemberOf(caller), suite)
        let notifyServer: Effect.Effect<void> = Effect.void
        const response = yield* mutate(
          caller,
          "capability.disconnect",
          Effect.gen(function* () {
            const removed = yield* tokens.remove(ref)
            if (removed === undefined) return yield* new NothingEnded()
            notifyServer = removed.notifyServer
            return yield* get(caller, suite)
          }),
          () => ({ target: suite, before: { suite } })
        ).pipe(Effect.catchTag("NothingEnded", () => get(caller, suite)))
        // The token is revoked at the suite after the commit. The suite's response is ignored.
        yield* notifyServer
        return response
      })

      /**
       * The URL to which the browser is redirected after a sign-in: null if none was given, undefined if no such
       * sign-in exists. Stores nothing and sends no requests.
       */
      const returnUrlOf = (state: string | undefined) =>
        isState(state) ? signIn.returnToFor(purpose, state) : Effect.undefined

      return { list, get, startConnect, completeConnect, disconnect, returnUrlOf } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
