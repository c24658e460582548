import * as Operations from "@orgplane/schema/connector-operations"
import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import { demandLevel } from "../../identity/access/service.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import * as plugins from "../plugins/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { inSnapshot } from "../../infra/sql/snapshot.ts"
import { lockActiveInstance } from "./lock-instance.ts"
import { isImported } from "./plan.ts"
import * as publications from "./publications-repo.ts"
import * as repo from "./repo.ts"
import { previewRollback } from "./rollback-preview.ts"
import { ConnectorsService } from "./service.ts"
import { SyncService } from "./sync.ts"
import { pluginOfMapping } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"
import { TargetsService } from "./targets-service.ts"

/** For all organizations of a process. */
const previewsAtOnce = 2

const noInstance = () => new Connectors.InstanceNotFound()
const noTarget = () => new Connectors.TargetNotFound()
const noEvent = () => new Connectors.SyncEventNotFound()

/** Syncs and rollbacks that callers request, retry, approve, reject and list. */
export class SyncEventsService extends Context.Service<SyncEventsService>()(
  "@orgplane/server/connectors/SyncEventsService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const connectors = yield* ConnectorsService
      const targets = yield* TargetsService
      const sync = yield* SyncService
      const { mutate } = yield* Mutate

      const queueSync = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cin">,
        query: { readonly connectorTargetId?: Id<"ctg"> }
      ) {
        const seen = yield* connectors.demand(caller, id, "editor")
        const target = yield* connectors.targetOf(seen, query.connectorTargetId, "query")
        yield* connectors.demandReadable(caller)
        return yield* mutate(
          caller,
          "connector.sync",
          Effect.gen(function* () {
            const row = yield* lockActiveInstance(sql, caller, id, noInstance)
            return events.toWire(yield* sync.queue(row, target.id, "manual"))
          }),
          (event) => ({ target: id, after: { syncEventId: event.id } })
        )
      })

      /** Approves or rejects a sync that is pending approval because it would remove many objects. */
      const decide = Effect.fnUntraced(function* (caller: Member, id: Id<"cse">, decision: "approve" | "reject") {
        const { organizationId } = caller
        const seen = yield* events.getEvent(sql, caller, id)
        const row = seen === undefined ? undefined : yield* repo.getInstance(sql, caller, seen.connector_instance_id)
        if (row === undefined) return yield* new Connectors.SyncEventNotFound()
        yield* demandLevel(row.level, "manager")
        return yield* mutate(
          caller,
          `connector.${decision}_sync`,
          Effect.gen(function* () {
            yield* lockActiveInstance(sql, caller, row.id, noEvent)
            const held = yield* events.findEvent(sql, organizationId, id)
            if (held?.status !== "review_required") return yield* new Connectors.SyncNotHeld()
            const decided = yield* decision === "approve"
              ? sync.approve(organizationId, held)
              : events.reject(sql, organizationId, id)
            return decided === undefined ? yield* new Connectors.SyncNotHeld() : events.toWire(decided)
          }),
          (event) => ({ target: row.id, after: { syncEventId: id, revision: event.revision } })
        )
      })

      const approveSync = (caller: Member, id: Id<"cse">) => decide(caller, id, "approve")
      const rejectSync = (caller: Member, id: Id<"cse">) => decide(caller, id, "reject")

      const listSyncEvents = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cin">,
        query: PageQuery & { readonly status?: string }
      ) {
        yield* connectors.demand(caller, id, "viewer")
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return yield* pages.list(caller, query, {
          filters: [id, filters],
          rows: (after, limit) => events.listEvents(sql, caller.organizationId, id, filters, after, limit),
          toWire: events.toWire
        })
      })

      const getSyncEvent = Effect.fnUntraced(function* (caller: Member, id: Id<"cse">) {
        const row = yield* events.getEvent(sql, caller, id)
        return row === undefined ? yield* new Connectors.SyncEventNotFound() : events.toWire(row)
      })

      const resync = Effect.fnUntraced(function* (caller: Member, id: Id<"ctg">) {
        const instance = yield* targets.demandTarget(caller, id)
        yield* connectors.demandReadable(caller)
        return yield* mutate(
          caller,
          "connector.resync",
          Effect.gen(function* () {
            const row = yield* lockActiveInstance(sql, caller, instance.id, noTarget)
            return events.toWire(yield* sync.queue(row, id, "resync", { mode: "resync" }))
          }),
          (event) => ({ target: id, after: { connectorInstanceId: instance.id, syncEventId: event.id } })
        )
      })

      /** A rollback can make a manual mapping add objects to a plugin again only if the caller can edit that plugin. */
      const demandFed = Effect.fnUntraced(function* (
        caller: Member,
        targetId: Id<"ctg">,
        { mappings_json: published }: publications.Publication
      ) {
        const { organizationId } = caller
        const now = new Map(
          (yield* repo.allMappings(sql, organizationId, targetId)).map((row) => [row.id, pluginOfMapping(row)])
        )
        const refedMappings = published.flatMap(({ autoAddToPlugin, config, id, pluginId }) =>
          autoAddToPlugin && pluginId !== null && !isImported({ config_json: config }) && now.get(id) !== pluginId
            ? [pluginId]
            : []
        )
        for (const pluginId of refedMappings.length === 0
          ? []
          : yield* publications.livePlugins(sql, organizationId, refedMappings)) {
          yield* demandLevel(yield* plugins.level(sql, caller, pluginId), "editor")
        }
      })

      const retrySync = Effect.fnUntraced(function* (caller: Member, id: Id<"cse">) {
        const { organizationId } = caller
        const seen = yield* events.getEvent(sql, caller, id)
        const row = seen === undefined ? undefined : yield* repo.getInstance(sql, caller, seen.connector_instance_id)
        if (row === undefined) return yield* new Connectors.SyncEventNotFound()
        yield* demandLevel(row.level, "editor")
        // Retrying a rollback requires the same level as the rollback.
        if (seen?.mode === "rollback") yield* demandLevel(row.level, "manager")
        yield* connectors.demandReadable(caller)
        return yield* mutate(
          caller,
          "connector.retry_sync",
          Effect.gen(function* () {
            const instance = yield* lockActiveInstance(sql, caller, row.id, noEvent)
            const event = yield* events.findEvent(sql, organizationId, id)
            if (event?.status !== "failed" && event?.status !== "partial") return yield* new Operations.SyncNotFailed()
            const { connector_target_id: targetId, mode, status, wanted_revision: revision } = event
            const published =
              mode === "rollback" && revision !== null
                ? yield* publications.ofRevision(sql, organizationId, targetId, revision)
                : undefined
            if (published !== undefined) yield* demandFed(caller, targetId, published)
            const next =
              mode === "rollback" && revision !== null
                ? yield* sync.queue(instance, targetId, "retry", { mode, revision })
                : // Skipped files count as read, so only a run that reads everything reads them again.
                  yield* sync.queue(instance, targetId, "retry", { mode: status === "partial" ? "resync" : mode })
            return events.toWire(next)
          }),
          (event) => ({ target: row.id, after: { retried: id, syncEventId: event.id } })
        )
      })

      const unknownRevision = () =>
        InvalidRequest.at(["body", "revision"], "is not a revision that was published from this branch")

      const rollback = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cin">,
        input: typeof Operations.Rollback.Type
      ) {
        const { revision } = input
        const seen = yield* connectors.demand(caller, id, "manager")
        const target = yield* connectors.targetOf(seen, input.connectorTargetId, "body")
        const published = yield* publications.ofRevision(sql, caller.organizationId, target.id, revision)
        if (published === undefined) return yield* unknownRevision()
        return yield* mutate(
          caller,
          "connector.rollback",
          Effect.gen(function* () {
            const instance = yield* lockActiveInstance(sql, caller, id, noInstance)
            yield* demandFed(caller, target.id, published)
            return events.toWire(yield* sync.queue(instance, target.id, "rollback", { mode: "rollback", revision }))
          }),
          (event) => ({ target: id, after: { connectorTargetId: target.id, syncEventId: event.id, revision } })
        )
      })

      // A preview of a large branch reads all its published files. Organizations take turns.
      const previewing = yield* PartitionedSemaphore.make<string>({ permits: previewsAtOnce })
      /** Previews `rollback` with the same body. */
      const planRollback = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cin">,
        { connectorTargetId, revision }: typeof Operations.Rollback.Type
      ) {
        const instance = yield* connectors.demand(caller, id, "viewer")
        const reads = Effect.gen(function* () {
          const target = yield* connectors.targetOf(instance, connectorTargetId, "body")
          if (repo.isStopped(instance)) return yield* new Connectors.InstanceDisabled()
          return yield* previewRollback(sql, caller, target, revision)
        })
        const preview = yield* inSnapshot(sql, reads).pipe(
          PartitionedSemaphore.withPermits(previewing, caller.organizationId, 1)
        )
        if (preview === "revision_unknown") return yield* unknownRevision()
        return preview === "content_gone" ? yield* new Operations.ContentGone() : preview
      })

      return {
        queueSync,
        approveSync,
        rejectSync,
        listSyncEvents,
        getSyncEvent,
        resync,
        retrySync,
        rollback,
        planRollback
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
