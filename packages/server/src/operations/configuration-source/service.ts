import type * as Source from "@orgplane/schema/configuration-source"
import {
  ConfigurationSourceDisabled,
  ConfigurationSourceNotFound,
  pathDefault
} from "@orgplane/schema/configuration-source"
import { InstanceNotFound } from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest, PreconditionFailed } from "@orgplane/schema/shared/errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { queueRun } from "../../content/connectors/configuration-runs-repo.ts"
import { lockActiveInstance } from "../../content/connectors/lock-instance.ts"
import { ConnectorsService } from "../../content/connectors/service.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import * as repo from "./repo.ts"

const noInstance = () => new InstanceNotFound()

const recordOf = (row: repo.SourceRow) => ({
  connectorInstanceId: row.connector_instance_id,
  connectorTargetId: row.connector_target_id,
  mode: row.mode,
  isEnabled: row.is_enabled,
  appliedAsOrgMembershipId: row.membership_id
})

/** Manages the configuration source of an organization. */
export class ConfigurationSourceService extends Context.Service<ConfigurationSourceService>()(
  "@orgplane/server/configurationSource/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const connectors = yield* ConnectorsService
      const { mutate } = yield* Mutate

      const demand = (row: repo.SourceRow | undefined) =>
        row === undefined ? Effect.fail(new ConfigurationSourceNotFound()) : Effect.succeed(row)

      const get = (caller: Member) =>
        Effect.map(Effect.flatMap(repo.findSource(sql, caller.organizationId), demand), repo.sourceToWire)

      const set = Effect.fnUntraced(function* (caller: Member, input: typeof Source.SetConfigurationSource.Type) {
        const { organizationId } = caller
        const membershipId = membershipOf(caller)
        if (membershipId === null) {
          return yield* new Forbidden({
            reason: "session_required",
            message:
              "Only a member can set the configuration source, because it is applied with the permissions of that member. Sign in as a member."
          })
        }
        const instance = yield* connectors
          .demand(caller, input.connectorInstanceId, "manager")
          .pipe(
            Effect.catchTag("ConnectorInstanceNotFound", () =>
              Effect.fail(
                InvalidRequest.at(["body", "connectorInstanceId"], "is not a connector instance that you can see")
              )
            )
          )
        const target = yield* connectors.targetOf(instance, input.connectorTargetId, "body")
        yield* connectors.demandReadable(caller)
        return yield* mutate(
          caller,
          "configuration.set_source",
          Effect.gen(function* () {
            const locked = yield* lockActiveInstance(sql, caller, instance.id, noInstance)
            const before = yield* repo.lockSource(sql, organizationId)
            // A condition on a version is not met without a source.
            if (before === undefined && caller.request.ifMatch !== null) return yield* new PreconditionFailed()
            if (before !== undefined) yield* stale(caller, before.version)
            yield* repo.supersede(sql, organizationId, null)
            const version = Math.max(before?.version ?? 0, yield* repo.lastVersion(sql, organizationId)) + 1
            const row = yield* repo.putSource(
              sql,
              organizationId,
              {
                connector_instance_id: instance.id,
                connector_target_id: target.id,
                remote_id: locked.remote_id,
                branch: target.branch,
                path: input.path ?? pathDefault,
                mode: input.mode ?? "plan",
                is_enabled: input.isEnabled ?? true,
                membership_id: membershipId
              },
              version
            )
            yield* queueRun(sql, organizationId, { trigger: "source", startedBy: membershipId })
            return { before, after: yield* expectRow(row, "configuration source") }
          }),
          ({ after, before }) => ({
            target: organizationId,
            ...(before === undefined ? {} : { before: recordOf(before) }),
            after: recordOf(after)
          })
        ).pipe(Effect.map(({ after }) => repo.sourceToWire(after)))
      })

      const remove = Effect.fnUntraced(function* (caller: Member) {
        const { organizationId } = caller
        yield* mutate(
          caller,
          "configuration.remove_source",
          Effect.gen(function* () {
            const row = yield* Effect.flatMap(repo.lockSource(sql, organizationId), demand)
            yield* stale(caller, row.version)
            yield* repo.removeSource(sql, organizationId)
            yield* repo.supersede(sql, organizationId, null)
            return row
          }),
          (row) => ({ target: organizationId, before: recordOf(row) })
        )
      })

      const run = Effect.fnUntraced(function* (caller: Member) {
        const { organizationId } = caller
        const source = yield* Effect.flatMap(repo.findSource(sql, organizationId), demand)
        yield* connectors.demand(caller, source.connector_instance_id, "editor")
        yield* connectors.demandReadable(caller)
        return yield* mutate(
          caller,
          "configuration.start_run",
          Effect.gen(function* () {
            yield* lockActiveInstance(sql, caller, source.connector_instance_id, noInstance)
            const id = yield* queueRun(sql, organizationId, { trigger: "manual", startedBy: membershipOf(caller) })
            if (id === undefined) {
              yield* Effect.flatMap(repo.findSource(sql, organizationId), demand)
              return yield* new ConfigurationSourceDisabled()
            }
            return repo.runToWire(yield* expectRow(yield* repo.findRun(sql, organizationId, id), "configuration run"))
          }),
          ({ id }) => ({ target: id })
        )
      })

      return { get, set, remove, run } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
