import * as Operations from "@orgplane/schema/connector-operations"
import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { demandLevel } from "../../identity/access/service.ts"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { Settings } from "../../infra/config/settings.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { isJoined, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import { lockActiveInstance, lockInstance } from "./lock-instance.ts"
import { openRepository, targetError } from "./repository.ts"
import * as repo from "./repo.ts"
import { ConnectorsService } from "./service.ts"
import * as targets from "./targets-repo.ts"

const targetsMax = 50

const noInstance = () => new Connectors.InstanceNotFound()
const noTarget = () => new Connectors.TargetNotFound()

/** The audited fields of a branch; texts are recorded as digests. */
const auditOf = (row: repo.TargetRow) => ({
  connectorInstanceId: row.connector_instance_id,
  branch: digestOf(row.branch),
  config: digestOf(JSON.stringify(row.config_json))
})

const isSameTarget = (before: repo.TargetRow, after: repo.TargetRow) =>
  before.branch === after.branch && canonicalJson(before.config_json) === canonicalJson(after.config_json)

/** The branches of connector instances. */
export class TargetsService extends Context.Service<TargetsService>()("@orgplane/server/connectors/TargetsService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const connectors = yield* ConnectorsService
    const open = yield* openRepository
    const { mutate } = yield* Mutate
    const { reconcileSeconds } = yield* Settings

    const getTarget = Effect.fnUntraced(function* (caller: Member, id: Id<"ctg">) {
      const row = yield* repo.getTarget(sql, caller, id)
      return row === undefined ? yield* new Connectors.TargetNotFound() : repo.targetToWire(caller, row)
    })

    const listTargets = Effect.fnUntraced(function* (caller: Member, id: Id<"cin">, query: PageQuery) {
      yield* connectors.demand(caller, id, "viewer")
      return yield* pages.list(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listTargets(sql, caller.organizationId, id, after, limit),
        toWire: (row) => repo.targetToWire(caller, row)
      })
    })

    /**
     * Requires that the branch exists on the code host. Called before the transaction, so that no transaction waits
     * for a host.
     */
    const demandBranch = Effect.fnUntraced(function* (caller: Member, instance: repo.InstanceRow, branch: string) {
      yield* connectors.demandReadable(caller)
      // The next sync of the branch reads the repository.
      if (yield* isJoined) return
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
          const row = yield* lockActiveInstance(sql, caller, id, noInstance)
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
              branch,
              reconcileSeconds
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
      // Switching the branch can change all plugins, like switching the repository, so it requires the manager level.
      const instance = yield* demandTarget(caller, id, branch === undefined ? "editor" : "manager")
      if (branch !== undefined) {
        if (repo.isStopped(instance)) return yield* new Connectors.InstanceDisabled()
        yield* demandBranch(caller, instance, branch)
      }
      return yield* mutate(
        caller,
        "connector.update_target",
        Effect.gen(function* () {
          const row = yield* lockInstance(sql, caller, instance.id, noTarget)
          const before = yield* targets.find(sql, caller.organizationId, id)
          const after =
            Object.keys(input).length === 0
              ? before
              : yield* branchTaken(targets.update(sql, caller.organizationId, id, input, row.remote_id))
          if (before === undefined || after === undefined) return yield* new Connectors.TargetNotFound()
          return { before, after }
        }),
        ({ after, before }) => ({
          target: id,
          before: auditOf(before),
          after: auditOf(after),
          describedObjects: isSameTarget(before, after) ? [] : [instance.id]
        })
      ).pipe(Effect.map(({ after }) => repo.targetToWire(caller, after)))
    })

    return { getTarget, listTargets, createTarget, updateTarget, demandTarget } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
