import * as Runs from "@orgplane/schema/configuration-runs"
import { PlanDigestMismatch } from "@orgplane/schema/configuration"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lockActiveInstance } from "../../content/connectors/lock-instance.ts"
import * as connectors from "../../content/connectors/repo.ts"
import { demandLevel } from "../../identity/access/service.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { wake } from "../../infra/sql/wakes.ts"
import * as repo from "./repo.ts"

const notFound = () => new Runs.ConfigurationRunNotFound()

/** Lists, approves and rejects runs of the configuration source. */
export class ConfigurationRunsService extends Context.Service<ConfigurationRunsService>()(
  "@orgplane/server/configurationSource/RunsService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const { mutate } = yield* Mutate

      const find = (caller: Member, id: Id<"cfr">) =>
        Effect.flatMap(repo.findRun(sql, caller.organizationId, id), (row) =>
          row === undefined ? Effect.fail(notFound()) : Effect.succeed(row)
        )

      const list = (caller: Member, query: PageQuery & { readonly status?: Runs.ConfigurationRunStatus }) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.list(caller, query, {
          filters,
          rows: (after, limit) => repo.listRuns(sql, caller.organizationId, filters, after, limit),
          toWire: repo.runToWire
        })
      }

      const get = (caller: Member, id: Id<"cfr">) => Effect.map(find(caller, id), repo.runDetailsToWire)

      /** The run. A manager of the connector decides about it, as about a sync. */
      const demandManaged = Effect.fnUntraced(function* (caller: Member, id: Id<"cfr">) {
        const run = yield* find(caller, id)
        const connector = yield* connectors.getInstance(sql, caller, run.connector_instance_id)
        yield* demandLevel(connector?.level ?? 0, "manager")
        return run
      })

      const approve = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cfr">,
        { planDigest }: typeof Runs.ApproveConfigurationRun.Type
      ) {
        const { organizationId } = caller
        const held = yield* demandManaged(caller, id)
        return yield* mutate(
          caller,
          "configuration.approve_run",
          Effect.gen(function* () {
            yield* lockActiveInstance(sql, caller, held.connector_instance_id, notFound)
            yield* repo.lockSource(sql, organizationId)
            const current = yield* find(caller, id)
            if (current.status !== "held") return yield* new Runs.ConfigurationRunNotHeld()
            if (current.plan_digest !== planDigest) return yield* new PlanDigestMismatch({})
            yield* repo.supersede(sql, organizationId, id)
            const row = yield* repo.approve(sql, organizationId, id, planDigest, membershipOf(caller))
            if (row === undefined) return yield* new Runs.ConfigurationRunNotHeld()
            yield* wake(sql, "configuration")
            return repo.runToWire(row)
          }),
          ({ revision }) => ({ target: id, after: { revision, planDigest } })
        )
      })

      const reject = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"cfr">,
        { comment }: typeof Runs.RejectConfigurationRun.Type
      ) {
        yield* demandManaged(caller, id)
        return yield* mutate(
          caller,
          "configuration.reject_run",
          Effect.gen(function* () {
            yield* repo.lockSource(sql, caller.organizationId)
            const row = yield* repo.reject(sql, caller.organizationId, id, comment ?? null, membershipOf(caller))
            if (row === undefined) return yield* new Runs.ConfigurationRunNotHeld()
            yield* wake(sql, "configuration")
            return repo.runToWire(row)
          }),
          ({ planDigest, revision }) => ({ target: id, after: { revision, planDigest } })
        )
      })

      return { list, get, approve, reject } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
