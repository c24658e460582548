import * as Providers from "@orgplane/schema/llm-providers"
import type { Member } from "@orgplane/schema/shared/caller"
import { Unavailable } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessService, demandLevel } from "../../identity/access/service.ts"
import * as grants from "../../identity/access/repo.ts"
import { digestOf } from "../../infra/audit/record.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { OAuthTokens } from "../oauth/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import { CatalogService } from "./catalog-service.ts"
import * as repo from "./repo.ts"
import { custom, type Input, invalidatesKeys, changesProvider, isSame, settingsOf } from "./settings.ts"

const exists = () => new Providers.LlmProviderExists()

/** The audit view of a provider. Names and URLs may be confidential, so only their digests are recorded. */
const auditView = (provider: Providers.LlmProvider) => ({
  name: digestOf(provider.name),
  providerId: provider.providerId,
  apiFormat: provider.apiFormat,
  baseUrl: provider.baseUrl === null ? null : digestOf(provider.baseUrl),
  credentialMode: provider.credentialMode
})

/** Manages an organization's LLM providers and the access to them. */
export class LlmProvidersService extends Context.Service<LlmProvidersService>()(
  "@orgplane/server/llm-providers/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const access = yield* AccessService
      const tokens = yield* OAuthTokens
      const catalog = yield* CatalogService
      const { mutate } = yield* Mutate

      const find = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const row = yield* repo.get(sql, caller, id)
        return row === undefined || row.level === 0 ? yield* new Providers.LlmProviderNotFound() : row
      })

      const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">, needed: keyof typeof levels) {
        const row = yield* find(caller, id)
        yield* demandLevel(row.level, needed)
        return row
      })

      const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const row = yield* repo.lock(sql, caller.organizationId, id)
        return row === undefined ? yield* new Providers.LlmProviderNotFound() : row
      })

      /** Reads the provider again, in the transaction that changed it. */
      const changed = (caller: Member, id: Id<"llm">) =>
        Effect.flatMap(repo.get(sql, caller, id), (row) => expectRow(row, "LLM provider"))

      const forgetCredentials = (organizationId: Id<"org">, id: Id<"llm">) =>
        tokens.removeAll({ organizationId, purpose: repo.purpose, subjectId: id })

      /** The catalog entry of the new provider ID; not looked up when the provider ID does not change. */
      const entryOf = (input: Input, before: repo.Row | null) =>
        input.providerId === undefined || input.providerId === custom || !changesProvider(input, before)
          ? Effect.undefined
          : catalog.provider(input.providerId)

      const get = (caller: Member, id: Id<"llm">) =>
        Effect.map(find(caller, id), (row) => ({ item: repo.toWire(row), version: row.version }))

      const list = (caller: Member, query: PageQuery & { readonly q?: string }) =>
        pages.list(caller, query, {
          filters: query.q ?? null,
          rows: (after, limit) => repo.list(sql, caller, query.q, after, limit),
          toWire: repo.toWire
        })

      /** Creates a provider that only its creator, owners and admins can see. No request is sent to it. */
      const create = Effect.fnUntraced(function* (caller: Member, input: typeof Providers.CreateLlmProvider.Type) {
        const entry = yield* entryOf(input, null)
        const settings = yield* settingsOf(input, null, entry)
        const id = makeId("llm")
        return yield* mutate(
          caller,
          "llm_provider.create",
          Effect.gen(function* () {
            yield* repo.create(sql, caller.organizationId, id, settings, membershipOf(caller)).pipe(whenTaken(exists))
            yield* access.grantCreator(caller, "llmProvider", id)
            return repo.toWire(yield* changed(caller, id))
          }),
          (provider) => ({ target: id, after: auditView(provider) })
        )
      })

      /** Changing the provider ID, base URL or credential mode deletes the stored keys. */
      const update = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"llm">,
        input: typeof Providers.UpdateLlmProvider.Type
      ) {
        const { organizationId } = caller
        const viewed = yield* demand(caller, id, "manager")
        const entry = yield* entryOf(input, viewed)
        const { provider, version } = yield* mutate(
          caller,
          "llm_provider.update",
          Effect.gen(function* () {
            const before = yield* locked(caller, id)
            yield* stale(caller, before.version)
            // The provider ID changed concurrently, so there is no catalog entry for it.
            if (changesProvider(input, before) && !changesProvider(input, viewed)) return yield* new Unavailable()
            const settings = yield* settingsOf(input, before, entry)
            const deletesKeys = invalidatesKeys(before, settings)
            if (!isSame(before, settings)) {
              yield* repo.update(sql, organizationId, id, settings).pipe(whenTaken(exists))
            }
            if (deletesKeys) yield* forgetCredentials(organizationId, id)
            const row = yield* changed(caller, id)
            return { before, deletesKeys, provider: repo.toWire(row), version: row.version }
          }),
          ({ before, deletesKeys, provider, version }) => ({
            target: id,
            before: { name: digestOf(before.name), providerId: before.provider_id, version: before.version },
            after: { ...auditView(provider), credentialsDeleted: deletesKeys, version }
          })
        )
        return { item: provider, version }
      })

      const remove = Effect.fnUntraced(function* (caller: Member, id: Id<"llm">) {
        const { organizationId } = caller
        yield* demand(caller, id, "manager")
        yield* mutate(
          caller,
          "llm_provider.remove",
          Effect.gen(function* () {
            const before = yield* locked(caller, id)
            yield* stale(caller, before.version)
            yield* forgetCredentials(organizationId, id)
            yield* grants.endAll(sql, organizationId, "llmProvider", [id])
            yield* repo.remove(sql, organizationId, id)
            return before
          }),
          (before) => ({
            target: id,
            before: { name: digestOf(before.name), providerId: before.provider_id, version: before.version }
          })
        )
      })

      const grantOperations = access.grantOperations({
        kind: "llmProvider",
        audited: "llm_provider",
        demand,
        grantNotFound: () => new Providers.LlmProviderGrantNotFound()
      })

      return { create, list, get, update, remove, ...grantOperations, find, locked } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
