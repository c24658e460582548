/** SCIM 2.0 (RFC 7643, RFC 7644) as identity providers speak it; directories as an admin sees them are in `scim`. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, type EndpointOptions, endpointMetadata } from "./shared/endpoint.ts"
import { ScimError, scimMediaType, scimRefused } from "./shared/scim-error.ts"

/** Bytes of the largest request that is taken: a group of 10 000 members is well below. */
export const bodyBytesMax = 4_194_304
/** Resources in one page, and in one of which nobody said how long it is to be. */
export const countMax = 200
export const countDefault = 100
/** Operations in one bulk request. */
export const bulkOperationsMax = 1000

const inScim = HttpApiSchema.asJson({ contentType: scimMediaType })

// Which attributes a resource has, and what they are like, is what `/Schemas` answers: any of them may be left out.

const anything = Schema.Record(Schema.String, Schema.Json)

export const ScimUserResource = anything.annotate({
  identifier: "ScimUserResource",
  description: "A user (RFC 7643, 4.1) with the enterprise extension."
})

export const ScimGroupResource = anything.annotate({
  identifier: "ScimGroupResource",
  description: "A group (RFC 7643, 4.2): a team of the organization."
})

export const ScimDocument = anything.annotate({ identifier: "ScimDocument" })

export const ScimListResponse = Schema.Struct({
  schemas: Schema.Array(Schema.String),
  totalResults: Schema.Int,
  startIndex: Schema.Int,
  itemsPerPage: Schema.Int.annotate({
    description: "May be less than was asked for: groups with thousands of members make pages short."
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
        Schema.String.annotate({ description: "Of the resource; not of one that was not made." })
      ),
      version: Schema.optionalKey(Schema.String.annotate({ description: "Of the resource, once it was done." })),
      status: Schema.String.annotate({ description: "As the same request by itself is answered." }),
      response: Schema.optionalKey(ScimError.annotate({ description: "Of what was refused, why." }))
    })
  ).annotate({ description: "In the order of the request, without those that were not tried." })
}).annotate({ identifier: "ScimBulkResponse" })

// Operations

/** A path names a resource by any text: one that is nobody's id is as unknown as one of another directory. */
const UserPathId = Schema.String.annotate({ identifier: "SCIMUserPathId", description: "The `id` of a user." })
const GroupPathId = Schema.String.annotate({ identifier: "SCIMGroupPathId", description: "The `id` of a group." })

const projection = {
  attributes: Schema.optionalKey(
    Schema.String.annotate({ description: "Attributes to answer instead of the usual ones, separated by commas." })
  ),
  excludedAttributes: Schema.optionalKey(
    Schema.String.annotate({ description: "Of the usual attributes those to leave out, separated by commas." })
  )
}
const listing = {
  ...projection,
  filter: Schema.optionalKey(
    Schema.String.annotate({ description: 'As RFC 7644, 3.4.2.2 writes it: `userName eq "ann@example.com"`.' })
  ),
  sortBy: Schema.optionalKey(Schema.String.annotate({ description: "An attribute; unless told, the id." })),
  sortOrder: Schema.optionalKey(Schema.String.annotate({ description: "`ascending`, unless told, or `descending`." })),
  startIndex: Schema.optionalKey(Schema.String.annotate({ description: "Of the first result, from 1." })),
  count: Schema.optionalKey(
    Schema.String.annotate({
      description: `Results in the page: ${countDefault} unless told, ${countMax} at most; 0 only counts.`
    })
  )
}

const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "The version that was read; 412 when the resource is another by now."
}

type Printed = Record<string, unknown>
type Change = (operation: Printed) => Printed

/** Bodies come under two media types, so the server reads them itself and the framework is told of none. */
const takes =
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

const told =
  (header: object): Change =>
  (operation) => {
    const known: unknown = operation["parameters"]
    const parameters: ReadonlyArray<unknown> = Array.isArray(known) ? known : []
    return { ...operation, parameters: [...parameters, header] }
  }

const both =
  (...changes: ReadonlyArray<Change>): Change =>
  (operation) =>
    changes.reduce((changed, change) => change(changed), operation)

/** A directory calls, and what it sends twice it finds done: there are no keys to repeat a request by. */
const spoken = (said: Omit<EndpointOptions, "access" | "idempotency">) =>
  endpointMetadata({ ...said, access: Access.scim, idempotency: "none" })

const changedBy = { bodyBytesMax }
const aUserId = { scimUserId: UserPathId }
const aGroupId = { scimGroupId: GroupPathId }
const aUser = "/v1/scim/v2/Users/:scimUserId"
const aGroup = "/v1/scim/v2/Groups/:scimGroupId"
const User = ScimUserResource.pipe(inScim)
const Group = ScimGroupResource.pipe(inScim)
const List = ScimListResponse.pipe(inScim)
const Document = ScimDocument.pipe(inScim)
const Bulk = ScimBulkResponse.pipe(inScim)

const patch = takes("`PatchOp` with at most 1 000 operations (RFC 7644, 3.5.2).")
const search = takes("`SearchRequest` (RFC 7644, 3.4.3).")
const bulk = takes(`\`BulkRequest\` with 1 to ${bulkOperationsMax} operations on users and groups (RFC 7644, 3.7).`)

export const group = HttpApiGroup.make("scimProtocol")
  .annotateMerge(
    OpenApi.annotations({
      title: "SCIM protocol",
      description:
        "SCIM 2.0 for identity providers: RFC 7643 and RFC 7644 below `/v1/scim/v2`, with the token of a directory. Every refusal is a `ScimError`."
    })
  )
  .add(
    HttpApiEndpoint.get("getServiceProviderConfig", "/v1/scim/v2/ServiceProviderConfig", {
      success: Document,
      error: scimRefused(403)
    }).pipe(spoken({ summary: "Says what of SCIM is supported, and its limits." })),
    HttpApiEndpoint.get("listResourceTypes", "/v1/scim/v2/ResourceTypes", {
      success: List,
      error: scimRefused(403)
    }).pipe(spoken({ summary: "Lists the kinds of resources: users and groups." })),
    HttpApiEndpoint.get("getResourceType", "/v1/scim/v2/ResourceTypes/:resourceType", {
      params: { resourceType: Schema.String },
      success: Document,
      error: scimRefused(403, 404)
    }).pipe(spoken({ summary: "Gets one kind of resources." })),
    HttpApiEndpoint.get("listSchemas", "/v1/scim/v2/Schemas", { success: List, error: scimRefused(403) }).pipe(
      spoken({ summary: "Lists the schemas, with what each attribute is like." })
    ),
    HttpApiEndpoint.get("getSchema", "/v1/scim/v2/Schemas/:schema", {
      params: { schema: Schema.String },
      success: Document,
      error: scimRefused(403, 404)
    }).pipe(spoken({ summary: "Gets one schema by its URN." })),
    HttpApiEndpoint.get("getMe", "/v1/scim/v2/Me", { success: User, error: scimRefused(501) }).pipe(
      spoken({ summary: "Is not supported: a directory is nobody. Always 501." })
    ),
    HttpApiEndpoint.get("listUsers", "/v1/scim/v2/Users", {
      query: listing,
      success: List,
      error: scimRefused(400)
    }).pipe(spoken({ summary: "Lists the directory's users." })),
    HttpApiEndpoint.post("createUser", "/v1/scim/v2/Users", {
      query: projection,
      success: User.pipe(HttpApiSchema.status(201)),
      error: scimRefused(400, 409, 413)
    }).pipe(
      spoken({
        audited: "scim.user_create",
        summary: "Provisions a user: an active one becomes a member.",
        description:
          "A person is found by an address in a domain that the organization has verified, and nowhere else. 409 where the userName is taken."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, takes("A user (RFC 7643, 4.1)."))
    ),
    HttpApiEndpoint.get("getUser", aUser, {
      params: aUserId,
      query: projection,
      success: User,
      error: scimRefused(400, 404)
    }).pipe(spoken({ versioned: true, summary: "Gets one user." })),
    HttpApiEndpoint.put("replaceUser", aUser, {
      params: aUserId,
      query: projection,
      success: User,
      error: scimRefused(400, 403, 404, 409, 412, 413)
    }).pipe(
      spoken({
        audited: "scim.user_update",
        summary: "Replaces a user; what is not named is gone.",
        description: "But for `active`, which stays as it is. `active: false` ends the membership, or is held."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, both(takes("A whole user."), told(ifMatch)))
    ),
    HttpApiEndpoint.patch("updateUser", aUser, {
      params: aUserId,
      query: projection,
      success: User,
      error: scimRefused(400, 403, 404, 409, 412, 413)
    }).pipe(
      spoken({
        audited: "scim.user_update",
        summary: "Changes attributes of a user.",
        description: "`active: false` ends the membership and that organization's sessions, or is held."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, both(patch, told(ifMatch)))
    ),
    HttpApiEndpoint.delete("removeUser", aUser, {
      params: aUserId,
      success: Done,
      error: scimRefused(403, 404, 412)
    }).pipe(
      spoken({
        audited: "scim.user_delete",
        summary: "Deprovisions a user: the membership and that organization's sessions end, or it is held."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, told(ifMatch))
    ),
    HttpApiEndpoint.post("searchUsers", "/v1/scim/v2/Users/.search", {
      success: List,
      error: scimRefused(400, 413)
    }).pipe(spoken({ summary: "Lists users by a request in the body." }), (endpoint) =>
      endpoint.annotate(OpenApi.Transform, search)
    ),
    HttpApiEndpoint.get("listGroups", "/v1/scim/v2/Groups", {
      query: listing,
      success: List,
      error: scimRefused(400)
    }).pipe(
      spoken({
        summary: "Lists the directory's groups.",
        description: "With their members a page holds at most 10 000 of these, and at least one group."
      })
    ),
    HttpApiEndpoint.post("createGroup", "/v1/scim/v2/Groups", {
      query: projection,
      success: Group.pipe(HttpApiSchema.status(201)),
      error: scimRefused(400, 409, 413)
    }).pipe(
      spoken({
        ...changedBy,
        audited: "scim.group_create",
        summary: "Provisions a group: a team of the organization.",
        description: "Its members are users of the same directory."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, takes("A group (RFC 7643, 4.2)."))
    ),
    HttpApiEndpoint.get("getGroup", aGroup, {
      params: aGroupId,
      query: projection,
      success: Group,
      error: scimRefused(400, 404)
    }).pipe(spoken({ versioned: true, summary: "Gets one group." })),
    HttpApiEndpoint.put("replaceGroup", aGroup, {
      params: aGroupId,
      query: projection,
      success: Group,
      error: scimRefused(400, 404, 409, 412, 413)
    }).pipe(
      spoken({ ...changedBy, audited: "scim.group_update", summary: "Replaces a group and who is in it." }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, both(takes("A whole group."), told(ifMatch)))
    ),
    HttpApiEndpoint.patch("updateGroup", aGroup, {
      params: aGroupId,
      query: projection,
      success: [Group, Done],
      error: scimRefused(400, 404, 409, 412, 413)
    }).pipe(
      spoken({
        ...changedBy,
        audited: "scim.group_update",
        summary: "Changes a group or who is in it.",
        description: "Answers 204 without a body unless `attributes` or `excludedAttributes` ask for one."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, both(patch, told(ifMatch)))
    ),
    HttpApiEndpoint.delete("removeGroup", aGroup, {
      params: aGroupId,
      success: Done,
      error: scimRefused(404, 412)
    }).pipe(
      spoken({ audited: "scim.group_delete", summary: "Deprovisions a group: the team and its grants end." }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, told(ifMatch))
    ),
    HttpApiEndpoint.post("searchGroups", "/v1/scim/v2/Groups/.search", {
      success: List,
      error: scimRefused(400, 413)
    }).pipe(spoken({ summary: "Lists groups by a request in the body." }), (endpoint) =>
      endpoint.annotate(OpenApi.Transform, search)
    ),
    HttpApiEndpoint.post("search", "/v1/scim/v2/.search", { success: List, error: scimRefused(400, 413) }).pipe(
      spoken({ summary: "Lists users, and then groups, by a request in the body." }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, search)
    ),
    HttpApiEndpoint.post("bulk", "/v1/scim/v2/Bulk", { success: Bulk, error: scimRefused(400, 413, 429) }).pipe(
      spoken({
        ...changedBy,
        audited: "scim.user_create",
        summary: "Does several operations on users and groups, one after another.",
        description:
          "Each is a transaction of its own, and is logged, audited and answered as the same request by itself. Operations may name what others make by `bulkId:…`. For each ten it counts as one request; 429 does none of them."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, bulk)
    )
  )
