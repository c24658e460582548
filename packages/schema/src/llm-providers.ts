/** LLM providers: where the models come from that an organization's people may use, and who may use them. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
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
    "How the provider is spoken to, and in which header its key goes: `authorization` with Bearer, `x-api-key`, `x-goog-api-key`, `api-key`. `other` is known to the provider's own library alone, and cannot be tested."
})
export type ApiFormat = typeof ApiFormat.Type

export const CredentialMode = Schema.Literals(["shared", "per_member", "none"]).annotate({
  identifier: "LlmCredentialMode",
  description: "One key that everybody with a grant uses, each member's own, or none at all."
})
export type CredentialMode = typeof CredentialMode.Type

export const ProviderStatus = Schema.Literals(["not_connected", "ready"]).annotate({
  identifier: "LlmProviderStatus",
  description: "For the caller: there is no key yet that they would use; or there is one, or none is needed."
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
  id: Schema.String.annotate({ description: "As the provider calls it." }),
  label: Schema.NullOr(Schema.String).annotate({ description: "As people are shown it; null: as the catalogue says." }),
  capabilities: Schema.NullOr(Schema.Array(Capability)),
  contextLimit: tokens("Tokens that fit into a request with its answer; null: what the catalogue says."),
  outputLimit: tokens("Tokens of an answer; null: what the catalogue says.")
}).annotate({ identifier: "EnabledLlmModel" })
export type EnabledModel = typeof EnabledModel.Type

const Headers = Schema.Record(Schema.String, Schema.String)

export const LlmProvider = Schema.Struct({
  id: Ids.LlmProviderId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  providerId: Schema.String.annotate({ description: "Of the catalogue, or `custom`." }),
  apiFormat: ApiFormat,
  baseUrl: Schema.NullOr(Schema.String).annotate({
    description: "What the paths of the format come after; null where the provider's library knows it."
  }),
  env: Schema.Array(Schema.String).annotate({
    description: "Environment variables that its library reads a key from."
  }),
  npm: Schema.NullOr(Schema.String).annotate({ description: "The package that speaks to it, by the catalogue." }),
  docUrl: Schema.NullOr(Schema.String),
  models: Schema.NullOr(Schema.Array(EnabledModel)).annotate({
    description: "Those that may be used; null for all that the provider has."
  }),
  credentialMode: CredentialMode,
  status: ProviderStatus,
  statusReason: Schema.NullOr(Schema.String).annotate({ description: "Why it is not ready, in one sentence." }),
  connectedForMe: Schema.Boolean.annotate({
    description: "There is a key the caller would use: the shared one, or their own. Always of a provider without."
  }),
  headers: Headers.annotate({ description: "Further headers of every request; none of them is secret." }),
  options: JsonObject.annotate({ description: "For the library that speaks to it; nothing in it is secret." }),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "LlmProvider" })
export type LlmProvider = typeof LlmProvider.Type

export const LlmProviderGrant = Grants.Grant("lla", "LlmProviderGrant")

// Payloads

const urlLengthMax = 2048

/** The path of a format is put behind it, so it has neither query nor fragment; judged again whenever it is asked. */
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
      if (!isPlain) return "must be an http or https address without user info, query and fragment"
      return url.href.length <= urlLengthMax
        ? undefined
        : `must be at most ${urlLengthMax} characters long when it is percent-encoded`
    })
  )
  .annotate({ description: "https; plain http only where the operator allows it. As `https://llm.example/v1`." })

/** Names under which a secret would lie where everybody with a grant can read it. */
const secretName =
  /key(?!words?$|board$|frame)|secret|passw|passphrase|credential|authorization|cookie|signature|token(?!s$|i[sz])/iu
const ofHttp = /^(?:host|content-.*|transfer-encoding|connection|upgrade|te|trailer|accept.*|origin|expect|proxy-.*)$/iu
const headersMax = 16

const ProviderHeader = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7E]{1,1024}$/u, { message: "must be at most 1024 printable characters" })
)

const ProviderHeaders = Schema.Record(Schema.String, ProviderHeader)
  .check(
    Schema.makeFilter((headers: Readonly<Record<string, string>>) => {
      const all = Object.entries(headers)
      if (all.length > headersMax) return `must be at most ${headersMax} headers`
      if (new Set(all.map(([name]) => name.toLowerCase())).size < all.length) return "must name each header once"
      for (const [name] of all) {
        if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/u.test(name)) return "must have the names of headers"
        if (ofHttp.test(name)) return "must not name a header that HTTP itself uses"
        if (secretName.test(name)) return "must not hold a key: the credential's own operations keep it sealed"
      }
      return undefined
    })
  )
  .annotate({ description: "At most sixteen, none of them secret." })

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
    return namesSecret(options) ? "must not hold a key: the credential's own operations keep it sealed" : undefined
  })
).annotate({ description: "At most 16 KiB, nothing of it secret." })

const ModelId = Text(1, 255).check(Schema.isPattern(/^\S+$/u, { message: "must be without spaces" }))
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
      new Set(models.map(({ id }) => id)).size < models.length ? "must name each model once" : undefined
    )
  )
  .annotate({ identifier: "EnableLlmModels" })

const ProviderId = Text(1, 64)
  .check(Schema.isPattern(/^[a-z0-9][a-z0-9._-]*$/u, { message: "must be an id of the catalogue, or custom" }))
  .annotate({ description: "Of the catalogue; `custom` for an address of your own." })

const settings = {
  baseUrl: Schema.optionalKey(BaseUrl),
  apiFormat: Schema.optionalKey(ApiFormat),
  env: Schema.optionalKey(
    Schema.Array(
      Text(1, 64).check(Schema.isPattern(/^[A-Za-z_]\w*$/u, { message: "must be the name of a variable" }))
    ).check(Schema.isMaxLength(8))
  ),
  models: Schema.optionalKey(Schema.NullOr(EnableModels).annotate({ description: "Null for all, as unless told." })),
  headers: Schema.optionalKey(ProviderHeaders),
  options: Schema.optionalKey(ProviderOptions)
}

export const CreateLlmProvider = Schema.Struct({
  name: Text(1, 255).annotate({ description: "Unique in the organization." }),
  providerId: ProviderId,
  credentialMode: Schema.optionalKey(CredentialMode.annotate({ description: "`shared` unless told." })),
  ...settings
}).annotate({ identifier: "CreateLlmProvider" })

export const UpdateLlmProvider = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255)),
  providerId: Schema.optionalKey(ProviderId),
  credentialMode: Schema.optionalKey(CredentialMode),
  ...settings
}).annotate({ identifier: "UpdateLlmProvider" })

// Errors

/** It is absent, of another organization, or no grant shows it to the caller. */
export class LlmProviderNotFound extends notFound("llm_provider")<LlmProviderNotFound>() {}
export class LlmProviderExists extends conflict(
  "llm_provider_exists",
  "The organization has a provider with this name."
)<LlmProviderExists>() {}
export class LlmProviderGrantNotFound extends notFound("llm_provider_grant")<LlmProviderGrantNotFound>() {}
/** The operator has turned the catalogue off. */
export class ModelCatalogNotConfigured extends conflict(
  "model_catalog_not_configured",
  "The operator of this server has turned the catalogue of models off; a provider with an address of your own, providerId custom, needs none."
)<ModelCatalogNotConfigured>() {}

// Operations

export const one = { llmProviderId: Ids.LlmProviderId }
export const at = "/v1/llm-providers/:llmProviderId"
const read = Access.permission("llmProviders:read")
const write = Access.permission("llmProviders:write")
const manage = Access.permission("llmProviders:manage")
export const ProviderAnswer = Schema.Struct({ llmProvider: LlmProvider })
const GrantAnswer = Schema.Struct({ grant: LlmProviderGrant })

export const group = HttpApiGroup.make("llmProviders")
  .annotateMerge(
    OpenApi.annotations({
      title: "LLM providers",
      description: "Where models come from: chosen from a catalogue or named by their address, shared, handed out."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/llm-providers", {
      payload: CreateLlmProvider,
      success: ProviderAnswer.pipe(HttpApiSchema.status(201)),
      error: [LlmProviderExists, ModelCatalogNotConfigured, Unavailable]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "llm_provider.create",
        summary: "Creates a private provider; nothing is asked of it yet.",
        description:
          "Of a provider of the catalogue address, format and names of variables are taken from there unless told."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/llm-providers", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the name, in any case." }))
      },
      success: Page(LlmProvider)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the providers the caller can see." })),
    HttpApiEndpoint.get("get", at, { params: one, success: ProviderAnswer, error: LlmProviderNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Gets one provider." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateLlmProvider,
      success: ProviderAnswer,
      error: [LlmProviderNotFound, LlmProviderExists, ModelCatalogNotConfigured, Unavailable]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "llm_provider.update",
        summary: "Updates a provider; another provider, address or mode deletes its keys.",
        description: "Takes a manager."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: Done, error: LlmProviderNotFound }).pipe(
      endpointMetadata({
        access: manage,
        versioned: true,
        audited: "llm_provider.remove",
        summary: "Removes a provider with its keys and grants."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(LlmProviderGrant),
      error: LlmProviderNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the grants of a provider." })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [GrantAnswer.pipe(HttpApiSchema.status(201)), GrantAnswer],
      error: LlmProviderNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "llm_provider.grant",
        summary: "Grants access to a provider; 200 when the receiver had a grant.",
        description: "To be handed its key takes a grant that names one, also of owners and admins."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.LlmProviderGrantId },
      success: Done,
      error: [LlmProviderNotFound, LlmProviderGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "llm_provider.revoke",
        summary: "Revokes one grant; it is kept as history."
      })
    )
  )
