import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { CreateGrant } from "@orgplane/schema/shared/grants"
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
import { removeInstance } from "./remove.ts"
import { accountAt, fullNameOf, originOf } from "./repository.ts"
import * as repo from "./repo.ts"
import { SyncService } from "./sync.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"

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
      caller.request.responseHeaders["etag"] = `"${row.version}"`
      return repo.instanceToWire(caller, row)
    })

    const accountIdOf = (caller: Member, cloneUrl: string) =>
      Effect.map(accounts.put(sql, caller.organizationId, accountAt(cloneUrl), membershipOf(caller)), ({ id }) => id)

    /** Another repository for an instance, validated by its adapter. */
    const newPlace = Effect.fnUntraced(function* (instance: repo.InstanceRow, remoteId: string) {
      const { connector_account_id: accountId, organization_id: organizationId } = instance
      if (instance.adapter === "git") {
        const cloneUrl = yield* codeHost.normalise(remoteId)
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
      // The new repository is read with the credential of the current one, so this requires more than a content change.
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
          const before = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (before === undefined) return yield* new Connectors.InstanceNotFound()
          yield* stale(caller, before.version)
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
          caller.request.responseHeaders["etag"] = `"${row.version}"`
          return { before, after: row }
        }),
        ({ after, before }) => ({ target: id, before: auditOf(before), after: auditOf(after) })
      ).pipe(Effect.map(({ after }) => repo.instanceToWire(caller, after)))
    })

    /** Activates an instance and queues a sync. Idempotent. */
    const enable = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.enable",
        Effect.gen(function* () {
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
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
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          // An archived instance is already inactive, and disabling would remove it from the archive.
          if (repo.isStopped(row)) return repo.instanceToWire(caller, row)
          yield* repo.setStatus(sql, caller.organizationId, id, "disabled", null)
          const after = yield* repo.findInstance(sql, caller.organizationId, id)
          return repo.instanceToWire(caller, after ?? row)
        }),
        (instance) => ({ target: id, after: { status: instance.status } })
      )
    })

    /** Removes an instance and everything that only it feeds. Versions stay, because the audit log refers to them. */
    const removeNow = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">) {
      yield* demand(caller, id, "manager")
      return yield* mutate(
        caller,
        "connector.remove",
        Effect.gen(function* () {
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          const counts = yield* removeInstance(sql, row, membershipOf(caller))
          return { ...counts, removedConnectorInstanceId: id }
        }),
        (counts) => ({ target: id, before: counts })
      )
    })

    /**
     * As `removeNow`. A retry with the same idempotency key gets the stored response, although the instance is removed.
     */
    const remove = (caller: Member, id: Id<"cin">) =>
      removeNow(caller, id).pipe(
        Effect.catchTag("ConnectorInstanceNotFound", (notFound) =>
          Effect.flatMap(recall<typeof Connectors.RemoveResult.Type>(caller), (storedResponse) =>
            storedResponse === undefined ? Effect.fail(notFound) : Effect.succeed(storedResponse)
          )
        )
      )

    const queueSync = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      query: { readonly connectorTargetId?: Id<"ctg"> }
    ) {
      const seen = yield* demand(caller, id, "editor")
      const target = yield* targetOf(seen, query.connectorTargetId, "query")
      yield* demandReadable(caller)
      return yield* mutate(
        caller,
        "connector.sync",
        Effect.gen(function* () {
          const row = yield* repo.lockInstance(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Connectors.InstanceNotFound()
          if (repo.isStopped(row)) return yield* new Connectors.InstanceDisabled()
          return events.toWire(yield* sync.queue(row, target.id, "manual"))
        }),
        (event) => ({ target: id, after: { syncEventId: event.id } })
      )
    })

    /** Decides on a sync that is held because it would remove many objects. */
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
          const instance = yield* repo.lockInstance(sql, organizationId, row.id)
          if (instance === undefined) return yield* new Connectors.SyncEventNotFound()
          if (repo.isStopped(instance)) {
            return yield* new Connectors.InstanceDisabled()
          }
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
      yield* demand(caller, id, "viewer")
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

    const getTarget = Effect.fnUntraced(function* (caller: Member, id: Id<"ctg">) {
      const row = yield* repo.getTarget(sql, caller, id)
      return row === undefined ? yield* new Connectors.TargetNotFound() : repo.targetToWire(caller, row)
    })

    const listTargets = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, query: PageQuery) {
      yield* demand(caller, id, "viewer")
      return yield* pages.list(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listTargets(sql, caller.organizationId, id, after, limit),
        toWire: (row) => repo.targetToWire(caller, row)
      })
    })

    const listMappings = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"ctg">,
      query: PageQuery & repo.MappingFilters
    ) {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      const page = yield* pages.list(caller, query, {
        filters: [id, filters],
        rows: (after, limit) => repo.listMappings(sql, caller, id, filters, after, limit),
        toWire: repo.mappingToWire
      })
      // An empty page does not show whether the target exists.
      if (page.items.length > 0 || (yield* repo.getTarget(sql, caller, id)) !== undefined) return page
      return yield* new Connectors.TargetNotFound()
    })

    const listAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, query: PageQuery) {
      yield* demand(caller, id, "viewer")
      return yield* access.list(caller, "connectorInstance", id, query)
    })

    const grantAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, input: CreateGrant) {
      yield* demand(caller, id, "manager")
      return yield* access.grant(caller, "connector.grant", "connectorInstance", id, input)
    })

    const revokeAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, grantId: string) {
      yield* demand(caller, id, "manager")
      const result = yield* access.revoke(caller, "connector.revoke", "connectorInstance", id, grantId)
      if (!result) return yield* new Connectors.InstanceGrantNotFound()
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
      queueSync,
      approveSync,
      rejectSync,
      listSyncEvents,
      getSyncEvent,
      getTarget,
      listTargets,
      listMappings,
      listAccess,
      grantAccess,
      revokeAccess
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
