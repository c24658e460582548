import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings } from "../../infra/config/settings.ts"
import { CodeHostApp } from "../../infra/ports/code-host-app.ts"
import { type CodeHostFailed } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { laneOf, makeLanes } from "./lanes.ts"
import { queueRun } from "./configuration-runs-repo.ts"
import * as reconcile from "./reconcile-repo.ts"
import { RemoteEvents } from "./remote-events.ts"
import { openRepository } from "./repository.ts"
import { readingVersion } from "./plugin-folders.ts"
import { SyncService } from "./sync.ts"

/** Branches claimed at once. Rounds are short, so that a process that stops delays few branches. */
const roundMax = 50
const laneLimits = { total: 8, perOrganization: 3, perOrigin: 3 }
/** Maximum time to read the head of one branch. */
const headPatience = Duration.seconds(30)
/** Maximum time that an organization's hosts may use in one round; its other branches wait for the next round. */
const organizationMillisMax = 60_000
const putOffMillisMax = 86_400_000
const restMax = Duration.seconds(15)

/** Transient failures. Other failures are found and reported by a sync. */
const transientCodes: ReadonlySet<CodeHostFailed["code"]> = new Set([
  "unreachable",
  "timeout",
  "rate_limited",
  "corrupt"
])

/** Whether new commits are imported. Otherwise, only the configuration of the branch is followed. */
const isFollowed = ({ last_sync_cursor, pinned_at, status }: reconcile.DueRow) =>
  pinned_at === null && (status === "error" || last_sync_cursor !== null)

/**
 * Finds changes whose webhook was lost. Every connected branch is compared regularly, by one of all processes: when its
 * head differs from the imported commit, or it can be read again after a failure, a sync is queued. Renamed, archived
 * and unarchived repositories are recorded, and so are suspended, removed and restored installations.
 */
export class ReconcileService extends Context.Service<ReconcileService>()(
  "@orgplane/server/connectors/ReconcileService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const { pluginBounds, reconcileSeconds } = yield* Settings
      const fenced = yield* organizationTransaction
      const sync = yield* SyncService
      const app = yield* CodeHostApp
      const remote = yield* RemoteEvents
      const open = yield* openRepository
      const lanes = makeLanes(laneLimits)

      /** Whether the branch needs a sync. A sync finds and reports a permanent failure once. */
      const isBehind = Effect.fnUntraced(function* (due: reconcile.DueRow) {
        const head = yield* Effect.gen(function* () {
          const repository = yield* open(due)
          const state = yield* repository.state
          const isKnown =
            state === null ||
            (state.fullName === due.repository_full_name && state.isArchived === (due.remote_state === "archived"))
          if (!isKnown) {
            yield* fenced(due.organization_id, remote.observe(due.organization_id, due.id, state)).pipe(Effect.orDie)
          }
          return yield* repository.head(due.branch)
        }).pipe(
          Effect.timeoutOrElse({ duration: headPatience, orElse: () => Effect.succeed(null) }),
          Effect.catchTag("CodeHostFailed", ({ code, retryAfterMillis }) => {
            if (!transientCodes.has(code)) return Effect.succeed(due.status === "active" ? undefined : null)
            if (retryAfterMillis === undefined) return Effect.succeed(null)
            const millis = Math.min(retryAfterMillis, putOffMillisMax)
            return Effect.as(reconcile.putOff(sql, due.organization_id, due.target_id, millis), null)
          })
        )
        if (head === null) return false
        if (due.has_configuration && head !== undefined) {
          yield* fenced(
            due.organization_id,
            queueRun(sql, due.organization_id, { trigger: "reconcile", targetIds: [due.target_id], newRevision: head })
          )
        }
        if (!isFollowed(due)) return false
        if (head === undefined || (due.status === "error" && due.remote_state !== "archived")) return true
        // A branch that was read with another version of the import rules is read again.
        if (head === due.last_sync_cursor && due.reading_version === readingVersion(pluginBounds)) return false
        const [row] = yield* reconcile.isDecided(sql, due.organization_id, due.target_id, head)
        return row?.decided !== true
      })

      const compare = Effect.fn("connectors.reconcile")(function* (
        due: reconcile.DueRow,
        millisByOrganization: Map<Id<"org">, number>
      ) {
        const spentBy = () => millisByOrganization.get(due.organization_id) ?? 0
        const timed = Effect.gen(function* () {
          if (spentBy() >= organizationMillisMax) return false
          const began = yield* Clock.currentTimeMillis
          const response = yield* isBehind(due)
          millisByOrganization.set(due.organization_id, spentBy() + (yield* Clock.currentTimeMillis) - began)
          return response
        })
        if (!(yield* lanes.within(laneOf(due.organization_id, due), timed))) return 0
        yield* fenced(due.organization_id, sync.queue(due, due.target_id, "reconcile"))
        return 1
      })

      /** Checks the branches that are due; returns their number, and the number of queued syncs. */
      const round = Effect.gen(function* () {
        const due = yield* reconcile.takeDue(sql, Math.max(reconcileSeconds, 1), roundMax)
        const millisByOrganization = new Map<Id<"org">, number>()
        const queued = yield* Effect.forEach(
          due,
          (row) =>
            compare(row, millisByOrganization).pipe(
              Effect.catchCause((cause) =>
                Cause.hasInterruptsOnly(cause)
                  ? Effect.failCause(cause)
                  : Effect.as(
                      Effect.logWarning("Cannot check a branch for new commits. Retrying at the next interval.", cause),
                      0
                    )
              )
            ),
          // The lanes limit concurrency, so a branch that waits for a full lane does not block others.
          { concurrency: roundMax }
        )
        return { taken: due.length, queued: queued.reduce((sum, one) => sum + one, 0) }
      })

      /** Checks the installations that are due; returns their number, and the number with changes. */
      const installationRound = Effect.gen(function* () {
        const due = yield* reconcile.takeDueAccounts(sql, Math.max(reconcileSeconds, 1), roundMax)
        const changes = yield* Effect.forEach(
          due,
          (account) => {
            const organizationId = account.organization_id
            const ask = app.installation({ installationId: account.remote_id, organizationId })
            return lanes.within({ organizationId, origin: "rest" }, Effect.timeout(ask, headPatience)).pipe(
              Effect.flatMap((installation) =>
                fenced(organizationId, remote.observeInstallation(organizationId, account, installation))
              ),
              Effect.catchCause((cause) =>
                Cause.hasInterruptsOnly(cause)
                  ? Effect.failCause(cause)
                  : Effect.as(
                      Effect.logWarning(
                        "Cannot read the status of a code host installation. Retrying at the next interval.",
                        cause
                      ),
                      false
                    )
              )
            )
          },
          { concurrency: roundMax }
        )
        return { taken: due.length, found: changes.filter((one) => one).length }
      })

      /** Runs rounds until interrupted, without a pause while there is more to do. */
      const worker = Effect.gen(function* () {
        if (reconcileSeconds === 0) return
        const pauseBetweenRounds = Duration.min(Duration.seconds(reconcileSeconds / 4), restMax)
        yield* Effect.zipWith(round, installationRound, (branches, installations) =>
          Math.max(branches.taken, installations.taken)
        ).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.as(
                  Effect.logWarning(
                    "The check for missed code host changes failed. Retrying at the next interval.",
                    cause
                  ),
                  0
                )
          ),
          Effect.flatMap((claimed) => (claimed === roundMax ? Effect.void : Effect.sleep(pauseBetweenRounds))),
          Effect.forever
        )
      })

      return { round, installationRound, worker } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
