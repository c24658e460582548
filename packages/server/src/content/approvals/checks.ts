import type { ReleaseReason } from "@orgplane/schema/approvals"
import type { CapabilityComparison } from "@orgplane/schema/plugin-capabilities"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as Queue from "effect/Queue"
import { makeId } from "../../infra/ids.ts"
import { MailQueue } from "../../infra/mail/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { compareCapabilities } from "../plugin-capabilities/index.ts"
import { storedReader } from "../plugins/archive-contents.ts"
import { type Listing, listing, releaseListing } from "../plugins/archive-repo.ts"
import { measure, type Measured } from "./measure.ts"
import { approvalEmail } from "./approval-email.ts"
import { deliver } from "../rollouts/start.ts"
import * as repo from "./repo.ts"
import { deleteOldContents } from "./retention-repo.ts"

/** The number of checks that a process runs at once. Organizations share them fairly; further checks wait. */
const checkedAtOnce = 2
const triesMax = 3
const roundMax = 20
const retryMillis = 60_000
/** The number of failed plugins that a process remembers. */
const retriesMax = 1000
/** The longest time until a change is checked, unless the plugin is read or a sync ends. */
const pause = "5 seconds"

/** Decides whether a new release of a plugin is served at once or held for approval. */
export class ReleaseChecks extends Context.Service<ReleaseChecks>()("@orgplane/server/approvals/Checks", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* organizationTransaction
    const { mutate } = yield* Mutate
    const mails = yield* MailQueue
    const wakes = yield* Queue.sliding<void>(1)
    const permits = yield* PartitionedSemaphore.make<string>({ permits: checkedAtOnce })

    const measured = (organizationId: Id<"org">, content: Listing) =>
      Effect.orDie(measure(content, storedReader(sql, organizationId)))

    const digestsOf = ({ digest, problem, set }: Measured) => ({
      digest,
      problem,
      capabilitiesDigest: set?.digest ?? null
    })

    const measuredRelease = Effect.fnUntraced(function* (organizationId: Id<"org">, id: Id<"rel"> | null) {
      const content = id === null ? undefined : yield* releaseListing(sql, organizationId, id)
      return content === undefined ? undefined : yield* measured(organizationId, content)
    })

    /** How the capabilities differ from those of the served release. */
    const compared = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      servedId: Id<"rel"> | null,
      { set }: Measured
    ) {
      if (set === undefined) return null
      return compareCapabilities((yield* measuredRelease(organizationId, servedId))?.set, set)
    })

    /** The reason for which a release is served without an approver; null if it is pending approval. */
    const reasonOf = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      pluginId: Id<"plg">,
      state: Pick<repo.PluginState, "delivery_mode">,
      digest: string,
      comparison: CapabilityComparison | null
    ): Effect.fn.Return<ReleaseReason | null, SqlError> {
      // This content was rolled back or withdrawn before, so it requires another approval.
      if (yield* repo.wasRolledBack(sql, organizationId, pluginId, digest)) return null
      if (yield* repo.wasApproved(sql, organizationId, pluginId, digest)) return "approved_before"
      if (yield* repo.wasWithdrawn(sql, organizationId, pluginId, digest)) return null
      const isHarmless = comparison !== null && !comparison.needsReview
      return state.delivery_mode === "hold_growth" && isHarmless ? "no_growth" : null
    })

    /** Queues the emails that ask the approvers to review a release. */
    const notify = Effect.fnUntraced(function* (organizationId: Id<"org">, id: Id<"rel">, pluginName: string) {
      const recipients = yield* repo.recipients(sql, organizationId, id)
      yield* Effect.forEach(
        recipients,
        ({ email, organization_name: organizationName }) =>
          mails.enqueue("notice", approvalEmail({ to: email, organizationName, pluginName, id })),
        { discard: true }
      )
    })

    /** Stores the current content as a release. False if the plugin has changed since it was read. */
    const release = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      pluginId: Id<"plg">,
      state: repo.PluginState,
      content: Listing
    ) {
      const after = yield* measured(organizationId, content)
      const { latest } = state
      if (latest !== null && latest.has_contents && latest.digest === after.digest) {
        yield* fenced(organizationId, repo.setFingerprint(sql, organizationId, latest.id, content.fingerprint))
        return true
      }
      const comparison = yield* compared(organizationId, state.served_release_id, after)
      const because = yield* reasonOf(organizationId, pluginId, state, after.digest, comparison)
      const id = makeId("rel")
      const number = (latest?.number ?? 0) + 1
      const actor = { kind: "system", organizationId } as const
      return yield* mutate(
        actor,
        because === null ? "release.hold" : "release.serve",
        Effect.gen(function* () {
          const locked = yield* repo.lockPlugin(sql, organizationId, pluginId)
          if (
            locked === undefined ||
            locked.delivery_mode !== state.delivery_mode ||
            locked.served_release_id !== state.served_release_id ||
            locked.number !== number - 1
          ) {
            return yield* Effect.fail("changed" as const)
          }
          // A withdrawal since the decision wins: the next check decides again.
          if (
            because !== null &&
            (yield* reasonOf(organizationId, pluginId, state, after.digest, comparison)) !== because
          ) {
            return yield* Effect.fail("changed" as const)
          }
          yield* repo.insert(
            sql,
            organizationId,
            {
              id,
              pluginId,
              number,
              ...digestsOf(after),
              revision: state.revision,
              needsReview: comparison?.needsReview ?? true,
              comparison,
              because
            },
            content
          )
          const rolloutId = because === null ? null : yield* deliver(sql, actor, pluginId, id)
          yield* deleteOldContents(sql, organizationId, pluginId)
          return rolloutId
        }),
        (rolloutId) => ({
          target: pluginId,
          after: { releaseId: id, number, digest: after.digest, because, ...(rolloutId === null ? {} : { rolloutId }) }
        })
      ).pipe(
        Effect.andThen(because === null ? notify(organizationId, id, content.name) : Effect.void),
        Effect.as(true),
        Effect.catch((failed) => (failed === "changed" ? Effect.succeed(false) : Effect.fail(failed)))
      )
    })

    /** Computes the digests of a release that was approved without a check. */
    const complete = Effect.fnUntraced(function* (organizationId: Id<"org">, id: Id<"rel">) {
      const content = yield* releaseListing(sql, organizationId, id)
      if (content === undefined) return
      const digests = digestsOf(yield* measured(organizationId, content))
      yield* fenced(organizationId, repo.setDigests(sql, organizationId, id, digests))
    })

    /** The state and the content of a plugin that has approvals, and whose first sync has ended. */
    const findChecked = Effect.fnUntraced(function* (organizationId: Id<"org">, pluginId: Id<"plg">) {
      const state = yield* repo.findState(sql, organizationId, pluginId)
      if (state === undefined || state.delivery_mode === null || !state.is_imported) return undefined
      const content = yield* listing(sql, organizationId, pluginId)
      return content === undefined ? undefined : { state, content }
    })

    /**
     * The comparison of a release that a check of the plugin would hold for approval; undefined if it would hold none.
     * Changes nothing, and takes no permit, so that it can be called in a transaction that has changed the plugin.
     */
    const preview = Effect.fnUntraced(function* (organizationId: Id<"org">, pluginId: Id<"plg">) {
      const checked = yield* findChecked(organizationId, pluginId)
      if (checked === undefined) return undefined
      const { content, state } = checked
      const latest = state.latest?.has_contents === true ? state.latest : undefined
      if (latest?.fingerprint === content.fingerprint) return undefined
      const after = yield* measured(organizationId, content)
      if (latest?.digest === after.digest) return undefined
      const served = yield* measuredRelease(organizationId, state.served_release_id)
      // The digest of a release that was approved in this transaction is not stored yet.
      if (served?.digest === after.digest) return undefined
      const comparison = after.set === undefined ? null : compareCapabilities(served?.set, after.set)
      const because = yield* reasonOf(organizationId, pluginId, state, after.digest, comparison)
      return because === null ? { name: content.name, comparison } : undefined
    })

    /** The number of the newest requested check. */
    const lastRequested = (organizationId: Id<"org">) => repo.lastCheck(sql, organizationId)

    /** The plugins for which checks were requested after this number, at most `limit` of them. */
    const requestedAfter = (organizationId: Id<"org">, last: string, limit: number) =>
      repo.listCheckedAfter(sql, organizationId, last, limit)

    const attempt = Effect.fnUntraced(function* (organizationId: Id<"org">, pluginId: Id<"plg">) {
      const checks = yield* repo.findChecks(sql, organizationId, pluginId)
      if (checks.length === 0) return true
      const checked = yield* findChecked(organizationId, pluginId)
      if (checked !== undefined) {
        const { content, state } = checked
        const { latest } = state
        if (latest !== null && latest.has_contents && latest.digest === null) {
          yield* complete(organizationId, latest.id)
          return false
        }
        const isNew = latest === null || !latest.has_contents || latest.fingerprint !== content.fingerprint
        if (isNew && !(yield* release(organizationId, pluginId, state, content))) return false
      }
      yield* fenced(organizationId, repo.closeChecks(sql, organizationId, checks))
      return true
    })

    /** Checks a plugin if its content may have changed. */
    const check = (organizationId: Id<"org">, pluginId: Id<"plg">) =>
      Effect.repeat(attempt(organizationId, pluginId), { until: (isDone) => isDone, times: triesMax }).pipe(
        PartitionedSemaphore.withPermits(permits, organizationId, 1),
        Effect.asVoid
      )

    /** When to retry the plugins whose last check failed, by plugin. */
    const retries = new Map<Id<"plg">, number>()

    /** Checks a plugin if its content may have changed. False if the check failed. The served release then stays. */
    const tryCheck = Effect.fnUntraced(function* (organizationId: Id<"org">, pluginId: Id<"plg">) {
      const cause = yield* check(organizationId, pluginId).pipe(
        Effect.as(undefined),
        Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.succeed(cause)))
      )
      retries.delete(pluginId)
      if (cause === undefined) return true
      yield* Effect.logWarning("Cannot check a release of a plugin. Retrying.", cause)
      const [oldest] = retries.keys()
      if (oldest !== undefined && retries.size >= retriesMax) retries.delete(oldest)
      retries.set(pluginId, (yield* Clock.currentTimeMillis) + retryMillis)
      return false
    })

    /** Like `tryCheck`, but not within a minute after a failure: lists are read often, and contain many plugins. */
    const tryCheckListed = Effect.fnUntraced(function* (organizationId: Id<"org">, pluginId: Id<"plg">) {
      if ((retries.get(pluginId) ?? 0) > (yield* Clock.currentTimeMillis)) return false
      return yield* tryCheck(organizationId, pluginId)
    })

    /**
     * Checks plugins that may have changed, at most `limit` of them; returns the number of completed checks. Plugins whose
     * check failed wait, so that they do not delay the others.
     */
    const checkAll = Effect.fnUntraced(function* (organizationId: Id<"org"> | null, limit: number) {
      const now = yield* Clock.currentTimeMillis
      const waiting = [...retries].flatMap(([pluginId, at]) => (at > now ? [pluginId] : []))
      const open = yield* repo.listOpenChecks(sql, organizationId, waiting, limit)
      const done = yield* Effect.forEach(open, (row) => tryCheck(row.organization_id, row.plugin_id), {
        concurrency: checkedAtOnce
      })
      return done.filter((isDone) => isDone).length
    })

    const worker = checkAll(null, roundMax).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(Effect.logWarning("Cannot read which plugins have changed. Retrying.", cause), 0)
      ),
      Effect.flatMap((checked) =>
        checked === roundMax ? Effect.void : Effect.raceFirst(Effect.sleep(pause), Queue.take(wakes))
      ),
      Effect.forever
    )

    /** Wakes the worker, so that it checks changed plugins now. */
    const wake = Effect.asVoid(Queue.offer(wakes, undefined))

    return { tryCheck, tryCheckListed, checkAll, lastRequested, requestedAfter, preview, wake, worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
