/** Teams: groups of members that share access. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ObjectKind } from "./access.ts"
import { Member, MemberNotFound } from "./members.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import { GrantRole } from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const Team = Schema.Struct({
  id: Ids.TeamId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  memberCount: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Team" })
export type Team = typeof Team.Type

export const CreateTeam = Schema.Struct({
  name: Text(1, 120).annotate({ description: "Must be unique in the organization." }),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
}).annotate({ identifier: "CreateTeam" })

export const UpdateTeam = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120).annotate({ description: "Must be unique in the organization." })),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
}).annotate({ identifier: "UpdateTeam" })

export const TeamImpact = Schema.Struct({
  teamId: Ids.TeamId,
  managedByScim: Schema.Boolean.annotate({
    description: "Whether SCIM manages the team, so that only the identity provider can remove it."
  }),
  memberCount: Schema.Int.annotate({ description: "Members of the team. They stay in the organization." }),
  grantCount: Schema.Int.annotate({ description: "Grants to the team that are revoked." }),
  objects: Schema.Array(
    Schema.Struct({
      kind: ObjectKind,
      id: Schema.String,
      name: Schema.String,
      role: GrantRole,
      memberCount: Schema.Int.annotate({
        description: "Members who would lose access to the object or be left with a lower role."
      })
    })
  ).annotate({
    description:
      "The objects of the first 50 of these grants, ordered by kind and ID. Objects that the caller cannot see are left out."
  }),
  assignmentCount: Schema.Int.annotate({ description: "Assignments that name the team." }),
  desktopPolicyCount: Schema.Int.annotate({ description: "Desktop policies that name the team." }),
  invitationCount: Schema.Int.annotate({
    description: "Pending invitations into the team. They stay valid, without the team."
  })
}).annotate({ identifier: "TeamImpact" })
export type TeamImpact = typeof TeamImpact.Type

export class TeamNotFound extends notFound("team")<TeamNotFound>() {}
export class TeamExists extends conflict(
  "team_exists",
  "The organization already has a team with this name. Choose another name."
)<TeamExists>() {}

const one = { teamId: Ids.TeamId }
const at = "/v1/teams/:teamId"
const read = Access.permission("teams:read")
const write = Access.permission("teams:write")
const TeamResponse = Schema.Struct({ team: Team })

export const group = HttpApiGroup.make("teams")
  .annotateMerge(
    OpenApi.annotations({ title: "Teams", description: "Groups of members that are granted access together." })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/teams", {
      payload: CreateTeam,
      success: TeamResponse.pipe(HttpApiSchema.status(201)),
      error: TeamExists
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "team.create",
        summary: "Create a team",
        description: "The new team has no members."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/teams", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the name. Case-insensitive." })),
        orgMembershipId: Schema.optionalKey(
          Ids.OrgMembershipId.annotate({ description: "Only teams that this member is in." })
        )
      },
      success: Page(Team)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List teams" })),
    HttpApiEndpoint.get("get", at, { params: one, success: TeamResponse, error: TeamNotFound }).pipe(
      endpointMetadata({
        versioned: "match",
        access: read,
        summary: "Get a team"
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateTeam,
      success: TeamResponse,
      error: [TeamNotFound, TeamExists]
    }).pipe(endpointMetadata({ access: write, versioned: true, audited: "team.update", summary: "Update a team" })),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: TeamNotFound }).pipe(
      endpointMetadata({
        access: Access.permission("teams:manage"),
        versioned: true,
        audited: "team.remove",
        summary: "Remove a team",
        description: "Also revokes all grants to the team."
      })
    ),
    HttpApiEndpoint.get("impact", `${at}/impact`, {
      params: one,
      success: Schema.Struct({ impact: TeamImpact }),
      error: TeamNotFound
    }).pipe(
      endpointMetadata({
        access: Access.permission("teams:manage"),
        summary: "Preview the impact of removing a team",
        description:
          "Counts what ends with the team, and lists the objects that are granted to the team with the number of members who would lose access. Makes no changes."
      })
    ),
    HttpApiEndpoint.get("listMembers", `${at}/members`, {
      params: one,
      query: pageQuery,
      success: Page(Member),
      error: TeamNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the members of a team" })),
    HttpApiEndpoint.put("addMember", `${at}/members/:orgMembershipId`, {
      params: { ...one, orgMembershipId: Ids.OrgMembershipId },
      success: TeamResponse,
      error: [TeamNotFound, MemberNotFound]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "team.add_member",
        summary: "Add a member to a team",
        description: "Idempotent."
      })
    ),
    HttpApiEndpoint.delete("removeMember", `${at}/members/:orgMembershipId`, {
      params: { ...one, orgMembershipId: Ids.OrgMembershipId },
      success: NoContent,
      error: [TeamNotFound, MemberNotFound]
    }).pipe(endpointMetadata({ access: write, audited: "team.remove_member", summary: "Remove a member from a team" }))
  )
