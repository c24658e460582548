import { StorageQuotaExceeded } from "@orgplane/schema/config-objects"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { Settings } from "../config/settings.ts"
import { SqlDatabase } from "../sql/client.ts"
export { rowBytes } from "../sql/storage-counter.ts"
import { showBytes } from "./bytes.ts"
import * as repo from "./repo.ts"

export { showBytes } from "./bytes.ts"
export { allUsage } from "./repo.ts"

/** The entries for unclaimed workspaces, and for plans without a quota of their own. */
export const unclaimed = "unclaimed"
export const otherPlans = "default"

/** The quotas of plans, in bytes. */
export type Quotas = Readonly<Record<string, number | "unlimited">>

/** The steps of housekeeping that keep the totals correct, in their order. */
export const maintenanceNames = ["storage_changes", "storage_usage", "storage_recount"] as const
type MaintenanceName = (typeof maintenanceNames)[number]

/** The maximum number of stored bytes; null without a limit. */
export const limitOf = (quotas: Quotas, { plan, provisional }: Pick<repo.Usage, "plan" | "provisional">) => {
  const quota =
    (provisional ? quotas[unclaimed] : Object.hasOwn(quotas, plan) ? quotas[plan] : undefined) ?? quotas[otherPlans]
  return quota === undefined || quota === "unlimited" ? null : quota
}

interface Used extends repo.Usage {
  readonly limit: number | null
}

/** Closer to the limit, transactions that add content wait for each other, so that they cannot exceed it together. */
const exactBytes = 256_000_000
const recountDays = 7
const recountedMax = 20

/** The content that each organization stores, and its limit. */
export class Storage extends Context.Service<Storage>()("@orgplane/server/storage/Storage", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const { storageQuotas } = yield* Settings

    const usage = Effect.fnUntraced(function* (organizationId: string): Effect.fn.Return<Used, SqlError> {
      const row: repo.Usage = (yield* repo.findUsage(sql, organizationId)) ?? { plan: "", provisional: false, bytes: 0 }
      return { ...row, limit: limitOf(storageQuotas, row) }
    })

    /**
     * Fails if the organization stores more than its limit. Use it after the statements that add content, in their
     * transaction. `more` is content that a later transaction will add.
     */
    const demand = Effect.fnUntraced(function* (organizationId: Id<"org">, more?: number) {
      const added: number = more ?? 0
      const before = yield* usage(organizationId)
      if (before.limit === null || before.bytes + added <= before.limit - exactBytes) return
      yield* repo.lockUsage(sql, organizationId)
      const { bytes, limit, plan, provisional } = yield* usage(organizationId)
      if (limit === null || bytes + added <= limit) return
      const fix = provisional
        ? "Claim the workspace to store more."
        : `Delete content that is not needed, or ask the operator to raise the limit of the plan "${plan}".`
      return yield* new StorageQuotaExceeded({
        message: `The organization would store ${showBytes(bytes + added)}, but its limit is ${showBytes(limit)}. ${fix}`
      })
    })

    const correct = Effect.fnUntraced(function* (organizationId: string) {
      const drift = yield* repo.recount(sql, organizationId)
      if (drift !== null && drift !== 0) {
        yield* Effect.annotateLogs(Effect.logWarning("The counter of stored bytes was wrong and has been corrected."), {
          organizationId,
          bytes: drift
        })
      }
    })

    // Each write of an uncounted organization counts all its content, so one run counts all uncounted organizations.
    const recountAll = Effect.gen(function* () {
      for (let hasMore = true; hasMore;) {
        const uncounted = yield* repo.findUncounted(sql, recountDays, recountedMax)
        yield* Effect.forEach(uncounted.ids, correct, { discard: true })
        hasMore = uncounted.hasMore
      }
    })

    const works: Readonly<Record<MaintenanceName, Effect.Effect<unknown, SqlError>>> = {
      storage_changes: repo.addChanges(sql),
      storage_usage: repo.deleteForeign(sql),
      storage_recount: recountAll
    }
    /** The steps that add recent changes to the totals, and count some organizations completely. */
    const maintenance = maintenanceNames.map((name) => ({ name, work: works[name] }))

    return {
      usage,
      demand,
      maintenance,
      recount: (organizationId: string) => repo.recount(sql, organizationId)
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
