/**
 * The SCIM 2.0 protocol (RFC 7643, RFC 7644) for identity providers. Administration of the directories is in `scim`.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, type EndpointOptions, endpointMetadata } from "./shared/endpoint.ts"
import { ScimError, scimMediaType, scimErrors } from "./shared/scim-error.ts"

/** Maximum size of a request body, in bytes. A group of 10,000 members is well below it. */
export const bodyBytesMax = 4_194_304
/** Maximum and default number of resources in a page. */
export const countMax = 200
export const countDefault = 100
/** Maximum number of operations in a bulk request. */
export const bulkOperationsMax = 1000

const inScim = HttpApiSchema.asJson({ contentType: scimMediaType })

// `/Schemas` returns the attributes of the resources. All of them are optional here, because the caller can exclude any
// of them.

const AnyObject = Schema.Record(Schema.String, Schema.Json)

export const ScimUserResource = AnyObject.annotate({
  identifier: "ScimUserResource",
  description: "A user (RFC 7643, 4.1) with the enterprise extension."
})

export const ScimGroupResource = AnyObject.annotate({
  identifier: "ScimGroupResource",
  description: "A group (RFC 7643, 4.2), which is a team of the organization."
})

export const ScimDocument = AnyObject.annotate({ identifier: "ScimDocument" })

export const ScimListResponse = Schema.Struct({
  schemas: Schema.Array(Schema.String),
  totalResults: Schema.Int,
  startIndex: Schema.Int,
  itemsPerPage: Schema.Int.annotate({
    description: "Can be lower than the requested count, because pages with very large groups contain fewer resources."
  }),
  Resources: Schema.Array(ScimDocument)
}).annotate({ identifier: "ScimListResponse" })

export const ScimBulkResponse = Schema.Struct({
  schemas: Schema.Array(Schema.String),
  Operations: Schema.Array(
    Schema.Struct({
      method: Schema.Literals(["POST", "PUT", "PATCH", "DELETE"]),
      bulkId: Schema.optionalKey(Schema.String),
      location: Schema.optionalKey(
        Schema.String.annotate({ description: "The URL of the resource; absent when it was not created." })
      ),
      version: Schema.optionalKey(
        Schema.String.annotate({ description: "The version of the resource after a successful operation." })
      ),
      status: Schema.String.annotate({ description: "The HTTP status that the operation would return on its own." }),
      response: Schema.optionalKey(ScimError.annotate({ description: "The error of a failed operation." }))
    })
  ).annotate({ description: "Results in the order of the request. Operations that were not attempted are omitted." })
}).annotate({ identifier: "ScimBulkResponse" })

// Operations

/** A path accepts any text as an id. An invalid id returns the same 404 as an id of another directory. */
const UserPathId = Schema.String.annotate({ identifier: "SCIMUserPathId", description: "The `id` of a user." })
const GroupPathId = Schema.String.annotate({ identifier: "SCIMGroupPathId", description: "The `id` of a group." })

const projection = {
  attributes: Schema.optionalKey(
    Schema.String.annotate({
      description: "The attributes to return instead of the default ones, separated by commas."
    })
  ),
  excludedAttributes: Schema.optionalKey(
    Schema.String.annotate({ description: "The default attributes to exclude, separated by commas." })
  )
}
const listing = {
  ...projection,
  filter: Schema.optionalKey(
    Schema.String.annotate({ description: 'A filter (RFC 7644, 3.4.2.2), such as `userName eq "ann@example.com"`.' })
  ),
  sortBy: Schema.optionalKey(Schema.String.annotate({ description: "The attribute to sort by. Default: `id`." })),
  sortOrder: Schema.optionalKey(
    Schema.String.annotate({ description: "`ascending` or `descending`. Default: `ascending`." })
  ),
  startIndex: Schema.optionalKey(
    Schema.String.annotate({ description: "The 1-based index of the first result. Default: 1." })
  ),
  count: Schema.optionalKey(
    Schema.String.annotate({
      description: `Maximum number of results, at most ${countMax}; 0 returns only the total. Default: ${countDefault}.`
    })
  )
}

const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "The version that you read. Returns 412 if the resource has changed since."
}

type OperationObject = Record<string, unknown>
type Change = (operation: OperationObject) => OperationObject

/** Bodies have two media types, so the server decodes them itself and the framework has no schema for them. */
const withBody =
  (description: string): Change =>
  (operation) => ({
    ...operation,
    requestBody: {
      required: true,
      description,
      content: Object.fromEntries(
        [scimMediaType, "application/json"].map((type) => [type, { schema: { type: "object" } }])
      )
    }
  })

const withParameter =
  (header: object): Change =>
  (operation) => {
    const existing: unknown = operation["parameters"]
    const parameters: ReadonlyArray<unknown> = Array.isArray(existing) ? existing : []
    return { ...operation, parameters: [...parameters, header] }
  }

const combine =
  (...changes: ReadonlyArray<Change>): Change =>
  (operation) =>
    changes.reduce((changed, change) => change(changed), operation)

/** The caller is a directory. Repeating one of its requests has no further effect, so it needs no idempotency keys. */
const scimMetadata = (options: Omit<EndpointOptions, "access" | "idempotency">) =>
  endpointMetadata({ ...options, access: Access.scim, idempotency: "none" })

const largeBody = { bodyBytesMax }
const userParams = { scimUserId: UserPathId }
const groupParams = { scimGroupId: GroupPathId }
const userPath = "/v1/scim/v2/Users/:scimUserId"
const groupPath = "/v1/scim/v2/Groups/:scimGroupId"
const User = ScimUserResource.pipe(inScim)
const Group = ScimGroupResource.pipe(inScim)
const List = ScimListResponse.pipe(inScim)
const Document = ScimDocument.pipe(inScim)
const Bulk = ScimBulkResponse.pipe(inScim)

const patch = withBody("A `PatchOp` with at most 1,000 operations (RFC 7644, 3.5.2).")
const search = withBody("A `SearchRequest` (RFC 7644, 3.4.3).")
const bulk = withBody(
  `A \`BulkRequest\` with 1 to ${bulkOperationsMax} operations on users and groups (RFC 7644, 3.7).`
)

export const group = HttpApiGroup.make("scimProtocol")
  .annotateMerge(
    OpenApi.annotations({
      title: "SCIM protocol",
      description:
        "SCIM 2.0 (RFC 7643 and RFC 7644) for identity providers, under `/v1/scim/v2`. Authenticate with a directory's token. Every error is a `ScimError`."
    })
  )
  .add(
    HttpApiEndpoint.get("getServiceProviderConfig", "/v1/scim/v2/ServiceProviderConfig", {
      success: Document,
      error: scimErrors(403)
    }).pipe(scimMetadata({ summary: "Get the supported SCIM features and their limits" })),
    HttpApiEndpoint.get("listResourceTypes", "/v1/scim/v2/ResourceTypes", {
      success: List,
      error: scimErrors(403)
    }).pipe(
      scimMetadata({
        summary: "List the SCIM resource types",
        description: "Returns the resource types for users and groups."
      })
    ),
    HttpApiEndpoint.get("getResourceType", "/v1/scim/v2/ResourceTypes/:resourceType", {
      params: { resourceType: Schema.String.annotate({ description: "`User` or `Group`." }) },
      success: Document,
      error: scimErrors(403, 404)
    }).pipe(scimMetadata({ summary: "Get a SCIM resource type" })),
    HttpApiEndpoint.get("listSchemas", "/v1/scim/v2/Schemas", { success: List, error: scimErrors(403) }).pipe(
      scimMetadata({ summary: "List the SCIM schemas", description: "Includes the properties of each attribute." })
    ),
    HttpApiEndpoint.get("getSchema", "/v1/scim/v2/Schemas/:schema", {
      params: { schema: Schema.String.annotate({ description: "The URN of the schema." }) },
      success: Document,
      error: scimErrors(403, 404)
    }).pipe(scimMetadata({ summary: "Get a SCIM schema by its URN" })),
    HttpApiEndpoint.get("getMe", "/v1/scim/v2/Me", { success: User, error: scimErrors(501) }).pipe(
      scimMetadata({
        summary: "Get the authenticated user",
        description: "Not supported (501): SCIM tokens do not represent a user."
      })
    ),
    HttpApiEndpoint.get("listUsers", "/v1/scim/v2/Users", {
      query: listing,
      success: List,
      error: scimErrors(400)
    }).pipe(scimMetadata({ summary: "List the users of the directory" })),
    HttpApiEndpoint.post("createUser", "/v1/scim/v2/Users", {
      query: projection,
      success: User.pipe(HttpApiSchema.status(201)),
      error: scimErrors(400, 409, 413)
    }).pipe(
      scimMetadata({
        audited: "scim.user_create",
        summary: "Provision a user",
        description:
          "An active user becomes a member. An existing account is matched only by an email address in a domain that the organization has verified. Returns 409 when the userName is in use."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, withBody("A user (RFC 7643, 4.1)."))
    ),
    HttpApiEndpoint.get("getUser", userPath, {
      params: userParams,
      query: projection,
      success: User,
      error: scimErrors(400, 404)
    }).pipe(scimMetadata({ versioned: true, summary: "Get a user of the directory" })),
    HttpApiEndpoint.put("replaceUser", userPath, {
      params: userParams,
      query: projection,
      success: User,
      error: scimErrors(400, 403, 404, 409, 412, 413)
    }).pipe(
      scimMetadata({
        audited: "scim.user_update",
        summary: "Replace a user",
        description:
          "Omitted attributes are removed, except `active`, which keeps its value. `active: false` ends the membership or is held for approval."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, combine(withBody("A complete user."), withParameter(ifMatch)))
    ),
    HttpApiEndpoint.patch("updateUser", userPath, {
      params: userParams,
      query: projection,
      success: User,
      error: scimErrors(400, 403, 404, 409, 412, 413)
    }).pipe(
      scimMetadata({
        audited: "scim.user_update",
        summary: "Update a user",
        description:
          "`active: false` ends the membership and the user's sessions in that organization, unless the deactivation is held for approval."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, combine(patch, withParameter(ifMatch)))
    ),
    HttpApiEndpoint.delete("removeUser", userPath, {
      params: userParams,
      success: NoContent,
      error: scimErrors(403, 404, 412)
    }).pipe(
      scimMetadata({
        audited: "scim.user_delete",
        summary: "Deprovision a user",
        description:
          "Ends the membership and the user's sessions in that organization, unless the deactivation is held for approval."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, withParameter(ifMatch))
    ),
    HttpApiEndpoint.post("searchUsers", "/v1/scim/v2/Users/.search", {
      success: List,
      error: scimErrors(400, 413)
    }).pipe(scimMetadata({ summary: "Search the users of the directory" }), (endpoint) =>
      endpoint.annotate(OpenApi.Transform, search)
    ),
    HttpApiEndpoint.get("listGroups", "/v1/scim/v2/Groups", {
      query: listing,
      success: List,
      error: scimErrors(400)
    }).pipe(
      scimMetadata({
        summary: "List the groups of the directory",
        description:
          "If members are returned, a page has at most 10,000 members in total, unless its only group is larger."
      })
    ),
    HttpApiEndpoint.post("createGroup", "/v1/scim/v2/Groups", {
      query: projection,
      success: Group.pipe(HttpApiSchema.status(201)),
      error: scimErrors(400, 409, 413)
    }).pipe(
      scimMetadata({
        ...largeBody,
        audited: "scim.group_create",
        summary: "Provision a group",
        description: "Creates a team of the organization. Its members are users of the same directory."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, withBody("A group (RFC 7643, 4.2)."))
    ),
    HttpApiEndpoint.get("getGroup", groupPath, {
      params: groupParams,
      query: projection,
      success: Group,
      error: scimErrors(400, 404)
    }).pipe(scimMetadata({ versioned: true, summary: "Get a group of the directory" })),
    HttpApiEndpoint.put("replaceGroup", groupPath, {
      params: groupParams,
      query: projection,
      success: Group,
      error: scimErrors(400, 404, 409, 412, 413)
    }).pipe(
      scimMetadata({ ...largeBody, audited: "scim.group_update", summary: "Replace a group and its members" }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, combine(withBody("A complete group."), withParameter(ifMatch)))
    ),
    HttpApiEndpoint.patch("updateGroup", groupPath, {
      params: groupParams,
      query: projection,
      success: [Group, NoContent],
      error: scimErrors(400, 404, 409, 412, 413)
    }).pipe(
      scimMetadata({
        ...largeBody,
        audited: "scim.group_update",
        summary: "Update a group or its members",
        description: "Returns 204 without a body unless `attributes` or `excludedAttributes` is set."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, combine(patch, withParameter(ifMatch)))
    ),
    HttpApiEndpoint.delete("removeGroup", groupPath, {
      params: groupParams,
      success: NoContent,
      error: scimErrors(404, 412)
    }).pipe(
      scimMetadata({
        audited: "scim.group_delete",
        summary: "Deprovision a group",
        description: "Removes the team and its grants."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, withParameter(ifMatch))
    ),
    HttpApiEndpoint.post("searchGroups", "/v1/scim/v2/Groups/.search", {
      success: List,
      error: scimErrors(400, 413)
    }).pipe(scimMetadata({ summary: "Search the groups of the directory" }), (endpoint) =>
      endpoint.annotate(OpenApi.Transform, search)
    ),
    HttpApiEndpoint.post("search", "/v1/scim/v2/.search", { success: List, error: scimErrors(400, 413) }).pipe(
      scimMetadata({
        summary: "Search the users and groups of the directory",
        description: "Returns users first, then groups."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, search)
    ),
    HttpApiEndpoint.post("bulk", "/v1/scim/v2/Bulk", { success: Bulk, error: scimErrors(400, 413, 429) }).pipe(
      scimMetadata({
        ...largeBody,
        audited: "scim.user_create",
        summary: "Run several operations on users and groups",
        description:
          "Operations run one after another. Each has its own transaction, log entry, audit event and status, like a single request. An operation can reference a resource that another operation in the request creates, as `bulkId:…`. Every ten operations count as one request toward the rate limit. If the limit is exceeded, the response is 429 and no operation runs."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, bulk)
    )
  )
