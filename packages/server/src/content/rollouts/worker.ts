import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf } from "../../infra/sql/wakes.ts"
import { waitsForResults } from "./evidence.ts"
import { makeNextAllowed } from "./freezes.ts"
import * as repo from "./repo.ts"
import { readResults } from "./results.ts"
import { settings } from "./settings-repo.ts"
import { advance, cancel, isDeliverable, ringOf } from "./transitions.ts"
import { startsOf } from "./wire.ts"

/** The time between two checks of a rollout that has not ended. */
const checkedSeconds = 5
/** The time between two searches for such rollouts: each finds those that the last one found. */
const searchedSeconds = checkedSeconds + 1
const roundMax = 20

/** The result of a check of a rollout. */
type Decision =
  | { readonly action: "rollout.cancel" }
  | { readonly action: "rollout.pause"; readonly pauseReason: "install_failures" | "usage_failures" }
  | { readonly action: "rollout.start" | "rollout.promote" | "rollout.complete" }

/** Starts the rings of rollouts when they are due, and pauses rollouts that fail more often than the previous release. */
export class RolloutWorker extends Context.Service<RolloutWorker>()("@orgplane/server/rollouts/Worker", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const { mutate } = yield* Mutate

    /** The next step of a rollout that is due now; undefined if none is. */
    const decide = Effect.fnUntraced(function* (row: repo.Row, now: number) {
      const { organization_id: organizationId, plugin_id: pluginId } = row
      const plugin = yield* repo.findPlugin(sql, organizationId, pluginId)
      const isServed = plugin?.served_release_id != null || row.previous_release_id === null
      if (plugin?.is_gated !== true || !isServed || !(yield* isDeliverable(sql, row))) {
        return { action: "rollout.cancel" } satisfies Decision
      }
      if (row.state === "paused") return undefined
      const { freezes, thresholds } = yield* settings(sql, organizationId)
      if (row.reached > 0) {
        const { installations, usage } = yield* readResults(sql, row, thresholds)
        if (thresholds.installFailures && installations.isCrossed) {
          return { action: "rollout.pause", pauseReason: "install_failures" } satisfies Decision
        }
        if (thresholds.usageFailures && usage.isCrossed) {
          return { action: "rollout.pause", pauseReason: "usage_failures" } satisfies Decision
        }
        if (waitsForResults({ installations, usage }, thresholds)) return undefined
      }
      const { nextRingAt } = startsOf(row, makeNextAllowed(freezes), now, true)
      if (nextRingAt === null || nextRingAt > now) return undefined
      const action =
        row.reached === 0 ? "rollout.start" : row.reached < row.ring_count ? "rollout.promote" : "rollout.complete"
      return { action } satisfies Decision
    })

    const apply = Effect.fnUntraced(function* (row: repo.Row, decision: Decision) {
      const { id, organization_id: organizationId } = row
      switch (decision.action) {
        case "rollout.cancel":
          return yield* cancel(sql, row, null)
        case "rollout.pause":
          yield* repo.pause(sql, organizationId, id, decision.pauseReason, null)
          return yield* repo.addStep(sql, organizationId, id, {
            step: "paused",
            ring: ringOf(row),
            reason: decision.pauseReason
          })
        default:
          return yield* advance(sql, row, null)
      }
    })

    /** Whether two reads of a rollout have the same state, so that a decision about one holds for the other. */
    const isSame = (one: repo.Row, other: repo.Row) =>
      one.state === other.state &&
      one.reached === other.reached &&
      one.soaks_from?.getTime() === other.soaks_from?.getTime() &&
      one.starts_at?.getTime() === other.starts_at?.getTime() &&
      one.counts_from.getTime() === other.counts_from.getTime()

    /** Checks a rollout. A change since the decision wins: the next check decides again. */
    const check = Effect.fnUntraced(function* (organizationId: Id<"org">, id: Id<"rlo">, now: number) {
      const row = yield* repo.find(sql, organizationId, id)
      if (row === undefined || !repo.isOpen(row)) return
      const decision: Decision | undefined = yield* decide(row, now)
      if (decision === undefined) return
      yield* mutate(
        { kind: "system", organizationId },
        decision.action,
        Effect.gen(function* () {
          yield* repo.lockPlugin(sql, organizationId, row.plugin_id)
          const locked = yield* repo.find(sql, organizationId, id)
          if (locked === undefined || !isSame(row, locked)) return yield* Effect.fail("changed" as const)
          yield* apply(locked, decision)
          return yield* repo.find(sql, organizationId, id)
        }),
        (after) => ({
          target: id,
          before: { state: row.state, ring: ringOf(row) },
          after: {
            state: after?.state ?? null,
            ring: after === undefined ? null : ringOf(after),
            pluginId: row.plugin_id,
            releaseId: row.release_id,
            pauseReason: after?.pause_reason ?? null
          }
        })
      ).pipe(Effect.catch((failed) => (failed === "changed" ? Effect.void : Effect.fail(failed))))
    })

    const tryCheck = ({ id, now, organization_id: organizationId }: repo.DueRow) =>
      Effect.catchCause(check(organizationId, id, now.getTime()), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logWarning("Cannot check a rollout. Retrying.", cause)
      )

    /** Rounds since the last one that checked a rollout. */
    let idleRounds = 0

    /** Returns the seconds until the next round. Another process may have checked the open rollouts of one round. */
    const round = Effect.gen(function* () {
      const due = yield* repo.takeDue(sql, checkedSeconds, roundMax)
      yield* Effect.forEach(due, tryCheck, { discard: true })
      idleRounds = due.length === 0 ? idleRounds + 1 : 0
      return due.length === roundMax ? 1 : idleRounds < 2 ? searchedSeconds : restSeconds
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logWarning("Cannot read which rollouts are due. Retrying.", cause), searchedSeconds)
      )
    )

    const worker = roundsOf(sql, ["rollouts"], round)

    return { worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
