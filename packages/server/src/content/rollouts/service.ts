import * as Rollouts from "@orgplane/schema/rollouts"
import { PluginReleaseNotFound } from "@orgplane/schema/approvals"
import { PluginNotFound } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { demandAssignees } from "../../identity/audiences/demand.ts"
import { MailQueue } from "../../infra/mail/index.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { deleteOldContents } from "../approvals/retention-repo.ts"
import { makeNextAllowed } from "./freezes.ts"
import { releaseEmail } from "./release-email.ts"
import * as repo from "./repo.ts"
import { demandStart } from "./start.ts"
import { lockSettings, setSettings, settings } from "./settings-repo.ts"
import { advance, cancel, complete, create as createRollout, isDeliverable, ringOf } from "./transitions.ts"
import { toWire } from "./wire.ts"

const actorOf = ({ principal }: Member): string =>
  principal.kind === "session" ? principal.membershipId : principal.keyId

/** The settings in the audit log, which contains no names. */
const recordOf = ({ freezes, rings, thresholds }: Rollouts.RolloutSettings) => ({
  rings: rings.map(Struct.omit(["name"])),
  thresholds,
  freezes: freezes.map(Struct.omit(["name"]))
})

type Action =
  | "rollout.start"
  | "rollout.schedule"
  | "rollout.promote"
  | "rollout.pause"
  | "rollout.resume"
  | "rollout.roll_back"
  | "rollout.release"

/** Rollouts of approved releases: their settings, their steps, and withdrawals. */
export class RolloutsService extends Context.Service<RolloutsService>()("@orgplane/server/rollouts/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const mails = yield* MailQueue
    const { mutate } = yield* Mutate

    const find = (organizationId: Id<"org">, id: Id<"rlo">) =>
      Effect.flatMap(repo.find(sql, organizationId, id), (row) =>
        row === undefined ? Effect.fail(new Rollouts.RolloutNotFound()) : Effect.succeed(row)
      )

    /** A rollout in a response. */
    const toResponse = Effect.fnUntraced(function* (row: repo.Row) {
      const { freezes } = yield* settings(sql, row.organization_id)
      return toWire(row, makeNextAllowed(freezes), yield* Clock.currentTimeMillis)
    })

    /** The fields of a rollout in the audit log. */
    const auditRecordOf = (row: repo.Row) => ({
      state: row.state,
      ring: ringOf(row),
      startsAt: row.starts_at?.toISOString() ?? null,
      pauseReason: row.pause_reason
    })

    /** Changes a rollout in one transaction. Its plugin is locked, so that changes of its rollouts run one after another. */
    const change = <E, R>(
      caller: Member,
      action: Action,
      id: Id<"rlo">,
      work: (row: repo.Row, plugin: repo.LockedPlugin) => Effect.Effect<unknown, E, R>,
      details: Readonly<Record<string, unknown>> = {}
    ) =>
      // Checked first, so that a repeated idempotency key does not show that the rollout exists.
      Effect.andThen(
        find(caller.organizationId, id),
        mutate(
          caller,
          action,
          Effect.gen(function* () {
            const { organizationId } = caller
            const { plugin_id: pluginId } = yield* find(organizationId, id)
            const plugin = yield* repo.lockPlugin(sql, organizationId, pluginId)
            const before = yield* find(organizationId, id)
            if (plugin === undefined) return yield* new Rollouts.RolloutEnded()
            yield* work(before, plugin)
            const after = yield* Effect.flatMap(repo.find(sql, organizationId, id), (row) => expectRow(row, "rollout"))
            return {
              before: auditRecordOf(before),
              after: auditRecordOf(after),
              pluginId,
              item: yield* toResponse(after)
            }
          }),
          ({ after, before, pluginId }) => ({
            target: id,
            before,
            after: { ...after, pluginId, ...details }
          })
        )
      ).pipe(Effect.map(({ item }) => item))

    const demandOpen = (row: repo.Row) => (repo.isOpen(row) ? Effect.void : Effect.fail(new Rollouts.RolloutEnded()))

    const start = (caller: Member, id: Id<"rlo">) =>
      change(caller, "rollout.start", id, (row) =>
        Effect.gen(function* () {
          yield* demandOpen(row)
          if (row.reached > 0) return yield* new Rollouts.RolloutStarted()
          if (row.state === "paused") return yield* new Rollouts.RolloutPaused()
          yield* advance(sql, row, membershipOf(caller))
        })
      )

    const schedule = (caller: Member, id: Id<"rlo">, startsAt: string | null) =>
      change(caller, "rollout.schedule", id, (row) =>
        Effect.gen(function* () {
          yield* demandOpen(row)
          if (row.reached > 0) return yield* new Rollouts.RolloutStarted()
          yield* demandStart(sql, startsAt)
          yield* repo.schedule(sql, row.organization_id, id, startsAt)
          yield* repo.addStep(sql, row.organization_id, id, {
            step: "scheduled",
            reason: startsAt,
            by: membershipOf(caller)
          })
        })
      )

    const promote = (caller: Member, id: Id<"rlo">, ring: string) =>
      change(caller, "rollout.promote", id, (row) =>
        Effect.gen(function* () {
          yield* demandOpen(row)
          if (row.state === "paused") return yield* new Rollouts.RolloutPaused()
          if (ringOf(row) !== ring) return yield* new Rollouts.RolloutRingChanged()
          yield* advance(sql, row, membershipOf(caller))
        })
      )

    const pause = (caller: Member, id: Id<"rlo">, comment: string | undefined) =>
      change(caller, "rollout.pause", id, (row) =>
        Effect.gen(function* () {
          yield* demandOpen(row)
          // A pause by a member or an API key replaces an automatic one, so that its comment is kept.
          const isPaused = row.state === "paused" && row.pause_reason === "manual"
          if (isPaused && (comment === undefined || comment === row.comment)) return
          yield* repo.pause(sql, row.organization_id, id, "manual", comment ?? null)
          yield* repo.addStep(sql, row.organization_id, id, {
            step: "paused",
            ring: ringOf(row),
            reason: comment ?? null,
            by: membershipOf(caller)
          })
        })
      )

    const resume = (caller: Member, id: Id<"rlo">) =>
      change(caller, "rollout.resume", id, (row) =>
        Effect.gen(function* () {
          yield* demandOpen(row)
          if (row.state !== "paused") return yield* new Rollouts.RolloutNotPaused()
          yield* repo.resume(sql, row.organization_id, id)
          yield* repo.addStep(sql, row.organization_id, id, {
            step: "resumed",
            ring: ringOf(row),
            by: membershipOf(caller)
          })
        })
      )

    /** Fails unless the previous release of a completed rollout can be served again. */
    const demandRevertible = Effect.fnUntraced(function* (row: repo.Row, plugin: repo.LockedPlugin) {
      if (row.state !== "completed") return yield* new Rollouts.RolloutEnded()
      const { previous_release_id: previousId } = row
      const previous = previousId === null ? undefined : yield* repo.findRelease(sql, row.organization_id, previousId)
      const isLatest = plugin.served_release_id === row.release_id && !(yield* repo.hasNewer(sql, row))
      if (!isLatest || previous === undefined || previous.state !== "approved" || !previous.has_contents) {
        return yield* new Rollouts.RolloutNotRevertible()
      }
      yield* repo.serve(sql, row.organization_id, row.plugin_id, previous.id)
    })

    const rollBack = (caller: Member, id: Id<"rlo">, comment: string) =>
      change(caller, "rollout.roll_back", id, (row, plugin) =>
        Effect.gen(function* () {
          const { organization_id: organizationId, plugin_id: pluginId } = row
          if (!repo.isOpen(row)) yield* demandRevertible(row, plugin)
          yield* repo.addStep(sql, organizationId, id, {
            step: "rolled_back",
            ring: ringOf(row),
            reason: comment,
            by: membershipOf(caller)
          })
          yield* repo.end(sql, organizationId, id, "rolled_back", { comment })
          yield* repo.endDeliveries(sql, organizationId, pluginId)
          yield* deleteOldContents(sql, organizationId, pluginId)
        })
      )

    const release = Effect.fnUntraced(function* (caller: Member, id: Id<"rlo">, comment: string) {
      let isDone = false
      const item = yield* change(
        caller,
        "rollout.release",
        id,
        (row) =>
          Effect.gen(function* () {
            yield* demandOpen(row)
            if (!(yield* isDeliverable(sql, row))) return yield* new Rollouts.ReleaseNotStored()
            yield* complete(sql, row, membershipOf(caller), { comment })
            isDone = true
          }),
        { emergency: true }
      )
      // Not for a repeated request with the same idempotency key.
      if (isDone) {
        const recipients = yield* repo.administrators(sql, caller.organizationId)
        yield* Effect.forEach(
          recipients,
          ({ email, organization_name: organizationName }) =>
            mails.enqueue("notice", releaseEmail({ to: email, organizationName, pluginName: item.pluginName, id })),
          { discard: true }
        )
      }
      return item
    })

    const create = (caller: Member, { releaseId, startsAt }: typeof Rollouts.CreateRollout.Type) =>
      mutate(
        caller,
        "rollout.create",
        Effect.gen(function* () {
          const { organizationId } = caller
          const before = yield* repo.findRelease(sql, organizationId, releaseId)
          if (before === undefined) return yield* new PluginReleaseNotFound()
          const plugin = yield* repo.lockPlugin(sql, organizationId, before.plugin_id)
          const release = yield* repo.findRelease(sql, organizationId, releaseId)
          if (plugin === undefined || release === undefined) return yield* new PluginReleaseNotFound()
          if (!plugin.is_gated) return yield* new Rollouts.DeliveryModeAuto()
          const previousReleaseId = plugin.served_release_id
          if (release.state !== "approved") return yield* new Rollouts.ReleaseNotApproved()
          if (previousReleaseId === releaseId) return yield* new Rollouts.ReleaseServed()
          if (!release.has_contents) return yield* new Rollouts.ReleaseNotStored()
          const releases = { pluginId: plugin.id, releaseId, previousReleaseId }
          const { freezes, rings } = yield* settings(sql, organizationId)
          // If nothing is served, there is no release that the members of later rings could keep.
          const current = previousReleaseId === null ? { freezes: [], rings: [] } : { freezes, rings }
          yield* demandStart(sql, startsAt)
          const id = yield* createRollout(sql, caller, releases, current, startsAt ?? null)
          const row = yield* Effect.flatMap(repo.find(sql, organizationId, id), (row) => expectRow(row, "rollout"))
          return yield* toResponse(row)
        }),
        ({ digest, id, pluginId, state }) => ({ target: id, after: { pluginId, releaseId, digest, state } })
      )

    const withdraw = (caller: Member, { comment, digest, pluginId }: typeof Rollouts.WithdrawRelease.Type) =>
      mutate(
        caller,
        "release.withdraw",
        Effect.gen(function* () {
          const { organizationId } = caller
          const plugin = yield* repo.lockPlugin(sql, organizationId, pluginId)
          if (plugin === undefined) return yield* new PluginNotFound()
          if (!(yield* repo.hasDigest(sql, organizationId, pluginId, digest))) return yield* new PluginReleaseNotFound()
          // With the mode auto, releases are delivered only where assignments pin them, and the latest content elsewhere.
          if (!plugin.is_gated && (yield* repo.isLatestContent(sql, organizationId, pluginId, digest))) {
            return yield* new Rollouts.DeliveryModeAuto()
          }
          const withdrawn = yield* repo.withdraw(sql, organizationId, pluginId, digest, actorOf(caller), comment)
          const ids = withdrawn.map(({ id }) => id)
          const [first] = ids
          if (first === undefined) return yield* new Rollouts.ReleaseNotApproved()
          let servedReleaseId = plugin.served_release_id
          if (servedReleaseId !== null && ids.includes(servedReleaseId)) {
            servedReleaseId = yield* repo.findFallback(sql, organizationId, pluginId, servedReleaseId)
            yield* repo.serve(sql, organizationId, pluginId, servedReleaseId)
          }
          // Without a served release, no rollout continues.
          const rollouts = yield* repo.delivering(sql, organizationId, pluginId, servedReleaseId === null ? null : ids)
          const cancelled = rollouts.filter((row) => repo.isOpen(row))
          for (const { id } of cancelled) {
            const row = { id, organization_id: organizationId, plugin_id: pluginId }
            yield* cancel(sql, row, membershipOf(caller), comment)
          }
          for (const { id } of rollouts) yield* repo.stopDelivery(sql, organizationId, id)
          const unpinnedAssignmentIds = yield* repo.unpin(sql, organizationId, pluginId, digest)
          yield* deleteOldContents(sql, organizationId, pluginId)
          return {
            pluginId,
            digest,
            servedReleaseId,
            rolloutIds: cancelled.map(({ id }) => id),
            unpinnedAssignmentIds
          } satisfies Rollouts.Withdrawal
        }),
        (withdrawal) => ({ target: pluginId, after: withdrawal })
      )

    const getSettings = ({ organizationId }: Member) => settings(sql, organizationId)

    const updateSettings = (caller: Member, input: Rollouts.UpdateRolloutSettings) =>
      mutate(
        caller,
        "rollout.update_settings",
        Effect.gen(function* () {
          const { organizationId } = caller
          yield* lockSettings(sql, organizationId)
          for (const [index, ring] of (input.rings ?? []).entries()) {
            yield* demandAssignees(sql, caller, ring, ["body", "rings", index], true)
          }
          const before = yield* settings(sql, organizationId)
          const after = { ...before, ...input }
          if (Object.keys(input).length > 0) yield* setSettings(sql, organizationId, after)
          return { before, after }
        }),
        ({ after, before }) => ({
          target: caller.organizationId,
          before: recordOf(before),
          after: recordOf(after)
        })
      ).pipe(Effect.map(({ after }) => after))

    return {
      start,
      schedule,
      promote,
      pause,
      resume,
      rollBack,
      release,
      create,
      withdraw,
      getSettings,
      updateSettings
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
