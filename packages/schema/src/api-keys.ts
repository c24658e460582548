/** API keys: credentials of the organization for its automation. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Permission } from "./roles.ts"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const ApiKey = Schema.Struct({
  id: Ids.ApiKeyId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  hint: Schema.String.annotate({ description: "The first characters of the key, to recognise it by." }),
  permissions: Schema.Array(Permission),
  requestsPerMinute: Schema.Int,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "To the hour." }),
  previousUsableUntil: Schema.NullOr(Timestamp).annotate({
    description: "Until then the key before the last rotation still works."
  }),
  revokedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

const Permissions = Schema.Array(Permission).check(Schema.isMaxLength(100))
const RequestsPerMinute = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1200 }))

export const CreateApiKey = Schema.Struct({
  name: Text(1, 120),
  permissions: Permissions.annotate({ description: "No more than the caller holds; none, no rights." }),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(
      Text(1, 40).annotate({
        format: "date-time",
        description: "With an offset or Z; in the future. Never unless told."
      })
    )
  ),
  requestsPerMinute: Schema.optionalKey(RequestsPerMinute)
}).annotate({ identifier: "CreateApiKey" })

/** A key can be narrowed, never widened. */
export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120)),
  permissions: Schema.optionalKey(Permissions.annotate({ description: "Some of those it has." })),
  expiresAt: Schema.optionalKey(Text(1, 40).annotate({ format: "date-time", description: "No later than it is." })),
  requestsPerMinute: Schema.optionalKey(RequestsPerMinute)
}).annotate({ identifier: "UpdateApiKey" })

export const RotateApiKey = Schema.Struct({
  graceSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({
      description: "How long the old key still works; 0 unless told."
    })
  )
}).annotate({ identifier: "RotateApiKey" })

export class ApiKeyNotFound extends notFound("api_key")<ApiKeyNotFound>() {}
export class ApiKeyQuotaExceeded extends conflict(
  "quota_exceeded",
  "The organization has as many API keys as it may."
)<ApiKeyQuotaExceeded>() {}

const one = { apiKeyId: Ids.ApiKeyId }
const at = "/v1/api-keys/:apiKeyId"
const read = Access.permission("apiKeys:read")
const manage = Access.permission("apiKeys:manage")
const KeyAnswer = Schema.Struct({ apiKey: ApiKey })
const KeyWithSecret = Schema.Struct({
  apiKey: ApiKey,
  key: Schema.String.annotate({ description: "Shown this once." })
}).annotate({ identifier: "ApiKeyWithSecret" })

export const group = HttpApiGroup.make("apiKeys")
  .annotateMerge(
    OpenApi.annotations({ title: "API keys", description: "Credentials of the organization for automation." })
  )
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
        summary: "Creates an API key; its secret is answered this once.",
        description: "By a person: a key never creates, widens or renews a key. `sessions:mint` needs an owner."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/api-keys", {
      query: { ...pageQuery, revoked: Schema.optionalKey(Schema.Literals(["true", "false"])) },
      success: Page(ApiKey)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the organization's API keys." })),
    HttpApiEndpoint.get("current", "/v1/api-keys/current", {
      success: KeyAnswer,
      error: ApiKeyNotFound
    }).pipe(
      endpointMetadata({ access: Access.member, summary: "Gets the API key of this request; 404 for a person." })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: KeyAnswer, error: ApiKeyNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Gets one API key, without its secret." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateApiKey,
      success: KeyAnswer,
      error: ApiKeyNotFound
    }).pipe(endpointMetadata({ access: manage, audited: "apiKey.update", summary: "Renames or narrows an API key." })),
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
        summary: "Gives an API key a new secret; the old one works for a grace."
      })
    ),
    HttpApiEndpoint.delete("revoke", at, { params: one, success: Done, error: ApiKeyNotFound }).pipe(
      endpointMetadata({
        access: manage,
        audited: "apiKey.revoke",
        summary: "Revokes an API key; it is kept for the audit."
      })
    )
  )
