import type { ScimDirectoryEntry } from "@orgplane/schema/shared/configuration-outside"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as directories from "../../../enterprise/scim/repo.ts"
import type { ScimService } from "../../../enterprise/scim/service.ts"
import { fold } from "../../../infra/scim/language/index.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import type { Kind, Names } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import { roleKeyOf, roleOf, roleReferences } from "../roles.ts"
import * as repo from "../scim-repo.ts"

type Entry = Omit<typeof ScimDirectoryEntry.Type, "key">
type Groups = NonNullable<Entry["groups"]>

/** Groups in the form in which they are compared. Their names are stored with case folded. */
const normalizeGroups = (groups: Groups): Groups =>
  groups
    .map(({ name, role }) => ({ name: fold(name), role }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

/** SCIM directories without their tokens, and the roles that their groups assign. */
export const scimDirectoriesKind = (sql: Sql, scim: ScimService["Service"]): Kind => {
  /** The groups of a directory by their names. */
  const groupsOf = ({ organizationId }: Member, id: string) =>
    Effect.map(
      repo.listGroups(sql, organizationId),
      (rows) => new Map(rows.flatMap((row) => (row.directory_id === id ? [[row.display_name, row] as const] : [])))
    )
  const setGroups = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"scd">,
    groups: Groups,
    stated: Groups,
    names: Names
  ) {
    const rows = yield* groupsOf(caller, id)
    const unknown = stated.findIndex(({ name }) => !rows.has(fold(name)))
    if (unknown !== -1) {
      return yield* InvalidRequest.at(
        ["groups", unknown, "name"],
        "is not the name of a group that the identity provider has sent"
      )
    }
    const roles = new Map(groups.map(({ name, role }) => [name, roleOf(role, names)]))
    for (const [name, group] of rows) {
      const role = roles.get(name) ?? null
      if (role !== group.role) yield* scim.setGroupRole(caller, id, group.id, role)
    }
  })
  return {
    kind: "scimDirectories",
    refersTo: ["roles"],
    permissions: { read: ["scim:read"], write: "scim:manage", remove: "scim:manage" },
    feature: "scim",
    read: Effect.fnUntraced(function* ({ organizationId }, names) {
      const rows = yield* readPages((after, limit) => directories.list(sql, organizationId, {}, after, limit))
      const groups = yield* repo.listGroups(sql, organizationId)
      return rows.map(({ id, name, provider }) => ({
        id,
        version: null,
        name,
        item: {
          name,
          provider,
          groups: normalizeGroups(
            groups.flatMap(({ directory_id, display_name, role }) => {
              const key = role === null || directory_id !== id ? undefined : roleKeyOf(role, names)
              return key === undefined ? [] : [{ name: display_name, role: key }]
            })
          )
        }
      }))
    }),
    normalize: (item) => {
      const { groups, ...rest } = item as unknown as Entry
      return groups === undefined ? rest : { ...rest, groups: normalizeGroups(groups) }
    },
    references: (item) =>
      ((item as unknown as Entry).groups ?? []).flatMap(({ role }, index) =>
        roleReferences(role, ["groups", index, "role"])
      ),
    create: Effect.fnUntraced(function* (caller, item, { names, stated }) {
      const { groups, ...input } = item as unknown as Entry
      const { id } = yield* scim.createWithoutToken(caller, input)
      if (groups !== undefined) {
        yield* setGroups(caller, id, groups, (stated as unknown as Entry).groups ?? [], names)
      }
      return id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields, { names, stated }) {
      const { groups, ...fixed } = fields as Partial<Entry>
      const [field] = Object.keys(fixed)
      if (field !== undefined) return yield* InvalidRequest.at([field], "cannot be changed")
      if (groups !== undefined) {
        const id = current.id as Id<"scd">
        yield* setGroups(caller, id, groups, (stated as unknown as Entry).groups ?? [], names)
      }
    }),
    remove: (caller, current) => scim.remove(caller, current.id as Id<"scd">, "keep")
  }
}
