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
import { makeId } from "../../infra/ids.ts"
import { Pages } from "../../infra/pages/index.ts"
import { type Catalog, ModelCatalog } from "../../infra/ports/model-catalog.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { mapSteps, inTimeSlices, sortedSteps } from "../../infra/time-slices.ts"
import * as repo from "./catalog-repo.ts"

/** A copy that was right so long ago is taken for right. */
const freshSeconds = 3600
/** Nobody asks again so soon after somebody did, in any process. */
const pauseSeconds = 60
/** Longer than asking and keeping may take: only of a process that is gone does it end by itself. */
const heldSeconds = 60
/** How long those wait who have nothing else while another process asks. */
const waits = Schedule.max([Schedule.spaced("250 millis"), Schedule.recurs(80)])

/** A row of the catalogue with what it is found by. */
interface Placed<A> {
  /** Orders the rows and fits into a cursor. */
  readonly place: string
  readonly text: string
  readonly row: A
}

interface Loaded {
  readonly digest: string
  readonly models: ReadonlyArray<Placed<CatalogModel>>
  readonly providers: ReadonlyArray<Placed<CatalogProvider>>
  readonly byProvider: ReadonlyMap<string, CatalogProvider>
}

const placeBytesMax = 150

/** A name as it can be remembered: what is too long for a cursor keeps its beginning, and a digest of all of it. */
const placeOf = (name: string): string =>
  Buffer.byteLength(name) <= placeBytesMax
    ? name
    : `${Array.from(name).slice(0, 28).join("")}~${sha256(name).slice(0, 32)}`

const placed = <A>(row: A, name: string, ...words: ReadonlyArray<string>): Placed<A> => ({
  place: placeOf(name),
  text: words.join("\n").toLowerCase(),
  row
})

const byPlace = (a: Placed<unknown>, b: Placed<unknown>) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0)

const loadedSteps = function* (digest: string, { models, providers }: Catalog) {
  const placedModels = yield* mapSteps(models, (model) =>
    placed(model, `${model.providerId}/${model.id}`, model.id, model.name)
  )
  const placedProviders = providers.map((provider) => placed(provider, provider.id, provider.id, provider.name))
  const loaded: Loaded = {
    digest,
    models: yield* sortedSteps(placedModels, byPlace),
    providers: placedProviders.sort(byPlace),
    byProvider: new Map(providers.map((provider) => [provider.id, provider]))
  }
  return loaded
}

/** The first so many of them that fit, behind a place. */
const pageOf = <A>(
  all: ReadonlyArray<Placed<A>>,
  fits: (one: Placed<A>) => boolean,
  after: string | null,
  limit: number
): ReadonlyArray<Placed<A>> => {
  const page: Array<Placed<A>> = []
  for (const one of all) {
    if ((after === null || one.place > after) && fits(one) && page.push(one) === limit) break
  }
  return page
}

export interface CatalogQuery extends PageQuery {
  readonly q?: string
  readonly providerId?: string
  readonly capability?: Capability
}

/**
 * The public catalogue as all processes share it: one copy in the database, asked for again when somebody needs it an
 * hour later, by one process, once. What cannot be renewed goes on being answered, and says how old it is.
 */
export class CatalogService extends Context.Service<CatalogService>()("@orgplane/server/llm-providers/Catalog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const source = yield* ModelCatalog
    const scope = yield* Effect.scope
    const loading = yield* Semaphore.make(1)
    const address = sha256(source.address ?? "")
    let known: Loaded | undefined
    let underWay: Deferred.Deferred<void> | undefined

    const glance = Effect.orDie(repo.glance(sql, address))

    const ask = Effect.fn("CatalogService.ask")(function* (etag: string | null, holder: string) {
      const response = yield* source.read(etag)
      yield* response.kind === "unchanged"
        ? repo.keepUnchanged(sql, address, holder)
        : repo.keep(sql, address, holder, { ...response, digest: sha256(response.text) })
    })

    /** Asks the address if nobody else does or has just done; a failure leaves the copy as it is. */
    const renew = Effect.gen(function* () {
      const holder = makeId("req")
      if (!(yield* repo.claim(sql, address, holder, heldSeconds, pauseSeconds))) return
      const row = yield* repo.glance(sql, address)
      yield* ask(row?.etag ?? null, holder).pipe(
        Effect.tapCause(() => repo.release(sql, address, holder)),
        Effect.catchTag("ModelCatalogFailed", ({ message }) =>
          Effect.logWarning(`The catalogue of models could not be read: ${message}`)
        )
      )
    }).pipe(Effect.ignoreCause({ log: true }))

    /** One at a time in this process, and everybody waits for it; it goes on when whoever asked goes away. */
    const renewOnce = Effect.suspend(() => {
      if (underWay !== undefined) return Deferred.await(underWay)
      const deferred = Deferred.makeUnsafe<void>()
      underWay = deferred
      return renew.pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            underWay = undefined
            return Deferred.succeed(deferred, undefined)
          })
        ),
        Effect.forkIn(scope),
        Effect.andThen(Deferred.await(deferred))
      )
    })

    /** The copy as this process knows it; read and parsed when it is another one, by one at a time. */
    const load = (digest: string) =>
      loading.withPermits(1)(
        Effect.gen(function* () {
          if (known?.digest === digest) return known
          const row = yield* Effect.orDie(repo.read(sql, address))
          if (row === undefined) return undefined
          const catalog = yield* Effect.orDie(source.parse(row.catalog_text))
          known = yield* inTimeSlices(loadedSteps(row.catalog_digest, catalog))
          return known
        })
      )

    /** What there is, as old as it may be, without asking anybody; undefined before the first time, or turned off. */
    const stored = Effect.gen(function* () {
      if (source.address === null) return undefined
      const row = yield* glance
      return row?.catalog_digest == null ? undefined : yield* load(row.catalog_digest)
    })

    const isFresh = (row: repo.CopyRow | undefined) => row?.age != null && row.age <= freshSeconds
    const isMissing = (row: repo.CopyRow | undefined) => row === undefined || row.catalog_digest === null

    /** 409 where it is turned off, 503 while nothing was ever read. */
    const current = Effect.fnUntraced(function* (caller: Member) {
      if (source.address === null) return yield* new ModelCatalogNotConfigured()
      const before = yield* glance
      if (!isFresh(before) && (before === undefined || before.tried > pauseSeconds)) yield* renewOnce
      const row = yield* glance.pipe(
        Effect.repeat({ while: (row) => isMissing(row) && row?.is_held === true, schedule: waits }),
        Effect.flatMap(() => glance)
      )
      const loaded = row?.catalog_digest == null ? undefined : yield* load(row.catalog_digest)
      if (row?.checked_at == null || loaded === undefined) {
        caller.request.responseHeaders["retry-after"] = String(pauseSeconds)
        return yield* new Unavailable({
          message:
            "The catalogue of models has not been reached yet; a provider with an address of your own, providerId custom, needs none."
        })
      }
      return { loaded, generatedAt: iso(row.checked_at), stale: !isFresh(row) }
    })

    const listed = Effect.fnUntraced(function* <A>(
      caller: Member,
      operation: string,
      query: PageQuery,
      filters: unknown,
      rowsOf: (loaded: Loaded) => ReadonlyArray<Placed<A>>,
      fits: (one: Placed<A>) => boolean
    ) {
      let told = { generatedAt: "", stale: true }
      const page = yield* pages.read(
        { operation, organizationId: caller.organizationId, filters },
        query,
        // A cursor that is none is refused before anybody is asked.
        (after, limit) =>
          Effect.map(current(caller), ({ generatedAt, loaded, stale }) => {
            told = { generatedAt, stale }
            return pageOf(rowsOf(loaded), fits, after, limit)
          }),
        ({ place }) => place,
        ({ row }) => row
      )
      return { ...page, ...told }
    })

    const listModels = (caller: Member, query: CatalogQuery) => {
      const { capability, providerId } = query
      const q = query.q?.toLowerCase()
      return listed(
        caller,
        "llmProviders.listCatalog",
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
      return listed(
        caller,
        "llmProviders.listCatalogProviders",
        query,
        q ?? null,
        ({ providers }) => providers,
        ({ text }) => q === undefined || text.includes(q)
      )
    }

    /** The provider of the catalogue with this id. */
    const provider = (caller: Member, id: string) =>
      Effect.map(current(caller), ({ loaded }) => loaded.byProvider.get(id))

    /** The models of a provider by their ids, as far as they are known here; undefined of a provider that is not. */
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
