import type { Member } from "@orgplane/schema/shared/caller"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { pipelineOf, type Sql } from "./client.ts"
import { isTraced } from "./is-traced.ts"
import { OwnConnection } from "./own-connections.ts"
import { backgroundStatementMillis, StatementMillisMax } from "./statement-timeout.ts"

/** A placeholder for a value that is bound later. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

type Bind<V extends object> = (caller: Member | undefined, values: V) => unknown

interface Prepared<V extends object> {
  readonly text: string
  readonly binds: ReadonlyArray<Bind<V>>
}

/**
 * A caller of the same kind whose IDs are placeholders; `usedPermissions` collects the permissions that are checked.
 */
const placeholderCaller = (caller: Member, usedPermissions: Set<Permission>): Member => {
  const { permissions, principal } = caller
  const stand = {
    ...caller,
    permissions: {
      has: (permission: Permission) => {
        usedPermissions.add(permission)
        return permissions.has(permission)
      }
    },
    organizationId: new Slot("caller.organizationId"),
    principal:
      principal.kind === "session"
        ? { ...principal, membershipId: new Slot("caller.membershipId") }
        : { ...principal, keyId: new Slot("caller.keyId") }
  }
  return stand as unknown as Member
}

const bindOf = <V extends object>(bound: unknown): Bind<V> => {
  if (!(bound instanceof Slot)) return () => bound
  switch (bound.name) {
    case "caller.organizationId":
      return (caller) => caller?.organizationId
    case "caller.membershipId":
      return (caller) => (caller?.principal.kind === "session" ? caller.principal.membershipId : null)
    case "caller.keyId":
      return (caller) => (caller?.principal.kind === "key" ? caller.principal.keyId : null)
    default:
      return (_, values) => values[bound.name as keyof V]
  }
}

/** The names of the values that are null. */
const nullsOf = <V extends object>(values: V): string => {
  let names = ""
  for (const name in values) if (values[name] === null) names += `/${name}`
  return names
}

/** The statement as text and parameters; a value that occurs several times is sent once. */
const prepare = <V extends object>(statement: Statement<object>): Prepared<V> => {
  const [text, bounds] = statement.compile()
  const distinct: Array<unknown> = []
  const places = bounds.map((bound) => {
    if (bound === null) return 0
    const isSame = (other: unknown) =>
      bound instanceof Slot ? other instanceof Slot && other.name === bound.name : other === bound
    const index = distinct.findIndex(isSame)
    return index === -1 ? distinct.push(bound) : index + 1
  })
  return {
    text: text.replace(/\$(\d+)/g, (_, place: string) =>
      bounds[Number(place) - 1] === null ? "NULL" : `$${places[Number(place) - 1]}`
    ),
    binds: distinct.map((bound) => bindOf<V>(bound))
  }
}

/**
 * Reads rows with a fixed SQL text. The statement goes directly to the pipeline, or to the connection of the
 * transaction: the client would compile the text and look up its services again. Where traces are exported, the client
 * records the statement.
 */
const readRows = <Row extends object>(
  sql: Sql,
  text: string,
  values: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.withFiber((fiber) => {
    const [transactionConnection] = Context.getOrUndefined(fiber.context, sql.transactionService) ?? []
    const isShort = fiber.getRef(StatementMillisMax) <= backgroundStatementMillis
    const connection =
      transactionConnection instanceof OwnConnection
        ? transactionConnection
        : transactionConnection === undefined && isShort
          ? pipelineOf(sql)
          : undefined
    if (connection === undefined || isTraced(fiber)) return sql.unsafe<Row>(text, values)
    return connection.execute(text, values, undefined) as Effect.Effect<ReadonlyArray<Row>, SqlError>
  })

/** Placeholders for the values. If the values are passed, those that are null stay null. */
const slotsOf = <V extends object>(nulls?: V) =>
  new Proxy({}, { get: (_, name) => (nulls?.[name as keyof V] === null ? null : new Slot(String(name))) }) as V

/** The text of a statement, and the values of its parameters. */
export interface PreparedStatement {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/**
 * A statement whose text is built once. `build` may put its arguments into the statement but must not inspect them: they
 * are placeholders.
 */
export const prepareStatement = <V extends object>(
  build: (sql: Sql, values: V) => Statement<object>
): ((sql: Sql, values: V) => PreparedStatement) => {
  const preparedBySql = new WeakMap<Sql, Prepared<V>>()
  return (sql, values) => {
    let existing = preparedBySql.get(sql)
    if (existing === undefined) preparedBySql.set(sql, (existing = prepare<V>(build(sql, slotsOf<V>()))))
    return { text: existing.text, values: existing.binds.map((bind) => bind(undefined, values)) }
  }
}

/**
 * Reads rows. The SQL text is built once for each combination of null values, such as absent filters; see `readAs`.
 */
export const read = <Row extends object, V extends object>(
  build: (sql: Sql, values: V) => Statement<Row>
): ((sql: Sql, values: V) => Effect.Effect<ReadonlyArray<Row>, SqlError>) => {
  const preparedBySql = new WeakMap<Sql, Map<string, Prepared<V>>>()
  return (sql, values) => {
    let kinds = preparedBySql.get(sql)
    if (kinds === undefined) preparedBySql.set(sql, (kinds = new Map<string, Prepared<V>>()))
    const kind = nullsOf(values)
    let statement = kinds.get(kind)
    if (statement === undefined) kinds.set(kind, (statement = prepare<V>(build(sql, slotsOf(values)))))
    return readRows<Row>(
      sql,
      statement.text,
      statement.binds.map((bind) => bind(undefined, values))
    )
  }
}

/**
 * A read by a member whose SQL text is built once for each kind of caller; after that, only its values are bound.
 * Building a statement from many fragments costs more than running it, and the database can reuse its plan if the text
 * stays the same. A null value, such as an absent filter, is part of the text: as a parameter, the filter would stay in
 * the generic plan, and PostgreSQL would plan each request again. `build` may put its arguments into the statement and
 * compare them with null, but must not inspect them further, because they are placeholders.
 */
export const readAs = <Row extends object, V extends object>(
  build: (sql: Sql, caller: Member, values: V) => Statement<Row>
): ((sql: Sql, caller: Member, values: V) => Effect.Effect<ReadonlyArray<Row>, SqlError>) => {
  const preparedBySql = new WeakMap<Sql, Map<string, Prepared<V>>>()
  // The text depends on the caller's kind and on these permissions.
  const usedPermissions = new Set<Permission>()
  const kindOf = ({ isAdmin, isOwner, permissions, principal }: Member, values: V) => {
    let kind = `${principal.kind}/${isAdmin}/${isOwner}`
    for (const permission of usedPermissions) kind += permissions.has(permission) ? "/true" : "/false"
    return kind + nullsOf(values)
  }
  const prepareFor = (sql: Sql, caller: Member, values: V) => {
    let kinds = preparedBySql.get(sql)
    if (kinds === undefined) preparedBySql.set(sql, (kinds = new Map<string, Prepared<V>>()))
    let prepared = kinds.get(kindOf(caller, values))
    if (prepared === undefined) {
      prepared = prepare<V>(build(sql, placeholderCaller(caller, usedPermissions), slotsOf(values)))
      // Building may have used more permissions, so the key is computed again.
      kinds.set(kindOf(caller, values), prepared)
    }
    return prepared
  }
  return (sql, caller, values) => {
    const { binds, text } = prepareFor(sql, caller, values)
    return readRows<Row>(
      sql,
      text,
      binds.map((bind) => bind(caller, values))
    )
  }
}
