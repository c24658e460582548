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
import { demandLevel } from "../../identity/access/index.ts"
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
/** Of a provider with all its models so many are handed out; who has more says itself which there are. */
const modelsConnectedMax = 2000

const notReady = (why: string) => new ConnectionNotReady({ message: `not_connected: ${why}` })

const needsPerson = () =>
  new Forbidden({
    reason: "session_required",
    message: "Everybody uses this provider with a key of their own, and an API key has none."
  })

const needsGrant = () =>
  new Forbidden({
    reason: "grant_required",
    message: "Its key is handed out to whom a grant names: themselves, a team of theirs, or everybody."
  })

const messages: Readonly<Record<TestCode, string>> = {
  destination_blocked: "The provider's address is not one that this server may reach.",
  unreachable: "The provider cannot be reached, or broke off.",
  timeout: "The provider gave no answer within 15 seconds.",
  too_many_redirects: "The provider sends us on without end.",
  busy: "Too many requests of your organization are under way; nothing was asked.",
  unauthorized: "The provider does not accept the key.",
  forbidden: "The provider knows the key, and does not let it list models.",
  not_found: "The provider has no list of models there: the address or the format may be wrong.",
  rate_limited: "The provider asks to wait; the key may be good all the same.",
  server_error: "The provider failed.",
  http_error: "The provider refused the request.",
  unexpected_answer: "What came is no list of models of this format: the address or the format may be wrong.",
  answer_too_large: "The provider's answer is larger than 4 MiB, and was not read.",
  not_testable: "Only the provider's own library speaks its format."
}

const categoryOf = (code: TestCode): TestCategory | null =>
  testCategories.find((category) => (testCodes[category] as ReadonlyArray<TestCode>).includes(code)) ?? null

/** What is enabled and not on a list that is whole. */
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

/** Ids are words of the provider's: one that holds the key in any form, or looks like a key, is not shown. */
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

/** What is enabled, as a person said it and for the rest as the catalogue does. */
const connectedModels = (
  enabled: ReadonlyArray<EnabledModel> | null,
  known: ReadonlyMap<string, CatalogModel> | undefined
): ReadonlyArray<ConnectedModel> | null => {
  if (enabled === null) {
    return known === undefined || known.size > modelsConnectedMax ? null : [...known.values()].map(ofCatalog)
  }
  return enabled.map((model) => {
    const told = known?.get(model.id)
    return {
      id: model.id,
      name: model.label ?? told?.name ?? model.id,
      capabilities: model.capabilities ?? told?.capabilities ?? null,
      contextLimit: model.contextLimit ?? told?.contextLimit ?? null,
      outputLimit: model.outputLimit ?? told?.outputLimit ?? null,
      cost: told?.cost ?? null
    }
  })
}

/** The keys of providers: kept, handed out to who may use them, tried out. */
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
      const fenced = yield* organizationTransaction
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

      /** A provider whose key the caller may set: the shared one as its manager, their own by a grant. */
      const settable = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const row = yield* providers.find(caller, id)
        yield* row.credential_mode === "per_member"
          ? demandLevel(caller.principal.kind === "key" ? row.level : row.granted_level, "viewer")
          : demandLevel(row.level, "manager")
        if (row.credential_mode === "none") {
          return yield* InvalidRequest.at(["path", "llmProviderId"], "is not a provider that takes a key")
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
            const now = yield* providers.locked(caller, row.id)
            // It was meant for what the provider was when somebody looked at it.
            if (!repo.isStill(row, now)) return yield* notReady("The provider was changed meanwhile; look at it again.")
            yield* settable(caller, row.id)
            // Whoever ended a membership, or the organization, has ended what was kept; nothing is kept afterwards.
            if (!(yield* tokens.holdsOn(caller.organizationId, caller.principal)))
              return yield* new LlmProviderNotFound()
            yield* tokens.keepKey(ref, Redacted.make(apiKey))
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
            tokens.end(ref),
            (ended) => ended !== undefined,
            () => new LlmCredentialNotFound()
          ),
          () => ({ target: row.id, before: { shared: ref.membershipId === null } })
        )
      })

      /**
       * The provider with the key that the caller uses, both of one moment: a key that is set for another address is
       * never seen together with this one. Inside a transaction.
       */
      const withKey = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        // What it is belongs to the lock; what the caller may is asked after it.
        yield* repo.lock(sql, caller.organizationId, id, "share")
        const row = yield* providers.find(caller, id)
        if (row.credential_mode === "none") return { row, apiKey: null }
        const ref = refOf(row, yield* holderOf(caller, row))
        const apiKey = yield* tokens.tokenFor(ref).pipe(
          Effect.catchTags({
            TokenMissing: () => Effect.fail(notReady(repo.notConnectedReason(row))),
            ReconnectRequired: ({ reason }) => Effect.fail(notReady(reason)),
            // A key is never renewed.
            McpFailed: Effect.die
          })
        )
        return { row, apiKey }
      })

      /** Hands out the key, with all that is needed besides it, to a caller whom a live grant names. */
      const connect = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const demandNamed = (row: repo.CallerRow) =>
          row.granted_level >= levels.viewer ? Effect.void : Effect.fail(needsGrant())
        const seen = yield* providers.find(caller, id)
        yield* demandNamed(seen)
        yield* holderOf(caller, seen)
        yield* recall<void>(caller)
        const known = yield* catalog.modelsOf(seen.provider_id)
        return yield* mutate(
          caller,
          "llm_provider.connect",
          Effect.gen(function* () {
            const { apiKey, row } = yield* withKey(caller, id)
            yield* demandNamed(row)
            const place = row.api_format === "other" ? { header: null, scheme: null } : keyHeaders[row.api_format]
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
              models: connectedModels(row.models_json, row.provider_id === seen.provider_id ? known : undefined),
              credential:
                apiKey === null
                  ? null
                  : { apiKey: Redacted.value(apiKey), shared: row.credential_mode === "shared", ...place }
            }
            return connection
          }),
          ({ credential }) => ({ target: id, after: { shared: credential?.shared ?? null } })
        )
      })

      /** Asks the provider for its models with the key the caller would use. What comes of it is the answer. */
      const test = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        yield* holderOf(caller, yield* providers.find(caller, id))
        yield* limiter.take(caller.request, limits.llmTest, caller.organizationId)
        // A workspace that nobody has claimed is no way to have others asked without end.
        if (caller.provisional) {
          yield* limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId)
        }
        const { apiKey, row } = yield* fenced(caller.organizationId, withKey(caller, id))
        if (row.api_format === "other" || row.base_url === null) {
          return failedTest({ code: "not_testable", status: null }, 0) satisfies LlmProviderTest
        }
        const startedAt = yield* Clock.currentTimeMillis
        const asked = yield* Effect.result(
          endpoints.listModels({
            organizationId: row.organization_id,
            baseUrl: row.base_url,
            apiFormat: row.api_format,
            headers: row.headers_json,
            apiKey
          })
        )
        const latencyMs = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
        const outcome = Result.isFailure(asked) ? asked.failure.code : "listed"
        const { origin } = new URL(row.base_url)
        yield* Effect.logInfo("A provider of models was tested.", {
          referenceId: caller.request.requestId,
          outcome,
          latencyMs,
          origin
        })
        if (Result.isFailure(asked)) return failedTest(asked.failure, latencyMs) satisfies LlmProviderTest
        const { models, status } = asked.success
        const missing = missingOf(row.models_json, asked.success)
        const tested: LlmProviderTest = {
          ok: true,
          category: null,
          code: null,
          message:
            missing === null || missing.length === 0
              ? `The provider accepts us, and lists ${models.length} models.`
              : `The provider accepts us, and lists ${models.length} models; ${missing.length} that are enabled are not among them.`,
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
