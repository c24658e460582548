import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { equalBytes, sha256Bytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeId } from "../../infra/ids.ts"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import {
  type CredentialRef,
  type Party,
  type Purpose,
  ReconnectRequired,
  sealContext,
  TokenMissing,
  type Tokens
} from "./credential.ts"
import { TokenEndpoint } from "./endpoint.ts"
import * as repo from "./repo.ts"

/** A token that ends sooner is renewed before it is used. */
const marginSeconds = 60
/** Longer than a renewal can last: only a holder that is gone loses it. */
const claimSeconds = 60
const waitMillis = 150
/** Maximum number of stored scopes per credential; further ones are ignored. */
const demandedScopesMax = 64

/** What is sealed of a credential. */
const Secrets = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.NullOr(Schema.String),
  clientSecret: Schema.NullOr(Schema.String)
})
type Secrets = typeof Secrets.Type
const decodeSecrets = Schema.decodeUnknownEffect(Schema.fromJsonString(Secrets))

/** Whether there is a credential, and what is known of it without opening it. */
export interface CredentialStatus {
  readonly subjectId: string
  /** Null for the shared one. */
  readonly membershipId: string | null
  readonly kind: "oauth" | "apikey"
  readonly status: "ready" | "reconnect_required"
  readonly statusReason: string | null
  readonly issuer: string | null
  readonly client: {
    readonly clientId: string
    readonly registration: RegistrationMethod
    readonly hasSecret: boolean
  } | null
  readonly scopes: ReadonlyArray<string>
  /** Required by the server since it was first connected: 403 `insufficient_scope`. */
  readonly demandedScopes: ReadonlyArray<string>
  readonly connectedAt: Date
  readonly updatedAt: Date
}

export interface TokenQuery extends CredentialRef {
  /** Only one of this issuer will do. */
  readonly issuer?: string
  /** Only one for this resource will do. */
  readonly resource?: string
  /** The server has refused this one: another is got, unless there is one already. */
  readonly rejected?: Redacted.Redacted
  /** The operator's own server and client as they are set up now, in place of what was kept with the credential. */
  readonly party?: Party
}

const keyOf = (ref: CredentialRef) =>
  JSON.stringify([ref.organizationId, ref.purpose, ref.subjectId, ref.membershipId ?? ""])

const statusOfRow = (subjectId: string, row: repo.CredentialRow): CredentialStatus => ({
  subjectId,
  membershipId: row.membership_id === "" ? null : row.membership_id,
  kind: row.kind,
  status: row.status,
  statusReason: row.status_reason,
  issuer: row.issuer,
  client:
    row.client_id === null || row.registration === null
      ? null
      : { clientId: row.client_id, registration: row.registration, hasSecret: row.has_client_secret },
  scopes: row.scopes_json,
  demandedScopes: row.demanded_scopes_json,
  connectedAt: row.created_at,
  updatedAt: row.updated_at
})

/**
 * Credentials for other servers: kept sealed, found by what they are for and whose they are, and renewed by one at a
 * time, whichever process it is in: what a renewal brought is in the database before anybody uses it.
 */
export class OAuthTokens extends Context.Service<OAuthTokens>()("@orgplane/server/oauth/OAuthTokens", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const endpoint = yield* TokenEndpoint
    const fenced = yield* organizationTransaction
    const scope = yield* Effect.scope
    const underWay = new Map<string, Deferred.Deferred<void, TokenMissing | ReconnectRequired | McpFailed>>()

    /** A statement or several, shut in the credential's organization; a failing database is nobody's answer. */
    const within = <A>(ref: Pick<CredentialRef, "organizationId">, statements: Effect.Effect<A, SqlError>) =>
      Effect.orDie(fenced(ref.organizationId, statements))

    const open = (ref: CredentialRef, row: repo.CredentialRow): Effect.Effect<Secrets> =>
      Effect.flatMap(keys.open(sealContext(ref), repo.sealedOf(row)), (text) => Effect.orDie(decodeSecrets(text)))

    const seal = (ref: CredentialRef, secrets: Secrets) => keys.seal(sealContext(ref), JSON.stringify(secrets))

    const read = Effect.fnUntraced(function* (query: TokenQuery) {
      const row = yield* within(query, repo.find(sql, query))
      if (
        row === undefined ||
        (query.issuer !== undefined && row.issuer !== query.issuer) ||
        (query.resource !== undefined && row.resource !== query.resource)
      ) {
        return yield* new TokenMissing()
      }
      if (row.status === "reconnect_required") {
        return yield* new ReconnectRequired({ reason: row.status_reason ?? "The credential no longer works." })
      }
      return { row, secrets: yield* open(query, row) }
    })

    const isStale = Effect.fnUntraced(function* (query: TokenQuery, row: repo.CredentialRow, secrets: Secrets) {
      if (row.kind === "apikey") return false
      const now = yield* Clock.currentTimeMillis
      const isEnding = row.expires_at !== null && row.expires_at.getTime() - now < marginSeconds * 1000
      return (
        isEnding ||
        (query.rejected !== undefined &&
          equalBytes(sha256Bytes(secrets.accessToken), sha256Bytes(Redacted.value(query.rejected))))
      )
    })

    const partyOf = (row: repo.CredentialRow, secrets: Secrets): Party | undefined =>
      row.server_json === null || row.client_id === null || row.registration === null
        ? undefined
        : {
            server: row.server_json.server,
            client: {
              clientId: row.client_id,
              clientSecret: secrets.clientSecret === null ? null : Redacted.make(secrets.clientSecret),
              registration: row.registration,
              authMethod: row.auth_method ?? "none"
            },
            resource: row.resource,
            isConfigured: row.server_json.isConfigured
          }

    const givenUp = Effect.fnUntraced(function* (ref: CredentialRef, row: repo.CredentialRow, reason: string) {
      yield* within(ref, repo.markReconnect(sql, ref, row.generation, reason))
      return yield* new ReconnectRequired({ reason })
    })

    /** Asks for another token, and keeps it before it answers. */
    const exchanged = Effect.fnUntraced(function* (
      ref: CredentialRef,
      row: repo.CredentialRow,
      secrets: Secrets,
      holder: string,
      configured: Party | undefined
    ) {
      const party = configured ?? partyOf(row, secrets)
      if (party === undefined || secrets.refreshToken === null) {
        return yield* givenUp(ref, row, "The authorization has ended, and its server gave nothing to renew it with.")
      }
      yield* endpoint.demandUnchanged(ref.organizationId, party)
      const made = yield* endpoint.refresh(ref.organizationId, party, Redacted.make(secrets.refreshToken)).pipe(
        Effect.catchTag("GrantRefused", ({ error, reason }) =>
          Effect.gen(function* () {
            // A client that is not known there any more is registered anew by the next sign-in.
            if (error === "invalid_client") yield* within(ref, repo.forgetClient(sql, ref, party.server.issuer))
            return yield* givenUp(ref, row, reason)
          })
        )
      )
      const sealed = seal(ref, {
        accessToken: Redacted.value(made.accessToken),
        // A server that gives no new one means the old one to go on.
        refreshToken: made.refreshToken === null ? secrets.refreshToken : Redacted.value(made.refreshToken),
        clientSecret: secrets.clientSecret
      })
      const scopes = made.scopes.length === 0 ? row.scopes_json : made.scopes
      yield* within(
        ref,
        repo.keepRefreshed(sql, ref, holder, { sealed, scopes, expiresInSeconds: made.expiresInSeconds })
      )
    })

    /** Renews what was read with that generation, or finds that it was; false while another process is at it. */
    const tried = Effect.fnUntraced(function* (ref: CredentialRef, generation: number, configured: Party | undefined) {
      const { row, secrets } = yield* read(ref)
      if (row.generation !== generation) return true
      const holder = makeId("req")
      if (!(yield* within(ref, repo.claimRefresh(sql, ref, generation, holder, claimSeconds)))) return false
      yield* exchanged(ref, row, secrets, holder, configured).pipe(
        Effect.onError(() => within(ref, repo.releaseRefresh(sql, ref, holder)))
      )
      return true
    }, Effect.uninterruptible)

    const renewed = (ref: CredentialRef, generation: number, configured: Party | undefined) =>
      tried(ref, generation, configured).pipe(
        Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced(waitMillis) }),
        Effect.asVoid
      )

    /**
     * One renewal at a time in this process, and everybody waits for it. It goes on when whoever asked goes away: what
     * the server gives then is the only token there is.
     */
    const renewOnce = Effect.fnUntraced(function* (
      ref: CredentialRef,
      generation: number,
      configured: Party | undefined
    ) {
      const key = keyOf(ref)
      const known = underWay.get(key)
      if (known !== undefined) return yield* Deferred.await(known)
      const deferred = Deferred.makeUnsafe<void, TokenMissing | ReconnectRequired | McpFailed>()
      underWay.set(key, deferred)
      yield* renewed(ref, generation, configured).pipe(
        Effect.exit,
        Effect.flatMap((exit) => {
          underWay.delete(key)
          return Deferred.done(deferred, exit)
        }),
        Effect.forkIn(scope)
      )
      return yield* Deferred.await(deferred)
    })

    /**
     * The token or key to send, renewed when it ends within a minute or was refused. Found by exactly what `query` says:
     * nobody else's, for no other server.
     */
    const tokenFor = Effect.fnUntraced(function* (query: TokenQuery) {
      const { row, secrets } = yield* read(query)
      if (!(yield* isStale(query, row, secrets))) return Redacted.make(secrets.accessToken)
      yield* renewOnce(
        {
          organizationId: query.organizationId,
          purpose: query.purpose,
          subjectId: query.subjectId,
          membershipId: query.membershipId
        },
        row.generation,
        query.party
      )
      // However short its life is: it is the newest there is.
      const renewed = yield* read(query)
      return Redacted.make(renewed.secrets.accessToken)
    })

    /** Says that a credential no longer works whose token was refused although it is fresh; another one is left alone. */
    const giveUp = Effect.fnUntraced(function* (query: TokenQuery, refused: Redacted.Redacted, reason: string) {
      const { row, secrets } = yield* read(query)
      const isSame = equalBytes(sha256Bytes(secrets.accessToken), sha256Bytes(Redacted.value(refused)))
      return yield* isSame ? givenUp(query, row, reason) : Effect.void
    })

    /**
     * Stores the scopes that a server requires, for the next sign-in to request. False when the last sign-in already
     * requested all of them.
     */
    const demandScopes = Effect.fnUntraced(function* (ref: CredentialRef, scopes: ReadonlyArray<string>) {
      const row = yield* within(ref, repo.find(sql, ref))
      if (row === undefined) return true
      const { demanded_scopes_json: before, requested_scopes_json: requested } = row
      const demanded = [...new Set([...before, ...scopes])].slice(0, demandedScopesMax)
      if (demanded.length > before.length) yield* within(ref, repo.demandScopes(sql, ref, demanded))
      return demanded.some((scope) => scopes.includes(scope) && !requested.includes(scope))
    })

    /** What there is for each of the subjects: the shared credential and the member's own. */
    const statusOf = (
      organizationId: Id<"org">,
      purpose: Purpose,
      subjectIds: ReadonlyArray<string>,
      membershipId: Id<"om"> | null
    ): Effect.Effect<ReadonlyArray<CredentialStatus>, SqlError> =>
      Effect.map(repo.statuses(sql, organizationId, purpose, subjectIds, membershipId), (rows) =>
        rows.map((row) => statusOfRow(row.subject_id, row))
      )

    /** Deletes all credentials of a subject with what was begun and registered for it: inside the caller's transaction. */
    const forgetAll = (subject: Pick<CredentialRef, "organizationId" | "purpose" | "subjectId">) =>
      repo.forgetAll(sql, subject.organizationId, subject.purpose, subject.subjectId)

    /** Keeps what an exchange brought, in place of what there was: inside the caller's transaction. */
    const keep = (ref: CredentialRef, party: Party, tokens: Tokens, requestedScopes: ReadonlyArray<string> = []) => {
      const { client, isConfigured, resource, server } = party
      return repo.put(sql, ref, {
        kind: "oauth",
        issuer: server.issuer,
        resource,
        clientId: client.clientId,
        registration: client.registration,
        hasClientSecret: client.clientSecret !== null,
        authMethod: client.authMethod,
        scopes: tokens.scopes,
        requestedScopes,
        server: { server, isConfigured },
        sealed: seal(ref, {
          accessToken: Redacted.value(tokens.accessToken),
          refreshToken: tokens.refreshToken === null ? null : Redacted.value(tokens.refreshToken),
          clientSecret: client.clientSecret === null ? null : Redacted.value(client.clientSecret)
        }),
        expiresInSeconds: tokens.expiresInSeconds
      })
    }

    /** Keeps a key, in place of what there was: inside the caller's transaction. */
    const keepKey = (ref: CredentialRef, apiKey: Redacted.Redacted) =>
      repo.put(sql, ref, {
        kind: "apikey",
        issuer: null,
        resource: null,
        clientId: null,
        registration: null,
        hasClientSecret: false,
        authMethod: null,
        scopes: [],
        requestedScopes: [],
        server: null,
        sealed: seal(ref, { accessToken: Redacted.value(apiKey), refreshToken: null, clientSecret: null }),
        expiresInSeconds: null
      })

    /**
     * Deletes one credential inside the caller's transaction. What comes back tells the server that gave it, once the
     * transaction is over; undefined when there was none.
     */
    const end = Effect.fnUntraced(function* (ref: CredentialRef) {
      const row = yield* repo.remove(sql, ref)
      if (row === undefined) return undefined
      const tell = Effect.gen(function* () {
        const secrets = yield* open(ref, row)
        const party = partyOf(row, secrets)
        if (party === undefined) return
        // Whoever revokes the refresh token revokes what came of it.
        const token = secrets.refreshToken ?? secrets.accessToken
        yield* endpoint.revoke(ref.organizationId, party, Redacted.make(token))
      }).pipe(Effect.ignoreCause, Effect.forkIn(scope), Effect.asVoid)
      return { tell }
    })

    /**
     * Whether the organization and the membership that a credential is kept for still are there; both stay until the
     * caller's transaction ends.
     */
    const holdsOn = (organizationId: Id<"org">, principal: Member["principal"]) =>
      repo.isLive(sql, organizationId, principal.kind === "session" ? principal.membershipId : null)

    return { tokenFor, giveUp, demandScopes, statusOf, forgetAll, keep, keepKey, end, holdsOn } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
