import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { credentialContext } from "../../content/connectors/repository.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { signingKeyContext } from "../../infra/crypto/signing-keys.ts"
import { secretContext } from "../../agents/mcp-connections/repo.ts"
import { clientContext, type Purpose, sealContext } from "../../agents/oauth/index.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { clientSecretContext } from "../../enterprise/sso/repo.ts"
import { sealContext as signInContext } from "../../enterprise/sso/sign-in-repo.ts"
import { sealedFor } from "../../agents/workers/runtime-token.ts"
import * as repo from "./repo.ts"

const batchMax = 200

/** A type of sealed value: how stale values are found, the context each is sealed with, and how it is updated. */
interface Place<R extends repo.Row> {
  readonly what: string
  readonly stale: (sql: Sql, selection: repo.StaleSelection) => Effect.Effect<ReadonlyArray<R>, unknown>
  readonly contextOf: (row: R) => string
  readonly put: (sql: Sql, row: R, sealed: repo.NewSeal) => Effect.Effect<unknown, unknown>
}

const resealPlace = <R extends repo.Row>(sql: Sql, keys: KeyRing["Service"], place: Place<R>) =>
  Effect.gen(function* () {
    let [resealed, skipped] = [0, 0]
    for (;;) {
      const rows = yield* place.stale(sql, { newest: keys.newest, limit: batchMax, skipped })
      for (const row of rows) {
        const sealed = { keyId: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext }
        const context = place.contextOf(row)
        // The key may have been removed from the key ring too early, and may be added again.
        const value = yield* keys.open(context, sealed).pipe(Effect.catchDefect(() => Effect.succeed(undefined)))
        if (value === undefined) skipped += 1
        else {
          yield* place.put(sql, row, keys.seal(context, value))
          resealed += 1
        }
      }
      if (rows.length < batchMax) break
      yield* Effect.sleep("50 millis")
    }
    if (resealed > 0) yield* Effect.logInfo(`Re-encrypted ${resealed} ${place.what} with the newest key.`)
    if (skipped > 0)
      yield* Effect.logWarning(
        `Cannot decrypt ${skipped} ${place.what} with any configured key. Check ORGPLANE_SECRET_KEYS.`
      )
    return { resealed, skipped }
  })

/**
 * Reseals, once, every value that is sealed with a key other than the newest. Afterwards no stored value requires an
 * old key.
 */
export const resealAll = Effect.fnUntraced(function* (sql: Sql, keys: KeyRing["Service"]) {
  const done = [
    yield* resealPlace(sql, keys, {
      what: "signing keys",
      stale: repo.staleSigningKeys,
      contextOf: (row) => signingKeyContext(row.id),
      put: repo.putSigningKey
    }),
    yield* resealPlace(sql, keys, {
      what: "credentials for other servers",
      stale: repo.staleCredentials,
      contextOf: (row) =>
        sealContext({
          organizationId: row.organization_id,
          purpose: row.purpose as Purpose,
          subjectId: row.subject_id,
          membershipId: row.membership_id === "" ? null : (row.membership_id as Id<"om">)
        }),
      put: repo.putCredential
    }),
    yield* resealPlace(sql, keys, {
      what: "OAuth clients",
      stale: repo.staleClients,
      contextOf: (row) =>
        clientContext(
          { organizationId: row.organization_id, purpose: row.purpose as Purpose, subjectId: row.subject_id },
          row.issuer
        ),
      put: repo.putClient
    }),
    yield* resealPlace(sql, keys, {
      what: "connector credentials",
      stale: repo.staleConnectorCredentials,
      contextOf: (row) => credentialContext(row.organization_id, row.id, row.owner),
      put: repo.putValue
    }),
    yield* resealPlace(sql, keys, {
      what: "MCP client secrets",
      stale: repo.staleClientSecrets,
      contextOf: (row) => secretContext(row.organization_id, row.owner as Id<"emc">),
      put: repo.putValue
    }),
    yield* resealPlace(sql, keys, {
      what: "SSO client secrets",
      stale: repo.staleSsoSecrets,
      contextOf: ({ config_json: config, id, organization_id: organizationId }) =>
        clientSecretContext(organizationId, id, config.issuer, config.clientId),
      put: repo.putSsoSecret
    }),
    yield* resealPlace(sql, keys, {
      what: "SSO sign-ins",
      stale: repo.staleSsoSignIns,
      contextOf: (row) => signInContext(row.organization_id, row.id),
      put: repo.putSsoSignIn
    }),
    yield* resealPlace(sql, keys, {
      what: "worker runtime tokens",
      stale: repo.staleRuntimeTokens,
      contextOf: (row) => sealedFor(row.organization_id, row.id),
      put: repo.putRuntimeToken
    })
  ]
  return {
    resealed: done.reduce((sum, { resealed }) => sum + resealed, 0),
    skipped: done.reduce((sum, { skipped }) => sum + skipped, 0)
  }
})

/** Runs soon after the start, because new keys are configured with a restart, and then every hour. */
export const reseal = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  yield* resealAll(sql, keys).pipe(
    Effect.catchCause((cause) => Effect.logWarning("Re-encryption failed. Retrying in one hour.", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.delay("20 seconds"),
    // Uses connections that are separate from those of requests.
    Effect.provideService(StatementMillisMax, longStatementMillis)
  )
})
