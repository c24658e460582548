import type * as Document from "@orgplane/schema/shared/configuration-document"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { ordered } from "../../../identity/auth/permissions.ts"
import * as repo from "../../../identity/roles/repo.ts"
import type { RolesService } from "../../../identity/roles/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { at, type Kind } from "../kind.ts"
import { readPages } from "../read-pages.ts"

type Entry = Omit<typeof Document.RoleEntry.Type, "key">

export const rolesKind = (sql: Sql, roles: RolesService["Service"]): Kind => ({
  kind: "roles",
  permissions: { read: ["roles:read"], write: "roles:write", remove: "roles:manage" },
  read: ({ organizationId }) =>
    Effect.map(
      readPages((after, limit) => repo.list(sql, organizationId, {}, after, limit)),
      (rows) =>
        rows.map((row) => ({
          id: row.id,
          version: row.version,
          name: row.name,
          item: { name: row.name, description: row.description, permissions: ordered(row.permissions_json) }
        }))
    ),
  normalize: (item) => {
    const { permissions, ...rest } = item as unknown as Entry
    return permissions === undefined ? rest : { ...rest, permissions: ordered(permissions) }
  },
  references: () => [],
  create: (caller, item) => Effect.map(roles.create(caller, item as unknown as Entry), ({ role }) => role.id),
  update: (caller, current, fields) =>
    roles.update(at(caller, current), current.id as Id<"rol">, fields as Partial<Entry>).pipe(Effect.asVoid),
  remove: (caller, current) => roles.remove(at(caller, current), current.id as Id<"rol">)
})
