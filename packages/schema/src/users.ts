/** The signed-in user, across organizations. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { EffectiveResponse, explainQuery } from "./desktop-policies.ts"
import { Organization } from "./organizations.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { Forbidden, OrganizationNotFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const User = Schema.Struct({
  id: Ids.UserId,
  email: Schema.NullOr(Schema.String),
  emailVerified: Schema.Boolean,
  name: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "User" })
export type User = typeof User.Type

export const CurrentUser = Schema.Struct({
  ...User.fields,
  isPlatformAdministrator: Schema.Boolean.annotate({
    description:
      "Whether the operator has listed the user's verified email address as that of a platform administrator. Their operations also require a sign-in by email code within the last 12 hours."
  })
}).annotate({ identifier: "CurrentUser" })

export const UserOrganization = Schema.Struct({
  organization: Organization,
  orgMembershipId: Ids.OrgMembershipId,
  role: Schema.String,
  active: Schema.Boolean.annotate({ description: "Whether requests in this session use this organization by default." })
}).annotate({ identifier: "UserOrganization" })

/** A plugin or config object that the caller can use, and the reason. */
export const LibraryEntry = Schema.Struct({
  kind: Schema.Literals(["plugin", "configObject"]),
  id: Schema.String,
  name: Schema.String,
  through: Schema.Struct({
    kind: Schema.Literals(["admin", "direct", "team", "orgWide", "marketplace", "plugin"]),
    id: Schema.NullOr(Schema.String)
  }).annotate({
    description:
      "The source of the access. `id` identifies the team, marketplace or plugin, or the grant itself; it is null for owners and admins."
  })
}).annotate({ identifier: "LibraryEntry" })

export const UpdateUser = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Text(1, 255)).annotate({ description: "The user's name. Null removes it." }))
}).annotate({
  identifier: "UpdateUser"
})
export const SetActiveOrganization = Schema.Struct({ organizationId: Ids.OrganizationId }).annotate({
  identifier: "SetActiveOrganization"
})

const UserResponse = Schema.Struct({ user: User })

export const group = HttpApiGroup.make("users")
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The signed-in user, across organizations." }))
  .add(
    HttpApiEndpoint.get("get", "/v1/me", { success: Schema.Struct({ user: CurrentUser }) }).pipe(
      endpointMetadata({ access: Access.user, summary: "Get the signed-in user" })
    ),
    HttpApiEndpoint.patch("update", "/v1/me", { payload: UpdateUser, success: UserResponse }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "user.update",
        summary: "Update the signed-in user",
        description: "Changes the name."
      })
    ),
    HttpApiEndpoint.delete("remove", "/v1/me", { success: NoContent, error: Forbidden }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "user.remove",
        summary: "Remove the signed-in user",
        description:
          "Ends all memberships and sessions, revokes all grants, and deletes the user's memories. Not allowed while the user is the last owner of an organization."
      })
    ),
    HttpApiEndpoint.get("organizations", "/v1/me/organizations", {
      query: pageQuery,
      success: Page(UserOrganization)
    }).pipe(
      endpointMetadata({
        access: Access.user,
        paged: true,
        summary: "List the organizations of the signed-in user"
      })
    ),
    HttpApiEndpoint.delete("leaveOrganization", "/v1/me/organizations/:organizationId", {
      params: { organizationId: Ids.OrganizationId },
      success: NoContent,
      error: [OrganizationNotFound, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "user.leave_organization",
        summary: "Leave an organization",
        description:
          "Ends the membership, its team memberships and its sessions, and revokes its grants. Resources that the user created stay with the organization. Not allowed for the last owner."
      })
    ),
    HttpApiEndpoint.put("setActiveOrganization", "/v1/me/active-organization", {
      payload: SetActiveOrganization,
      success: Schema.Struct({ organization: Organization }),
      error: [OrganizationNotFound, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "user.set_active_organization",
        summary: "Set the active organization of the session"
      })
    ),
    HttpApiEndpoint.get("desktopPolicy", "/v1/me/desktop-policy", {
      query: explainQuery,
      success: EffectiveResponse
    }).pipe(
      endpointMetadata({
        access: Access.session,
        summary: "Get the caller's effective desktop policy",
        description:
          "With `explain`, also returns the policy that determines each setting. Switches that no policy sets default to `true`. Policy names are included only if the caller can read desktop policies."
      })
    ),
    HttpApiEndpoint.get("library", "/v1/me/library", {
      query: {
        ...pageQuery,
        kind: Schema.optionalKey(
          Schema.Literals(["plugin", "configObject"]).annotate({ description: "Only items of this kind." })
        )
      },
      success: Page(LibraryEntry)
    }).pipe(
      endpointMetadata({
        access: Access.session,
        paged: true,
        summary: "List the plugins and config objects that the caller can use",
        description:
          "Each item includes the source of the caller's access: a grant, a team, a marketplace, a plugin or the caller's role."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/me/export", {
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" })
    }).pipe(
      endpointMetadata({
        access: Access.user,
        holdsSecret: true,
        summary: "Export the data of the signed-in user",
        description:
          "Streams NDJSON lines of `{ kind, item }`: the user, their ids in host applications (`subject`), memberships, memories and sessions. Resources that the user created belong to the organizations and are part of their exports. The last line has the kind `end` and contains the number of preceding lines."
      })
    )
  )
