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
import {
  type Brought,
  callbackAnswer,
  type CredentialStatus,
  isState,
  OAuthSignIn,
  OAuthTokens,
  demandReturnTo
} from "../oauth/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { Suites } from "../../infra/ports/suites.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { partyOf, personOf, purpose, refOf } from "./credential.ts"

/** Undoes the transaction: what did not happen is not in the audit. */
class NothingEnded extends Data.TaggedError("NothingEnded") {}

const all: ReadonlyArray<Suite> = ["suite-b", "suite-a"]

/** The error of a suite, by which one it is. */
export const suiteError = (suite: Suite, message: string) =>
  suite === "suite-a" ? new SuiteAApiError({ message }) : new SuiteBApiError({ message })

/** A person's own connections to the suites. */
export class SuiteConnectService extends Context.Service<SuiteConnectService>()(
  "@orgplane/server/capabilities/ConnectService",
  {
    make: Effect.gen(function* () {
      const suites = yield* Suites
      const signIn = yield* OAuthSignIn
      const tokens = yield* OAuthTokens
      const pages = yield* Pages
      const { corsOrigins, publicUrl } = yield* Settings
      const { alone, mutate, recall } = yield* Mutate
      const redirectUri = `${publicUrl}/v1/capabilities/callback`

      const toWire = (suite: Suite, known: CredentialStatus | undefined): CapabilityConnection => {
        const configured = suites.signIn(suite)
        // Tokens of another place than the one that is set up now are worth nothing there.
        const isElsewhere = configured !== null && known !== undefined && known.issuer !== configured.issuer
        return {
          suite,
          configured: configured !== null,
          status: known === undefined ? "not_connected" : isElsewhere ? "reconnect_required" : known.status,
          statusReason: isElsewhere
            ? "The operator has set the suite up at another place since; connect again."
            : (known?.statusReason ?? null),
          scopes: known?.scopes ?? [],
          connectedAt: known === undefined ? null : iso(known.connectedAt),
          updatedAt: known === undefined ? null : iso(known.updatedAt)
        }
      }

      const find = Effect.fnUntraced(function* (caller: Member, wanted: ReadonlyArray<Suite>) {
        const { membershipId, organizationId } = yield* personOf(caller)
        const known = yield* tokens.statusOf(organizationId, purpose, wanted, membershipId)
        return wanted.map((suite) =>
          toWire(
            suite,
            known.find((one) => one.subjectId === suite && one.membershipId === membershipId)
          )
        )
      })

      const get = (caller: Member, suite: Suite) =>
        Effect.flatMap(find(caller, [suite]), ([connection]) =>
          connection === undefined
            ? Effect.die(new Error("A suite that was asked for is not in the answer."))
            : Effect.succeed(connection)
        )

      const list = Effect.fnUntraced(function* (caller: Member, query: PageQuery) {
        const { membershipId, organizationId } = yield* personOf(caller)
        return yield* pages.read(
          { operation: caller.request.operation, organizationId, filters: [membershipId] },
          query,
          (after, limit) => find(caller, all.filter((suite) => after === null || suite < after).slice(0, limit)),
          ({ suite }) => suite,
          (connection) => connection
        )
      })

      const configured = (suite: Suite) => {
        const found = suites.signIn(suite)
        return found === null ? Effect.fail(new SuiteNotConfigured()) : Effect.succeed(found)
      }

      const startConnect = Effect.fnUntraced(function* (
        caller: Member,
        suite: Suite,
        input: { readonly returnTo?: string }
      ) {
        const person = yield* personOf(caller)
        const returnTo = yield* demandReturnTo(corsOrigins, input.returnTo)
        yield* recall(caller)
        const place = yield* configured(suite)
        const prepared = signIn.prepare(person, {
          purpose,
          subjectId: suite,
          isShared: false,
          party: partyOf(place),
          scopes: place.scopes,
          redirectUri,
          returnTo,
          extra: place.authorizationParameters
        })
        const expiresAt = yield* mutate(caller, "capability.start_connect", Effect.map(prepared.begin, iso), () => ({
          target: suite,
          after: { suite }
        }))
        return { url: prepared.url, state: prepared.state, expiresAt }
      })

      const exchanged = Effect.fnUntraced(function* (
        caller: Member,
        suite: Suite,
        input: typeof CompleteSuiteConnect.Type
      ) {
        const person = yield* personOf(caller)
        // The state is spent before the suite is asked: whatever comes of it, it is good for nothing more.
        const begun = yield* signIn.take(person, purpose, suite, input.state)
        if (begun === undefined) {
          return yield* InvalidRequest.at(
            ["body", "state"],
            "is not of a sign-in that this session began for the suite less than ten minutes ago"
          )
        }
        const { issuer } = begun.party.server
        if (input.iss !== undefined && input.iss !== issuer) {
          return yield* InvalidRequest.at(["body", "iss"], "is not the suite that the browser was sent to")
        }
        const made = yield* signIn.exchange(begun, input).pipe(
          Effect.catchTag("GrantRefused", ({ error, reason }) =>
            Effect.fail(
              error === "invalid_grant"
                ? InvalidRequest.at(["body", "code"], "is not accepted by the suite")
                : suiteError(suite, reason)
            )
          ),
          Effect.catchTag("McpFailed", ({ message }) => Effect.fail(suiteError(suite, message)))
        )
        return yield* mutate(
          caller,
          "capability.connect",
          Effect.gen(function* () {
            // Whoever ended the membership ended what was kept for it; nothing is kept afterwards.
            if (!(yield* tokens.holdsOn(caller.organizationId, caller.principal))) {
              return yield* new OrganizationNotFound()
            }
            yield* tokens.keep(begun.ref, begun.party, made)
            return yield* get(caller, suite)
          }),
          () => ({ target: suite, after: { suite, issuer, hasRefreshToken: made.refreshToken !== null } })
        )
      })

      /** Exchanges what the browser of this session brought, once. */
      const completeConnect = Effect.fnUntraced(function* (
        caller: Member,
        suite: Suite,
        input: typeof CompleteSuiteConnect.Type
      ) {
        const known = yield* recall<CapabilityConnection>(caller)
        if (known !== undefined) return known
        yield* configured(suite)
        return yield* alone(caller, exchanged(caller, suite, input))
      })

      const disconnect = Effect.fnUntraced(function* (caller: Member, suite: Suite) {
        const ref = refOf(yield* personOf(caller), suite)
        let tell: Effect.Effect<void> = Effect.void
        const response = yield* mutate(
          caller,
          "capability.disconnect",
          Effect.gen(function* () {
            const ended = yield* tokens.end(ref)
            if (ended === undefined) return yield* new NothingEnded()
            tell = ended.tell
            return yield* get(caller, suite)
          }),
          () => ({ target: suite, before: { suite } })
        ).pipe(Effect.catchTag("NothingEnded", () => get(caller, suite)))
        // The suite is told once it is gone here, whatever it answers.
        yield* tell
        return response
      })

      /** Where a browser comes back to: it is sent on, or shown what to hand in. Nothing is stored, nothing is asked. */
      const callback = Effect.fnUntraced(function* (brought: Brought) {
        const { state } = brought
        return callbackAnswer(brought, isState(state) ? yield* signIn.returnToOf(purpose, state) : undefined)
      })

      return { list, get, startConnect, completeConnect, disconnect, callback } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
