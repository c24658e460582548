import type { Anonymous, Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest, RateLimited } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Sso from "@orgplane/schema/sso"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { digestOf } from "../../infra/audit/record.ts"
import { Refusals } from "../../infra/audit/refusals.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeSecret, makeToken } from "../../infra/crypto/tokens.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { makeId } from "../../infra/ids.ts"
import { CredentialGate } from "../../infra/limits/credential-gate.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { makeAdmissionQueue } from "../../infra/limits/admission-queue.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { demandReturnTo, isState } from "../../agents/oauth/index.ts"
import { type Asserted, OidcProviders, type SamlAsserted, SamlProviders, SsoRefused } from "../../infra/ports/sso.ts"
import { callerNow } from "../../identity/roles/index.ts"
import * as sessions from "../../identity/sessions/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { normalizeEmail } from "../../identity/users/email.ts"
import * as users from "../../identity/users/repo.ts"
import type { EndedSignIn, Outcome } from "./browser-response.ts"
import { clientSecretOf } from "./client-secret.ts"
import { recognize, wouldRefuse } from "./person.ts"
import * as repo from "./repo.ts"
import * as signIns from "./sign-in-repo.ts"

const lifetimeSeconds = 30 * 86_400
const subjectMax = 1024
const reasonMax = 300

/** The sealed secrets of an OpenID Connect sign-in. */
const decodeSecrets = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ nonce: Schema.String, verifier: Schema.String }))
)

/**
 * Maximum number of SAML responses verified at the same time, in total and per organization, which has one connection.
 * Anyone can send responses, so those for one connection must not delay others.
 */
const verifications = { max: 16, perKeyMax: 4, waitersMax: 1024, waitersPerKeyMax: 64 }

const retryAfterSeconds = 5

/** The sign-in is still pending, so the same response can be sent again. */
const tooManyResponses = () => {
  const message = `Too many sign-ins at the same time. Retry after ${retryAfterSeconds} seconds.`
  return retryAfter(new RateLimited({ message }), retryAfterSeconds)
}

const wrongCode = () => InvalidRequest.at(["body", "code"], "is wrong, used or expired")

/** An anonymous caller whose change belongs to one organization, for row-level security. */
const within = (caller: Anonymous, organizationId: Id<"org">) => ({ ...caller, organizationId })

const refusedWith = (code: Sso.SsoRefusal, message: string = Sso.ssoRefusals[code]) => new SsoRefused({ code, message })

/** Errors of the authorization endpoint: a failure of the provider, or a user who was denied access. */
const refusalOfError = (error: string) =>
  error === "server_error" || error === "temporarily_unavailable"
    ? refusedWith("provider_unreachable", "The identity provider reported a temporary error.")
    : refusedWith(
        "access_denied",
        `The identity provider returned ${/^[a-z_]{1,64}$/.test(error) ? error : "an error"}.`
      )

interface SignInStart {
  readonly connection: repo.Row
  readonly purpose: signIns.Purpose
  readonly codeChallenge: string | null
  readonly returnTo: string | null
  readonly testedBy: Id<"om"> | null
}

/** Single sign-on with an organization's identity provider. */
export class SsoSignIn extends Context.Service<SsoSignIn>()("@orgplane/server/sso/SignIn", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const limiter = yield* RateLimiter
    const gate = yield* CredentialGate
    const principals = yield* Principals
    const refusals = yield* Refusals
    const oidc = yield* OidcProviders
    const saml = yield* SamlProviders
    const { publicUrl, ...returnUrls } = yield* Settings
    const { mutate } = yield* Mutate
    const fenced = yield* organizationTransaction
    const verifying = makeAdmissionQueue(verifications)

    const oidcOf = Effect.fnUntraced(function* (row: repo.OidcRow) {
      const { clientId, issuer, scopes } = row.config_json
      const clientSecret = yield* Effect.mapError(clientSecretOf(keys, row), () =>
        refusedWith(
          "provider_invalid",
          "The client secret cannot be decrypted, because the secret key of the server was lost. An administrator must set it again."
        )
      )
      return { organizationId: row.organization_id, issuer, clientId, scopes, clientSecret }
    })

    const samlOf = (row: repo.SamlRow) => ({
      ...row.config_json,
      certificates: row.config_json.certificates.map(({ pem }) => pem)
    })

    /** The URL for the browser, and the effect that stores the sign-in. The caller runs it. */
    const prepare = Effect.fnUntraced(function* ({ connection, ...options }: SignInStart) {
      const { organization_id: organizationId } = connection
      const id = makeId("ssi")
      const state = makeSecret()
      const [nonce, verifier] = [makeSecret(), makeSecret()]
      const at = new Date(yield* Clock.currentTimeMillis)
      const provider = repo.serviceProviderOf(publicUrl, organizationId)
      const requestId = `_${makeSecret()}`
      const authorizationUrl: Effect.Effect<string, SsoRefused> =
        connection.protocol === "oidc"
          ? Effect.flatMap(oidcOf(connection), (settings) =>
              oidc.begin(settings, {
                redirectUri: provider.redirectUri,
                state,
                nonce,
                codeVerifier: Redacted.make(verifier)
              })
            )
          : saml.begin(provider, samlOf(connection), { id: requestId, relayState: state, at })
      const url = yield* Effect.mapError(
        authorizationUrl,
        ({ code, message }) => new Sso.SsoProviderFailed({ code, message })
      )
      const row: signIns.NewSignIn = {
        id,
        connectionId: connection.id,
        settingsRevision: connection.settings_revision,
        purpose: options.purpose,
        stateDigest: sha256Bytes(state),
        codeChallenge: options.codeChallenge,
        returnTo: options.returnTo,
        begun: connection.protocol === "oidc" ? { protocol: "oidc" } : { protocol: "saml", requestId },
        sealed:
          connection.protocol === "oidc"
            ? keys.seal(signIns.sealContext(organizationId, id), JSON.stringify({ nonce, verifier }))
            : null,
        testedBy: options.testedBy
      }
      return { id, url, state, begin: signIns.begin(sql, organizationId, row) }
    })

    /** The organization of a sign-in. All failures are indistinguishable to the client. */
    const organizationOf = Effect.fnUntraced(function* (input: typeof Sso.StartSso.Type) {
      if (input.organizationId !== undefined) return input.organizationId
      const domain = normalizeEmail(input.email ?? "")?.split("@")[1]
      return domain === undefined ? undefined : yield* repo.findOrganizationOfDomain(sql, domain)
    })

    const start = Effect.fnUntraced(function* (caller: Anonymous, input: typeof Sso.StartSso.Type) {
      yield* limiter.take(caller.request, limits.ssoStart, caller.request.address)
      const returnTo = yield* demandReturnTo(returnUrls, input.returnTo)
      const organizationId = yield* organizationOf(input)
      const connection =
        organizationId !== undefined && (yield* repo.isLive(sql, organizationId))
          ? yield* repo.find(sql, organizationId)
          : undefined
      if (organizationId === undefined || connection === undefined || !connection.enabled) {
        return yield* new Sso.SsoConnectionNotFound()
      }
      const begun = yield* prepare({
        connection,
        purpose: "sign_in",
        codeChallenge: input.codeChallenge,
        returnTo,
        testedBy: null
      })
      const expiresAt = yield* mutate(within(caller, organizationId), "sso.start", begun.begin, () => ({
        target: connection.id,
        after: { signInId: begun.id }
      }))
      return { url: begun.url, state: begun.state, expiresAt: iso(expiresAt) }
    })

    /** Starts a test, which does not sign anyone in. */
    const test = Effect.fnUntraced(function* (caller: Member, input: typeof Sso.TestSso.Type) {
      const { organizationId, principal } = caller
      if (principal.kind !== "session") {
        return yield* new Forbidden({
          reason: "session_required",
          message: "API keys cannot test single sign-on. Sign in as a user."
        })
      }
      const returnTo = yield* demandReturnTo(returnUrls, input.returnTo)
      const connection = yield* repo.find(sql, organizationId)
      if (connection === undefined) return yield* new Sso.SsoConnectionNotFound()
      const begun = yield* prepare({
        connection,
        purpose: "test",
        codeChallenge: null,
        returnTo,
        testedBy: principal.membershipId
      })
      const expiresAt = yield* mutate(
        caller,
        "sso.test",
        Effect.andThen(callerNow(sql, caller, "sso:write"), begun.begin),
        () => ({ target: connection.id, after: { signInId: begun.id } })
      )
      return { url: begun.url, state: begun.state, expiresAt: iso(expiresAt) }
    })

    /** Whether the connection is still the one that the sign-in was started with. */
    const isUnchanged = (signIn: signIns.Row, connection: repo.Row | undefined): connection is repo.Row =>
      connection !== undefined &&
      connection.id === signIn.connection_id &&
      connection.settings_revision === signIn.settings_revision &&
      (signIn.purpose === "test" || connection.enabled)

    const exchangeCode = Effect.fnUntraced(function* (
      signIn: signIns.Row,
      connection: repo.OidcRow,
      response: { readonly code: string; readonly iss: string | undefined }
    ) {
      const { ciphertext, key_id: keyId, nonce: seal } = signIn
      if (keyId === null || seal === null || ciphertext === null) {
        return yield* Effect.die(new Error("An OpenID Connect sign-in has no verifier."))
      }
      const context = signIns.sealContext(signIn.organization_id, signIn.id)
      const text = keys.tryOpen(context, { keyId, nonce: seal, ciphertext })
      if (text === undefined) return yield* refusedWith("expired")
      const { nonce, verifier } = yield* Effect.orDie(decodeSecrets(text))
      const { redirectUri } = repo.serviceProviderOf(publicUrl, signIn.organization_id)
      const settings = yield* oidcOf(connection)
      // The state was checked when the sign-in was looked up by it.
      const begun = { redirectUri, state: "", nonce, codeVerifier: Redacted.make(verifier) }
      return yield* oidc.finish(settings, begun, response)
    })

    /** The subject is stored and compared exactly, so it must be storable. */
    const demandSubject = <A extends Asserted>(asserted: A) =>
      asserted.subject === "" || asserted.subject.length > subjectMax || /\p{Cc}/u.test(asserted.subject)
        ? Effect.fail(refusedWith("subject_missing"))
        : Effect.succeed(asserted)

    const notReplayed = Effect.fnUntraced(function* (connection: repo.Row, asserted: Asserted | SamlAsserted) {
      if (!("assertionId" in asserted)) return true
      const digest = sha256Bytes(asserted.assertionId)
      return yield* repo.useAssertion(sql, connection.organization_id, connection.id, digest, asserted.usableUntil)
    })

    const testOf = Effect.fnUntraced(function* (
      signIn: signIns.Row,
      code: Sso.SsoRefusal | null,
      asserted: Asserted | undefined
    ) {
      const by = signIn.tested_by_membership_id
      if (by === null) return yield* Effect.die(new Error("A test has no member."))
      const at = iso(new Date(yield* Clock.currentTimeMillis))
      const email = asserted?.email == null ? null : (normalizeEmail(asserted.email) ?? null)
      const last: repo.LastTest = { ok: code === null, at, by, code, subject: asserted?.subject ?? null, email }
      yield* repo.setLastTest(sql, signIn.organization_id, signIn.settings_revision, last)
    })

    interface Settlement {
      readonly outcome: Outcome
      readonly userId: Id<"usr"> | null
      readonly joined: Id<"om"> | null
      readonly linked: boolean
      readonly takenOver: boolean
    }
    const noUser = { userId: null, joined: null, linked: false, takenOver: false }

    /** The outcome, inside the transaction that records it. */
    const settle = Effect.fnUntraced(function* (
      signIn: signIns.Row,
      result: Result.Result<Asserted | SamlAsserted, SsoRefused>,
      code: string
    ): Effect.fn.Return<Settlement, Effect.Error<ReturnType<typeof signIns.end>>> {
      const { id, organization_id: organizationId } = signIn
      const refuse = Effect.fnUntraced(function* (refusal: Sso.SsoRefusal, asserted?: Asserted) {
        yield* signIns.end(sql, organizationId, id, refusal)
        if (signIn.purpose === "test") yield* testOf(signIn, refusal, asserted)
        const settled: Settlement = { ...noUser, outcome: { kind: "refused", code: refusal } }
        return settled
      })
      // Two tests that finish concurrently both record their result.
      const connection = yield* (signIn.purpose === "test" ? repo.lock : repo.lockShared)(sql, organizationId)
      if (!isUnchanged(signIn, connection)) return yield* refuse("connection_disabled")
      if (Result.isFailure(result)) return yield* refuse(result.failure.code)
      const asserted = result.success
      if (!(yield* notReplayed(connection, asserted))) return yield* refuse("response_replayed", asserted)
      if (signIn.purpose === "test") {
        const refusal = yield* wouldRefuse(sql, connection, asserted)
        if (refusal !== null) return yield* refuse(refusal, asserted)
        yield* signIns.end(sql, organizationId, id, null)
        yield* testOf(signIn, null, asserted)
        return { ...noUser, outcome: { kind: "tested" } }
      }
      const recognition = yield* recognize(sql, connection, asserted)
      if (recognition.refusal !== null) return yield* refuse(recognition.refusal, asserted)
      const { joined, linked, takenOver, userId } = recognition
      if (takenOver) yield* sessions.revokeAll(sql, userId)
      if (takenOver || joined !== null) yield* principals.announce(userId)
      yield* signIns.accept(sql, organizationId, id, userId, sha256Bytes(code))
      return { outcome: { kind: "signed_in", code }, userId, joined, linked, takenOver }
    })

    /** Handles the response that a browser brought, and uses up its state. Returns undefined for an unknown state. */
    const handleReturn = Effect.fnUntraced(function* (
      caller: Anonymous,
      organizationId: Id<"org">,
      state: string,
      finish: (signIn: signIns.Row, connection: repo.Row) => Effect.Effect<Asserted | SamlAsserted, SsoRefused>
    ) {
      const signIn = yield* Effect.orDie(fenced(organizationId, signIns.take(sql, organizationId, sha256Bytes(state))))
      if (signIn === undefined) return undefined
      const connection = yield* repo.find(sql, organizationId)
      const result = yield* (
        isUnchanged(signIn, connection)
          ? Effect.flatMap(finish(signIn, connection), demandSubject)
          : Effect.fail(refusedWith("connection_disabled"))
      ).pipe(Effect.result)
      const code = makeSecret()
      const settled = yield* mutate(
        within(caller, organizationId),
        "sso.callback",
        settle(signIn, result, code),
        ({ joined, linked, outcome, userId }) => ({
          target: signIn.connection_id,
          after: {
            signInId: signIn.id,
            purpose: signIn.purpose,
            code: outcome.kind === "refused" ? outcome.code : null,
            ...(userId === null ? {} : { userId, linked, joinedOrgMembershipId: joined }),
            ...(Result.isSuccess(result) ? { subject: digestOf(result.success.subject) } : {})
          }
        })
      )
      const { joined, outcome, takenOver, userId } = settled
      if (userId !== null && (takenOver || joined !== null)) principals.forget(userId)
      if (outcome.kind === "refused") {
        const reason =
          Result.isFailure(result) && result.failure.code === outcome.code
            ? result.failure.message
            : Sso.ssoRefusals[outcome.code]
        // The reason may contain text that a browser sent.
        const loggedReason = reason.slice(0, reasonMax).toWellFormed()
        yield* Effect.logInfo("Single sign-on was refused.").pipe(
          Effect.annotateLogs({
            organizationId,
            ssoConnectionId: signIn.connection_id,
            code: outcome.code,
            reason: loggedReason
          })
        )
      }
      const ended: EndedSignIn = { outcome, state, returnTo: signIn.return_to }
      return ended
    })

    const oidcCallback = Effect.fnUntraced(function* (
      caller: Anonymous,
      organizationId: Id<"org">,
      response: {
        readonly state?: string
        readonly code?: string
        readonly iss?: string
        readonly error?: string
      }
    ) {
      const { code, error, iss, state } = response
      const pendingSignIn = isState(state) ? yield* signIns.findByState(sql, sha256Bytes(state)) : undefined
      // The code of another organization's provider arrives at that organization's URL.
      if (!isState(state) || pendingSignIn?.protocol !== "oidc" || pendingSignIn.organization_id !== organizationId) {
        return undefined
      }
      return yield* handleReturn(caller, organizationId, state, (signIn, connection) => {
        if (connection.protocol !== "oidc") return Effect.fail(refusedWith("connection_disabled"))
        if (error !== undefined) return Effect.fail(refusalOfError(error))
        return code === undefined
          ? Effect.fail(refusedWith("response_invalid", "The identity provider returned no code."))
          : exchangeCode(signIn, connection, { code, iss })
      })
    })

    const samlAcs = Effect.fnUntraced(function* (
      caller: Anonymous,
      organizationId: Id<"org">,
      response: typeof Sso.SamlResponseForm.Type
    ) {
      const { RelayState: state, SAMLResponse: samlResponse } = response
      const pendingSignIn = isState(state) ? yield* signIns.findByState(sql, sha256Bytes(state)) : undefined
      if (!isState(state) || pendingSignIn?.protocol !== "saml" || pendingSignIn.organization_id !== organizationId) {
        return undefined
      }
      const finish = Effect.fnUntraced(function* (signIn: signIns.Row, connection: repo.Row) {
        const { begun_json: begun } = signIn
        if (connection.protocol !== "saml" || begun.protocol !== "saml") {
          return yield* refusedWith("connection_disabled")
        }
        if (samlResponse === undefined) return yield* refusedWith("response_invalid")
        const at = new Date(yield* Clock.currentTimeMillis)
        const provider = repo.serviceProviderOf(publicUrl, organizationId)
        return yield* saml.finish(provider, samlOf(connection), { samlResponse, requestId: begun.requestId, at })
      })
      return yield* Effect.scoped(
        Effect.gen(function* () {
          if (!(yield* verifying.enter(organizationId, 1))) return yield* tooManyResponses()
          return yield* handleReturn(caller, organizationId, state, finish)
        })
      )
    })

    /** The metadata depends only on the URL, so it does not reveal which organizations exist. */
    const samlMetadata = (organizationId: Id<"org">) => saml.metadata(repo.serviceProviderOf(publicUrl, organizationId))

    /**
     * Creates the session for the client that started the sign-in: the code passed through a browser, the verifier
     * did not.
     */
    const complete = Effect.fnUntraced(function* (caller: Anonymous, input: typeof Sso.CompleteSso.Type) {
      const refuse = Effect.andThen(
        limiter.take(caller.request, limits.failedAuthentication, caller.request.address),
        Effect.fail(wrongCode())
      )
      const codeDigest = sha256Bytes(input.code)
      const organizationId = yield* gate.lookUp(
        caller.request,
        { limit: limits.failedAuthentication, address: caller.request.address, credential: input.code },
        signIns.findByCode(sql, codeDigest)
      )
      if (organizationId === undefined) return yield* refuse
      const token = makeToken("ops")
      const signIn = yield* mutate(
        within(caller, organizationId),
        "session.create",
        Effect.gen(function* () {
          const taken = yield* signIns.complete(sql, organizationId, {
            codeDigest,
            stateDigest: sha256Bytes(input.state),
            codeChallenge: sha256Bytes(input.codeVerifier).toString("base64url")
          })
          if (taken === undefined) return yield* wrongCode()
          const connection = yield* repo.lockShared(sql, organizationId)
          const isThat =
            connection !== undefined &&
            connection.id === taken.connection_id &&
            connection.enabled &&
            connection.settings_revision === taken.settings_revision
          const membership = yield* repo.membershipOf(sql, organizationId, taken.user_id)
          const user = yield* users.find(sql, taken.user_id)
          // A user who was removed in the meantime must not get a session.
          if (!isThat || membership === undefined || user === undefined) return yield* wrongCode()
          const session = yield* sessions.create(sql, {
            id: makeId("ses"),
            tokenDigest: sha256Bytes(token),
            userId: user.id,
            organizationId,
            kind: "sso",
            lifetimeSeconds
          })
          return { session, user, membership, connectionId: connection.id }
        }),
        ({ connectionId, membership, session, user }) => ({
          target: session.id,
          after: {
            userId: user.id,
            membershipId: membership,
            kind: session.kind,
            organizationId,
            ssoConnectionId: connectionId
          }
        })
      ).pipe(
        Effect.tapErrorTag("InvalidRequest", () => refusals.noteWrongCode({ organizationId }, caller.request)),
        Effect.tapErrorTag("InvalidRequest", () =>
          limiter.take(caller.request, limits.failedAuthentication, caller.request.address)
        )
      )
      return {
        session: { id: signIn.session.id, token, expiresAt: iso(signIn.session.expires_at) },
        user: users.toWire(signIn.user),
        organizationId
      }
    })

    return { start, test, oidcCallback, samlAcs, samlMetadata, complete } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
