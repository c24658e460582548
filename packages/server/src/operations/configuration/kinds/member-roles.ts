import type { MemberRoles } from "@orgplane/schema/shared/configuration-document"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as members from "../../../identity/members/repo.ts"
import type { MembersService } from "../../../identity/members/service.ts"
import * as roles from "../../../identity/roles/repo.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import type { Kind, Names } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import { addressesOf } from "../references.ts"
import { roleKeyOf, roleOf, roleReferences } from "../roles.ts"
import { listGroupRoles } from "../scim-repo.ts"

type Entry = typeof MemberRoles.Type

/** The email address of a member; undefined if a document cannot name the member. */
const emailOf = (id: string, names: Names) => {
  const email = names.emailOf(id)
  return email === undefined || names.membershipOf(email) === undefined ? undefined : email
}

/** The roles of members, other than `member`. Those that SCIM determines are not in the document. */
export const memberRolesKind = (sql: Sql, service: MembersService["Service"]): Kind => ({
  kind: "memberRoles",
  refersTo: ["roles"],
  permissions: { read: ["members:read"], write: "members:manage", remove: "members:manage" },
  read: Effect.fnUntraced(function* ({ organizationId }, names) {
    const custom = yield* readPages((after, limit) => roles.list(sql, organizationId, {}, after, limit))
    const keys = custom.flatMap(({ id }) => names.keyOf("roles", id) ?? []).toSorted()
    const emails = new Map<string, Array<string>>(["owner", "admin", ...keys].map((key) => [key, []]))
    const managed = new Set((yield* listGroupRoles(sql, organizationId)).map((row) => row.membership_id))
    for (const { id, role } of yield* readPages((after, limit) =>
      members.list(sql, organizationId, {}, after, limit)
    )) {
      const [key, email] = [roleKeyOf(role, names), emailOf(id, names)]
      // SCIM does not determine the role of owners.
      if (key === undefined || email === undefined || (role !== "owner" && managed.has(id))) continue
      emails.get(key)?.push(email)
    }
    const item = Object.fromEntries([...emails].map(([key, list]) => [key, list.toSorted()]))
    return [{ id: organizationId, version: null, name: "Roles of members", item }]
  }),
  normalize: (item) => Object.fromEntries(Object.entries(item as Entry).map(([key, list]) => [key, addressesOf(list)])),
  references: (item) =>
    Object.entries(item as Entry).flatMap(([key, list]) => [
      ...roleReferences(key, [key]),
      ...list.map((email, index) => ({ path: [key, index], email: email.toLowerCase() }))
    ]),
  update: Effect.fnUntraced(function* (caller, current, fields, { names, stated }) {
    const before = current.item as Entry
    const after = fields as Entry
    const managed = new Set((yield* listGroupRoles(sql, caller.organizationId)).map((row) => row.membership_id))
    const listed = new Set(Object.values(stated as Entry).flatMap(addressesOf))
    // New owners come first and demotions last, so that an organization is never without an owner.
    const ordered = Object.entries(after).toSorted(
      ([one], [other]) => Number(other === "owner") - Number(one === "owner")
    )
    for (const [key, list] of ordered) {
      const had = new Set(before[key])
      for (const email of list) {
        const id = names.membershipOf(email)
        if (id === undefined || had.has(email)) continue
        if (key !== "owner" && managed.has(id)) {
          const index = (stated as Entry)[key]?.findIndex((one) => one.toLowerCase() === email) ?? 0
          return yield* InvalidRequest.at([key, index], `has a role that SCIM manages: ${email}`)
        }
        yield* service.update(caller, id, roleOf(key, names))
      }
    }
    for (const [key, list] of ordered) {
      const kept = new Set(list)
      for (const email of before[key] ?? []) {
        const id: Id<"om"> | undefined = names.membershipOf(email)
        if (id !== undefined && !kept.has(email) && !listed.has(email)) yield* service.update(caller, id, "member")
      }
    }
  })
})
