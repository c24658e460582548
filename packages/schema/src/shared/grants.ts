import * as Schema from "effect/Schema"
import { OrgMembershipId, type Prefix, TeamId, TypeId } from "./ids.ts"
import { Timestamp } from "./values.ts"

/** What a grant lets its holder do: see, change the content, decide about the object and its grants. */
export const GrantRole = Schema.Literals(["viewer", "editor", "manager"]).annotate({
  identifier: "GrantRole",
  description: "viewer sees, editor changes the content, manager decides about grants and removal."
})
export type GrantRole = typeof GrantRole.Type

/** Someone's access to one object: direct, through a team, or organization-wide. Revoked grants are kept. */
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

/** Exactly one of the three receivers. */
export const CreateGrant = Schema.Struct({
  orgMembershipId: Schema.optionalKey(OrgMembershipId),
  teamId: Schema.optionalKey(TeamId),
  orgWide: Schema.optionalKey(Schema.Literal(true)),
  role: GrantRole
})
  .check(
    Schema.makeFilter(
      (grant: { readonly orgMembershipId?: string; readonly teamId?: string; readonly orgWide?: true }) =>
        [grant.orgMembershipId, grant.teamId, grant.orgWide].filter((receiver) => receiver !== undefined).length === 1
          ? undefined
          : "name exactly one of orgMembershipId, teamId and orgWide"
    )
  )
  .annotate({ identifier: "CreateGrant" })
export type CreateGrant = typeof CreateGrant.Type
