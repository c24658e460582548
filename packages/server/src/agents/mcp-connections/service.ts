import * as Connections from "@orgplane/schema/mcp-connections"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccessService, demandLevel } from "../../identity/access/service.ts"
import * as grants from "../../identity/access/repo.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { OAuthTokens } from "../oauth/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import type { McpFailed, McpTarget } from "../../infra/ports/mcp-servers.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import { serverFailed } from "./diagnostic.ts"
import { stepUp } from "./step-up.ts"
import { isPresetId } from "./presets.ts"
import * as repo from "./repo.ts"
import { invalidatesCredentials, isSame, settingsOf } from "./settings.ts"
import { urlKeyOf } from "./url-key.ts"

type ClientInput = typeof Connections.OAuthClientInput.Type

const notReady = (cause: "not_connected" | "reconnect_required" | "review_required", reason: string) =>
  new Connections.ConnectionNotReady({ message: `${cause}: ${reason}` })

/**
 * 409 while the server uses an authorization server other than the accepted one: no credential is sent before a manager
 * decides.
 */
export const demandAccepted = (row: repo.Row): Effect.Effect<void, Connections.ConnectionNotReady> =>
  row.drift_is_whole
    ? Effect.fail(
        notReady(
          "review_required",
          "The server uses a different authorization server than the accepted one. A manager must review the change."
        )
      )
    : Effect.void

/** An organization's MCP connections: settings, access, and credentials for requests. */
interface ListQuery extends PageQuery {
  readonly q?: string
  readonly url?: string
  readonly status?: Connections.ConnectionStatus
}

export class McpConnectionsService extends Context.Service<McpConnectionsService>()(
  "@orgplane/server/mcp-connections/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const access = yield* AccessService
      const keys = yield* KeyRing
      const tokens = yield* OAuthTokens
      const limiter = yield* RateLimiter
      const { mutate } = yield* Mutate

      const find = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* repo.get(sql, caller, id)
        return row === undefined || row.level === 0 ? yield* new Connections.ConnectionNotFound() : row
      })

      const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, needed: keyof typeof levels) {
        const row = yield* find(caller, id)
        yield* demandLevel(row.level, needed)
        return row
      })

      /** The connection, if the caller has an active grant. Permission to manage it is not sufficient. */
      const usable = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* find(caller, id)
        return row.granted_level === 0 ? yield* new Connections.ConnectionNotFound() : row
      })

      const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* repo.lock(sql, caller.organizationId, id)
        return row === undefined ? yield* new Connections.ConnectionNotFound() : row
      })

      /** Reads the connection again, in the transaction that changed it. */
      const reload = (caller: Member, id: Id<"emc">) =>
        Effect.flatMap(repo.get(sql, caller, id), (row) => expectRow(row, "MCP connection"))

      /** Limits outbound requests of unclaimed workspaces; call it before each. */
      const limitOutbound = (caller: Member) =>
        caller.provisional
          ? limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId)
          : Effect.void

      const get = (caller: Member, id: Id<"emc">) =>
        Effect.map(find(caller, id), (row) => ({ item: repo.toWire(row), version: row.version }))

      const list = (caller: Member, query: ListQuery) => {
        const { q, status, url } = query
        const filters: repo.Filters = {
          ...(q === undefined ? {} : { q }),
          ...(status === undefined ? {} : { status }),
          ...(url === undefined ? {} : { urlKey: urlKeyOf(url) })
        }
        return pages.list(caller, query, {
          filters,
          rows: (after, limit) => repo.list(sql, caller, filters, after, limit),
          toWire: repo.toWire
        })
      }

      /** Replaces the connection's client with a manually registered one. */
      const replaceClient = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"emc">,
        before: Pick<repo.Row, "oauth_client_secret_id"> | null,
        client: ClientInput | null
      ) {
        const { organizationId } = caller
        yield* repo.deleteSecret(sql, organizationId, before?.oauth_client_secret_id ?? null)
        if (client === null) return yield* repo.setClient(sql, organizationId, id, null)
        const secretId = client.clientSecret === undefined ? null : makeId("req")
        if (secretId !== null && client.clientSecret !== undefined) {
          const { ciphertext, keyId, nonce } = keys.seal(repo.secretContext(organizationId, id), client.clientSecret)
          yield* repo.putSecret(sql, organizationId, secretId, { key_id: keyId, nonce, ciphertext })
        }
        const { clientId } = client
        return yield* repo.setClient(sql, organizationId, id, { clientId, registration: "pre_registered", secretId })
      })

      /**
       * Removes the client of an authorization server that is no longer used; its secret must not reach another one.
       */
      const removeClient = (caller: Member, row: repo.Row) => replaceClient(caller, row.id, row, null)

      /** The secret of a manually registered client; null if it has none. */
      const clientSecretOf = Effect.fnUntraced(function* (row: repo.Row) {
        if (row.oauth_client_secret_id === null) return null
        const sealed = yield* Effect.orDie(repo.findSecret(sql, row.organization_id, row.oauth_client_secret_id))
        const secret =
          sealed === undefined
            ? undefined
            : keys.tryOpen(repo.secretContext(row.organization_id, row.id), {
                keyId: sealed.key_id,
                nonce: sealed.nonce,
                ciphertext: sealed.ciphertext
              })
        return secret === undefined
          ? yield* notReady(
              "not_connected",
              "The client secret cannot be decrypted, because the secret key of the server was lost. A manager must set it again."
            )
          : Redacted.make(secret)
      })

      const removeCredentials = (organizationId: Id<"org">, id: Id<"emc">) =>
        tokens.removeAll({ organizationId, purpose: repo.purpose, subjectId: id })

      /** Creates a connection that only its creator, owners and admins see. No request is sent to the server. */
      const create = Effect.fnUntraced(function* (caller: Member, input: typeof Connections.CreateMcpConnection.Type) {
        const { organizationId } = caller
        if (input.presetId !== undefined && !isPresetId(input.presetId)) {
          return yield* InvalidRequest.at(
            ["body", "presetId"],
            "must be a preset ID from GET /v1/mcp-connections/presets"
          )
        }
        const settings = yield* settingsOf(input, null)
        const id = makeId("emc")
        return yield* mutate(
          caller,
          "mcp_connection.create",
          Effect.gen(function* () {
            const newConnection = { ...settings, presetId: input.presetId ?? null }
            yield* repo
              .create(sql, organizationId, id, newConnection, membershipOf(caller))
              .pipe(whenTaken(() => new Connections.McpConnectionExists()))
            if (input.oauthClient != null) yield* replaceClient(caller, id, null, input.oauthClient)
            yield* access.grantCreator(caller, "mcpConnection", id)
            return repo.toWire(yield* reload(caller, id))
          }),
          (connection) => ({
            target: id,
            after: {
              name: digestOf(connection.name),
              url: digestOf(connection.url),
              authType: connection.authType,
              credentialMode: connection.credentialMode
            }
          })
        )
      })

      /** Changing the URL, authentication type or credential mode deletes credentials and baseline. */
      const update = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"emc">,
        input: typeof Connections.UpdateMcpConnection.Type
      ) {
        const { organizationId } = caller
        yield* demand(caller, id, "manager")
        const { connection, version } = yield* mutate(
          caller,
          "mcp_connection.update",
          Effect.gen(function* () {
            const before = yield* locked(caller, id)
            const settings = yield* settingsOf(input, before)
            yield* stale(caller, before.version)
            const isReset = invalidatesCredentials(before, settings)
            const hasClientInput = input.oauthClient !== undefined
            const replacesClient =
              isReset || (hasClientInput && (input.oauthClient !== null || before.oauth_client_id !== null))
            if (!isSame(before, settings) || replacesClient) {
              yield* repo
                .update(sql, organizationId, id, settings)
                .pipe(whenTaken(() => new Connections.McpConnectionExists()))
            }
            if (isReset) yield* repo.deleteBaseline(sql, organizationId, id)
            // Tokens belong to a client, and another client cannot renew them.
            if (replacesClient) {
              yield* removeCredentials(organizationId, id)
              yield* replaceClient(caller, id, before, input.oauthClient ?? null)
            }
            const row = yield* reload(caller, id)
            return { before, replacesClient, connection: repo.toWire(row), version: row.version }
          }),
          ({ before, connection, replacesClient, version }) => ({
            target: id,
            before: { name: digestOf(before.name), url: digestOf(before.url), version: before.version },
            after: {
              name: digestOf(connection.name),
              url: digestOf(connection.url),
              authType: connection.authType,
              credentialMode: connection.credentialMode,
              credentialsDeleted: replacesClient,
              version
            }
          })
        )
        return { item: connection, version }
      })

      const remove = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const { organizationId } = caller
        yield* demand(caller, id, "manager")
        yield* mutate(
          caller,
          "mcp_connection.remove",
          Effect.gen(function* () {
            const before = yield* locked(caller, id)
            yield* stale(caller, before.version)
            yield* removeCredentials(organizationId, id)
            yield* repo.deleteSecret(sql, organizationId, before.oauth_client_secret_id)
            yield* repo.deleteBaseline(sql, organizationId, id)
            yield* grants.endAll(sql, organizationId, "mcpConnection", [id])
            yield* repo.remove(sql, organizationId, id)
            return before
          }),
          (before) => ({
            target: id,
            before: { name: digestOf(before.name), url: digestOf(before.url), version: before.version }
          })
        )
      })

      const grantOperations = access.grantOperations({
        kind: "mcpConnection",
        audited: "mcp_connection",
        demand,
        grantNotFound: () => new Connections.McpConnectionGrantNotFound()
      })

      /**
       * The owner of the credential that the caller uses: '' for the shared one. API keys cannot use connections with
       * personal credentials.
       */
      const holderOf = (caller: Member, row: repo.Row): Effect.Effect<string, Forbidden> => {
        const holder = repo.holderOf(caller, row.credential_mode)
        return holder === null
          ? Effect.fail(
              new Forbidden({
                reason: "session_required",
                message:
                  "This connection requires a personal credential for each member, and an API key cannot have one. Use a member's session."
              })
            )
          : Effect.succeed(holder)
      }

      const tokenOf = (row: repo.Row, holder: string, rejected: Redacted.Redacted | undefined) =>
        tokens
          .tokenFor({
            organizationId: row.organization_id,
            purpose: repo.purpose,
            subjectId: row.id,
            membershipId: holder === "" ? null : (holder as Id<"om">),
            ...(rejected === undefined ? {} : { rejected })
          })
          .pipe(
            Effect.catchTags({
              TokenMissing: () =>
                Effect.fail(notReady("not_connected", "This connection has no credential. Connect it first.")),
              ReconnectRequired: ({ reason }) => Effect.fail(notReady("reconnect_required", reason))
            }),
            // If the connection has changed in the meantime, its credentials must not be sent to the previous URL.
            Effect.tap(() =>
              Effect.flatMap(Effect.orDie(repo.find(sql, row.organization_id, row.id)), (current) =>
                current !== undefined && repo.isUnchanged(row, current)
                  ? Effect.void
                  : Effect.fail(notReady("not_connected", "The connection has changed. Try again."))
              )
            )
          )

      const targetWith = (row: repo.Row, holder: string, token: Redacted.Redacted | null): McpTarget => {
        const scheme = row.auth_type === "oauth" ? "Bearer" : row.api_key_scheme
        const header = row.auth_type === "oauth" ? "authorization" : (row.api_key_header ?? "authorization")
        return {
          url: row.url,
          organizationId: row.organization_id,
          reuse: { owner: `${row.id} ${holder}`, version: row.version },
          credential:
            token === null
              ? null
              : { header, value: scheme === null ? token : Redacted.make(`${scheme} ${Redacted.value(token)}`) }
        }
      }

      /** A fresh token was rejected, so the owner must connect again. */
      const rejectAgain = (row: repo.Row, holder: string, token: Redacted.Redacted) =>
        tokens
          .requireReconnect(
            {
              organizationId: row.organization_id,
              purpose: repo.purpose,
              subjectId: row.id,
              membershipId: holder === "" ? null : (holder as Id<"om">)
            },
            token,
            "The server no longer accepts the credential."
          )
          .pipe(
            // A concurrent connect or disconnect takes precedence.
            Effect.catchTags({ TokenMissing: () => Effect.void, ReconnectRequired: () => Effect.void })
          )

      /**
       * Sends a request with the holder's credential. If the token is rejected, it is renewed and the request is
       * retried once. The retry is safe, because a rejected request has no effect.
       */
      const asHolder = <A>(
        row: repo.Row,
        holder: string,
        request: (target: McpTarget) => Effect.Effect<A, McpFailed>
      ) =>
        Effect.gen(function* () {
          yield* demandAccepted(row)
          if (row.auth_type === "none") return yield* request(targetWith(row, holder, null))
          const token = yield* tokenOf(row, holder, undefined)
          const requestWith = (credential: Redacted.Redacted) => {
            const target = targetWith(row, holder, credential)
            return request(target).pipe(
              Effect.catchIf(
                ({ code }) => code === "insufficient_scope",
                (failure) => stepUp(tokens, row, holder, target, failure)
              )
            )
          }
          return yield* requestWith(token).pipe(
            Effect.catchIf(
              (failure) => row.auth_type === "oauth" && failure.code === "unauthorized",
              () =>
                Effect.flatMap(tokenOf(row, holder, token), (renewed) =>
                  requestWith(renewed).pipe(
                    Effect.tapError(({ code }) =>
                      code === "unauthorized" ? rejectAgain(row, holder, renewed) : Effect.void
                    )
                  )
                )
            )
          )
        })

      /** Sends a request with the caller's credential; server failures are passed on unchanged. */
      const asCaller = <A>(
        caller: Member,
        row: repo.Row,
        request: (target: McpTarget) => Effect.Effect<A, McpFailed>
      ) => Effect.flatMap(holderOf(caller, row), (holder) => asHolder(row, holder, request))

      /** The server and the caller's credential. Fails with 409 and the reason if there is none. */
      const targetOf = (caller: Member, row: repo.Row) =>
        asCaller(caller, row, Effect.succeed).pipe(
          Effect.catchTag("McpFailed", (failure) => serverFailed(failure, row, caller))
        )

      return {
        create,
        list,
        get,
        update,
        remove,
        ...grantOperations,
        find,
        demand,
        usable,
        limitOutbound,
        locked,
        reload,
        clientSecretOf,
        removeCredentials,
        removeClient,
        holderOf,
        asHolder,
        asCaller,
        targetOf
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
