import * as Schema from "effect/Schema"
import { OrgMembershipId, type Prefix, TeamId, TypeId } from "./ids.ts"
import { Timestamp } from "./values.ts"

/** The role of a grant: viewers read, editors change the content, managers also manage grants and removal. */
export const GrantRole = Schema.Literals(["viewer", "editor", "manager"]).annotate({
  identifier: "GrantRole",
  description:
    "`viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object."
})
export type GrantRole = typeof GrantRole.Type

/** Access to one object for a member, a team or the whole organization. Revoked grants are kept. */
export const Grant = <P extends Prefix>(prefix: P, identifier: string) =>
  Schema.Struct({
    id: TypeId(prefix),
    orgMembershipId: Schema.NullOr(OrgMembershipId),
    teamId: Schema.NullOr(TeamId),
    orgWide: Schema.Boolean,
    role: GrantRole,
    createdByOrgMembershipId: Schema.NullOr(OrgMembershipId),
    createdAt: Timestamp,
    removedAt: Schema.NullOr(Timestamp)
  }).annotate({ identifier })

/** Exactly one of the three recipients. */
export const CreateGrant = Schema.Struct({
  orgMembershipId: Schema.optionalKey(OrgMembershipId.annotate({ description: "The member to grant access to." })),
  teamId: Schema.optionalKey(TeamId.annotate({ description: "The team to grant access to." })),
  orgWide: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description:
        "Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required."
    })
  ),
  role: GrantRole
})
  .check(
    Schema.makeFilter(
      (grant: { readonly orgMembershipId?: string; readonly teamId?: string; readonly orgWide?: true }) =>
        [grant.orgMembershipId, grant.teamId, grant.orgWide].filter((receiver) => receiver !== undefined).length === 1
          ? undefined
          : "must include exactly one of: orgMembershipId, teamId, orgWide"
    )
  )
  .annotate({ identifier: "CreateGrant" })
export type CreateGrant = typeof CreateGrant.Type
