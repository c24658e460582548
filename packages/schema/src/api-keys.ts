/** API keys: credentials of an organization for automation. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Permission } from "./roles.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const ApiKey = Schema.Struct({
  id: Ids.ApiKeyId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  hint: Schema.String.annotate({ description: "The first characters of the key, so that you can recognize it." }),
  permissions: Schema.Array(Permission),
  requestsPerMinute: Schema.Int,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "When the key was last used. Accurate to the hour." }),
  previousUsableUntil: Schema.NullOr(Timestamp).annotate({
    description: "When the previous secret expires, if the key was rotated."
  }),
  revokedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

const Permissions = Schema.Array(Permission).check(Schema.isMaxLength(100))
const RequestsPerMinute = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1200 }))

export const CreateApiKey = Schema.Struct({
  name: Text(1, 120).annotate({ description: "A label for the key." }),
  permissions: Permissions.annotate({
    description: "The permissions of the key. The caller must have each of them. An empty list grants no permissions."
  }),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(
      Text(1, 40).annotate({
        format: "date-time",
        description: "When the key expires: a date-time in the future, with an offset or `Z`. Default: never."
      })
    )
  ),
  requestsPerMinute: Schema.optionalKey(
    RequestsPerMinute.annotate({ description: "The rate limit of the key. Default: 1200." })
  )
}).annotate({ identifier: "CreateApiKey" })

/** An update can only restrict a key. */
export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120).annotate({ description: "A label for the key." })),
  permissions: Schema.optionalKey(Permissions.annotate({ description: "A subset of the key's current permissions." })),
  expiresAt: Schema.optionalKey(
    Text(1, 40).annotate({ format: "date-time", description: "A date-time no later than the current expiry." })
  ),
  requestsPerMinute: Schema.optionalKey(
    RequestsPerMinute.annotate({
      description: "The new rate limit of the key. It cannot be higher than the current one."
    })
  )
}).annotate({ identifier: "UpdateApiKey" })

export const RotateApiKey = Schema.Struct({
  graceSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({
      description: "How many seconds the old secret stays valid. Default: 0."
    })
  )
}).annotate({ identifier: "RotateApiKey" })

export class ApiKeyNotFound extends notFound("api_key")<ApiKeyNotFound>() {}
export class ApiKeyQuotaExceeded extends conflict(
  "quota_exceeded",
  "The organization has reached its limit of API keys. Revoke a key that is no longer used, then try again."
)<ApiKeyQuotaExceeded>() {}

const one = { apiKeyId: Ids.ApiKeyId }
const at = "/v1/api-keys/:apiKeyId"
const read = Access.permission("apiKeys:read")
const manage = Access.permission("apiKeys:manage")
const KeyResponse = Schema.Struct({ apiKey: ApiKey })
const KeyWithSecret = Schema.Struct({
  apiKey: ApiKey,
  key: Schema.String.annotate({ description: "The secret of the key. Returned only in this response." })
}).annotate({ identifier: "ApiKeyWithSecret" })

export const group = HttpApiGroup.make("apiKeys")
  .annotateMerge(OpenApi.annotations({ title: "API Keys", description: "Organization credentials for automation." }))
  .add(
    HttpApiEndpoint.post("create", "/v1/api-keys", {
      payload: CreateApiKey,
      success: KeyWithSecret.pipe(HttpApiSchema.status(201)),
      error: ApiKeyQuotaExceeded
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "apiKey.create",
        holdsSecret: true,
        idempotency: "fact",
        summary: "Create an API key",
        description:
          "Returns the secret once. Only a signed-in member can create a key: API keys cannot create or rotate API keys. Only an owner can grant `sessions:mint`."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/api-keys", {
      query: {
        ...pageQuery,
        q: search("Filter by part of the name or the hint. Case-insensitive."),
        revoked: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "`true`: only revoked keys. `false`: only keys that are not revoked. Default: `false`."
          })
        )
      },
      success: Page(ApiKey)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List API keys" })),
    HttpApiEndpoint.get("current", "/v1/api-keys/current", {
      success: KeyResponse,
      error: ApiKeyNotFound
    }).pipe(
      endpointMetadata({
        access: Access.member,
        summary: "Get the API key used for this request",
        description: "Returns 404 if the request was not made with an API key."
      })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: KeyResponse, error: ApiKeyNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Get an API key" })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateApiKey,
      success: KeyResponse,
      error: ApiKeyNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "apiKey.update",
        summary: "Rename or restrict an API key",
        description: "An update cannot add permissions or extend the expiry."
      })
    ),
    HttpApiEndpoint.post("rotate", `${at}/rotate`, {
      params: one,
      payload: RotateApiKey,
      success: KeyWithSecret,
      error: ApiKeyNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "apiKey.rotate",
        holdsSecret: true,
        idempotency: "fact",
        summary: "Rotate the secret of an API key",
        description: "Returns the new secret once. The old secret stays valid for `graceSeconds`."
      })
    ),
    HttpApiEndpoint.delete("revoke", at, { params: one, success: NoContent, error: ApiKeyNotFound }).pipe(
      endpointMetadata({
        access: manage,
        audited: "apiKey.revoke",
        summary: "Revoke an API key",
        description: "The key stops working immediately. Its record is kept for the audit log."
      })
    )
  )
