import { ConnectionNotFound, ConnectionNotReady, type McpConnection } from "@orgplane/schema/mcp-connections"
import type { CompleteConnect } from "@orgplane/schema/mcp-connect"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { demandLevel } from "../../identity/access/service.ts"
import { Settings } from "../../infra/config/settings.ts"
import { isJoined, Mutate } from "../../infra/mutate/index.ts"
import {
  type Authorization,
  AuthorizationDiscovery,
  type SessionMember,
  callbackUrl,
  metadataDocumentClient,
  clientMetadata,
  clientMetadataUrl,
  type CredentialRef,
  isState,
  type OAuthServer,
  OAuthSignIn,
  OAuthTokens,
  preRegisteredClient,
  serverInvalid,
  demandReturnTo
} from "../oauth/index.ts"
import { McpFailed, McpServers } from "../../infra/ports/mcp-servers.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { challengeOf } from "./challenge.ts"
import { serverFailed } from "./diagnostic.ts"
import { leadsElsewhere } from "./fingerprint.ts"
import * as repo from "./repo.ts"
import { demandAccepted as demandReviewed, McpConnectionsService } from "./service.ts"

/** Rolls the transaction back: a no-op is not audited. */
class NothingEnded extends Data.TaggedError("NothingEnded") {}

const registrationName = "orgplane"

const needsMember = () =>
  new Forbidden({
    reason: "session_required",
    message: "Connecting requires a member's session; an API key cannot sign in."
  })

const notReady = (message: string) => new ConnectionNotReady({ message })
const connectionChanged = () => notReady("not_connected: The connection has changed. Connect again.")

/** Connects and disconnects the credentials of connections. */
export class McpConnectService extends Context.Service<McpConnectService>()(
  "@orgplane/server/mcp-connections/ConnectService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const connections = yield* McpConnectionsService
      const servers = yield* McpServers
      const discovery = yield* AuthorizationDiscovery
      const signIn = yield* OAuthSignIn
      const tokens = yield* OAuthTokens
      const settings = yield* Settings
      const { publicUrl } = settings
      const { alone, mutate, recall } = yield* Mutate

      /**
       * A connection whose credential the caller may set. A shared credential requires the manager level, a personal
       * one requires a grant.
       */
      const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* repo.get(sql, caller, id)
        if (row === undefined || row.level === 0) return yield* new ConnectionNotFound()
        yield* row.credential_mode === "shared"
          ? demandLevel(row.level, "manager")
          : demandLevel(caller.principal.kind === "key" ? row.level : row.granted_level, "viewer")
        return row
      })

      const sessionMemberOf = ({ organizationId, principal }: Member): Effect.Effect<SessionMember, Forbidden> =>
        principal.kind === "key"
          ? Effect.fail(needsMember())
          : Effect.succeed({
              organizationId,
              membershipId: principal.membershipId,
              sessionId: principal.sessionId
            })

      /** The credential that the caller sets. */
      const refOf = Effect.fnUntraced(function* (caller: Member, row: repo.Row) {
        const ref: CredentialRef = {
          organizationId: caller.organizationId,
          purpose: repo.purpose,
          subjectId: row.id,
          membershipId: row.credential_mode === "shared" ? null : (yield* sessionMemberOf(caller)).membershipId
        }
        return ref
      })

      const demandOAuth = (row: repo.Row) =>
        row.auth_type === "oauth"
          ? Effect.void
          : Effect.fail(InvalidRequest.at(["path", "connectionId"], "must be a connection with authType oauth"))

      const usableServer = Effect.fnUntraced(function* (authorization: Authorization, row: repo.Row) {
        const { usable, warnings } = authorization
        if (usable === null) {
          const reasons = warnings.map(({ code, message }) => `${code}: ${message}`).join(" ")
          return yield* serverInvalid("authorization_server_refused", reasons)
        }
        const { accepted_identity_json: accepted } = row
        if (accepted === null) return usable
        // If the server lists several authorization servers, the accepted one is used, regardless of their order.
        const server = authorization.servers.find(({ issuer }) => issuer === accepted.issuer)?.server ?? usable
        if (leadsElsewhere(accepted, { ...server, scopes: [] })) {
          return yield* serverInvalid(
            "authorization_server_changed",
            "The server's authorization server or its endpoints differ from the accepted ones. List the connection's tools with `refresh`. A manager must then review the change."
          )
        }
        return server
      })

      /** The client registration methods, in the order of the standard. */
      const clientFor = Effect.fnUntraced(function* (row: repo.Row, authorization: Authorization) {
        const server = yield* usableServer(authorization, row)
        const organizationId = row.organization_id
        if (row.oauth_client_id !== null && row.oauth_registration === "pre_registered") {
          const secret = yield* connections.clientSecretOf(row)
          const client = preRegisteredClient(server, row.oauth_client_id, secret)
          return { server, client }
        }
        const documentUrl = clientMetadataUrl(publicUrl)
        if (documentUrl !== null && server.clientIdMetadataDocumentSupported) {
          return { server, client: metadataDocumentClient(documentUrl) }
        }
        if (server.registrationEndpoint !== null) {
          const subject = { organizationId, purpose: repo.purpose, subjectId: row.id } as const
          const request = { redirectUri: callbackUrl(publicUrl), clientName: registrationName, clientUri: publicUrl }
          const client = yield* signIn
            .ensureClient(subject, server, request)
            .pipe(
              Effect.catchTag("McpFailed", (failure) =>
                server.foundBy === "default_endpoints" && failure.category === "authentication"
                  ? serverInvalid(
                      "authorization_server_unknown",
                      "The server does not advertise an authorization server, and its origin does not support client registration."
                    )
                  : Effect.fail(failure)
              )
            )
          return { server, client }
        }
        return yield* notReady(
          `not_connected: ${server.issuer} does not support automatic client registration. Register a client there with the redirect URI ${callbackUrl(publicUrl)}, and set it as the connection's oauthClient.`
        )
      })

      const scopesFor = (
        row: repo.Row,
        { recommendedScopes, requiredScopes }: Authorization,
        server: OAuthServer,
        demandedScopes: ReadonlyArray<string>
      ): ReadonlyArray<string> => {
        if (row.scopes_json !== null) return row.scopes_json
        const base = requiredScopes.length > 0 ? requiredScopes : recommendedScopes
        const scopes = [...new Set([...base, ...demandedScopes])]
        // If the server supports `offline_access`, it is required for a refresh token.
        const isOffered = server.scopesSupported.includes("offline_access")
        return isOffered && !scopes.includes("offline_access") ? [...scopes, "offline_access"] : scopes
      }

      const demandSameServer = Effect.fnUntraced(function* (row: repo.Row, ref: CredentialRef, issuer: string) {
        const statuses = yield* Effect.orDie(
          tokens.statusOf(row.organization_id, repo.purpose, [row.id], ref.membershipId)
        )
        const before = statuses.find((status) => status.membershipId === ref.membershipId)
        if (before === undefined || before.issuer === null || before.issuer === issuer) return before
        return yield* serverInvalid(
          "authorization_server_changed",
          `The server's authorization server changed from ${before.issuer} to ${issuer}. If that is expected, disconnect first.`
        )
      })

      const startConnect = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"emc">,
        input: { readonly returnTo?: string }
      ) {
        const row = yield* demand(caller, id)
        const member = yield* sessionMemberOf(caller)
        yield* demandOAuth(row)
        const returnTo = yield* demandReturnTo(settings, input.returnTo)
        yield* recall(caller)
        yield* demandReviewed(row)
        const ref = yield* refOf(caller, row)
        yield* connections.limitOutbound(caller)
        const prepared = yield* Effect.gen(function* () {
          const challenge = yield* challengeOf(servers, row)
          const authorization = yield* discovery.inspect({
            url: row.url,
            organizationId: row.organization_id,
            ...challenge
          })
          const { client, server } = yield* clientFor(row, authorization)
          const before = yield* demandSameServer(row, ref, server.issuer)
          return signIn.prepare(member, {
            purpose: repo.purpose,
            subjectId: row.id,
            isShared: ref.membershipId === null,
            party: { server, client, resource: authorization.requestedResource, isConfigured: false },
            scopes: scopesFor(row, authorization, server, before?.demandedScopes ?? []),
            redirectUri: callbackUrl(publicUrl),
            returnTo
          })
        }).pipe(Effect.catchTag("McpFailed", (failure) => serverFailed(failure, row, caller)))
        const { expiresAt } = yield* mutate(
          caller,
          "mcp_connection.start_connect",
          Effect.gen(function* () {
            const current = yield* repo.lock(sql, caller.organizationId, row.id)
            if (current === undefined) return yield* new ConnectionNotFound()
            yield* demandUnchanged(row, current)
            return { expiresAt: iso(yield* prepared.begin) }
          }),
          () => ({ target: row.id, after: { shared: ref.membershipId === null } })
        )
        return { url: prepared.url, state: prepared.state, expiresAt }
      })

      /** Credentials for a previous state of the connection are not valid for the current one. */
      const demandUnchanged = (before: repo.Row, current: repo.Row) =>
        repo.isUnchanged(before, current) ? Effect.void : Effect.fail(connectionChanged())

      /** Locks the connection and checks that it and the caller's access have not changed during the request. */
      const lockUnchanged = Effect.fnUntraced(function* (caller: Member, before: repo.Row) {
        const current = yield* repo.lock(sql, caller.organizationId, before.id)
        if (current === undefined) return yield* new ConnectionNotFound()
        yield* demandUnchanged(before, current)
        yield* demand(caller, before.id)
        // Removing a membership or an organization deletes its credentials; none may be stored afterwards.
        if (!(yield* tokens.lockOwner(caller.organizationId, caller.principal))) return yield* new ConnectionNotFound()
        return current
      })

      const read = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* repo.get(sql, caller, id)
        return row === undefined ? yield* new ConnectionNotFound() : repo.toWire(row)
      })

      const exchange = Effect.fnUntraced(function* (
        caller: Member,
        member: SessionMember,
        row: repo.Row,
        input: typeof CompleteConnect.Type
      ) {
        // The state is consumed before any request is sent, so it can never be used twice.
        const signInState = yield* signIn.take(member, repo.purpose, row.id, input.state)
        if (signInState === undefined) {
          return yield* InvalidRequest.at(
            ["body", "state"],
            "must be the state of a sign-in that this session started for the connection less than ten minutes ago"
          )
        }
        const received = yield* signIn.exchange(signInState, input).pipe(
          Effect.catchTag("GrantRefused", ({ error, reason }) =>
            Effect.fail(
              error === "invalid_grant"
                ? InvalidRequest.at(["body", "code"], "was rejected by the authorization server")
                : new McpFailed({
                    category: "authentication",
                    code: "unauthorized",
                    message: reason,
                    retryable: false,
                    providerCode: error
                  })
            )
          ),
          Effect.catchTag("McpFailed", (failure) => serverFailed(failure, row, caller))
        )
        const { client } = signInState.party
        return yield* mutate(
          caller,
          "mcp_connection.connect",
          Effect.gen(function* () {
            const current = yield* lockUnchanged(caller, row)
            // The connection's client was set or removed while the code was exchanged.
            const preRegisteredId = current.oauth_registration === "pre_registered" ? current.oauth_client_id : null
            if (preRegisteredId !== (client.registration === "pre_registered" ? client.clientId : null)) {
              return yield* connectionChanged()
            }
            yield* tokens.store(signInState.ref, signInState.party, received, signInState.scopes)
            if (client.registration !== "pre_registered") {
              yield* repo.setClient(sql, caller.organizationId, row.id, {
                clientId: client.clientId,
                registration: client.registration,
                secretId: null
              })
            }
            return yield* read(caller, row.id)
          }),
          () => ({
            target: row.id,
            after: {
              kind: "oauth",
              shared: signInState.ref.membershipId === null,
              issuer: signInState.party.server.issuer,
              registration: client.registration
            }
          })
        )
      })

      /** Exchanges the code that this session's browser returned. A code can be exchanged once. */
      const completeConnect = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"emc">,
        input: typeof CompleteConnect.Type
      ) {
        const row = yield* demand(caller, id)
        const member = yield* sessionMemberOf(caller)
        yield* demandOAuth(row)
        const statuses = yield* recall<McpConnection>(caller)
        if (statuses !== undefined) return statuses
        return yield* alone(caller, exchange(caller, member, row, input))
      })

      /**
       * Tests the key once. The key is refused only if the server rejects it: a server that is unreachable now may
       * accept it later.
       */
      const demandKeyAccepted = Effect.fnUntraced(function* (row: repo.Row, apiKey: string) {
        const scheme = row.api_key_scheme
        const response = yield* Effect.result(
          servers.listTools({
            url: row.url,
            organizationId: row.organization_id,
            credential: {
              header: row.api_key_header ?? "authorization",
              value: Redacted.make(scheme === null ? apiKey : `${scheme} ${apiKey}`)
            }
          })
        )
        if (
          Result.isFailure(response) &&
          (response.failure.providerStatus === 401 || response.failure.providerStatus === 403)
        ) {
          return yield* InvalidRequest.at(["body", "apiKey"], "was rejected by the server")
        }
      })

      const setApiKey = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, apiKey: string) {
        const row = yield* demand(caller, id)
        const ref = yield* refOf(caller, row)
        if (row.auth_type !== "apikey") {
          return yield* InvalidRequest.at(["path", "connectionId"], "must be a connection with authType apikey")
        }
        if (!(yield* isJoined)) {
          yield* connections.limitOutbound(caller)
          yield* demandKeyAccepted(row, apiKey)
        }
        return yield* mutate(
          caller,
          "mcp_connection.connect",
          Effect.gen(function* () {
            yield* lockUnchanged(caller, row)
            yield* tokens.storeKey(ref, Redacted.make(apiKey))
            return yield* read(caller, row.id)
          }),
          () => ({ target: row.id, after: { kind: "apikey", shared: ref.membershipId === null } })
        )
      })

      const disconnect = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* demand(caller, id)
        const ref = yield* refOf(caller, row)
        let notifyServer: Effect.Effect<void> = Effect.void
        const response = yield* mutate(
          caller,
          "mcp_connection.disconnect",
          Effect.gen(function* () {
            const removed = yield* tokens.remove(ref)
            if (removed === undefined) return yield* new NothingEnded()
            notifyServer = removed.notifyServer
            return yield* read(caller, row.id)
          }),
          () => ({ target: row.id, before: { shared: ref.membershipId === null } })
        ).pipe(Effect.catchTag("NothingEnded", () => read(caller, row.id)))
        // The token is revoked at its server after the commit. The response is ignored.
        yield* notifyServer
        return response
      })

      /**
       * The URL to which the browser is redirected after a sign-in: null if none was given, undefined if no such
       * sign-in exists. Stores nothing and sends no requests.
       */
      const returnUrlOf = (state: string | undefined) =>
        isState(state) ? signIn.returnToFor(repo.purpose, state) : Effect.undefined

      return {
        startConnect,
        completeConnect,
        setApiKey,
        disconnect,
        returnUrlOf,
        metadata: clientMetadata(publicUrl)
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
