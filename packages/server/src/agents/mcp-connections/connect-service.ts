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
import { demandLevel } from "../../identity/access/index.ts"
import { Settings } from "../../infra/config/settings.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import {
  type Authorization,
  AuthorizationDiscovery,
  type SessionMember,
  type CallbackParameters,
  callbackResponse,
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

/** Undoes the transaction: what did not happen is not in the audit. */
class NothingEnded extends Data.TaggedError("NothingEnded") {}

const registrationName = "orgplane"

const needsPerson = () =>
  new Forbidden({ reason: "session_required", message: "An API key signs in nowhere; a person has to." })

const notReady = (message: string) => new ConnectionNotReady({ message })
const changedMeanwhile = () => notReady("not_connected: The connection was changed meanwhile; connect again.")

/** How a connection gets its credential, and loses it. */
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
      const { corsOrigins, publicUrl } = yield* Settings
      const { alone, mutate, recall } = yield* Mutate

      /** A connection whose credential the caller may set: the shared one as its manager, their own by a grant. */
      const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* repo.get(sql, caller, id)
        if (row === undefined || row.level === 0) return yield* new ConnectionNotFound()
        yield* row.credential_mode === "shared"
          ? demandLevel(row.level, "manager")
          : demandLevel(caller.principal.kind === "key" ? row.level : row.granted_level, "viewer")
        return row
      })

      const personOf = ({ organizationId, principal }: Member): Effect.Effect<SessionMember, Forbidden> =>
        principal.kind === "key"
          ? Effect.fail(needsPerson())
          : Effect.succeed({
              organizationId,
              membershipId: principal.membershipId,
              sessionId: principal.sessionId
            })

      /** Whose credential the caller sets. */
      const refOf = Effect.fnUntraced(function* (caller: Member, row: repo.Row) {
        const ref: CredentialRef = {
          organizationId: caller.organizationId,
          purpose: repo.purpose,
          subjectId: row.id,
          membershipId: row.credential_mode === "shared" ? null : (yield* personOf(caller)).membershipId
        }
        return ref
      })

      const demandOAuth = (row: repo.Row) =>
        row.auth_type === "oauth"
          ? Effect.void
          : Effect.fail(InvalidRequest.at(["path", "connectionId"], "is not a connection that signs in by OAuth"))

      const usableServer = Effect.fnUntraced(function* (authorization: Authorization, row: repo.Row) {
        const { usable, warnings } = authorization
        if (usable === null) {
          const told = warnings.map(({ code, message }) => `${code}: ${message}`).join(" ")
          return yield* serverInvalid("authorization_server_refused", told)
        }
        const { accepted_identity_json: accepted } = row
        if (accepted === null) return usable
        // Of several that are named, in whatever order, it is the one that was accepted.
        const server = authorization.servers.find(({ issuer }) => issuer === accepted.issuer)?.server ?? usable
        if (leadsElsewhere(accepted, { ...server, scopes: [] })) {
          return yield* serverInvalid(
            "authorization_server_changed",
            "The server's authorization server, or where that leads, is not what was accepted; list the connection's tools with `refresh`, and a manager has to review it."
          )
        }
        return server
      })

      /** The methods of the standard in its order. */
      const clientFor = Effect.fnUntraced(function* (row: repo.Row, authorization: Authorization) {
        const server = yield* usableServer(authorization, row)
        const organizationId = row.organization_id
        if (row.oauth_client_id !== null && row.oauth_registration === "pre_registered") {
          const secret = yield* Effect.orDie(connections.clientSecretOf(row))
          const client = preRegisteredClient(server, row.oauth_client_id, secret)
          return { server, client }
        }
        const documentUrl = clientMetadataUrl(publicUrl)
        if (documentUrl !== null && server.clientIdMetadataDocumentSupported) {
          return { server, client: metadataDocumentClient(documentUrl) }
        }
        if (server.registrationEndpoint !== null) {
          const subject = { organizationId, purpose: repo.purpose, subjectId: row.id } as const
          const wish = { redirectUri: callbackUrl(publicUrl), clientName: registrationName, clientUri: publicUrl }
          const client = yield* signIn
            .ensureClient(subject, server, wish)
            .pipe(
              Effect.catchTag("McpFailed", (failure) =>
                server.foundBy === "default_endpoints" && failure.category === "authentication"
                  ? serverInvalid(
                      "authorization_server_unknown",
                      "The server does not name an authorization server, and its own origin does not register clients."
                    )
                  : Effect.fail(failure)
              )
            )
          return { server, client }
        }
        return yield* notReady(
          `not_connected: ${server.issuer} registers no clients by itself. Register one there by hand, with the redirect address ${callbackUrl(publicUrl)}, and set it as the connection's oauthClient.`
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
        // Where it exists it is what outlives the visit.
        const isOffered = server.scopesSupported.includes("offline_access")
        return isOffered && !scopes.includes("offline_access") ? [...scopes, "offline_access"] : scopes
      }

      const demandSameServer = Effect.fnUntraced(function* (row: repo.Row, ref: CredentialRef, issuer: string) {
        const known = yield* Effect.orDie(
          tokens.statusOf(row.organization_id, repo.purpose, [row.id], ref.membershipId)
        )
        const before = known.find((one) => one.membershipId === ref.membershipId)
        if (before === undefined || before.issuer === null || before.issuer === issuer) return before
        return yield* serverInvalid(
          "authorization_server_changed",
          `The server names ${issuer} as its authorization server, and it was ${before.issuer}; disconnect first if that is meant.`
        )
      })

      const startConnect = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"emc">,
        input: { readonly returnTo?: string }
      ) {
        const row = yield* demand(caller, id)
        const person = yield* personOf(caller)
        yield* demandOAuth(row)
        const returnTo = yield* demandReturnTo(corsOrigins, input.returnTo)
        yield* recall(caller)
        yield* demandReviewed(row)
        const ref = yield* refOf(caller, row)
        yield* connections.demandAsking(caller)
        const prepared = yield* Effect.gen(function* () {
          const challenged = yield* challengeOf(servers, row)
          const authorization = yield* discovery.inspect({
            url: row.url,
            organizationId: row.organization_id,
            ...challenged
          })
          const { client, server } = yield* clientFor(row, authorization)
          const before = yield* demandSameServer(row, ref, server.issuer)
          return signIn.prepare(person, {
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
            const now = yield* repo.lock(sql, caller.organizationId, row.id)
            if (now === undefined) return yield* new ConnectionNotFound()
            yield* demandUnchanged(row, now)
            return { expiresAt: iso(yield* prepared.begin) }
          }),
          () => ({ target: row.id, after: { shared: ref.membershipId === null } })
        )
        return { url: prepared.url, state: prepared.state, expiresAt }
      })

      /** What was got for the connection as it was is worth nothing for what it is now. */
      const demandUnchanged = (before: repo.Row, now: repo.Row) =>
        repo.isStill(before, now) ? Effect.void : Effect.fail(changedMeanwhile())

      /** The rights and the connection are what they were when somebody else was asked. */
      const stillThere = Effect.fnUntraced(function* (caller: Member, before: repo.Row) {
        const now = yield* repo.lock(sql, caller.organizationId, before.id)
        if (now === undefined) return yield* new ConnectionNotFound()
        yield* demandUnchanged(before, now)
        yield* demand(caller, before.id)
        // Whoever ended a membership, or the organization, has ended what was kept; nothing is kept afterwards.
        if (!(yield* tokens.lockOwner(caller.organizationId, caller.principal))) return yield* new ConnectionNotFound()
        return now
      })

      const shown = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* repo.get(sql, caller, id)
        return row === undefined ? yield* new ConnectionNotFound() : repo.toWire(row)
      })

      const exchanged = Effect.fnUntraced(function* (
        caller: Member,
        person: SessionMember,
        row: repo.Row,
        input: typeof CompleteConnect.Type
      ) {
        // The state is spent before anybody is asked: whatever comes of it, it is good for nothing more.
        const signInState = yield* signIn.take(person, repo.purpose, row.id, input.state)
        if (signInState === undefined) {
          return yield* InvalidRequest.at(
            ["body", "state"],
            "is not of a sign-in that this session began for the connection less than ten minutes ago"
          )
        }
        const made = yield* signIn.exchange(signInState, input).pipe(
          Effect.catchTag("GrantRefused", ({ error, reason }) =>
            Effect.fail(
              error === "invalid_grant"
                ? InvalidRequest.at(["body", "code"], "is not accepted by the authorization server")
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
            const now = yield* stillThere(caller, row)
            // Another client was entered by hand, or taken away, while this one's code was exchanged.
            const byHand = now.oauth_registration === "pre_registered" ? now.oauth_client_id : null
            if (byHand !== (client.registration === "pre_registered" ? client.clientId : null)) {
              return yield* changedMeanwhile()
            }
            yield* tokens.store(signInState.ref, signInState.party, made, signInState.scopes)
            if (client.registration !== "pre_registered") {
              yield* repo.setClient(sql, caller.organizationId, row.id, {
                clientId: client.clientId,
                registration: client.registration,
                secretId: null
              })
            }
            return yield* shown(caller, row.id)
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

      /** Exchanges what the browser of this session brought, once. */
      const completeConnect = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"emc">,
        input: typeof CompleteConnect.Type
      ) {
        const row = yield* demand(caller, id)
        const person = yield* personOf(caller)
        yield* demandOAuth(row)
        const known = yield* recall<McpConnection>(caller)
        if (known !== undefined) return known
        return yield* alone(caller, exchanged(caller, person, row, input))
      })

      /** Asks the server once. Only a refusal counts: one that is away now may take the key later. */
      const demandAccepted = Effect.fnUntraced(function* (row: repo.Row, apiKey: string) {
        const scheme = row.api_key_scheme
        const asked = yield* Effect.result(
          servers.listTools({
            url: row.url,
            organizationId: row.organization_id,
            credential: {
              header: row.api_key_header ?? "authorization",
              value: Redacted.make(scheme === null ? apiKey : `${scheme} ${apiKey}`)
            }
          })
        )
        if (Result.isFailure(asked) && (asked.failure.providerStatus === 401 || asked.failure.providerStatus === 403)) {
          return yield* InvalidRequest.at(["body", "apiKey"], "is not accepted by the server")
        }
      })

      const setApiKey = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, apiKey: string) {
        const row = yield* demand(caller, id)
        const ref = yield* refOf(caller, row)
        if (row.auth_type !== "apikey") {
          return yield* InvalidRequest.at(["path", "connectionId"], "is not a connection that takes a key")
        }
        yield* connections.demandAsking(caller)
        yield* demandAccepted(row, apiKey)
        return yield* mutate(
          caller,
          "mcp_connection.connect",
          Effect.gen(function* () {
            yield* stillThere(caller, row)
            yield* tokens.storeKey(ref, Redacted.make(apiKey))
            return yield* shown(caller, row.id)
          }),
          () => ({ target: row.id, after: { kind: "apikey", shared: ref.membershipId === null } })
        )
      })

      const disconnect = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* demand(caller, id)
        const ref = yield* refOf(caller, row)
        let tell: Effect.Effect<void> = Effect.void
        const response = yield* mutate(
          caller,
          "mcp_connection.disconnect",
          Effect.gen(function* () {
            const removed = yield* tokens.remove(ref)
            if (removed === undefined) return yield* new NothingEnded()
            tell = removed.notifyServer
            return yield* shown(caller, row.id)
          }),
          () => ({ target: row.id, before: { shared: ref.membershipId === null } })
        ).pipe(Effect.catchTag("NothingEnded", () => shown(caller, row.id)))
        // The server that gave it is told once it is gone here, whatever it answers.
        yield* tell
        return response
      })

      /** Where a browser comes back to: it is sent on, or shown what to hand in. Nothing is stored, nothing is asked. */
      const callback = Effect.fnUntraced(function* (brought: CallbackParameters) {
        const { state } = brought
        return callbackResponse(brought, isState(state) ? yield* signIn.returnToFor(repo.purpose, state) : undefined)
      })

      return {
        startConnect,
        completeConnect,
        setApiKey,
        disconnect,
        callback,
        metadata: clientMetadata(publicUrl)
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
