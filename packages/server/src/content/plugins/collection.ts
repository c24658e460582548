import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Struct from "effect/Struct"
import { managedByConnector } from "../../identity/access/service.ts"
import type { levels } from "../../identity/grants/index.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { Mutate, stale } from "../../infra/mutate/index.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"

/** The columns that a change needs. */
interface LockedRow {
  readonly name: string
  readonly connector_target_id: Id<"ctg"> | null
  readonly archived_at: Date | null
  readonly version: number
}

/** A kind of collection: plugins, which contain config objects, or marketplaces, which contain plugins. */
interface CollectionKind<I extends string, L, R, W, F, D, N> {
  /** The name of the kind in audit actions and messages. */
  readonly name: "plugin" | "marketplace"
  readonly repo: {
    readonly get: (sql: Sql, caller: Member, id: I) => Effect.Effect<R | undefined, SqlError>
    readonly lock: (sql: Sql, organizationId: Id<"org">, id: I) => Effect.Effect<L | undefined, SqlError>
    readonly update: (sql: Sql, organizationId: Id<"org">, id: I, fields: F) => Effect.Effect<unknown, SqlError>
    readonly setArchived: (
      sql: Sql,
      organizationId: Id<"org">,
      id: I,
      isArchived: boolean
    ) => Effect.Effect<unknown, SqlError>
    readonly toWire: (row: R) => W
  }
  /** Fails unless the caller has the access level on the collection. */
  readonly demand: (caller: Member, id: I, needed: keyof typeof levels) => Effect.Effect<unknown, D>
  readonly notFound: () => N
  /** The fields that callers can update. */
  readonly fieldsOf: (row: L) => F
  /** Whether an update concerns fields that a repository determines if the collection comes from one. */
  readonly isRestricted: (input: Partial<F>) => boolean
}

/** Creates the operations that change a collection itself, not its contents. */
export const makeCollection = Effect.fnUntraced(function* <
  I extends string,
  L extends LockedRow,
  R extends { readonly version: number },
  W extends { readonly name: string },
  F extends object,
  D,
  N
>(kind: CollectionKind<I, L, R, W, F, D, N>) {
  const sql = yield* SqlDatabase
  const { mutate } = yield* Mutate
  const { demand, fieldsOf, isRestricted, name, notFound, repo } = kind

  const locked = (caller: Member, id: I) =>
    Effect.flatMap(repo.lock(sql, caller.organizationId, id), (row) =>
      row === undefined ? Effect.fail(notFound()) : Effect.succeed(row)
    )

  /** The current collection, in the transaction that changed it. */
  const changed = (caller: Member, id: I) => Effect.flatMap(repo.get(sql, caller, id), (row) => expectRow(row, name))

  const update = Effect.fnUntraced(function* (caller: Member, id: I, input: Partial<F>) {
    yield* demand(caller, id, "editor")
    return yield* mutate(
      caller,
      `${name}.update`,
      Effect.gen(function* () {
        const before = yield* locked(caller, id)
        const changesAny = Object.keys(input).length > 0
        if (changesAny && before.connector_target_id !== null && isRestricted(input)) {
          return yield* managedByConnector(`The ${name}`)
        }
        yield* stale(caller, before.version)
        const current = fieldsOf(before)
        const fields = { ...current, ...input }
        if (Struct.keys(current).some((key) => fields[key] !== current[key])) {
          yield* repo.update(sql, caller.organizationId, id, fields)
        }
        const after = yield* changed(caller, id)
        return { before, collection: repo.toWire(after), version: after.version }
      }),
      ({ before, collection, version }) => ({
        target: id,
        before: { name: digestOf(before.name), version: before.version },
        after: { name: digestOf(collection.name), version }
      })
    )
  })

  /** Idempotent. */
  const setArchived = (action: StoredAuditAction, isArchived: boolean) =>
    Effect.fnUntraced(function* (caller: Member, id: I) {
      yield* demand(caller, id, "manager")
      const { collection } = yield* mutate(
        caller,
        action,
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          const isNew = (before.archived_at !== null) !== isArchived
          if (isNew) yield* repo.setArchived(sql, caller.organizationId, id, isArchived)
          return { isNew, collection: repo.toWire(yield* changed(caller, id)) }
        }),
        ({ isNew }) => ({ target: id, after: { changed: isNew } })
      )
      return collection
    })

  return {
    changed,
    locked,
    update,
    archive: setArchived(`${name}.archive`, true),
    restore: setArchived(`${name}.restore`, false)
  } as const
})
