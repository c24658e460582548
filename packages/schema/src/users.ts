/** The signed-in person, across organizations. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { EffectiveAnswer, explainQuery } from "./desktop-policies.ts"
import { Organization } from "./organizations.ts"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
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

export const UserOrganization = Schema.Struct({
  organization: Organization,
  orgMembershipId: Ids.OrgMembershipId,
  role: Schema.String,
  active: Schema.Boolean.annotate({ description: "The one this session is about unless a request names another." })
}).annotate({ identifier: "UserOrganization" })

/** Something the caller can use, and why. */
export const LibraryEntry = Schema.Struct({
  kind: Schema.Literals(["plugin", "configObject"]),
  id: Schema.String,
  name: Schema.String,
  through: Schema.Struct({
    kind: Schema.Literals(["admin", "direct", "team", "orgWide", "marketplace", "plugin"]),
    id: Schema.NullOr(Schema.String)
  }).annotate({
    description:
      "The edge that lets the caller: the team, marketplace or plugin, or the grant itself; null for owners and admins."
  })
}).annotate({ identifier: "LibraryEntry" })

export const UpdateUser = Schema.Struct({ name: Schema.optionalKey(Schema.NullOr(Text(1, 255))) }).annotate({
  identifier: "UpdateUser"
})
export const SetActiveOrganization = Schema.Struct({ organizationId: Ids.OrganizationId }).annotate({
  identifier: "SetActiveOrganization"
})

const UserAnswer = Schema.Struct({ user: User })

export const group = HttpApiGroup.make("users")
  .annotateMerge(
    OpenApi.annotations({ title: "Users", description: "The signed-in person, whatever the organization." })
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/me", { success: UserAnswer }).pipe(
      endpointMetadata({ access: Access.user, summary: "Gets the signed-in person." })
    ),
    HttpApiEndpoint.patch("update", "/v1/me", { payload: UpdateUser, success: UserAnswer }).pipe(
      endpointMetadata({ access: Access.user, audited: "user.update", summary: "Changes the signed-in person's name." })
    ),
    HttpApiEndpoint.delete("remove", "/v1/me", { success: Done, error: Forbidden }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "user.remove",
        summary: "Removes the signed-in person: memberships, grants and sessions end.",
        description: "Their memories are deleted. Refused while the person is the last owner of an organization."
      })
    ),
    HttpApiEndpoint.get("organizations", "/v1/me/organizations", {
      query: pageQuery,
      success: Page(UserOrganization)
    }).pipe(
      endpointMetadata({
        access: Access.user,
        paged: true,
        summary: "Lists the organizations of the signed-in person."
      })
    ),
    HttpApiEndpoint.delete("leaveOrganization", "/v1/me/organizations/:organizationId", {
      params: { organizationId: Ids.OrganizationId },
      success: Done,
      error: [OrganizationNotFound, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "user.leave_organization",
        summary:
          "Ends the signed-in person's membership of an organization, with their teams, grants and sessions there.",
        description: "Refused to its last owner. What they made stays with the organization."
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
        summary: "Chooses the organization this session is about."
      })
    ),
    HttpApiEndpoint.get("desktopPolicy", "/v1/me/desktop-policy", {
      query: explainQuery,
      success: EffectiveAnswer
    }).pipe(
      endpointMetadata({
        access: Access.session,
        summary: "Gets what the organization's desktop policies let the caller do, and with `explain` why.",
        description: "A switch that no policy states is true. Names of policies are for who may read them."
      })
    ),
    HttpApiEndpoint.get("library", "/v1/me/library", {
      query: { ...pageQuery, kind: Schema.optionalKey(Schema.Literals(["plugin", "configObject"])) },
      success: Page(LibraryEntry)
    }).pipe(
      endpointMetadata({
        access: Access.session,
        paged: true,
        summary: "Lists every plugin and config object the caller can use, with the edge that lets them."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/me/export", {
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" })
    }).pipe(
      endpointMetadata({
        access: Access.user,
        holdsSecret: true,
        summary: "Streams everything that is kept of the caller, as NDJSON.",
        description:
          "Lines of `{ kind, item }`: the person, how their host application knows them, memberships, memories, sessions. What they made belongs to the organizations, and is in their export. The last line is `end` with the count of the others."
      })
    )
  )
