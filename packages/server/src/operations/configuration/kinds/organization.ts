import * as Effect from "effect/Effect"
import type { OrganizationsService } from "../../../identity/organizations/service.ts"
import { find } from "../../../identity/organizations/repo.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { at, type Kind } from "../kind.ts"

/** The settings of the organization: one object without a key. */
export const organizationKind = (sql: Sql, organizations: OrganizationsService["Service"]): Kind => ({
  kind: "organization",
  permissions: { read: ["organizations:read"], write: "organizations:write", remove: "organizations:manage" },
  read: (caller) =>
    Effect.map(find(sql, caller.organizationId), (row) =>
      row === undefined ? [] : [{ id: row.id, version: row.version, name: row.name, item: { name: row.name } }]
    ),
  normalize: (item) => item,
  references: () => [],
  update: (caller, current, fields) =>
    organizations.update(at(caller, current), fields as { readonly name?: string }).pipe(Effect.asVoid)
})
