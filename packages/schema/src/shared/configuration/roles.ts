/** Roles in configuration documents: references to them, and the members who have them. */
import * as Schema from "effect/Schema"
import { Email } from "../values.ts"
import { Key, keyOf, keyPattern } from "./key.ts"

/** They are not in `roles`, and no custom role has their name as its key. */
export const builtInRoles = ["owner", "admin", "member"] as const

const isBuiltIn = (key: string) => builtInRoles.some((role) => role === key)

/** The key of a custom role. */
export const RoleKey = Key.check(
  Schema.makeFilter((key: string) => (isBuiltIn(key) ? "must not be the name of a built-in role" : undefined))
)

/** A role in the document: a built-in role other than `owner`, or the key of a custom role. */
export const assignableRole = (description: string) =>
  keyOf(description).check(
    Schema.makeFilter((key: string) =>
      key === "owner" ? "must be admin, member or the key of a custom role" : undefined
    )
  )

export const roleMembersMax = 5000

type RoleMembers = Readonly<Record<string, ReadonlyArray<string>>>

const memberErrors = (roles: RoleMembers) => {
  const roleOf = new Map<string, string>()
  const errors: Array<{ readonly path: ReadonlyArray<PropertyKey>; readonly issue: string }> = []
  for (const [role, emails] of Object.entries(roles)) {
    if (role === "member") {
      errors.push({ path: [role], issue: "must be omitted: members who are not listed have this role" })
    } else if (!keyPattern.test(role))
      errors.push({ path: [role], issue: "must be owner, admin or the key of a custom role" })
    emails.forEach((email, index) => {
      const other = roleOf.get(email.toLowerCase())
      roleOf.set(email.toLowerCase(), role)
      if (other !== undefined) errors.push({ path: [role, index], issue: `is also in ${other}` })
    })
  }
  return errors
}

export const MemberRoles = Schema.Record(Schema.String, Schema.Array(Email).check(Schema.isMaxLength(roleMembersMax)))
  .check(Schema.makeFilter(memberErrors))
  .annotate({
    identifier: "ConfigurationMemberRoles",
    description:
      "The email addresses of all members of each role: `owner`, `admin` or the key of a custom role. A member who is no longer listed gets the role `member`. The members of omitted roles are not changed, unless they are listed in another role. Members whose role SCIM manages must be omitted."
  })
