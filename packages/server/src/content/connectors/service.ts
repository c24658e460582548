import type { Configuration } from "@orgplane/schema/connector-operations"
import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessService, demandLevel } from "../../identity/access/service.ts"
import { digestOf } from "../../infra/audit/record.ts"
import type { levels } from "../../identity/grants/index.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { CodeHostApp } from "../../infra/ports/code-host-app.ts"
import { CodeHost } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import * as accounts from "./accounts-repo.ts"
import * as configurations from "./configuration-repo.ts"
import { lockInstance } from "./lock-instance.ts"
import { removeInstance } from "./remove-instance.ts"
import { accountAt, fullNameOf, originOf } from "./repository.ts"
import * as repo from "./repo.ts"
import { SyncService } from "./sync.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"

const noInstance = () => new Connectors.InstanceNotFound()

/** The audited fields of an instance; texts are recorded as digests. */
const auditOf = (row: repo.InstanceRow) => ({
  name: digestOf(row.name),
  remoteId: digestOf(row.remote_id),
  config: digestOf(JSON.stringify(row.config_json)),
  version: row.version
})

export class ConnectorsService extends Context.Service<ConnectorsService>()("@orgplane/server/connectors/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const limiter = yield* RateLimiter
    const pages = yield* Pages
    const access = yield* AccessService
    const codeHost = yield* CodeHost
    const app = yield* CodeHostApp
    const sync = yield* SyncService
    const { mutate, recall } = yield* Mutate

    /** An instance; requires an access level. */
    const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, needed: keyof typeof levels) {
      const row = yield* repo.getInstance(sql, caller, id)
      if (row === undefined || row.level === 0) return yield* new Connectors.InstanceNotFound()
      yield* demandLevel(row.level, needed)
      return row
    })

    /** The named branch, or the first one. */
    const targetOf = Effect.fnUntraced(function* (
      instance: repo.InstanceRow,
      named: Id<"ctg"> | undefined,
      slot: "query" | "body"
    ) {
      if (named !== undefined) {
        const target = yield* targets.find(sql, instance.organization_id, named)
        if (target?.connector_instance_id === instance.id) return target
        return yield* InvalidRequest.at([slot, "connectorTargetId"], "is not a branch of the connector instance")
      }
      return yield* expectRow(yield* repo.findFirstTarget(sql, instance.organization_id, instance.id), "target")
    })

    /** Limits requests to other hosts from an unclaimed workspace. */
    const demandReadable = (caller: Member) =>
      caller.provisional ? limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId) : Effect.void

    const listInstances = (caller: Member, query: PageQuery & { readonly q?: string; readonly archived?: string }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.listInstances(sql, caller, filters, after, limit),
        toWire: (row) => repo.instanceToWire(caller, row)
      })
    }

    const getInstance = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      const row = yield* demand(caller, id, "viewer")
      return { item: repo.instanceToWire(caller, row), version: row.version }
    })

    const accountIdOf = (caller: Member, cloneUrl: string) =>
      Effect.map(accounts.put(sql, caller.organizationId, accountAt(cloneUrl), membershipOf(caller)), ({ id }) => id)

    /** Another repository for an instance, validated by its adapter. */
    const newPlace = Effect.fnUntraced(function* (instance: repo.InstanceRow, remoteId: string) {
      const { connector_account_id: accountId, organization_id: organizationId } = instance
      if (instance.adapter === "git") {
        const cloneUrl = yield* codeHost.normalize(remoteId)
        return { remoteId: cloneUrl, fullName: fullNameOf(cloneUrl), origin: originOf(cloneUrl) }
      }
      const account = yield* accounts.find(sql, organizationId, accountId)
      const installationId = account?.remote_id ?? ""
      const { fullName, repositoryId } = yield* app.inspect({ installationId, organizationId, repositoryId: remoteId })
      return { remoteId: repositoryId, fullName, origin: null }
    })

    const updateInstance = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      input: typeof Connectors.UpdateInstance.Type
    ) {
      // The new repository is read with the current repository's credential, so this requires a higher access level
      // than a content change.
      const seen = yield* demand(caller, id, input.remoteId === undefined ? "editor" : "manager")
      const place =
        input.remoteId === undefined
          ? undefined
          : yield* newPlace(seen, input.remoteId).pipe(
              Effect.catchTag("CodeHostFailed", ({ message }) =>
                Effect.fail(InvalidRequest.at(["body", "remoteId"], message))
              )
            )
      const remoteId = place?.remoteId
      return yield* mutate(
        caller,
        "connector.update",
        Effect.gen(function* () {
          const before = yield* lockInstance(sql, caller, id, noInstance)
          yield* stale(caller, before.version)
          if (Object.keys(input).length === 0) return { before, after: before }
          // A credential is valid for one origin and is never sent to another.
          const isElsewhere =
            place !== undefined && place.origin !== null && place.origin !== originOf(before.remote_id)
          if (isElsewhere && before.credential_id !== null) {
            yield* repo.deleteSealed(sql, caller.organizationId, before.credential_id)
          }
          if (remoteId !== undefined) yield* repo.moveTargets(sql, caller.organizationId, id, remoteId)
          const row = yield* repo
            .updateInstance(sql, caller.organizationId, id, {
              ...(place === undefined ? {} : { remoteId: place.remoteId, repositoryFullName: place.fullName }),
              ...(isElsewhere ? { accountId: yield* accountIdOf(caller, place.remoteId) } : {}),
              ...(input.name === undefined ? {} : { name: input.name }),
              ...(input.config === undefined ? {} : { config: input.config })
            })
            .pipe(
              Effect.catchIf(
                (error) => error.reason._tag === "UniqueViolation",
                () => Effect.fail(new Connectors.InstanceExists())
              )
            )
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          return { before, after: row }
        }),
        ({ after, before }) => ({ target: id, before: auditOf(before), after: auditOf(after) })
      ).pipe(Effect.map(({ after }) => ({ item: repo.instanceToWire(caller, after), version: after.version })))
    })

    /** Activates an instance and queues a sync. Idempotent. */
    const enable = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.enable",
        Effect.gen(function* () {
          const row = yield* lockInstance(sql, caller, id, noInstance)
          if (row.status === "active") return repo.instanceToWire(caller, row)
          yield* repo.setStatus(sql, caller.organizationId, id, "active", null)
          for (const target of yield* targets.ofInstance(sql, caller.organizationId, id)) {
            yield* sync.queue(row, target.id, "enable")
          }
          const after = yield* repo.findInstance(sql, caller.organizationId, id)
          return repo.instanceToWire(caller, after ?? row)
        }),
        (instance) => ({ target: id, after: { status: instance.status } })
      )
    })

    const disable = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.disable",
        Effect.gen(function* () {
          const row = yield* lockInstance(sql, caller, id, noInstance)
          // An archived instance is already inactive, and disabling would remove it from the archive.
          if (repo.isStopped(row)) return repo.instanceToWire(caller, row)
          yield* repo.setStatus(sql, caller.organizationId, id, "disabled", null)
          const after = yield* repo.findInstance(sql, caller.organizationId, id)
          return repo.instanceToWire(caller, after ?? row)
        }),
        (instance) => ({ target: id, after: { status: instance.status } })
      )
    })

    const archive = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.archive",
        Effect.gen(function* () {
          const row = yield* lockInstance(sql, caller, id, noInstance)
          yield* repo.setStatus(sql, caller.organizationId, id, "archived", null)
          const after = yield* repo.findInstance(sql, caller.organizationId, id)
          return repo.instanceToWire(caller, after ?? row)
        }),
        (instance) => ({ target: id, after: { status: instance.status } })
      )
    })

    const configuration = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      const { organizationId } = caller
      const instance = yield* demand(caller, id, "viewer")
      const rows = yield* targets.ofInstance(sql, organizationId, id)
      const plugins = yield* configurations.plugins(sql, caller, id)
      const marketplaces = new Map(
        (yield* configurations.marketplaces(sql, caller, id)).map((row) => [row.target_id, row])
      )
      const counts = new Map((yield* configurations.counts(sql, organizationId, id)).map((row) => [row.target_id, row]))
      const last = new Map(
        (yield* configurations.lastEvents(sql, organizationId, id)).map((row) => [row.connector_target_id, row])
      )
      return {
        connectorInstance: repo.instanceToWire(caller, instance),
        autoImportNewPlugins: instance.auto_import_new_plugins,
        targets: rows.map((target) => {
          const [count, event, marketplace] = [counts.get(target.id), last.get(target.id), marketplaces.get(target.id)]
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
      } satisfies Configuration
    })

    const setAutoImport = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, enabled: boolean) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.set_auto_import",
        Effect.gen(function* () {
          yield* lockInstance(sql, caller, id, noInstance)
          yield* repo.setAutoImport(sql, caller.organizationId, id, enabled)
          return { connectorInstanceId: id, autoImportNewPlugins: enabled }
        }),
        () => ({ target: id, after: { autoImportNewPlugins: enabled } })
      )
    })

    /**
     * Removes an instance and everything imported only through it. Versions are kept, because the audit log refers to
     * them.
     */
    const removeNow = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "manager")
      return yield* mutate(
        caller,
        "connector.remove",
        Effect.gen(function* () {
          const row = yield* lockInstance(sql, caller, id, noInstance)
          const counts = yield* removeInstance(sql, row, membershipOf(caller))
          return { ...counts, removedConnectorInstanceId: id }
        }),
        (counts) => ({ target: id, before: counts })
      )
    })

    /**
     * Like `removeNow`. A retry with the same idempotency key returns the stored response, although the instance is
     * removed.
     */
    const remove = (caller: Member, id: Id<"cin">) =>
      removeNow(caller, id).pipe(
        Effect.catchTag("ConnectorInstanceNotFound", (notFound) =>
          Effect.flatMap(recall<typeof Connectors.RemoveResult.Type>(caller), (storedResponse) =>
            storedResponse === undefined ? Effect.fail(notFound) : Effect.succeed(storedResponse)
          )
        )
      )

    const grantOperations = access.grantOperations({
      kind: "connectorInstance",
      audited: "connector",
      demand,
      grantNotFound: () => new Connectors.InstanceGrantNotFound()
    })

    return {
      demand,
      demandReadable,
      targetOf,
      listInstances,
      getInstance,
      updateInstance,
      enable,
      disable,
      remove,
      archive,
      configuration,
      setAutoImport,
      ...grantOperations
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
