import { PluginReleaseNotFound } from "@orgplane/schema/approvals"
import { MemberNotFound } from "@orgplane/schema/members"
import { PluginNotFound } from "@orgplane/schema/plugins"
import * as Rollouts from "@orgplane/schema/rollouts"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { demandAssignees } from "../../identity/audiences/demand.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { eachSteps, inTimeSlices } from "../../infra/time-slices.ts"
import { addMember, emptyAudience, makeRingIndexOf, makeWinners } from "./audience.ts"
import { waitsForResults } from "./evidence.ts"
import { makeExplain } from "./explain.ts"
import { makeNextAllowed } from "./freezes.ts"
import * as members from "./members-repo.ts"
import { ringStarts } from "./next-ring.ts"
import * as repo from "./repo.ts"
import { readResults } from "./results.ts"
import { settings } from "./settings-repo.ts"
import { isoOf, ringsOf, toWire } from "./wire.ts"

/** Members, and assignments with their members and teams, that a preview reads per batch. */
const membersAtOnce = 2000
const assignmentsAtOnce = 50

/** Reads all rows in batches, ordered by ID. */
const eachBatch = Effect.fnUntraced(function* <Row extends { readonly id: string }, E, R>(
  size: number,
  read: (after: string) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  visit: (rows: ReadonlyArray<Row>) => Effect.Effect<void>
) {
  let after: string | undefined = ""
  while (after !== undefined) {
    const rows: ReadonlyArray<Row> = yield* read(after)
    yield* visit(rows)
    after = rows.length < size ? undefined : rows.at(-1)?.id
  }
})

/** Reads rollouts, explains deliveries, and previews rollouts. */
export class RolloutReads extends Context.Service<RolloutReads>()("@orgplane/server/rollouts/Reads", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const explainDelivery = makeExplain(sql)

    const list = Effect.fnUntraced(function* (
      caller: Member,
      query: PageQuery & {
        readonly q?: string
        readonly state?: Rollouts.RolloutState
        readonly pluginId?: Id<"plg">
      }
    ) {
      const { organizationId } = caller
      const filters: repo.Filters = {
        state: query.state ?? null,
        pluginId: query.pluginId ?? null,
        ...(query.q === undefined ? {} : { q: query.q })
      }
      const { freezes } = yield* settings(sql, organizationId)
      const nextAllowed = makeNextAllowed(freezes)
      const now = yield* Clock.currentTimeMillis
      return yield* pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, organizationId, filters, after, limit),
        toWire: (row) => toWire(row, nextAllowed, now)
      })
    })

    const get = Effect.fnUntraced(function* ({ organizationId }: Member, id: Id<"rlo">) {
      const row = yield* repo.find(sql, organizationId, id)
      if (row === undefined) return yield* new Rollouts.RolloutNotFound()
      const { freezes, thresholds } = yield* settings(sql, organizationId)
      const results = repo.isOpen(row) && row.ring_count > 0 ? yield* readResults(sql, row, thresholds) : undefined
      const steps = yield* repo.steps(sql, organizationId, id)
      const rollout = toWire(row, makeNextAllowed(freezes), yield* Clock.currentTimeMillis)
      const isWaiting = results !== undefined && row.reached > 0 && waitsForResults(results, thresholds)
      return {
        ...rollout,
        nextRingAt: isWaiting ? null : rollout.nextRingAt,
        rings: ringsOf(row),
        installations: results?.installations.comparison ?? null,
        usage: results?.usage.comparison ?? null,
        steps: steps.map((step) => ({
          step: step.step,
          ring: step.ring,
          reason: step.reason,
          byOrgMembershipId: step.by_membership_id,
          at: iso(step.created_at)
        }))
      } satisfies Rollouts.RolloutDetails
    })

    const explain = Effect.fnUntraced(function* (caller: Member, membershipId: Id<"om">, pluginId: Id<"plg">) {
      const result = yield* explainDelivery(caller, membershipId, pluginId)
      if (result === "no member") return yield* new MemberNotFound()
      if (result === "no plugin") return yield* new PluginNotFound()
      return result
    })

    const preview = Effect.fnUntraced(function* (caller: Member, input: typeof Rollouts.PreviewRollout.Type) {
      const { organizationId } = caller
      const release = yield* repo.findRelease(sql, organizationId, input.releaseId)
      if (release === undefined) return yield* new PluginReleaseNotFound()
      for (const [index, ring] of (input.rings ?? []).entries()) {
        yield* demandAssignees(sql, caller, ring, ["body", "rings", index], false)
      }
      const pluginId = release.plugin_id
      const current = yield* settings(sql, organizationId)
      const plugin = yield* repo.findPlugin(sql, organizationId, pluginId)
      if (plugin?.is_gated !== true) return yield* new Rollouts.DeliveryModeAuto()
      // The first release is served to all members at once, even in a freeze.
      const isFirst = plugin.served_release_id === null
      const rings = isFirst ? [] : (input.rings ?? current.rings)
      const freezes = isFirst ? [] : current.freezes
      const winners = makeWinners()
      yield* eachBatch(
        assignmentsAtOnce,
        (after) => members.assignments(sql, organizationId, pluginId, after, assignmentsAtOnce),
        (rows) => inTimeSlices(eachSteps(rows, winners.add), 1)
      )
      const ringIndexOf = makeRingIndexOf(rings)
      const audience = emptyAudience(rings.length)
      yield* eachBatch(
        membersAtOnce,
        (after) => members.members(sql, organizationId, pluginId, after, membersAtOnce),
        (rows) => inTimeSlices(eachSteps(rows, (member) => addMember(audience, ringIndexOf, winners, member)))
      )
      const { starts } = ringStarts(
        rings,
        { state: "scheduled", reached: 0, soaksFrom: null, startsAt: null },
        makeNextAllowed(freezes),
        yield* Clock.currentTimeMillis
      )
      return {
        releaseId: release.id,
        pluginId,
        rings: audience.rings.map((counts, index) => ({
          name: rings[index]?.name ?? Rollouts.everyone,
          ...counts,
          startsAt: isoOf(starts[index] ?? null)
        })),
        pinnedCount: audience.pinnedCount,
        blockedCount: audience.blockedCount,
        withoutAccessCount: audience.withoutAccessCount
      } satisfies Rollouts.RolloutPreview
    })

    return { list, get, explain, preview } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
