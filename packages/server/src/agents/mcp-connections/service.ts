import * as Connections from "@orgplane/schema/mcp-connections"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { CreateGrant } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccessService, demandLevel } from "../../identity/access/index.ts"
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
import { whenTaken } from "../../infra/sql/unique.ts"
import { serverFailed } from "./diagnostic.ts"
import { stepUp } from "./step-up.ts"
import { isPresetId } from "./presets.ts"
import * as repo from "./repo.ts"
import { isAnother, isSame, settingsOf } from "./settings.ts"

type ClientInput = typeof Connections.OAuthClientInput.Type

const notReady = (cause: "not_connected" | "reconnect_required" | "review_required", why: string) =>
  new Connections.ConnectionNotReady({ message: `${cause}: ${why}` })

/** 409 while the server leads elsewhere than where was accepted: nothing of ours goes there before somebody decides. */
export const demandAccepted = (row: repo.Row): Effect.Effect<void, Connections.ConnectionNotReady> =>
  row.drift_is_whole
    ? Effect.fail(
        notReady("review_required", "The server trusts another authorization server than the one that was accepted.")
      )
    : Effect.void

/** The servers of tools of an organization: what they are, who may use them, and what is sent to get in. */
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

      /** The connection, if a live grant names the caller: whoever else manages it may not use it. */
      const usable = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* find(caller, id)
        return row.granted_level === 0 ? yield* new Connections.ConnectionNotFound() : row
      })

      const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
        const row = yield* repo.lock(sql, caller.organizationId, id)
        return row === undefined ? yield* new Connections.ConnectionNotFound() : row
      })

      /** The connection as it is by now, in the transaction that changed it. */
      const changed = (caller: Member, id: Id<"emc">) =>
        Effect.flatMap(repo.get(sql, caller, id), (row) =>
          row === undefined ? Effect.die(new Error("A connection that is locked is not there.")) : Effect.succeed(row)
        )

      /** Before another server is asked: a workspace that nobody has claimed is no way to have that done without end. */
      const demandAsking = (caller: Member) =>
        caller.provisional
          ? limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId)
          : Effect.void

      const get = (caller: Member, id: Id<"emc">) => Effect.map(find(caller, id), repo.toWire)

      const list = (caller: Member, query: PageQuery & { readonly q?: string }) =>
        pages.read(
          { operation: "mcpConnections.list", organizationId: caller.organizationId, filters: query.q ?? null },
          query,
          (after, limit) => repo.list(sql, caller, query.q, after, limit),
          (row) => row.id,
          repo.toWire
        )

      /** A client that was registered by hand, in place of what there was. */
      const keepClient = Effect.fnUntraced(function* (
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

      /** What we were to an authorization server that it has no more to do with: the secret is no other one's. */
      const forgetClient = (caller: Member, row: repo.Row) => keepClient(caller, row.id, row, null)

      /** The secret of the client that was registered by hand; null without one. */
      const clientSecretOf = Effect.fnUntraced(function* (row: repo.Row) {
        if (row.oauth_client_secret_id === null) return null
        const sealed = yield* repo.getSecret(sql, row.organization_id, row.oauth_client_secret_id)
        if (sealed === undefined) return null
        const { ciphertext, key_id: keyId, nonce } = sealed
        const context = repo.secretContext(row.organization_id, row.id)
        return Redacted.make(yield* keys.open(context, { keyId, nonce, ciphertext }))
      })

      const forgetCredentials = (organizationId: Id<"org">, id: Id<"emc">) =>
        tokens.removeAll({ organizationId, purpose: repo.purpose, subjectId: id })

      /** Makes a connection that only its maker, owners and admins see. Nothing is asked of the server. */
      const create = Effect.fnUntraced(function* (caller: Member, input: typeof Connections.CreateMcpConnection.Type) {
        const { organizationId } = caller
        if (input.presetId !== undefined && !isPresetId(input.presetId)) {
          return yield* InvalidRequest.at(["body", "presetId"], "is none of GET /v1/mcp-connections/presets")
        }
        const settings = yield* settingsOf(input, null)
        const id = makeId("emc")
        return yield* mutate(
          caller,
          "mcp_connection.create",
          Effect.gen(function* () {
            const made = { ...settings, presetId: input.presetId ?? null }
            yield* repo
              .create(sql, organizationId, id, made, membershipOf(caller))
              .pipe(whenTaken(() => new Connections.McpConnectionExists()))
            if (input.oauthClient != null) yield* keepClient(caller, id, null, input.oauthClient)
            yield* access.grantCreator(caller, "mcpConnection", id)
            return repo.toWire(yield* changed(caller, id))
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

      /** Another address, kind of authentication or mode makes it another connection: what was got for it goes. */
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
            const isReset = isAnother(before, settings)
            const isClientSaid = input.oauthClient !== undefined
            const isClientOver =
              isReset || (isClientSaid && (input.oauthClient !== null || before.oauth_client_id !== null))
            if (!isSame(before, settings) || isClientOver) {
              yield* repo
                .update(sql, organizationId, id, settings)
                .pipe(whenTaken(() => new Connections.McpConnectionExists()))
            }
            if (isReset) yield* repo.forgetBaseline(sql, organizationId, id)
            // A token is its client's: it could not be renewed as another one.
            if (isClientOver) {
              yield* forgetCredentials(organizationId, id)
              yield* keepClient(caller, id, before, input.oauthClient ?? null)
            }
            const row = yield* changed(caller, id)
            return { before, isClientOver, connection: repo.toWire(row), version: row.version }
          }),
          ({ before, connection, isClientOver, version }) => ({
            target: id,
            before: { name: digestOf(before.name), url: digestOf(before.url), version: before.version },
            after: {
              name: digestOf(connection.name),
              url: digestOf(connection.url),
              authType: connection.authType,
              credentialMode: connection.credentialMode,
              credentialsDeleted: isClientOver,
              version
            }
          })
        )
        caller.request.head["etag"] = `"${version}"`
        return connection
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
            yield* forgetCredentials(organizationId, id)
            yield* repo.deleteSecret(sql, organizationId, before.oauth_client_secret_id)
            yield* repo.forgetBaseline(sql, organizationId, id)
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

      const listAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, query: PageQuery) {
        yield* find(caller, id)
        return yield* access.list(caller, "mcpConnection", id, query)
      })

      const grantAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, input: CreateGrant) {
        yield* demand(caller, id, "manager")
        return yield* access.grant(caller, "mcp_connection.grant", "mcpConnection", id, input)
      })

      const revokeAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, grantId: string) {
        yield* demand(caller, id, "manager")
        const found = yield* access.revoke(caller, "mcp_connection.revoke", "mcpConnection", id, grantId)
        if (!found) return yield* new Connections.McpConnectionGrantNotFound()
      })

      /** Whose credential the caller uses: '' is the shared one. An API key has none where members have their own. */
      const holderOf = (caller: Member, row: repo.Row): Effect.Effect<string, Forbidden> => {
        const holder = repo.holderOf(caller, row.credential_mode)
        return holder === null
          ? Effect.fail(
              new Forbidden({
                reason: "session_required",
                message: "Everybody uses this connection with a credential of their own, and an API key has none."
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
              TokenMissing: () => Effect.fail(notReady("not_connected", "Connect it first.")),
              ReconnectRequired: ({ reason }) => Effect.fail(notReady("reconnect_required", reason))
            }),
            // Another address has other credentials, and the one that is asked here gets none of them.
            Effect.tap(() =>
              Effect.flatMap(Effect.orDie(repo.find(sql, row.organization_id, row.id)), (now) =>
                now !== undefined && repo.isStill(row, now)
                  ? Effect.void
                  : Effect.fail(notReady("not_connected", "The connection was changed meanwhile; ask again."))
              )
            )
          )

      const targetWith = (row: repo.Row, token: Redacted.Redacted | null): McpTarget => {
        const scheme = row.auth_type === "oauth" ? "Bearer" : row.api_key_scheme
        const header = row.auth_type === "oauth" ? "authorization" : (row.api_key_header ?? "authorization")
        return {
          url: row.url,
          organizationId: row.organization_id,
          credential:
            token === null
              ? null
              : { header, value: scheme === null ? token : Redacted.make(`${scheme} ${Redacted.value(token)}`) }
        }
      }

      /** A token that is refused although it is fresh: whoever connected has to do it again. */
      const refusedTwice = (row: repo.Row, holder: string, token: Redacted.Redacted) =>
        tokens
          .requireReconnect(
            {
              organizationId: row.organization_id,
              purpose: repo.purpose,
              subjectId: row.id,
              membershipId: holder === "" ? null : (holder as Id<"om">)
            },
            token,
            "The server does not accept the credential any more."
          )
          .pipe(
            // Somebody has connected or disconnected meanwhile: that stands.
            Effect.catchTags({ TokenMissing: () => Effect.void, ReconnectRequired: () => Effect.void })
          )

      /**
       * Asks the server as the credential's holder. A token that the server refuses is renewed once: what it refused it
       * has not done.
       */
      const asHolder = <A>(row: repo.Row, holder: string, ask: (target: McpTarget) => Effect.Effect<A, McpFailed>) =>
        Effect.gen(function* () {
          yield* demandAccepted(row)
          if (row.auth_type === "none") return yield* ask(targetWith(row, null))
          const token = yield* tokenOf(row, holder, undefined)
          const askWith = (credential: Redacted.Redacted) => {
            const target = targetWith(row, credential)
            return ask(target).pipe(
              Effect.catchIf(
                ({ code }) => code === "insufficient_scope",
                (failure) => stepUp(tokens, row, holder, target, failure)
              )
            )
          }
          return yield* askWith(token).pipe(
            Effect.catchIf(
              (failure) => row.auth_type === "oauth" && failure.code === "unauthorized",
              () =>
                Effect.flatMap(tokenOf(row, holder, token), (renewed) =>
                  askWith(renewed).pipe(
                    Effect.tapError(({ code }) =>
                      code === "unauthorized" ? refusedTwice(row, holder, renewed) : Effect.void
                    )
                  )
                )
            )
          )
        })

      /** Asks the server with the caller's credential; a failure of the server stays one. */
      const asCaller = <A>(caller: Member, row: repo.Row, ask: (target: McpTarget) => Effect.Effect<A, McpFailed>) =>
        Effect.flatMap(holderOf(caller, row), (holder) => asHolder(row, holder, ask))

      /** The server with the credential that the caller uses, and 409 with the cause where there is none. */
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
        listAccess,
        grantAccess,
        revokeAccess,
        find,
        demand,
        usable,
        demandAsking,
        locked,
        changed,
        clientSecretOf,
        forgetCredentials,
        forgetClient,
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
