/** Roles: owner, admin and member, and the organization's own sets of permissions. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { Page, pageQuery } from "./shared/page.ts"
import { catalogue } from "./shared/permissions.ts"
import { Text, Timestamp } from "./shared/values.ts"

const [firstPermission, ...otherPermissions] = catalogue.map((row) => row.permission)
export const Permission = Schema.Literals([firstPermission ?? "connectors:read", ...otherPermissions]).annotate({
  identifier: "Permission"
})

/** A custom role; the built-in ones are named by their word wherever a role is. */
export const Role = Schema.Struct({
  id: Ids.RoleId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  permissions: Schema.Array(Permission),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Role" })
export type Role = typeof Role.Type

export const PermissionEntry = Schema.Struct({
  permission: Permission,
  description: Schema.String,
  roles: Schema.Array(Schema.Literals(["owner", "admin", "member"])).annotate({
    description: "The built-in roles that hold it."
  })
}).annotate({ identifier: "PermissionEntry" })

const Permissions = Schema.Array(Permission).check(Schema.isMaxLength(100))

export const CreateRole = Schema.Struct({
  name: Text(1, 120).annotate({ description: "Unique in the organization; not the word of a built-in role." }),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  permissions: Permissions.annotate({ description: "No more than the caller holds." })
}).annotate({ identifier: "CreateRole" })

export const UpdateRole = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120)),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  permissions: Schema.optionalKey(Permissions)
}).annotate({ identifier: "UpdateRole" })

export class RoleNotFound extends notFound("role")<RoleNotFound>() {}
export class RoleExists extends conflict("role_exists", "The organization has a role with this name.")<RoleExists>() {}
/** A member has the role, or an open invitation gives it. */
export class RoleInUse extends conflict("role_in_use", "Somebody still has this role.")<RoleInUse>() {}

const one = { roleId: Ids.RoleId }
const read = Access.permission("roles:read")
const write = Access.permission("roles:write")
const RoleAnswer = Schema.Struct({ role: Role })

export const group = HttpApiGroup.make("roles")
  .annotateMerge(
    OpenApi.annotations({ title: "Roles", description: "Named sets of permissions, and the table of all permissions." })
  )
  .add(
    HttpApiEndpoint.get("permissions", "/v1/roles/permissions", {
      success: Schema.Struct({ permissions: Schema.Array(PermissionEntry) })
    }).pipe(
      endpointMetadata({
        access: Access.member,
        summary: "Lists every permission and the built-in roles that hold it."
      })
    ),
    HttpApiEndpoint.post("create", "/v1/roles", {
      payload: CreateRole,
      success: RoleAnswer.pipe(HttpApiSchema.status(201)),
      error: RoleExists
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "role.create",
        summary: "Creates a role that grants no more than the caller holds."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/roles", { query: pageQuery, success: Page(Role) }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists the custom roles of the organization." })
    ),
    HttpApiEndpoint.get("get", "/v1/roles/:roleId", { params: one, success: RoleAnswer, error: RoleNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Gets one custom role." })
    ),
    HttpApiEndpoint.patch("update", "/v1/roles/:roleId", {
      params: one,
      payload: UpdateRole,
      success: RoleAnswer,
      error: [RoleNotFound, RoleExists]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "role.update",
        summary: "Updates a role; its members have the new permissions at once."
      })
    ),
    HttpApiEndpoint.delete("remove", "/v1/roles/:roleId", {
      params: one,
      success: Done,
      error: [RoleNotFound, RoleInUse]
    }).pipe(
      endpointMetadata({
        access: Access.permission("roles:manage"),
        versioned: true,
        audited: "role.remove",
        summary: "Removes a role that nobody has."
      })
    )
  )
