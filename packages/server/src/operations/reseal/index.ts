import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import { credentialContext } from "../../content/connectors/repository.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { signingKeyContext } from "../../infra/crypto/signing-keys.ts"
import { secretContext } from "../../agents/mcp-connections/repo.ts"
import { clientContext, type Purpose, sealContext, stateContext } from "../../agents/oauth/index.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { clientSecretContext } from "../../enterprise/sso/repo.ts"
import { sealContext as signInContext } from "../../enterprise/sso/sign-in-repo.ts"
import { sealedFor } from "../../agents/workers/runtime-token.ts"
import * as repo from "./repo.ts"

const batchMax = 200

/** A type of sealed value: where values are stored, and the context with which each is sealed. */
interface Place<R extends repo.Row> extends repo.Place<R> {
  readonly what: string
  readonly contextOf: (row: R) => string
}

/** A value of an organization with an ID. */
interface OwnRow<P extends Prefix> extends repo.Row {
  readonly organization_id: Id<"org">
  readonly id: Id<P>
}

/** A value in `sealed_values`, and the table that refers to it. */
interface ValueRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly id: string
  readonly owner: string
}

interface CredentialRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly purpose: Purpose
  readonly subject_id: string
  readonly membership_id: Id<"om"> | ""
}

interface StateRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly state_digest: Uint8Array
  readonly purpose: Purpose
  readonly subject_id: string
  readonly membership_id: Id<"om">
  readonly session_id: Id<"ses"> | null
}

interface ClientRow extends repo.Row {
  readonly organization_id: Id<"org">
  readonly purpose: Purpose
  readonly subject_id: string
  readonly issuer: string
}

interface SsoSecretRow extends OwnRow<"sso"> {
  readonly config_json: { readonly issuer: string; readonly clientId: string }
}

const ownKey = ["organization_id", "id"] as const

/** Visits every value of a place that is not sealed with the key `newest`, in batches that yield to other work. */
const visit = <R extends repo.Row>(
  sql: Sql,
  place: Place<R>,
  newest: string,
  each: (row: R) => Effect.Effect<"moved" | "kept", SqlError>
) =>
  Effect.gen(function* () {
    let [moved, kept] = [0, 0]
    for (;;) {
      const rows = yield* repo.listStale(sql, place, { newest, limit: batchMax, skipped: kept })
      for (const row of rows) {
        if ((yield* each(row)) === "moved") moved += 1
        else kept += 1
      }
      if (rows.length < batchMax) return { moved, kept }
      yield* Effect.sleep("50 millis")
    }
  })

const sealedIn = (row: repo.Row) => ({ keyId: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext })

/** The operations on one type of sealed value. */
const placeOf = <R extends repo.Row>(place: Place<R>) => {
  // The key may have been removed from the key ring too early, and may be added again.
  const opened = (keys: KeyRing["Service"], row: R) =>
    keys.open(place.contextOf(row), sealedIn(row)).pipe(Effect.catchDefect(() => Effect.succeed(undefined)))
  return {
    what: place.what,
    table: place.table,
    reseal: Effect.fnUntraced(function* (sql: Sql, keys: KeyRing["Service"]) {
      const { kept: skipped, moved: resealed } = yield* visit(sql, place, keys.sealingKey, (row) =>
        Effect.gen(function* () {
          const value = yield* opened(keys, row)
          if (value === undefined) return "kept"
          yield* repo.putSeal(sql, place, row, keys.seal(place.contextOf(row), value))
          return "moved"
        })
      )
      if (resealed > 0) yield* Effect.logInfo(`Re-encrypted ${resealed} ${place.what} with the newest key.`)
      if (skipped > 0)
        yield* Effect.logWarning(
          `Cannot decrypt ${skipped} ${place.what} with any configured key. Check ORGPLANE_SECRET_KEYS.`
        )
      return { resealed, skipped }
    }),
    inspect: Effect.fnUntraced(function* (sql: Sql, keys: KeyRing["Service"]) {
      let unreadable = 0
      // No key has this ID, so every value is visited.
      const { kept: total } = yield* visit(sql, place, "", (row) =>
        Effect.map(opened(keys, row), (value) => {
          if (value === undefined) unreadable += 1
          return "kept" as const
        })
      )
      return { what: place.what, total, unreadable }
    })
  }
}

/** Every type of sealed value. */
const places = [
  placeOf<repo.Row & { readonly id: string }>({
    what: "signing keys",
    table: "signing_keys",
    key: ["id"],
    contextOf: (row) => signingKeyContext(row.id)
  }),
  placeOf<CredentialRow>({
    what: "credentials for other servers",
    table: "oauth_credentials",
    key: ["organization_id", "purpose", "subject_id", "membership_id"],
    contextOf: (row) =>
      sealContext({
        organizationId: row.organization_id,
        purpose: row.purpose,
        subjectId: row.subject_id,
        membershipId: row.membership_id === "" ? null : row.membership_id
      })
  }),
  placeOf<ClientRow>({
    what: "OAuth clients",
    table: "oauth_clients",
    key: ["organization_id", "purpose", "subject_id", "issuer"],
    contextOf: (row) =>
      clientContext(
        { organizationId: row.organization_id, purpose: row.purpose, subjectId: row.subject_id },
        row.issuer
      )
  }),
  placeOf<StateRow>({
    what: "OAuth sign-ins",
    table: "oauth_states",
    key: ["organization_id", "state_digest"],
    others: ["purpose", "subject_id", "membership_id", "session_id"],
    contextOf: (row) =>
      stateContext(
        { organizationId: row.organization_id, membershipId: row.membership_id, sessionId: row.session_id },
        row.purpose,
        row.subject_id
      )
  }),
  placeOf<ValueRow>({
    what: "connector credentials",
    table: "sealed_values",
    key: ownKey,
    owner: { table: "connector_instances", reference: "credential_id", column: "remote_id" },
    contextOf: (row) => credentialContext(row.organization_id, row.id, row.owner)
  }),
  placeOf<ValueRow>({
    what: "MCP client secrets",
    table: "sealed_values",
    key: ownKey,
    owner: { table: "mcp_connections", reference: "oauth_client_secret_id", column: "id" },
    contextOf: (row) => secretContext(row.organization_id, row.owner as Id<"emc">)
  }),
  placeOf<SsoSecretRow>({
    what: "SSO client secrets",
    table: "sso_connections",
    key: ownKey,
    others: ["config_json"],
    contextOf: ({ config_json: config, id, organization_id: organizationId }) =>
      clientSecretContext(organizationId, id, config.issuer, config.clientId)
  }),
  placeOf<OwnRow<"ssi">>({
    what: "SSO sign-ins",
    table: "sso_sign_ins",
    key: ownKey,
    contextOf: (row) => signInContext(row.organization_id, row.id)
  }),
  placeOf<OwnRow<"wki">>({
    what: "worker runtime tokens",
    table: "worker_instances",
    key: ownKey,
    contextOf: (row) => sealedFor(row.organization_id, row.id)
  })
]

/** The tables with sealed values. The canary is sealed again by each start. */
export const sealedTables: ReadonlySet<string> = new Set(places.map(({ table }) => table))

/**
 * Reseals, once, every value that is sealed with a key other than the newest. Afterwards no stored value requires an
 * old key.
 */
export const resealAll = Effect.fnUntraced(function* (sql: Sql, keys: KeyRing["Service"]) {
  const done = yield* Effect.forEach(places, (place) => place.reseal(sql, keys))
  return {
    resealed: done.reduce((sum, { resealed }) => sum + resealed, 0),
    skipped: done.reduce((sum, { skipped }) => sum + skipped, 0)
  }
})

/** Decrypts every sealed value, and returns how many of each type there are, and how many no key decrypts. */
export const inspectSealed = (sql: Sql, keys: KeyRing["Service"]) =>
  Effect.forEach(places, (place) => place.inspect(sql, keys))

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
