import * as Roles from "@orgplane/schema/roles"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import { type BuiltInRole, builtInRoles, catalog } from "@orgplane/schema/shared/permissions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { isBuiltIn, ordered, permissionsOf } from "../auth/permissions.ts"
import { Principals } from "../auth/principals.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import { callerNow, demandHeld } from "./index.ts"
import * as repo from "./repo.ts"

const roleWords = Object.keys(builtInRoles) as ReadonlyArray<BuiltInRole>

const table = catalog.map(({ description, permission }) => ({
  permission,
  description,
  roles: roleWords.filter((role) => permissionsOf(role).has(permission))
}))

const demandName = (name: string) =>
  isBuiltIn(name.trim().toLowerCase())
    ? Effect.fail(InvalidRequest.at(["body", "name"], "is the name of a built-in role"))
    : Effect.void

/** The custom roles of an organization. */
export class RolesService extends Context.Service<RolesService>()("@orgplane/server/roles/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { mutate } = yield* Mutate

    const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"rol">) {
      const row = yield* repo.lock(sql, caller.organizationId, id)
      return row === undefined ? yield* new Roles.RoleNotFound() : row
    })

    const withVersion = (row: repo.Row) => ({ item: repo.toWire(row), version: row.version })

    /** Every permission, with the built-in roles that include it. */
    const permissions = () => Effect.succeed({ permissions: table })

    const create = Effect.fnUntraced(function* (caller: Member, input: typeof Roles.CreateRole.Type) {
      yield* demandName(input.name)
      const newRole = yield* mutate(
        caller,
        "role.create",
        Effect.gen(function* () {
          yield* demandHeld(yield* callerNow(sql, caller, "roles:write"), input.permissions)
          const row = yield* repo.create(sql, caller.organizationId, {
            id: makeId("rol"),
            name: input.name,
            description: input.description ?? null,
            permissions: ordered(input.permissions),
            createdBy: membershipOf(caller)
          })
          return row === undefined ? yield* new Roles.RoleExists() : { role: repo.toWire(row) }
        }),
        ({ role }) => ({ target: role.id, after: { name: digestOf(role.name), permissions: role.permissions } })
      )
      return newRole
    })

    const list = (caller: Member, query: PageQuery & { readonly q?: string }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"rol">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new Roles.RoleNotFound() : withVersion(row)
    })

    /** Changes a role. Members with the role have the new permissions on their next request. */
    const update = Effect.fnUntraced(function* (caller: Member, id: Id<"rol">, input: typeof Roles.UpdateRole.Type) {
      if (input.name !== undefined) yield* demandName(input.name)
      const { after } = yield* mutate(
        caller,
        "role.update",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          // All permissions are checked, including those that the role already has.
          if (input.permissions !== undefined) {
            yield* demandHeld(yield* callerNow(sql, caller, "roles:write"), input.permissions)
          }
          yield* stale(caller, before.version)
          const values = {
            name: input.name ?? before.name,
            description: input.description === undefined ? before.description : input.description,
            permissions: input.permissions === undefined ? before.permissions_json : ordered(input.permissions)
          }
          const isSame =
            values.name === before.name &&
            values.description === before.description &&
            values.permissions.join() === before.permissions_json.join()
          if (isSame) return { before, after: before }
          const after = yield* repo
            .update(sql, caller.organizationId, id, values)
            .pipe(whenTaken(() => new Roles.RoleExists()))
          yield* principals.announce(id)
          return { before, after: after ?? before }
        }),
        ({ after, before }) => ({
          target: id,
          before: { name: digestOf(before.name), permissions: before.permissions_json, version: before.version },
          after: { name: digestOf(after.name), permissions: after.permissions_json, version: after.version }
        })
      )
      principals.forget(id)
      return withVersion(after)
    })

    const remove = (caller: Member, id: Id<"rol">) =>
      mutate(
        caller,
        "role.remove",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          yield* stale(caller, before.version)
          if (yield* repo.isInUse(sql, caller.organizationId, id)) return yield* new Roles.RoleInUse()
          yield* repo.remove(sql, caller.organizationId, id)
          return before
        }),
        (before) => ({
          target: id,
          before: { name: digestOf(before.name), permissions: before.permissions_json, version: before.version }
        })
      ).pipe(Effect.asVoid)

    return { permissions, create, list, get, update, remove } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
