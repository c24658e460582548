import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import type { Member } from "@orgplane/schema/shared/caller"
import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
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
import { recordAudit } from "../../infra/audit/record.ts"
import { equalBytes, sha256Bytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeId } from "../../infra/ids.ts"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import {
  credentialLost,
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

/** A token that expires sooner is renewed before it is used. */
const marginSeconds = 60
/** Longer than a renewal can take, so only a stopped process loses its claim. */
const claimSeconds = 60
const waitMillis = 150
/** Maximum number of stored scopes per credential; further ones are ignored. */
const demandedScopesMax = 64

/** The sealed part of a credential. */
const Secrets = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.NullOr(Schema.String),
  clientSecret: Schema.NullOr(Schema.String)
})
type Secrets = typeof Secrets.Type
const decodeSecrets = Schema.decodeUnknownEffect(Schema.fromJsonString(Secrets))

/** The metadata of a credential, readable without opening it. */
export interface CredentialStatus {
  readonly subjectId: string
  /** Null for the shared credential. */
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
  /** Required by the server after the connection was made: 403 `insufficient_scope`. */
  readonly demandedScopes: ReadonlyArray<string>
  readonly connectedAt: Date
  readonly updatedAt: Date
}

export interface TokenQuery extends CredentialRef {
  /** Accept only a credential of this issuer. */
  readonly issuer?: string
  /** Accept only a credential for this resource. */
  readonly resource?: string
  /** A token that the server rejected. It is renewed, unless that has already happened. */
  readonly rejected?: Redacted.Redacted
  /** The operator's current server and client, used instead of the stored ones. */
  readonly party?: Party
}

/** LLM providers only have API keys, which are sent as they are, so none is marked as no longer working. */
const rejectedActions: Readonly<Partial<Record<Purpose, StoredAuditAction>>> = {
  mcp: "mcp_connection.credential.reject",
  capability: "capability.credential.reject"
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
 * Credentials for other servers. They are sealed, looked up by owner and subject, and renewed one at a time across all
 * processes: the result of a renewal is in the database before it is used.
 */
export class OAuthTokens extends Context.Service<OAuthTokens>()("@orgplane/server/oauth/OAuthTokens", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const endpoint = yield* TokenEndpoint
    const transaction = yield* organizationTransaction
    const scope = yield* Effect.scope
    const renewals = new Map<string, Deferred.Deferred<void, TokenMissing | ReconnectRequired | McpFailed>>()

    /** Runs statements inside the credential's organization. A database error is a defect. */
    const inOrganization = <A>(ref: Pick<CredentialRef, "organizationId">, statements: Effect.Effect<A, SqlError>) =>
      Effect.orDie(transaction(ref.organizationId, statements))

    const open = (ref: CredentialRef, row: repo.CredentialRow): Effect.Effect<Secrets, ReconnectRequired> => {
      const text = keys.tryOpen(sealContext(ref), repo.sealedOf(row))
      // Not stored, because the key may be configured again.
      return text === undefined
        ? Effect.fail(new ReconnectRequired({ reason: credentialLost }))
        : Effect.orDie(decodeSecrets(text))
    }

    const seal = (ref: CredentialRef, secrets: Secrets) => keys.seal(sealContext(ref), JSON.stringify(secrets))

    const read = Effect.fnUntraced(function* (query: TokenQuery) {
      const row = yield* inOrganization(query, repo.find(sql, query))
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

    const failReconnect = Effect.fnUntraced(function* (ref: CredentialRef, row: repo.CredentialRow, reason: string) {
      const action = rejectedActions[ref.purpose]
      if (action === undefined) return yield* Effect.die(new Error(`No ${ref.purpose} credential can be rejected.`))
      const markAndAudit = Effect.gen(function* () {
        if (!(yield* repo.markReconnect(sql, ref, row.generation, reason))) return
        // Desired states contain whether a credential works, and are computed again only after an audited change.
        yield* recordAudit(sql, { kind: "system", organizationId: ref.organizationId }, action, {
          target: ref.subjectId,
          after: { orgMembershipId: ref.membershipId }
        })
      })
      yield* inOrganization(ref, markAndAudit)
      return yield* new ReconnectRequired({ reason })
    })

    /** Requests a new token and stores it. */
    const refreshClaimed = Effect.fnUntraced(function* (
      ref: CredentialRef,
      row: repo.CredentialRow,
      secrets: Secrets,
      holder: string,
      configured: Party | undefined
    ) {
      const party = configured ?? partyOf(row, secrets)
      if (party === undefined || secrets.refreshToken === null) {
        return yield* failReconnect(ref, row, "The access token is no longer valid, and there is no refresh token.")
      }
      yield* endpoint.demandUnchanged(ref.organizationId, party)
      const refreshed = yield* endpoint.refresh(ref.organizationId, party, Redacted.make(secrets.refreshToken)).pipe(
        Effect.catchTag("GrantRefused", ({ error, reason }) =>
          Effect.gen(function* () {
            // The next sign-in registers a new client in place of one that the server no longer knows.
            if (error === "invalid_client") yield* inOrganization(ref, repo.removeClient(sql, ref, party.server.issuer))
            return yield* failReconnect(ref, row, reason)
          })
        )
      )
      const sealed = seal(ref, {
        accessToken: Redacted.value(refreshed.accessToken),
        // Without a new refresh token, the existing one remains valid.
        refreshToken: refreshed.refreshToken === null ? secrets.refreshToken : Redacted.value(refreshed.refreshToken),
        clientSecret: secrets.clientSecret
      })
      const scopes = refreshed.scopes.length === 0 ? row.scopes_json : refreshed.scopes
      yield* inOrganization(
        ref,
        repo.storeRefreshed(sql, ref, holder, { sealed, scopes, expiresInSeconds: refreshed.expiresInSeconds })
      )
    })

    /**
     * Renews this generation of the credential, unless it has already been renewed. Returns false while another process
     * renews it.
     */
    const tryRenew = Effect.fnUntraced(function* (
      ref: CredentialRef,
      generation: number,
      configured: Party | undefined
    ) {
      const { row, secrets } = yield* read(ref)
      if (row.generation !== generation) return true
      const holder = makeId("req")
      if (!(yield* inOrganization(ref, repo.claimRefresh(sql, ref, generation, holder, claimSeconds)))) return false
      yield* refreshClaimed(ref, row, secrets, holder, configured).pipe(
        Effect.onError(() => inOrganization(ref, repo.releaseRefresh(sql, ref, holder)))
      )
      return true
    }, Effect.uninterruptible)

    const renew = (ref: CredentialRef, generation: number, configured: Party | undefined) =>
      tryRenew(ref, generation, configured).pipe(
        Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced(waitMillis) }),
        Effect.asVoid
      )

    /**
     * One renewal per credential at a time in this process; all callers wait for it. It continues when the caller
     * disconnects, since the server may invalidate the old token.
     */
    const renewOnce = Effect.fnUntraced(function* (
      ref: CredentialRef,
      generation: number,
      configured: Party | undefined
    ) {
      const key = keyOf(ref)
      const pending = renewals.get(key)
      if (pending !== undefined) return yield* Deferred.await(pending)
      const deferred = Deferred.makeUnsafe<void, TokenMissing | ReconnectRequired | McpFailed>()
      renewals.set(key, deferred)
      yield* renew(ref, generation, configured).pipe(
        Effect.exit,
        Effect.flatMap((exit) => {
          renewals.delete(key)
          return Deferred.done(deferred, exit)
        }),
        Effect.forkIn(scope)
      )
      return yield* Deferred.await(deferred)
    })

    /**
     * The token or key to send, renewed when it expires within a minute or was rejected. Only a credential that matches
     * every member of `query` is used.
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
      // The token is used even if it expires soon, because it is the newest one.
      const current = yield* read(query)
      return Redacted.make(current.secrets.accessToken)
    })

    /** Marks a credential whose fresh token was rejected as no longer working; a newer credential is not changed. */
    const requireReconnect = Effect.fnUntraced(function* (
      query: TokenQuery,
      refused: Redacted.Redacted,
      reason: string
    ) {
      const { row, secrets } = yield* read(query)
      const isSame = equalBytes(sha256Bytes(secrets.accessToken), sha256Bytes(Redacted.value(refused)))
      return yield* isSame ? failReconnect(query, row, reason) : Effect.void
    })

    /**
     * Stores the scopes that a server requires, for the next sign-in to request. False when the last sign-in already
     * requested all of them.
     */
    const demandScopes = Effect.fnUntraced(function* (ref: CredentialRef, scopes: ReadonlyArray<string>) {
      const row = yield* inOrganization(ref, repo.find(sql, ref))
      if (row === undefined) return true
      const { demanded_scopes_json: existing, requested_scopes_json: requested } = row
      const demanded = [...new Set([...existing, ...scopes])].slice(0, demandedScopesMax)
      if (demanded.length > existing.length) yield* inOrganization(ref, repo.demandScopes(sql, ref, demanded))
      return demanded.some((scope) => scopes.includes(scope) && !requested.includes(scope))
    })

    /** The credentials of each subject: the shared one and the member's own. */
    const statusOf = (
      organizationId: Id<"org">,
      purpose: Purpose,
      subjectIds: ReadonlyArray<string>,
      membershipId: Id<"om"> | null
    ): Effect.Effect<ReadonlyArray<CredentialStatus>, SqlError> =>
      Effect.map(repo.statuses(sql, organizationId, purpose, subjectIds, membershipId), (rows) =>
        rows.map((row) => statusOfRow(row.subject_id, row))
      )

    /**
     * Deletes all credentials, sign-ins in progress and registered clients of a subject, inside the caller's
     * transaction.
     */
    const removeAll = (subject: Pick<CredentialRef, "organizationId" | "purpose" | "subjectId">) =>
      repo.removeAll(sql, subject.organizationId, subject.purpose, subject.subjectId)

    /** Stores the tokens of an exchange and replaces the existing credential, inside the caller's transaction. */
    const store = (ref: CredentialRef, party: Party, tokens: Tokens, requestedScopes: ReadonlyArray<string> = []) => {
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

    /** Stores a key and replaces the existing credential, inside the caller's transaction. */
    const storeKey = (ref: CredentialRef, apiKey: Redacted.Redacted) =>
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
     * Deletes one credential inside the caller's transaction. Run the returned `notifyServer` after the commit to
     * revoke the token at its server; undefined when no credential existed.
     */
    const remove = Effect.fnUntraced(function* (ref: CredentialRef) {
      const row = yield* repo.remove(sql, ref)
      if (row === undefined) return undefined
      const notifyServer = Effect.gen(function* () {
        const secrets = yield* open(ref, row)
        const party = partyOf(row, secrets)
        if (party === undefined) return
        // Revoking the refresh token also revokes the access tokens issued with it.
        const token = secrets.refreshToken ?? secrets.accessToken
        yield* endpoint.revoke(ref.organizationId, party, Redacted.make(token))
      }).pipe(Effect.ignoreCause, Effect.forkIn(scope), Effect.asVoid)
      return { notifyServer }
    })

    /**
     * Whether the organization and the membership of a credential are active; both stay so until the caller's
     * transaction ends.
     */
    const lockOwner = (organizationId: Id<"org">, principal: Member["principal"]) =>
      repo.lockActive(sql, organizationId, principal.kind === "session" ? principal.membershipId : null)

    return {
      tokenFor,
      requireReconnect,
      demandScopes,
      statusOf,
      removeAll,
      store,
      storeKey,
      remove,
      lockOwner
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
