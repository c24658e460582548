import type { CatalogModel, CatalogProvider } from "@orgplane/schema/llm-catalog"
import { type Capability, ModelCatalogNotConfigured } from "@orgplane/schema/llm-providers"
import type { Member } from "@orgplane/schema/shared/caller"
import { Unavailable } from "@orgplane/schema/shared/errors"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { sha256 } from "../../infra/crypto/digest.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { makeId } from "../../infra/ids.ts"
import { isJoined } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { type Catalog, ModelCatalog } from "../../infra/ports/model-catalog.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { mapSteps, inTimeSlices, sortedSteps } from "../../infra/time-slices.ts"
import * as repo from "./catalog-repo.ts"

/** A copy checked within this time is fresh. */
const freshSeconds = 3600
/** The minimum interval between two fetches, across all processes. */
const pauseSeconds = 60
/** Longer than a fetch can take, so only a stopped process loses its claim. */
const heldSeconds = 60
/** How long a request waits for another process's fetch if there is no copy yet. */
const waitSchedule = Schedule.max([Schedule.spaced("250 millis"), Schedule.recurs(80)])

/** A catalog row with its sort key and searchable text. */
interface Entry<A> {
  /** The sort key; short enough for a cursor. */
  readonly key: string
  readonly text: string
  readonly row: A
}

interface LoadedCatalog {
  readonly digest: string
  readonly models: ReadonlyArray<Entry<CatalogModel>>
  readonly providers: ReadonlyArray<Entry<CatalogProvider>>
  readonly byProvider: ReadonlyMap<string, CatalogProvider>
}

const keyBytesMax = 150

/** The sort key of a name. A name too long for a cursor keeps its first characters and a digest of the whole. */
const keyOf = (name: string): string =>
  Buffer.byteLength(name) <= keyBytesMax
    ? name
    : `${Array.from(name).slice(0, 28).join("")}~${sha256(name).slice(0, 32)}`

const entryFor = <A>(row: A, name: string, ...words: ReadonlyArray<string>): Entry<A> => ({
  key: keyOf(name),
  text: words.join("\n").toLowerCase(),
  row
})

const byKey = (a: Entry<unknown>, b: Entry<unknown>) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

const loadSteps = function* (digest: string, { models, providers }: Catalog) {
  const modelEntries = yield* mapSteps(models, (model) =>
    entryFor(model, `${model.providerId}/${model.id}`, model.id, model.name)
  )
  const providerEntries = providers.map((provider) => entryFor(provider, provider.id, provider.id, provider.name))
  const loaded: LoadedCatalog = {
    digest,
    models: yield* sortedSteps(modelEntries, byKey),
    providers: providerEntries.sort(byKey),
    byProvider: new Map(providers.map((provider) => [provider.id, provider]))
  }
  return loaded
}

/** The next `limit` matching entries after a key. */
const pageOf = <A>(
  all: ReadonlyArray<Entry<A>>,
  fits: (entry: Entry<A>) => boolean,
  after: string | null,
  limit: number
): ReadonlyArray<Entry<A>> => {
  const page: Array<Entry<A>> = []
  for (const entry of all) {
    if ((after === null || entry.key > after) && fits(entry) && page.push(entry) === limit) break
  }
  return page
}

export interface CatalogQuery extends PageQuery {
  readonly q?: string
  readonly providerId?: string
  readonly capability?: Capability
}

/**
 * The public model catalog, shared by all processes: one copy in the database, fetched again by one process when it is
 * needed and older than an hour. If a fetch fails, the old copy is still returned, marked as stale with its age.
 */
export class CatalogService extends Context.Service<CatalogService>()("@orgplane/server/llm-providers/Catalog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const source = yield* ModelCatalog
    const scope = yield* Effect.scope
    const loading = yield* Semaphore.make(1)
    const address = sha256(source.address ?? "")
    let cached: LoadedCatalog | undefined
    let renewal: Deferred.Deferred<void> | undefined

    const readStatus = Effect.orDie(repo.findStatus(sql, address))

    const fetchCatalog = Effect.fn("CatalogService.ask")(function* (etag: string | null, holder: string) {
      const response = yield* source.read(etag)
      yield* response.kind === "unchanged"
        ? repo.keepUnchanged(sql, address, holder)
        : repo.keep(sql, address, holder, { ...response, digest: sha256(response.text) })
    })

    /**
     * Fetches the catalog unless another process is fetching it or has just fetched it. On failure, the copy is kept.
     */
    const renew = Effect.gen(function* () {
      const holder = makeId("req")
      if (!(yield* repo.claim(sql, address, holder, heldSeconds, pauseSeconds))) return
      const row = yield* repo.findStatus(sql, address)
      yield* fetchCatalog(row?.etag ?? null, holder).pipe(
        Effect.tapCause(() => repo.release(sql, address, holder)),
        Effect.catchTag("ModelCatalogFailed", ({ message }) =>
          Effect.logWarning(`Cannot fetch the model catalog: ${message}`)
        )
      )
    }).pipe(Effect.ignoreCause({ log: true }))

    /**
     * Only one fetch runs at a time in this process, and all callers wait for it. It continues if the caller
     * disconnects.
     */
    const renewOnce = Effect.suspend(() => {
      if (renewal !== undefined) return Deferred.await(renewal)
      const deferred = Deferred.makeUnsafe<void>()
      renewal = deferred
      return renew.pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            renewal = undefined
            return Deferred.succeed(deferred, undefined)
          })
        ),
        Effect.forkIn(scope),
        Effect.andThen(Deferred.await(deferred))
      )
    })

    /** This process's parsed copy. When the digest changes, it is read again, by one fiber at a time. */
    const load = (digest: string) =>
      loading.withPermits(1)(
        Effect.gen(function* () {
          if (cached?.digest === digest) return cached
          const row = yield* Effect.orDie(repo.findText(sql, address))
          if (row === undefined) return undefined
          const catalog = yield* Effect.orDie(source.parse(row.catalog_text))
          cached = yield* inTimeSlices(loadSteps(row.catalog_digest, catalog))
          return cached
        })
      )

    /**
     * The stored catalog of any age, without a fetch. Undefined before the first fetch or when the catalog is turned
     * off.
     */
    const stored = Effect.gen(function* () {
      if (source.address === null) return undefined
      const row = yield* readStatus
      return row?.catalog_digest == null ? undefined : yield* load(row.catalog_digest)
    })

    const isFresh = (row: repo.CopyRow | undefined) => row?.age != null && row.age <= freshSeconds
    const isMissing = (row: repo.CopyRow | undefined) => row === undefined || row.catalog_digest === null

    const notFetched = () =>
      new Unavailable({
        message:
          "The model catalog has not been fetched yet. Retry later, or create a provider with providerId custom, which does not need it."
      })

    /** 409 when the catalog is turned off, 503 until it has been fetched once. */
    const current = Effect.gen(function* () {
      if (source.address === null) return yield* new ModelCatalogNotConfigured()
      const existing = yield* readStatus
      if (!isFresh(existing) && (existing === undefined || existing.tried > pauseSeconds)) yield* renewOnce
      const row = yield* readStatus.pipe(
        Effect.repeat({ while: (row) => isMissing(row) && row?.is_held === true, schedule: waitSchedule }),
        Effect.flatMap(() => readStatus)
      )
      const loaded = row?.catalog_digest == null ? undefined : yield* load(row.catalog_digest)
      if (row?.checked_at == null || loaded === undefined) {
        return yield* retryAfter(notFetched(), pauseSeconds)
      }
      return { loaded, generatedAt: iso(row.checked_at), stale: !isFresh(row) }
    })

    const listPage = Effect.fnUntraced(function* <A>(
      caller: Member,
      query: PageQuery,
      filters: unknown,
      rowsOf: (loaded: LoadedCatalog) => ReadonlyArray<Entry<A>>,
      fits: (entry: Entry<A>) => boolean
    ) {
      let freshness = { generatedAt: "", stale: true }
      const page = yield* pages.listBy(caller, query, {
        filters,
        // An invalid cursor is rejected before the catalog is fetched.
        rows: (after, limit) =>
          Effect.map(current, ({ generatedAt, loaded, stale }) => {
            freshness = { generatedAt, stale }
            return pageOf(rowsOf(loaded), fits, after, limit)
          }),
        idOf: ({ key }) => key,
        toWire: ({ row }) => row
      })
      return { ...page, ...freshness }
    })

    const listModels = (caller: Member, query: CatalogQuery) => {
      const { capability, providerId } = query
      const q = query.q?.toLowerCase()
      return listPage(
        caller,
        query,
        [q ?? null, providerId ?? null, capability ?? null],
        ({ models }) => models,
        ({ row, text }) =>
          (providerId === undefined || row.providerId === providerId) &&
          (capability === undefined || row.capabilities.includes(capability)) &&
          (q === undefined || text.includes(q))
      )
    }

    const listProviders = (caller: Member, query: PageQuery & { readonly q?: string }) => {
      const q = query.q?.toLowerCase()
      return listPage(
        caller,
        query,
        q ?? null,
        ({ providers }) => providers,
        ({ text }) => q === undefined || text.includes(q)
      )
    }

    /** The catalog's provider with this ID. Within a transaction, only the stored catalog is used. */
    const provider = (id: string) =>
      Effect.flatMap(isJoined, (joins) =>
        joins && source.address !== null
          ? Effect.flatMap(stored, (loaded) =>
              loaded === undefined ? Effect.fail(notFetched()) : Effect.succeed(loaded.byProvider.get(id))
            )
          : Effect.map(current, ({ loaded }) => loaded.byProvider.get(id))
      )

    /** The models of a provider by ID, from the stored catalog; undefined when the provider is not in it. */
    const modelsOf = (providerId: string) =>
      Effect.map(stored, (loaded) => {
        if (loaded === undefined || !loaded.byProvider.has(providerId)) return undefined
        const own = loaded.models.filter(({ row }) => row.providerId === providerId)
        return new Map(own.map(({ row }) => [row.id, row]))
      })

    return { listModels, listProviders, provider, modelsOf } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
