/** Roles: the built-in owner, admin and member, and custom sets of permissions. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { Page, pageQuery, search } from "./shared/page.ts"
import { catalog } from "./shared/permissions.ts"
import { Text, Timestamp } from "./shared/values.ts"

const [firstPermission, ...otherPermissions] = catalog.map((row) => row.permission)
export const Permission = Schema.Literals([firstPermission ?? "connectors:read", ...otherPermissions]).annotate({
  identifier: "Permission"
})

/** A custom role. Built-in roles are referred to by name. */
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
    description: "The built-in roles that have the permission."
  })
}).annotate({ identifier: "PermissionEntry" })

const Permissions = Schema.Array(Permission).check(Schema.isMaxLength(100))

export const CreateRole = Schema.Struct({
  name: Text(1, 120).annotate({
    description: "Must be unique in the organization and must not be the name of a built-in role."
  }),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  permissions: Permissions.annotate({ description: "The permissions of the role. The caller must have each of them." })
}).annotate({ identifier: "CreateRole" })

export const UpdateRole = Schema.Struct({
  name: Schema.optionalKey(
    Text(1, 120).annotate({
      description: "Must be unique in the organization and must not be the name of a built-in role."
    })
  ),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  permissions: Schema.optionalKey(
    Permissions.annotate({ description: "Replaces the permissions of the role. The caller must have each of them." })
  )
}).annotate({ identifier: "UpdateRole" })

export class RoleNotFound extends notFound("role")<RoleNotFound>() {}
export class RoleExists extends conflict(
  "role_exists",
  "The organization already has a role with this name. Choose another name."
)<RoleExists>() {}
/** A member, a SCIM group or a pending invitation has the role. */
export class RoleInUse extends conflict(
  "role_in_use",
  "A member, a SCIM group or a pending invitation still has this role. Assign another role or cancel the invitation first."
)<RoleInUse>() {}

const one = { roleId: Ids.RoleId }
const read = Access.permission("roles:read")
const write = Access.permission("roles:write")
const RoleResponse = Schema.Struct({ role: Role })

export const group = HttpApiGroup.make("roles")
  .annotateMerge(
    OpenApi.annotations({ title: "Roles", description: "Custom sets of permissions, and the list of all permissions." })
  )
  .add(
    HttpApiEndpoint.get("permissions", "/v1/roles/permissions", {
      success: Schema.Struct({ permissions: Schema.Array(PermissionEntry) })
    }).pipe(
      endpointMetadata({
        access: Access.member,
        summary: "List all permissions",
        description: "Includes the built-in roles that have each permission."
      })
    ),
    HttpApiEndpoint.post("create", "/v1/roles", {
      payload: CreateRole,
      success: RoleResponse.pipe(HttpApiSchema.status(201)),
      error: RoleExists
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "role.create",
        summary: "Create a role",
        description: "The caller must have all permissions of the role."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/roles", { query: { ...pageQuery, q: search() }, success: Page(Role) }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "List the custom roles" })
    ),
    HttpApiEndpoint.get("get", "/v1/roles/:roleId", { params: one, success: RoleResponse, error: RoleNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Get a custom role" })
    ),
    HttpApiEndpoint.patch("update", "/v1/roles/:roleId", {
      params: one,
      payload: UpdateRole,
      success: RoleResponse,
      error: [RoleNotFound, RoleExists]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "role.update",
        summary: "Update a custom role",
        description: "Members with this role get the new permissions immediately."
      })
    ),
    HttpApiEndpoint.delete("remove", "/v1/roles/:roleId", {
      params: one,
      success: NoContent,
      error: [RoleNotFound, RoleInUse]
    }).pipe(
      endpointMetadata({
        access: Access.permission("roles:manage"),
        versioned: true,
        audited: "role.remove",
        summary: "Remove a custom role",
        description: "The role must not be assigned to a member, a SCIM group or a pending invitation."
      })
    )
  )
