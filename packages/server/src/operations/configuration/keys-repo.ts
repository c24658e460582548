import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { deferStatement } from "../../infra/sql/defer.ts"
import { prepareStatement } from "../../infra/sql/read.ts"

export interface KeyRow {
  readonly kind: string
  readonly key: string
  readonly object_id: string
  readonly is_removed: boolean
}

/** All keys of the organization, including those that were used before. */
export const list = (sql: Sql, organizationId: Id<"org">) =>
  sql<KeyRow>`SELECT kind, key, object_id, removed_at IS NOT NULL AS is_removed FROM configuration_keys
    WHERE organization_id = ${organizationId} ORDER BY kind, key`

/** Whether no other transaction plans or applies a document of the organization. Keeps others out until this one ends. */
export const tryLock = (sql: Sql, organizationId: Id<"org">) =>
  sql<{
    readonly locked: boolean
  }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${`configuration/${organizationId}`}, 11)) AS locked`.pipe(
    Effect.map((rows) => rows[0]?.locked === true)
  )

interface NewKey {
  readonly organizationId: Id<"org">
  readonly kind: string
  readonly objectId: string
}

const insertKey = prepareStatement<NewKey & { readonly key: string }>(
  (sql, { key, kind, objectId, organizationId }) => sql`INSERT INTO configuration_keys
    (organization_id, kind, key, object_id, created_at)
    VALUES (${organizationId}, ${kind}, ${key}, ${objectId}, now())`
)

const retireKey = prepareStatement<NewKey>(
  (sql, { kind, objectId, organizationId }) => sql`UPDATE configuration_keys SET removed_at = now()
    WHERE organization_id = ${organizationId} AND kind = ${kind} AND object_id = ${objectId} AND removed_at IS NULL`
)

/** Stores the key of an object without one. */
export const add = (sql: Sql, organizationId: Id<"org">, kind: string, key: string, objectId: string) =>
  deferStatement(sql, insertKey(sql, { organizationId, kind, key, objectId }))

/** Stores the key of an object. The keys that the object had before stay reserved. */
export const store = (sql: Sql, organizationId: Id<"org">, kind: string, key: string, objectId: string) =>
  Effect.andThen(retire(sql, organizationId, kind, objectId), add(sql, organizationId, kind, key, objectId))

/** Marks the key of an object as used before. */
export const retire = (sql: Sql, organizationId: Id<"org">, kind: string, objectId: string) =>
  deferStatement(sql, retireKey(sql, { organizationId, kind, objectId }))
