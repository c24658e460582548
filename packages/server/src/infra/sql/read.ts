import type { Member } from "@orgplane/schema/shared/caller"
import type { Permission } from "@orgplane/schema/shared/permissions"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { Sql } from "./client.ts"

/** Stands in a text for a value that comes later. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

interface Prepared<V extends object> {
  readonly text: string
  readonly binds: ReadonlyArray<(caller: Member, values: V) => unknown>
}

/** A caller of the same kind of whom nothing is known but the kind; `asked` learns which permissions are looked at. */
const standIn = (caller: Member, asked: Set<Permission>): Member => {
  const { permissions, principal } = caller
  const stand = {
    ...caller,
    permissions: {
      has: (permission: Permission) => {
        asked.add(permission)
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

const bindOf = <V extends object>(bound: unknown) => {
  if (!(bound instanceof Slot)) return () => bound
  switch (bound.name) {
    case "caller.organizationId":
      return (caller: Member) => caller.organizationId
    case "caller.membershipId":
      return ({ principal }: Member) => (principal.kind === "session" ? principal.membershipId : null)
    case "caller.keyId":
      return ({ principal }: Member) => (principal.kind === "key" ? principal.keyId : null)
    default:
      return (_: Member, values: V) => values[bound.name as keyof V]
  }
}

/** The statement as text and binds, in which a value that stands at several places is sent once. */
const prepare = <V extends object>(statement: Statement<object>): Prepared<V> => {
  const [text, bounds] = statement.compile()
  const distinct: Array<unknown> = []
  const places = bounds.map((bound) => {
    const isSame = (other: unknown) =>
      bound instanceof Slot ? other instanceof Slot && other.name === bound.name : other === bound
    const known = distinct.findIndex(isSame)
    return known === -1 ? distinct.push(bound) : known + 1
  })
  return {
    text: text.replace(/\$(\d+)/g, (_, place: string) => `$${places[Number(place) - 1]}`),
    binds: distinct.map((bound) => bindOf<V>(bound))
  }
}

/**
 * A read by a member whose text is put together once for each kind of caller, and after that only takes its values: a
 * statement of many fragments costs more to build than to answer, and the database knows a text again that stays the
 * same. `build` may place what it is given in the statement but not look at it: these are stand-ins.
 */
export const readAs = <Row extends object, V extends object>(
  build: (sql: Sql, caller: Member, values: V) => Statement<Row>
): ((sql: Sql, caller: Member, values: V) => Effect.Effect<ReadonlyArray<Row>, SqlError>) => {
  const known = new WeakMap<Sql, Map<string, Prepared<V>>>()
  // What the text depends on besides the kind of caller: two keys are of one kind only if they hold the same of these.
  const asked = new Set<Permission>()
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as V
  return (sql, caller, values) => {
    const kinds = known.get(sql) ?? new Map<string, Prepared<V>>()
    known.set(sql, kinds)
    const kindOf = () =>
      [
        caller.principal.kind,
        caller.isAdmin,
        caller.isOwner,
        ...[...asked].map((one) => caller.permissions.has(one))
      ].join("/")
    const prepared = kinds.get(kindOf()) ?? prepare<V>(build(sql, standIn(caller, asked), slots))
    // Building may have asked for more: then this is a kind of its own from now on.
    kinds.set(kindOf(), prepared)
    return sql.unsafe<Row>(
      prepared.text,
      prepared.binds.map((bind) => bind(caller, values))
    )
  }
}
