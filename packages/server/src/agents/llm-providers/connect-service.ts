import type { CatalogModel } from "@orgplane/schema/llm-catalog"
import {
  type ConnectedModel,
  LlmCredentialNotFound,
  type LlmConnection,
  type LlmProviderTest,
  type TestCategory,
  type TestCode,
  testCategories,
  testCodes
} from "@orgplane/schema/llm-connect"
import { type EnabledModel, LlmProviderNotFound } from "@orgplane/schema/llm-providers"
import { ConnectionNotReady } from "@orgplane/schema/mcp-connections"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { demandLevel } from "../../identity/access/service.ts"
import { levels } from "../../identity/grants/index.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { makeRedactor } from "../mcp-connections/redact.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { type CredentialRef, OAuthTokens } from "../oauth/index.ts"
import { keyHeaders, type LlmEndpointFailed, LlmEndpoints, type LlmListing } from "../../infra/ports/llm-endpoints.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { CatalogService } from "./catalog-service.ts"
import * as repo from "./repo.ts"
import { LlmProvidersService } from "./service.ts"

const modelsShownMax = 500
/**
 * The maximum number of models returned for a provider with all models enabled; above it the provider's own list
 * applies.
 */
const modelsConnectedMax = 2000

const notReady = (reason: string) => new ConnectionNotReady({ message: `not_connected: ${reason}` })

const needsPerson = () =>
  new Forbidden({
    reason: "session_required",
    message:
      "This provider requires a personal key for each member, and an API key cannot have one. Use a member's session."
  })

const needsGrant = () =>
  new Forbidden({
    reason: "grant_required",
    message: "Using this provider requires a grant for you, one of your teams or the whole organization."
  })

const messages: Readonly<Record<TestCode, string>> = {
  destination_blocked: "The provider's address is blocked by this server's outbound rules.",
  unreachable: "The provider is unreachable or closed the connection.",
  timeout: "The provider did not respond within 15 seconds.",
  too_many_redirects: "The provider returned too many redirects.",
  busy: "Your organization has too many outbound requests in progress. Nothing was sent.",
  unauthorized: "The provider rejected the key.",
  forbidden: "The provider accepted the key but does not allow it to list models.",
  not_found: "The provider returned 404 for its model list. Check baseUrl and apiFormat.",
  rate_limited: "The provider's rate limit is exceeded. The key may still be valid.",
  server_error: "The provider returned a server error.",
  http_error: "The provider rejected the request.",
  unexpected_answer: "The response is not a model list in this format. Check baseUrl and apiFormat.",
  answer_too_large: "The provider's response is larger than 4 MiB and was not read.",
  not_testable: "Providers with the API format other cannot be tested."
}

const categoryOf = (code: TestCode): TestCategory | null =>
  testCategories.find((category) => (testCodes[category] as ReadonlyArray<TestCode>).includes(code)) ?? null

/** The enabled models missing from a complete list. */
const missingOf = (enabled: ReadonlyArray<EnabledModel> | null, { isWhole, models }: LlmListing) => {
  if (enabled === null || !isWhole) return null
  const listed = new Set(models)
  return enabled.map(({ id }) => id).filter((id) => !listed.has(id))
}

const failedTest = (failure: Pick<LlmEndpointFailed, "status"> & { readonly code: TestCode }, latencyMs: number) => ({
  ok: false,
  category: categoryOf(failure.code),
  code: failure.code,
  message: messages[failure.code],
  latencyMs,
  providerStatus: failure.status,
  modelsSeen: null,
  models: [],
  missingModels: null
})

/** Model IDs come from the provider: one that contains the key in any form, or looks like a key, is not shown. */
const shownIds = (models: ReadonlyArray<string>, apiKey: Redacted.Redacted | null): ReadonlyArray<string> => {
  const redactor = makeRedactor(apiKey === null ? [] : [Redacted.value(apiKey)])
  const shown: Array<string> = []
  for (const id of models) {
    if (redactor.text(id) === id && shown.push(id) === modelsShownMax) break
  }
  return shown
}

const ofCatalog = ({ capabilities, contextLimit, cost, id, name, outputLimit }: CatalogModel): ConnectedModel => ({
  id,
  name,
  capabilities,
  contextLimit,
  outputLimit,
  cost
})

/** The enabled models. Fields that were set manually take precedence over the catalog. */
const connectedModels = (
  enabled: ReadonlyArray<EnabledModel> | null,
  catalogModels: ReadonlyMap<string, CatalogModel> | undefined
): ReadonlyArray<ConnectedModel> | null => {
  if (enabled === null) {
    return catalogModels === undefined || catalogModels.size > modelsConnectedMax
      ? null
      : [...catalogModels.values()].map(ofCatalog)
  }
  return enabled.map((model) => {
    const entry = catalogModels?.get(model.id)
    return {
      id: model.id,
      name: model.label ?? entry?.name ?? model.id,
      capabilities: model.capabilities ?? entry?.capabilities ?? null,
      contextLimit: model.contextLimit ?? entry?.contextLimit ?? null,
      outputLimit: model.outputLimit ?? entry?.outputLimit ?? null,
      cost: entry?.cost ?? null
    }
  })
}

/** Stores providers' keys, returns them to callers with a grant, and tests them. */
export class LlmConnectService extends Context.Service<LlmConnectService>()(
  "@orgplane/server/llm-providers/ConnectService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const providers = yield* LlmProvidersService
      const catalog = yield* CatalogService
      const endpoints = yield* LlmEndpoints
      const tokens = yield* OAuthTokens
      const limiter = yield* RateLimiter
      const transaction = yield* organizationTransaction
      const { mutate, recall } = yield* Mutate

      const refOf = (row: repo.Row, holder: Id<"om"> | ""): CredentialRef => ({
        organizationId: row.organization_id,
        purpose: repo.purpose,
        subjectId: row.id,
        membershipId: holder === "" ? null : holder
      })

      const holderOf = (caller: Member, row: repo.Row) => {
        const holder = repo.holderOf(caller, row.credential_mode)
        return holder === null ? Effect.fail(needsPerson()) : Effect.succeed(holder)
      }

      /**
       * A provider whose key the caller may set. A shared key requires the manager level, a personal key requires a
       * grant.
       */
      const settable = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const row = yield* providers.find(caller, id)
        yield* row.credential_mode === "per_member"
          ? demandLevel(caller.principal.kind === "key" ? row.level : row.granted_level, "viewer")
          : demandLevel(row.level, "manager")
        if (row.credential_mode === "none") {
          return yield* InvalidRequest.at(
            ["path", "llmProviderId"],
            "must be a provider whose credentialMode is not none"
          )
        }
        return { row, ref: refOf(row, yield* holderOf(caller, row)) }
      })

      const demandSendable = (row: repo.Row, apiKey: string) =>
        row.api_format === "other" || /^[\x21-\x7E]+$/.test(apiKey)
          ? Effect.void
          : Effect.fail(InvalidRequest.at(["body", "apiKey"], "must be printable ASCII without spaces"))

      const setCredential = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">, apiKey: string) {
        const { ref, row } = yield* settable(caller, id)
        yield* demandSendable(row, apiKey)
        return yield* mutate(
          caller,
          "llm_provider.set_credential",
          Effect.gen(function* () {
            const current = yield* providers.locked(caller, row.id)
            // Reject the key if the provider has changed since the caller read it, because the key was meant for those
            // settings.
            if (!repo.isUnchanged(row, current))
              return yield* notReady("The provider has changed. Check it and try again.")
            yield* settable(caller, row.id)
            // Removing a membership or an organization deletes its credentials; none may be stored afterwards.
            if (!(yield* tokens.lockOwner(caller.organizationId, caller.principal)))
              return yield* new LlmProviderNotFound()
            yield* tokens.storeKey(ref, Redacted.make(apiKey))
            return repo.toWire(yield* providers.find(caller, row.id))
          }),
          () => ({ target: row.id, after: { shared: ref.membershipId === null } })
        )
      })

      const removeCredential = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const { ref, row } = yield* settable(caller, id)
        yield* mutate(
          caller,
          "llm_provider.remove_credential",
          Effect.filterOrFail(
            tokens.remove(ref),
            (removed) => removed !== undefined,
            () => new LlmCredentialNotFound()
          ),
          () => ({ target: row.id, before: { shared: ref.membershipId === null } })
        )
      })

      /**
       * The provider and the caller's key, read in one transaction, so that a key is never returned with a URL that it
       * was not set for.
       */
      const withKey = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        // The lock prevents concurrent changes to the provider. The caller's access is checked after locking.
        yield* repo.lock(sql, caller.organizationId, id, "share")
        const row = yield* providers.find(caller, id)
        if (row.credential_mode === "none") return { row, apiKey: null }
        const ref = refOf(row, yield* holderOf(caller, row))
        const apiKey = yield* tokens.tokenFor(ref).pipe(
          Effect.catchTags({
            TokenMissing: () => Effect.fail(notReady(repo.notConnectedReason(row))),
            ReconnectRequired: ({ reason }) => Effect.fail(notReady(reason)),
            // Keys are never renewed.
            McpFailed: Effect.die
          })
        )
        return { row, apiKey }
      })

      /** Returns the key and all connection settings to a caller with an active grant. */
      const connect = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const demandNamed = (row: repo.CallerRow) =>
          row.granted_level >= levels.viewer ? Effect.void : Effect.fail(needsGrant())
        const existing = yield* providers.find(caller, id)
        yield* demandNamed(existing)
        yield* holderOf(caller, existing)
        yield* recall<void>(caller)
        const catalogModels = yield* catalog.modelsOf(existing.provider_id)
        return yield* mutate(
          caller,
          "llm_provider.connect",
          Effect.gen(function* () {
            const { apiKey, row } = yield* withKey(caller, id)
            yield* demandNamed(row)
            const keyPlacement =
              row.api_format === "other" ? { header: null, scheme: null } : keyHeaders[row.api_format]
            const connection: LlmConnection = {
              llmProviderId: row.id,
              name: row.name,
              providerId: row.provider_id,
              apiFormat: row.api_format,
              baseUrl: row.base_url,
              npm: row.npm,
              env: row.env_json,
              headers: row.headers_json,
              options: row.options_json,
              models: connectedModels(
                row.models_json,
                row.provider_id === existing.provider_id ? catalogModels : undefined
              ),
              credential:
                apiKey === null
                  ? null
                  : { apiKey: Redacted.value(apiKey), shared: row.credential_mode === "shared", ...keyPlacement }
            }
            return connection
          }),
          ({ credential }) => ({ target: id, after: { shared: credential?.shared ?? null } })
        )
      })

      /** Requests the provider's model list with the key that the caller would use, and returns the outcome. */
      const test = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        yield* holderOf(caller, yield* providers.find(caller, id))
        yield* limiter.take(caller.request, limits.llmTest, caller.organizationId)
        // An unclaimed workspace must not be usable to send unlimited requests to other servers.
        if (caller.provisional) {
          yield* limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId)
        }
        const { apiKey, row } = yield* transaction(caller.organizationId, withKey(caller, id))
        if (row.api_format === "other" || row.base_url === null) {
          return failedTest({ code: "not_testable", status: null }, 0) satisfies LlmProviderTest
        }
        const startedAt = yield* Clock.currentTimeMillis
        const listing = yield* Effect.result(
          endpoints.listModels({
            organizationId: row.organization_id,
            baseUrl: row.base_url,
            apiFormat: row.api_format,
            headers: row.headers_json,
            apiKey
          })
        )
        const latencyMs = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
        const outcome = Result.isFailure(listing) ? listing.failure.code : "listed"
        const { origin } = new URL(row.base_url)
        yield* Effect.logInfo("LLM provider tested.", {
          referenceId: caller.request.requestId,
          outcome,
          latencyMs,
          origin
        })
        if (Result.isFailure(listing)) return failedTest(listing.failure, latencyMs) satisfies LlmProviderTest
        const { models, status } = listing.success
        const missing = missingOf(row.models_json, listing.success)
        const tested: LlmProviderTest = {
          ok: true,
          category: null,
          code: null,
          message:
            missing === null || missing.length === 0
              ? `The provider accepted the request. Models listed: ${models.length}.`
              : `The provider accepted the request. Models listed: ${models.length}. Enabled models missing: ${missing.length}.`,
          latencyMs,
          providerStatus: status,
          modelsSeen: models.length,
          models: shownIds(models, apiKey),
          missingModels: missing
        }
        return tested
      })

      return { setCredential, removeCredential, connect, test } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
