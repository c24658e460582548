import * as Operations from "@orgplane/schema/connector-operations"
import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { demandLevel } from "../../identity/access/service.ts"
import { digestOf } from "../../infra/audit/record.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import * as plugins from "../plugins/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import * as configurations from "./configuration-repo.ts"
import { isImported } from "./plan.ts"
import * as publications from "./publications-repo.ts"
import { openRepository, targetError } from "./repository.ts"
import * as repo from "./repo.ts"
import { ConnectorsService } from "./service.ts"
import { SyncService } from "./sync.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"

const targetsMax = 50

const noInstance = () => new Connectors.InstanceNotFound()
const noTarget = () => new Connectors.TargetNotFound()
/** Operations on a connected instance: configuration, branches, resync, retry and rollback. */
export class ConnectorOperationsService extends Context.Service<ConnectorOperationsService>()(
  "@orgplane/server/connectors/OperationsService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const connectors = yield* ConnectorsService
      const sync = yield* SyncService
      const open = yield* openRepository
      const { mutate } = yield* Mutate

      /** Locks the instance for the current transaction; `gone` creates the error if it does not exist. */
      const locked = <E>(caller: Member, id: Id<"cin">, notFound: () => E) =>
        repo
          .lockInstance(sql, caller.organizationId, id)
          .pipe(Effect.flatMap((row) => (row === undefined ? Effect.fail(notFound()) : Effect.succeed(row))))

      /** As `locked`, for an instance that is not disabled or archived. */
      const lockedActive = <E>(caller: Member, id: Id<"cin">, notFound: () => E) =>
        locked(caller, id, notFound).pipe(
          Effect.flatMap((row) =>
            repo.isStopped(row) ? Effect.fail(new Connectors.InstanceDisabled()) : Effect.succeed(row)
          )
        )

      const archive = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
        yield* connectors.demand(caller, id, "editor")
        return yield* mutate(
          caller,
          "connector.archive",
          Effect.gen(function* () {
            const row = yield* locked(caller, id, noInstance)
            yield* repo.setStatus(sql, caller.organizationId, id, "archived", null)
            const after = yield* repo.findInstance(sql, caller.organizationId, id)
            return repo.instanceToWire(caller, after ?? row)
          }),
          (instance) => ({ target: id, after: { status: instance.status } })
        )
      })

      const configuration = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
        const { organizationId } = caller
        const instance = yield* connectors.demand(caller, id, "viewer")
        const rows = yield* targets.ofInstance(sql, organizationId, id)
        const plugins = yield* configurations.plugins(sql, caller, id)
        const marketplaces = new Map(
          (yield* configurations.marketplaces(sql, caller, id)).map((row) => [row.target_id, row])
        )
        const counts = new Map(
          (yield* configurations.counts(sql, organizationId, id)).map((row) => [row.target_id, row])
        )
        const last = new Map(
          (yield* configurations.lastEvents(sql, organizationId, id)).map((row) => [row.connector_target_id, row])
        )
        return {
          connectorInstance: repo.instanceToWire(caller, instance),
          autoImportNewPlugins: instance.auto_import_new_plugins,
          targets: rows.map((target) => {
            const [count, event, marketplace] = [
              counts.get(target.id),
              last.get(target.id),
              marketplaces.get(target.id)
            ]
            return {
              connectorTarget: repo.targetToWire(caller, target),
              marketplace: marketplace === undefined ? null : { id: marketplace.id, name: marketplace.name },
              mappings: {
                imported: count?.imported ?? 0,
                byHand: count?.by_hand ?? 0,
                objects: count?.objects ?? 0
              },
              lastSyncEvent: event === undefined ? null : events.toWire(event)
            }
          }),
          plugins: plugins.map(({ id, key, name, target_id }) => ({ key, id, name, connectorTargetId: target_id }))
        } satisfies Operations.Configuration
      })

      const setAutoImport = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, enabled: boolean) {
        yield* connectors.demand(caller, id, "editor")
        return yield* mutate(
          caller,
          "connector.set_auto_import",
          Effect.gen(function* () {
            yield* locked(caller, id, noInstance)
            yield* repo.setAutoImport(sql, caller.organizationId, id, enabled)
            return { connectorInstanceId: id, autoImportNewPlugins: enabled }
          }),
          () => ({ target: id, after: { autoImportNewPlugins: enabled } })
        )
      })

      /**
       * Requires that the branch exists at the code host. Called before the transaction, so that no transaction waits
       * for a host.
       */
      const demandBranch = Effect.fnUntraced(function* (caller: Member, instance: repo.InstanceRow, branch: string) {
        yield* connectors.demandReadable(caller)
        const repository = yield* open(instance)
        yield* repository
          .head(branch)
          .pipe(Effect.catchTag("CodeHostFailed", (failure) => Effect.fail(targetError(failure))))
      })

      const branchTaken = whenTaken(() => new Operations.TargetExists())

      const createTarget = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cin">,
        { branch }: typeof Operations.CreateTarget.Type
      ) {
        const instance = yield* connectors.demand(caller, id, "editor")
        if (repo.isStopped(instance)) return yield* new Connectors.InstanceDisabled()
        yield* demandBranch(caller, instance, branch)
        return yield* mutate(
          caller,
          "connector.create_target",
          Effect.gen(function* () {
            const row = yield* lockedActive(caller, id, noInstance)
            if ((yield* targets.ofInstance(sql, caller.organizationId, id)).length >= targetsMax) {
              return yield* new Connectors.QuotaExceeded({
                message: `A connector instance can have at most ${targetsMax} branches.`
              })
            }
            const target = yield* branchTaken(
              repo.createTarget(sql, caller.organizationId, {
                id: makeId("ctg"),
                instanceId: id,
                remoteId: `${row.remote_id}#${branch}`,
                branch
              })
            )
            return repo.targetToWire(caller, target)
          }),
          (target) => ({ target: id, after: { connectorTargetId: target.id, branch: digestOf(branch) } })
        )
      })

      /** A branch; requires an access level on its instance. */
      const demandTarget = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"ctg">,
        needed: keyof typeof levels = "editor"
      ) {
        const seen = yield* targets.levelAt(sql, caller, id)
        if (seen === undefined || seen.level === 0) return yield* new Connectors.TargetNotFound()
        yield* demandLevel(seen.level, needed)
        const instance = yield* repo.findInstance(sql, caller.organizationId, seen.instance_id)
        return instance ?? (yield* new Connectors.TargetNotFound())
      })

      const updateTarget = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"ctg">,
        input: typeof Operations.UpdateTarget.Type
      ) {
        const { branch } = input
        // Another branch can change all plugins, as another repository can, so it requires a manager.
        const instance = yield* demandTarget(caller, id, branch === undefined ? "editor" : "manager")
        if (branch !== undefined) {
          if (repo.isStopped(instance)) return yield* new Connectors.InstanceDisabled()
          yield* demandBranch(caller, instance, branch)
        }
        return yield* mutate(
          caller,
          "connector.update_target",
          Effect.gen(function* () {
            const row = yield* locked(caller, instance.id, noTarget)
            const before = yield* targets.find(sql, caller.organizationId, id)
            const after = yield* branchTaken(targets.update(sql, caller.organizationId, id, input, row.remote_id))
            if (before === undefined || after === undefined) return yield* new Connectors.TargetNotFound()
            return { before, after }
          }),
          ({ after, before }) => ({ target: id, before: auditOf(before), after: auditOf(after) })
        ).pipe(Effect.map(({ after }) => repo.targetToWire(caller, after)))
      })

      const resync = Effect.fnUntraced(function* (caller: Member, id: Id<"ctg">) {
        const instance = yield* demandTarget(caller, id)
        yield* connectors.demandReadable(caller)
        return yield* mutate(
          caller,
          "connector.resync",
          Effect.gen(function* () {
            const row = yield* lockedActive(caller, instance.id, noTarget)
            return events.toWire(yield* sync.queue(row, id, "resync", { mode: "resync" }))
          }),
          (event) => ({ target: id, after: { connectorInstanceId: instance.id, syncEventId: event.id } })
        )
      })

      /** A rollback can make a manual mapping feed a plugin again only if the caller can edit that plugin. */
      const demandFed = Effect.fnUntraced(function* (
        caller: Member,
        targetId: Id<"ctg">,
        { mappings_json: published }: publications.Publication
      ) {
        const { organizationId } = caller
        const now = new Map(
          (yield* repo.allMappings(sql, organizationId, targetId)).map((row) => [
            row.id,
            row.auto_add_to_plugin ? row.plugin_id : null
          ])
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
            const instance = yield* lockedActive(caller, row.id, () => new Connectors.SyncEventNotFound())
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

      const rollback = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cin">,
        input: typeof Operations.Rollback.Type
      ) {
        const { revision } = input
        const seen = yield* connectors.demand(caller, id, "manager")
        const target = yield* connectors.targetOf(seen, input.connectorTargetId, "body")
        const published = yield* publications.ofRevision(sql, caller.organizationId, target.id, revision)
        if (published === undefined) {
          return yield* InvalidRequest.at(["body", "revision"], "is not a revision that was published from this branch")
        }
        return yield* mutate(
          caller,
          "connector.rollback",
          Effect.gen(function* () {
            const instance = yield* lockedActive(caller, id, noInstance)
            yield* demandFed(caller, target.id, published)
            return events.toWire(yield* sync.queue(instance, target.id, "rollback", { mode: "rollback", revision }))
          }),
          (event) => ({ target: id, after: { connectorTargetId: target.id, syncEventId: event.id, revision } })
        )
      })

      return {
        archive,
        configuration,
        setAutoImport,
        createTarget,
        updateTarget,
        demandTarget,
        working: lockedActive,
        locked,
        resync,
        retrySync,
        rollback
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The audited fields of a branch; texts are recorded as digests. */
const auditOf = (row: repo.TargetRow) => ({
  connectorInstanceId: row.connector_instance_id,
  branch: digestOf(row.branch),
  config: digestOf(JSON.stringify(row.config_json))
})
