/** LLM providers: sources of models for the members of an organization, and access to them. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound, Unavailable } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonInput, JsonObject, Text, Timestamp } from "./shared/values.ts"

// Entities

export const ApiFormat = Schema.Literals([
  "openai_compatible",
  "anthropic",
  "google",
  "azure_openai",
  "other"
]).annotate({
  identifier: "LlmApiFormat",
  description:
    "The provider's API format. It also determines the header that carries the key: `authorization` with Bearer, `x-api-key`, `x-goog-api-key` or `api-key`. `other` requires the provider's own library and cannot be tested."
})
export type ApiFormat = typeof ApiFormat.Type

export const CredentialMode = Schema.Literals(["shared", "per_member", "none"]).annotate({
  identifier: "LlmCredentialMode",
  description: "`shared`: one key for everyone with a grant. `per_member`: each member's own key. `none`: no key."
})
export type CredentialMode = typeof CredentialMode.Type

export const ProviderStatus = Schema.Literals(["not_connected", "ready"]).annotate({
  identifier: "LlmProviderStatus",
  description: "`not_connected`: no key is set for the caller. `ready`: a key is set, or none is needed."
})

export const Capability = Schema.Literals([
  "attachment",
  "reasoning",
  "tool_call",
  "temperature",
  "structured_output",
  "open_weights"
]).annotate({ identifier: "LlmCapability" })
export type Capability = typeof Capability.Type

const tokens = (description: string) => Schema.NullOr(Schema.Int).annotate({ description })

export const EnabledModel = Schema.Struct({
  id: Schema.String.annotate({ description: "The provider's id for the model." }),
  label: Schema.NullOr(Schema.String).annotate({
    description: "The display name. If null, the catalog's name is used."
  }),
  capabilities: Schema.NullOr(Schema.Array(Capability)),
  contextLimit: tokens(
    "The maximum number of tokens in a request and its response. If null, the catalog's value is used."
  ),
  outputLimit: tokens("The maximum number of tokens in a response. If null, the catalog's value is used.")
}).annotate({ identifier: "EnabledLlmModel" })
export type EnabledModel = typeof EnabledModel.Type

const Headers = Schema.Record(Schema.String, Schema.String)

export const LlmProvider = Schema.Struct({
  id: Ids.LlmProviderId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  providerId: Schema.String.annotate({ description: "An id from the catalog, or `custom`." }),
  apiFormat: ApiFormat,
  baseUrl: Schema.NullOr(Schema.String).annotate({
    description:
      "The base URL that the paths of the API format are appended to. Null if the provider's library has a built-in URL."
  }),
  env: Schema.Array(Schema.String).annotate({
    description: "Environment variables from which the provider's library reads a key."
  }),
  npm: Schema.NullOr(Schema.String).annotate({
    description: "The npm package for the provider, according to the catalog."
  }),
  docUrl: Schema.NullOr(Schema.String),
  models: Schema.NullOr(Schema.Array(EnabledModel)).annotate({
    description: "The models that can be used. If null, all models of the provider can be used."
  }),
  credentialMode: CredentialMode,
  status: ProviderStatus,
  statusReason: Schema.NullOr(Schema.String).annotate({
    description: "Why the provider is not ready, in one sentence."
  }),
  connectedForMe: Schema.Boolean.annotate({
    description:
      "Whether a key is set for the caller: the shared one or their own. Always true for a provider without credentials."
  }),
  headers: Headers.annotate({
    description: "Additional headers to send with every request. They must not contain secrets."
  }),
  options: JsonObject.annotate({ description: "Options for the provider's library. They must not contain secrets." }),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "LlmProvider" })
export type LlmProvider = typeof LlmProvider.Type

export const LlmProviderGrant = Grants.Grant("lla", "LlmProviderGrant")

// Payloads

const urlLengthMax = 2048

/**
 * The path of the API format is appended to it, so it has no query and no fragment. It is checked again at every
 * request.
 */
export const BaseUrl = Text(1, urlLengthMax)
  .check(
    Schema.makeFilter((text: string) => {
      const url = URL.parse(text)
      const isPlain =
        url !== null &&
        (url.protocol === "https:" || url.protocol === "http:") &&
        url.username === "" &&
        url.password === "" &&
        !/[?#]/u.test(text)
      if (!isPlain) return "must be an http or https URL without user info, query or fragment"
      return url.href.length <= urlLengthMax
        ? undefined
        : `must be at most ${urlLengthMax} characters after percent-encoding`
    })
  )
  .annotate({
    description:
      "An https URL, such as `https://llm.example/v1`. Plain http is accepted only if the operator allows it."
  })

/** Names that suggest a secret. The value would be readable by everyone with a grant. */
const secretName =
  /key(?!words?$|board$|frame)|secret|passw|passphrase|credential|authorization|cookie|signature|token(?!s$|i[sz])/iu
const ofHttp = /^(?:host|content-.*|transfer-encoding|connection|upgrade|te|trailer|accept.*|origin|expect|proxy-.*)$/iu
const headersMax = 16

const ProviderHeader = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7E]{1,1024}$/u, { message: "must be at most 1024 printable ASCII characters" })
)

const ProviderHeaders = Schema.Record(Schema.String, ProviderHeader)
  .check(
    Schema.makeFilter((headers: Readonly<Record<string, string>>) => {
      const all = Object.entries(headers)
      if (all.length > headersMax) return `must have at most ${headersMax} headers`
      if (new Set(all.map(([name]) => name.toLowerCase())).size < all.length)
        return "must include each header only once"
      for (const [name] of all) {
        if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/u.test(name)) return "must contain valid header names"
        if (ofHttp.test(name)) return "must not include a reserved header"
        if (secretName.test(name)) return "must not contain a key: set it as the credential, which is stored encrypted"
      }
      return undefined
    })
  )
  .annotate({ description: "Additional headers to send with every request, at most 16. Must not contain secrets." })

const optionsBytesMax = 16_384
const namesSecret = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(namesSecret)
    : typeof value === "object" &&
      value !== null &&
      Object.entries(value).some(
        ([name, inner]) => (typeof inner === "string" && secretName.test(name)) || namesSecret(inner)
      )

const ProviderOptions = JsonInput.check(
  Schema.makeFilter((options: Schema.JsonObject) => {
    if (JSON.stringify(options).length > optionsBytesMax) return `must be at most ${optionsBytesMax} characters of JSON`
    return namesSecret(options)
      ? "must not contain a key: set it as the credential, which is stored encrypted"
      : undefined
  })
).annotate({ description: "Options for the provider's library: at most 16 KiB of JSON. Must not contain secrets." })

const ModelId = Text(1, 255).check(Schema.isPattern(/^\S+$/u, { message: "must not contain spaces" }))
const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))

export const EnableModel = Schema.Struct({
  id: ModelId,
  label: Schema.optionalKey(Schema.NullOr(Text(1, 255))),
  capabilities: Schema.optionalKey(Schema.NullOr(Schema.Array(Capability).check(Schema.isMaxLength(16)))),
  contextLimit: Schema.optionalKey(Schema.NullOr(Tokens)),
  outputLimit: Schema.optionalKey(Schema.NullOr(Tokens))
}).annotate({ identifier: "EnableLlmModel" })

const EnableModels = Schema.Array(EnableModel)
  .check(
    Schema.isMaxLength(500),
    Schema.makeFilter((models: ReadonlyArray<{ readonly id: string }>) =>
      new Set(models.map(({ id }) => id)).size < models.length ? "must include each model only once" : undefined
    )
  )
  .annotate({ identifier: "EnableLlmModels" })

const ProviderId = Text(1, 64)
  .check(Schema.isPattern(/^[a-z0-9][a-z0-9._-]*$/u, { message: "must be an id from the catalog, or `custom`" }))
  .annotate({ description: "An id from the catalog, or `custom` for your own URL." })

const settings = {
  baseUrl: Schema.optionalKey(BaseUrl),
  apiFormat: Schema.optionalKey(ApiFormat),
  env: Schema.optionalKey(
    Schema.Array(
      Text(1, 64).check(Schema.isPattern(/^[A-Za-z_]\w*$/u, { message: "must be the name of an environment variable" }))
    )
      .check(Schema.isMaxLength(8))
      .annotate({ description: "The environment variables from which the provider's library reads the key." })
  ),
  models: Schema.optionalKey(
    Schema.NullOr(EnableModels).annotate({
      description: "The models that can be used. Null allows all models of the provider. Default: null."
    })
  ),
  headers: Schema.optionalKey(ProviderHeaders),
  options: Schema.optionalKey(ProviderOptions)
}

export const CreateLlmProvider = Schema.Struct({
  name: Text(1, 255).annotate({ description: "Must be unique in the organization." }),
  providerId: ProviderId,
  credentialMode: Schema.optionalKey(
    CredentialMode.annotate({
      description:
        "`shared`: one key for everyone with a grant. `per_member`: each member's own key. `none`: no key. Default: `shared`."
    })
  ),
  ...settings
}).annotate({ identifier: "CreateLlmProvider" })

export const UpdateLlmProvider = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Must be unique in the organization." })),
  providerId: Schema.optionalKey(ProviderId),
  credentialMode: Schema.optionalKey(CredentialMode),
  ...settings
}).annotate({ identifier: "UpdateLlmProvider" })

// Errors

/** The provider does not exist, belongs to another organization, or is not visible to the caller. */
export class LlmProviderNotFound extends notFound("llm_provider")<LlmProviderNotFound>() {}
export class LlmProviderExists extends conflict(
  "llm_provider_exists",
  "The organization already has an LLM provider with this name. Choose another name."
)<LlmProviderExists>() {}
export class LlmProviderGrantNotFound extends notFound("llm_provider_grant")<LlmProviderGrantNotFound>() {}
/** The operator has turned the catalog off. */
export class ModelCatalogNotConfigured extends conflict(
  "model_catalog_not_configured",
  "The operator of this server has turned the model catalog off. Use providerId custom with your own baseUrl."
)<ModelCatalogNotConfigured>() {}

// Operations

export const one = { llmProviderId: Ids.LlmProviderId }
export const at = "/v1/llm-providers/:llmProviderId"
const read = Access.permission("llmProviders:read")
const write = Access.permission("llmProviders:write")
const manage = Access.permission("llmProviders:manage")
export const ProviderResponse = Schema.Struct({ llmProvider: LlmProvider })
const GrantResponse = Schema.Struct({ grant: LlmProviderGrant })

export const group = HttpApiGroup.make("llmProviders")
  .annotateMerge(
    OpenApi.annotations({
      title: "LLM Providers",
      description: "Model providers shared with members, chosen from the catalog or defined by a URL."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/llm-providers", {
      payload: CreateLlmProvider,
      success: ProviderResponse.pipe(HttpApiSchema.status(201)),
      error: [LlmProviderExists, ModelCatalogNotConfigured, Unavailable]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "llm_provider.create",
        summary: "Create an LLM provider",
        description:
          "The provider is private and is not contacted yet. For a provider from the catalog, the URL, API format and environment variables default to the catalog's values."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/llm-providers", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the name. Case-insensitive." }))
      },
      success: Page(LlmProvider)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List LLM providers",
        description: "Returns the providers that the caller can see."
      })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: ProviderResponse, error: LlmProviderNotFound }).pipe(
      endpointMetadata({
        versioned: "match",
        access: read,
        summary: "Get an LLM provider"
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateLlmProvider,
      success: ProviderResponse,
      error: [LlmProviderNotFound, LlmProviderExists, ModelCatalogNotConfigured, Unavailable]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "llm_provider.update",
        summary: "Update an LLM provider",
        description: "Requires manager access. Changing the provider, URL or credential mode deletes its keys."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: LlmProviderNotFound }).pipe(
      endpointMetadata({
        access: manage,
        versioned: true,
        audited: "llm_provider.remove",
        summary: "Remove an LLM provider",
        description: "Also deletes its keys and revokes its grants."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(LlmProviderGrant),
      error: LlmProviderNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the access grants of an LLM provider" })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [GrantResponse.pipe(HttpApiSchema.status(201)), GrantResponse],
      error: LlmProviderNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "llm_provider.grant",
        summary: "Grant access to an LLM provider",
        description:
          "Returns 200 instead of 201 when the recipient already had a grant. To receive the key, owners and admins also need a grant that includes them."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.LlmProviderGrantId },
      success: NoContent,
      error: [LlmProviderNotFound, LlmProviderGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "llm_provider.revoke",
        summary: "Revoke access to an LLM provider",
        description: "The revoked grant is kept as history."
      })
    )
  )
