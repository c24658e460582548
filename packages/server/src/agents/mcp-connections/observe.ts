import { ConnectionNotFound, type ConnectionNotReady } from "@orgplane/schema/mcp-connections"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { recordAudit } from "../../infra/audit/record.ts"
import { AuthorizationDiscovery } from "../oauth/index.ts"
import { type McpFailed, McpServers } from "../../infra/ports/mcp-servers.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { challengeOf } from "./challenge.ts"
import { fingerprintOf, type Identity, leadsElsewhere, type ObservedTool, observedTools } from "./fingerprint.ts"
import * as repo from "./repo.ts"
import { demandAccepted, McpConnectionsService } from "./service.ts"
import * as toolsRepo from "./tools-repo.ts"

type Refusal = ConnectionNotFound | ConnectionNotReady | McpFailed

/** Creates `observe`, which inspects a server and stores how it differs from its accepted state. */
export const makeObserve = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const transaction = yield* organizationTransaction
  const servers = yield* McpServers
  const discovery = yield* AuthorizationDiscovery
  const connections = yield* McpConnectionsService
  const scope = yield* Effect.scope
  const observations = new Map<string, Deferred.Deferred<void, Refusal>>()

  /**
   * The authorization server that the MCP server currently uses. If the MCP server is unreachable or no usable metadata
   * is found, the stored identity is kept, and tokens are renewed only at the issuer that issued them.
   */
  const identityOf = Effect.fnUntraced(function* (row: repo.Row) {
    const { accepted_identity_json: accepted, observed_identity_json: observed } = row
    if (row.auth_type !== "oauth") return null
    const authorization = yield* challengeOf(servers, row).pipe(
      Effect.flatMap((challenged) =>
        discovery.inspect({ url: row.url, organizationId: row.organization_id, ...challenged })
      ),
      Effect.catchTag("McpFailed", () => Effect.succeed(undefined))
    )
    if (authorization === undefined) return observed
    const knownServer = authorization.servers.find(({ issuer }) => issuer === accepted?.issuer)
    // An authorization server that is still listed but unreachable has not been replaced.
    const server = knownServer === undefined ? authorization.usable : knownServer.server
    if (server === null) return observed
    const identity: Identity = {
      issuer: server.issuer,
      authorizationEndpoint: server.authorizationEndpoint,
      tokenEndpoint: server.tokenEndpoint,
      scopes: authorization.recommendedScopes
    }
    return identity
  })

  /** Stores an observation in one transaction; concurrent observations are serialized. */
  const store = (
    requestedRow: repo.Row,
    holder: string,
    identity: Identity | null,
    tools: ReadonlyArray<ObservedTool> | null
  ) =>
    transaction(
      requestedRow.organization_id,
      Effect.gen(function* () {
        const { id, organization_id: organizationId } = requestedRow
        const row = yield* repo.lock(sql, organizationId, id)
        if (row === undefined) return yield* new ConnectionNotFound()
        // The connection changed during the request, so the observation describes its previous state.
        if (!repo.isUnchanged(requestedRow, row)) return false
        const isFirst = row.fingerprint === null
        if (tools !== null) {
          yield* toolsRepo.storeListing(sql, organizationId, id, { tools, holder, mode: row.credential_mode, isFirst })
        }
        const versions = yield* toolsRepo.listVersions(sql, organizationId, id)
        // Until the authorization server has been identified once, there is nothing to compare with.
        const accepted = row.accepted_identity_json ?? identity
        const authorization: repo.Observation = {
          accepted,
          observed: identity,
          fingerprint: fingerprintOf(
            accepted,
            versions.filter((tool) => tool.is_accepted)
          ),
          observedFingerprint: fingerprintOf(
            identity,
            versions.filter((tool) => tool.is_observed)
          ),
          isWhole: leadsElsewhere(accepted, identity)
        }
        yield* repo.storeObservation(sql, organizationId, id, authorization)
        const isNewDrift =
          authorization.fingerprint !== authorization.observedFingerprint &&
          row.observed_fingerprint !== authorization.observedFingerprint
        if (isNewDrift) {
          const after = { fingerprint: authorization.observedFingerprint, leadsElsewhere: authorization.isWhole }
          yield* recordAudit(sql, { kind: "system", organizationId }, "mcp_connection.drift", {
            target: id,
            before: { fingerprint: authorization.fingerprint },
            after
          })
        }
        return true
      })
    ).pipe(Effect.catchTag("SqlError", Effect.die))

  const reload = Effect.fnUntraced(
    function* (requestedRow: repo.Row) {
      const row = yield* transaction(
        requestedRow.organization_id,
        repo.lock(sql, requestedRow.organization_id, requestedRow.id)
      )
      return row === undefined ? yield* new ConnectionNotFound() : row
    },
    Effect.catchTag("SqlError", Effect.die)
  )

  /**
   * First identifies the authorization server without a credential; then, if it is the accepted one, lists the tools
   * with one.
   */
  const observeOnce = Effect.fnUntraced(function* (requestedRow: repo.Row, holder: string) {
    const identity = yield* identityOf(requestedRow)
    const isOtherServer =
      requestedRow.fingerprint !== null && leadsElsewhere(requestedRow.accepted_identity_json ?? identity, identity)
    if (isOtherServer || requestedRow.drift_is_whole) {
      yield* store(requestedRow, holder, identity, null)
      yield* demandAccepted(yield* reload(requestedRow))
    }
    const { tools } = yield* connections.asHolder({ ...requestedRow, drift_is_whole: false }, holder, servers.listTools)
    return yield* store(requestedRow, holder, identity, observedTools(tools))
  })

  const observeWithRetry = Effect.fnUntraced(function* (requestedRow: repo.Row, holder: string) {
    if (yield* observeOnce(requestedRow, holder)) return
    const row = yield* reload(requestedRow)
    // If the credential mode changed, the credential is different too, so the caller must retry.
    if (row.credential_mode === requestedRow.credential_mode) yield* observeOnce(row, holder)
  })

  /**
   * Only one observation per credential runs at a time in this process, and all callers wait for it. It continues if
   * the caller disconnects, because its requests have timeouts.
   */
  const observe = Effect.fnUntraced(function* (row: repo.Row, holder: string) {
    const key = `${row.id} ${holder}`
    const pending = observations.get(key)
    if (pending !== undefined) return yield* Deferred.await(pending)
    const deferred = Deferred.makeUnsafe<void, Refusal>()
    observations.set(key, deferred)
    yield* observeWithRetry(row, holder).pipe(
      Effect.exit,
      Effect.flatMap((exit) => {
        observations.delete(key)
        return Deferred.done(deferred, exit)
      }),
      Effect.forkIn(scope)
    )
    return yield* Deferred.await(deferred)
  })

  return { observe } as const
})
