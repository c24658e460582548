import type * as Audit from "@orgplane/schema/audit"
import { EventNotFound } from "@orgplane/schema/events"
import { storedAuditActionOf } from "@orgplane/schema/shared/audit-actions"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { AuditChain, type CheckpointReference } from "./chain.ts"
import { type Format, headerOf, linesOf } from "./lines.ts"
import { parsePeriod } from "../../infra/audit/moment.ts"
import * as repo from "./repo.ts"

interface Filters {
  readonly action?: string
  readonly actorId?: string
  readonly targetId?: string
  readonly since?: string
  readonly until?: string
}

const batchMax = 500
/** Events that one statement scans for matches, so that other organizations are served in between. */
const scanEventsMax = 5000

/** The filters with the stored name of the action, which a client may give in either form. */
const withStoredAction = <F extends Filters>(filters: F): F =>
  filters.action === undefined ? filters : { ...filters, action: storedAuditActionOf(filters.action) }

const filtersOf = (filters: Filters): Effect.Effect<repo.Filters, InvalidRequest> =>
  Effect.gen(function* () {
    const { since: _since, until: _until, ...others } = withStoredAction(filters)
    return { ...others, ...(yield* parsePeriod(filters)) }
  })

const checkpointToWire = (row: repo.CheckpointRow): typeof Audit.Checkpoint.Type => ({
  sequence: row.sequence,
  hash: row.hash,
  keyId: row.key_id,
  signature: row.signature,
  createdAt: iso(row.created_at)
})

export class AuditService extends Context.Service<AuditService>()("@orgplane/server/audit/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const chain = yield* AuditChain

    /**
     * Newest first. With `after`, in the sealed order, which is append-only, so that a client that follows it does not
     * miss any event. Nothing follows an event that is not sealed yet.
     */
    const list = Effect.fnUntraced(function* (
      caller: Member,
      query: PageQuery & Filters & { readonly after?: Id<"aud"> }
    ) {
      const { cursor: _cursor, limit: _limit, after, ...filters } = query
      const criteria = yield* filtersOf(filters)
      const { organizationId } = caller
      const scope = { operation: "audit.list", organizationId, filters: { ...withStoredAction(filters), after } }
      if (after === undefined) {
        return yield* pages.read(
          scope,
          query,
          (last, limit) => repo.list(sql, organizationId, criteria, last, limit),
          (row) => row.id,
          repo.toWire
        )
      }
      const place = yield* repo.findPlace(sql, organizationId, after)
      if (place === undefined) return yield* InvalidRequest.at(["query", "after"], "does not exist in the organization")
      return yield* pages.read(
        scope,
        query,
        (last, limit) =>
          place === null
            ? Effect.succeed([])
            : repo.listSealed(sql, organizationId, criteria, Number(last ?? place), Number.MAX_SAFE_INTEGER, limit),
        (row) => String(row.sequence),
        repo.toWire
      )
    })

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"aud">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new EventNotFound() : repo.toWire(row)
    })

    /** Streams all matching events in the sealed order, as fast as the client reads. */
    const exportEvents = Effect.fnUntraced(function* (caller: Member, filters: Filters, format: Format) {
      const criteria = yield* filtersOf(filters)
      const { organizationId } = caller
      yield* Effect.provideService(chain.seal, StatementMillisMax, longStatementMillis)
      const { head } = yield* chain.ends(organizationId)
      const batches = Stream.paginate(yield* chain.truncatedThrough(organizationId), (after: number) => {
        const until = Math.min(head, after + scanEventsMax)
        return Effect.map(repo.listSealed(sql, organizationId, criteria, after, until, batchMax), (rows) => {
          const next = rows.length < batchMax ? until : (rows.at(-1)?.sequence ?? until)
          return [
            [linesOf(format, rows.map(repo.toWire))],
            next < head ? Option.some(next) : Option.none<number>()
          ] as const
        })
      })
      return Stream.make(headerOf(format)).pipe(
        Stream.concat(batches),
        Stream.filter((text) => text !== ""),
        Stream.encodeText,
        Stream.orDie,
        Stream.provideService(StatementMillisMax, longStatementMillis)
      )
    })

    const checkpoints = (caller: Member, query: PageQuery) =>
      pages.listBy(caller, query, {
        rows: (last, limit) =>
          repo.listCheckpoints(sql, caller.organizationId, last === null ? null : Number(last), limit),
        idOf: (row) => String(row.sequence),
        toWire: checkpointToWire
      })

    const verify = Effect.fnUntraced(
      function* (caller: Member, { hash, sequence }: Partial<CheckpointReference>) {
        if ((hash === undefined) !== (sequence === undefined)) {
          const missing = hash === undefined ? "hash" : "sequence"
          return yield* InvalidRequest.at(
            ["query", missing],
            `must be set together with ${missing === "hash" ? "sequence" : "hash"}`
          )
        }
        const checkpoint = hash === undefined || sequence === undefined ? undefined : { hash, sequence }
        const deleted = checkpoint === undefined ? 0 : yield* chain.truncatedThrough(caller.organizationId)
        if (checkpoint !== undefined && checkpoint.sequence < deleted) {
          return yield* InvalidRequest.at(
            ["query", "sequence"],
            `must be at least ${deleted}; the events before it reached the end of their retention and were deleted`
          )
        }
        return yield* chain.verify(caller.organizationId, checkpoint)
      },
      Effect.provideService(StatementMillisMax, longStatementMillis)
    )

    return { list, get, exported: exportEvents, checkpoints, verify } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
