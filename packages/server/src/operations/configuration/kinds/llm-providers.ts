import type { EnabledModel } from "@orgplane/schema/llm-providers"
import type { LlmProviderEntry } from "@orgplane/schema/shared/configuration-outside"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { LlmConnectService } from "../../../agents/llm-providers/connect-service.ts"
import * as repo from "../../../agents/llm-providers/repo.ts"
import type { LlmProvidersService } from "../../../agents/llm-providers/service.ts"
import type { OAuthTokens } from "../../../agents/oauth/index.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { accessReferences, normalizeAccess, readAccess, setAccess } from "../access.ts"
import { defined } from "../defined.ts"
import { at, currentSecret, type Kind, type Names } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import { sharedKey } from "../shared-key.ts"

type Entry = Omit<typeof LlmProviderEntry.Type, "key">
/** An entry with its secret in place of the reference. */
type Input = Omit<Entry, "apiKey"> & { readonly apiKey?: Redacted.Redacted }
type Model = NonNullable<NonNullable<Entry["models"]>>[number]

/** A model without the members that the catalog decides. */
const modelOf = ({ capabilities, contextLimit, id, label, outputLimit }: Model | EnabledModel) => ({
  id,
  ...(label == null ? {} : { label }),
  ...(capabilities == null ? {} : { capabilities: [...new Set(capabilities)] }),
  ...(contextLimit == null ? {} : { contextLimit }),
  ...(outputLimit == null ? {} : { outputLimit })
})

/** LLM providers, with their shared key and their grants. */
export const llmProvidersKind = (
  sql: Sql,
  providers: LlmProvidersService["Service"],
  keys: LlmConnectService["Service"],
  tokens: OAuthTokens["Service"]
): Kind => {
  const put = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"llm">,
    { access, apiKey, credentialMode }: Partial<Input>,
    names: Names,
    isNew: boolean
  ) {
    if (apiKey !== undefined) {
      // For another mode, the key would become the caller's own.
      if (credentialMode !== "shared") {
        return yield* InvalidRequest.at(["apiKey"], "is not allowed unless credentialMode is shared")
      }
      yield* keys.setCredential(caller, id, Redacted.value(apiKey))
    }
    if (access !== undefined) yield* setAccess(sql, caller, "llmProvider", id, providers, access, names, isNew)
  })
  return {
    kind: "llmProviders",
    refersTo: ["teams"],
    grantedAs: ["llmProvider"],
    permissions: {
      read: ["llmProviders:read", "members:read"],
      write: "llmProviders:write",
      remove: "llmProviders:manage",
      fields: { access: "llmProviders:read", apiKey: "llmProviders:read" }
    },
    secrets: {
      prefix: "LLM",
      fields: [{ field: "apiKey", resetBy: ["providerId", "baseUrl", "credentialMode"] }],
      read: ({ organizationId }, { id }) => sharedKey(tokens, organizationId, repo.purpose, id)
    },
    read: Effect.fnUntraced(function* (caller, names) {
      const accessOf = yield* readAccess(sql, caller.organizationId, "llmProvider", names)
      const rows = yield* readPages((after, limit) => repo.list(sql, caller, undefined, after, limit))
      return rows.map((row) => ({
        id: row.id,
        version: row.version,
        name: row.name,
        item: {
          name: row.name,
          providerId: row.provider_id,
          credentialMode: row.credential_mode,
          apiFormat: row.api_format,
          ...(row.base_url === null ? {} : { baseUrl: row.base_url }),
          env: row.env_json,
          models: row.models_json?.map(modelOf) ?? null,
          headers: row.headers_json,
          options: row.options_json,
          ...(row.credential_mode === "shared" && row.has_credential ? { apiKey: currentSecret } : {}),
          access: accessOf(row.id)
        }
      }))
    }),
    normalize: (item) => {
      const { access, env, models, ...rest } = item as unknown as Entry
      return {
        ...rest,
        ...defined({
          env: env && [...new Set(env)],
          models: models?.map(modelOf) ?? models,
          access: access && normalizeAccess(access)
        })
      }
    },
    references: (item) => accessReferences((item as unknown as Entry).access),
    create: Effect.fnUntraced(function* (caller, item, { names }) {
      const { access: _access, apiKey: _apiKey, ...input } = item as unknown as Input
      const { id } = yield* providers.create(caller, input)
      yield* put(caller, id, { credentialMode: "shared", ...(item as unknown as Input) }, names, true)
      return id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields, { names }) {
      const id = current.id as Id<"llm">
      const { access: _access, apiKey: _apiKey, ...input } = fields as Partial<Input>
      if (Object.keys(input).length > 0) yield* providers.update(at(caller, current), id, input)
      const { credentialMode } = current.item as unknown as Entry
      yield* put(caller, id, { ...defined({ credentialMode }), ...(fields as Partial<Input>) }, names, false)
    }),
    remove: (caller, current) => providers.remove(at(caller, current), current.id as Id<"llm">)
  }
}
