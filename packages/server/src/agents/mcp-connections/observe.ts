import { ConnectionNotFound, type ConnectionNotReady } from "@orgplane/schema/mcp-connections"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { recordAudit } from "../../infra/audit/record.ts"
import { AuthorizationDiscovery } from "../oauth/index.ts"
import { type McpFailed, McpServers } from "../../infra/ports/mcp-servers.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { challengeOf } from "./challenge.ts"
import { fingerprintOf, type Identity, leadsElsewhere, type SeenTool, seenTools } from "./fingerprint.ts"
import * as repo from "./repo.ts"
import { demandAccepted, McpConnectionsService } from "./service.ts"
import * as toolsRepo from "./tools-repo.ts"

type Refusal = ConnectionNotFound | ConnectionNotReady | McpFailed

/** Makes the verb that looks at what a server is now and keeps how that differs from what was accepted. */
export const makeObserve = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const fenced = yield* organizationTransaction
  const servers = yield* McpServers
  const discovery = yield* AuthorizationDiscovery
  const connections = yield* McpConnectionsService
  const scope = yield* Effect.scope
  const underWay = new Map<string, Deferred.Deferred<void, Refusal>>()

  /**
   * Whom the server trusts now. A server that cannot be asked, or of which nothing can be used, tells nothing new:
   * what is known of it stays, and the tokens are renewed at the issuer that gave them out, or not at all.
   */
  const identityOf = Effect.fnUntraced(function* (row: repo.Row) {
    const { accepted_identity_json: accepted, observed_identity_json: observed } = row
    if (row.auth_type !== "oauth") return null
    const found = yield* challengeOf(servers, row).pipe(
      Effect.flatMap((challenged) =>
        discovery.inspect({ url: row.url, organizationId: row.organization_id, ...challenged })
      ),
      Effect.catchTag("McpFailed", () => Effect.succeed(undefined))
    )
    if (found === undefined) return observed
    const known = found.servers.find(({ issuer }) => issuer === accepted?.issuer)
    // A server that is named as before and does not answer just now is no other server.
    const server = known === undefined ? found.usable : known.server
    if (server === null) return observed
    const identity: Identity = {
      issuer: server.issuer,
      authorizationEndpoint: server.authorizationEndpoint,
      tokenEndpoint: server.tokenEndpoint,
      scopes: found.recommendedScopes
    }
    return identity
  })

  /** Keeps what was found in one transaction: whoever looked at the same time waits for its turn. */
  const keep = (asked: repo.Row, holder: string, identity: Identity | null, seen: ReadonlyArray<SeenTool> | null) =>
    fenced(
      asked.organization_id,
      Effect.gen(function* () {
        const { id, organization_id: organizationId } = asked
        const row = yield* repo.lock(sql, organizationId, id)
        if (row === undefined) return yield* new ConnectionNotFound()
        // It has become another one while its server was asked: what was found is about the former.
        if (!repo.isStill(asked, row)) return false
        const isFirst = row.fingerprint === null
        if (seen !== null) {
          yield* toolsRepo.keepLook(sql, organizationId, id, { seen, holder, mode: row.credential_mode, isFirst })
        }
        const known = yield* toolsRepo.known(sql, organizationId, id)
        // There was nothing to compare with as long as nobody could tell whom the server trusts.
        const accepted = row.accepted_identity_json ?? identity
        const found: repo.Observation = {
          accepted,
          observed: identity,
          fingerprint: fingerprintOf(
            accepted,
            known.filter((tool) => tool.is_accepted)
          ),
          observedFingerprint: fingerprintOf(
            identity,
            known.filter((tool) => tool.is_observed)
          ),
          isWhole: leadsElsewhere(accepted, identity)
        }
        yield* repo.observe(sql, organizationId, id, found)
        const isNews =
          found.fingerprint !== found.observedFingerprint && row.observed_fingerprint !== found.observedFingerprint
        if (isNews) {
          const after = { fingerprint: found.observedFingerprint, leadsElsewhere: found.isWhole }
          yield* recordAudit(sql, { kind: "system", organizationId }, "mcp_connection.drift", {
            target: id,
            before: { fingerprint: found.fingerprint },
            after
          })
        }
        return true
      })
    ).pipe(Effect.catchTag("SqlError", Effect.die))

  const reread = Effect.fnUntraced(
    function* (asked: repo.Row) {
      const row = yield* fenced(asked.organization_id, repo.lock(sql, asked.organization_id, asked.id))
      return row === undefined ? yield* new ConnectionNotFound() : row
    },
    Effect.catchTag("SqlError", Effect.die)
  )

  /** First whom the server trusts, without a credential; then, if that is whom it should be, its tools with one. */
  const looked = Effect.fnUntraced(function* (asked: repo.Row, holder: string) {
    const identity = yield* identityOf(asked)
    const isElsewhere = asked.fingerprint !== null && leadsElsewhere(asked.accepted_identity_json ?? identity, identity)
    if (isElsewhere || asked.drift_is_whole) {
      yield* keep(asked, holder, identity, null)
      yield* demandAccepted(yield* reread(asked))
    }
    const { tools } = yield* connections.asHolder({ ...asked, drift_is_whole: false }, holder, servers.listTools)
    return yield* keep(asked, holder, identity, seenTools(tools))
  })

  const twice = Effect.fnUntraced(function* (asked: repo.Row, holder: string) {
    if (yield* looked(asked, holder)) return
    const row = yield* reread(asked)
    // Where its mode changed too, the credential is another one: whoever asks again gets there.
    if (row.credential_mode === asked.credential_mode) yield* looked(row, holder)
  })

  /**
   * One look at a time in this process for each credential, and everybody waits for it. It ends by itself when whoever
   * asked goes away: the server is asked within bounds.
   */
  const observe = Effect.fnUntraced(function* (row: repo.Row, holder: string) {
    const key = `${row.id} ${holder}`
    const known = underWay.get(key)
    if (known !== undefined) return yield* Deferred.await(known)
    const deferred = Deferred.makeUnsafe<void, Refusal>()
    underWay.set(key, deferred)
    yield* twice(row, holder).pipe(
      Effect.exit,
      Effect.flatMap((exit) => {
        underWay.delete(key)
        return Deferred.done(deferred, exit)
      }),
      Effect.forkIn(scope)
    )
    return yield* Deferred.await(deferred)
  })

  return { observe } as const
})
