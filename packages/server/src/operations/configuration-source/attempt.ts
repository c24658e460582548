/** One attempt of a run: reads the files of the commit, plans them, and applies the plan if that is allowed. */
import type { Plan } from "@orgplane/schema/configuration"
import type { ConfigurationRunProblem } from "@orgplane/schema/configuration-runs"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { isSqlError } from "effect/sql/SqlError"
import * as connectors from "../../content/connectors/repo.ts"
import { queueRun } from "../../content/connectors/configuration-runs-repo.ts"
import { laneOf, makeLanes } from "../../content/connectors/lanes.ts"
import { openRepository } from "../../content/connectors/repository.ts"
import * as targets from "../../content/connectors/targets-repo.ts"
import { findMember } from "../../identity/auth/rights.ts"
import { levels } from "../../identity/grants/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { wake } from "../../infra/sql/wakes.ts"
import { missingSecret } from "../configuration/secrets.ts"
import { ConfigurationService } from "../configuration/service.ts"
import { summaryOf } from "../configuration/summary.ts"
import { removesTooMuch, storedChanges } from "./plan.ts"
import { FilesRefused, problemOf, readFiles } from "./read-files.ts"
import * as repo from "./repo.ts"

/** The maximum number of attempts that fail with a transient error, such as a code host that cannot be reached. */
const attemptsMax = 6
const busySeconds = 2
const retrySecondsMax = 900
/** For reading repositories. A host that does not respond occupies only a part of the worker's loops. */
const laneLimits = { total: 16, perOrganization: 1, perOrigin: 4 }

/** Another process holds the lease of the run, or another source was set: its outcome does not count. */
class RunLost extends Data.TaggedError("RunLost") {}

/** The run must be retried later. */
class Postponed extends Data.TaggedError("Postponed")<{
  readonly message: string
  readonly seconds: number
  /** Whether it counts as an attempt. */
  readonly isAttempt: boolean
}> {}

const permanent: ReadonlySet<string> = new Set([
  "unauthorized",
  "branch_not_found",
  "empty_repository",
  "not_a_repository",
  "blocked",
  "limit_exceeded",
  "not_configured"
])

const secretMessage =
  "requires a secret, which a repository must not contain. Set it with `orgplane configuration apply` or in orgplane. Runs keep it"

/**
 * Whether a run of another commit has ended since the run was held. A held run set the last commit to its own. Applying it
 * would undo the later commit.
 */
const isOvertaken = (run: repo.RunRow, source: repo.SourceRow) =>
  run.approved_digest !== null && source.last_revision !== run.revision

const noPlan = { planDigest: null, summary: null, changes: [] } as const

export const makeAttempt = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const configuration = yield* ConfigurationService
  const open = yield* openRepository
  const { mutate } = yield* Mutate
  const lanes = makeLanes(laneLimits)

  /** Ends the run in the current transaction, unless it is lost. The commit is not read again without a reason. */
  const endLocked = Effect.fnUntraced(function* (run: repo.RunRow, holder: string, outcome: repo.Outcome) {
    const source = yield* repo.lockSource(sql, run.organization_id)
    const isCurrent = source?.version === run.source_version && !isOvertaken(run, source)
    const actual = isCurrent ? outcome : { ...outcome, status: "superseded" as const, isReported: false }
    if (!isCurrent && outcome.status === "applied") return yield* new RunLost()
    if (!(yield* repo.end(sql, run, holder, actual))) return yield* new RunLost()
    if (isCurrent && outcome.revision !== null) {
      yield* repo.setLastRevision(sql, run.organization_id, outcome.revision)
      if (outcome.isReported) yield* repo.dropOtherStatuses(sql, run, outcome.revision)
    }
    // The plan of an earlier commit no longer matters.
    if (isCurrent) yield* repo.supersedeHeld(sql, run.organization_id, run.id)
    // Pushes before the approval, and while the approved run was queued, did not queue another run.
    if (run.approved_digest !== null) yield* queueRun(sql, run.organization_id, { trigger: "reconcile" })
    yield* wake(sql, "configuration")
    return actual
  })

  const endNow = (run: repo.RunRow, holder: string, outcome: repo.Outcome) =>
    mutate(
      { kind: "system", organizationId: run.organization_id },
      outcome.status === "failed"
        ? "configuration.run_failed"
        : outcome.status === "held"
          ? "configuration.run_held"
          : "configuration.run_ended",
      endLocked(run, holder, outcome),
      ({ planDigest, problems, revision, status, summary }) => ({
        target: run.id,
        after: { status, mode: run.mode, revision, planDigest, problems: problems.length, ...summary }
      })
    )

  const fail = (
    run: repo.RunRow,
    holder: string,
    problems: ReadonlyArray<ConfigurationRunProblem>,
    revision: string | null,
    plan: Pick<repo.Outcome, "planDigest" | "summary" | "changes"> = noPlan
  ) => endNow(run, holder, { status: "failed", ...plan, problems, revision, isReported: revision !== null })

  const refuse = (message: string) => Effect.fail(new FilesRefused([problemOf(message)]))

  /** The repository and the branch of the source. */
  const findBranch = Effect.fnUntraced(function* (run: repo.RunRow, source: repo.SourceRow) {
    const { organization_id: organizationId } = run
    const instance = yield* connectors.findInstance(sql, organizationId, source.connector_instance_id)
    const target = yield* targets.find(sql, organizationId, source.connector_target_id)
    if (instance === undefined || target === undefined) {
      return yield* refuse("The connector or its branch was removed. Set the configuration source again.")
    }
    if (connectors.isStopped(instance)) return yield* refuse("The connector is disabled or archived. Enable it first.")
    if (instance.remote_id !== source.remote_id || target.branch !== source.branch) {
      return yield* refuse(
        "The repository or the branch of the connector has changed since the configuration source was set. Set the source again."
      )
    }
    return { instance, target }
  })

  /** The member as whom the files are applied, with their current permissions. */
  const findCaller = Effect.fnUntraced(function* (run: repo.RunRow, source: repo.SourceRow) {
    const { organization_id: organizationId } = run
    const caller = yield* findMember(sql, organizationId, source.membership_id, "configuration.apply")
    if (caller === undefined) {
      return yield* refuse(
        "The member who set the configuration source has left the organization. Another member must set it again."
      )
    }
    const needed = run.mode === "apply" ? "organizations:write" : "organizations:read"
    if (!caller.permissions.has(needed)) {
      return yield* refuse(
        `The member who set the configuration source does not have the permission ${needed}. Grant it, or set the source as another member.`
      )
    }
    const seen = yield* connectors.getInstance(sql, caller, source.connector_instance_id)
    if (seen === undefined || seen.level < levels.manager) {
      return yield* refuse(
        "The member who set the configuration source does not have the role manager on its connector. Grant it, or set the source as another member."
      )
    }
    return caller
  })

  /** Plans the document, and decides what follows from the plan. */
  const planAndApply = Effect.fnUntraced(function* (
    run: repo.RunRow,
    holder: string,
    caller: Member,
    { document, locate }: Effect.Success<ReturnType<typeof readFiles>>,
    revision: string
  ) {
    const { plan } = yield* configuration.plan(caller, { document }, { hasEffects: false })
    const stored = {
      planDigest: plan.planDigest,
      summary: summaryOf(plan.changes),
      changes: storedChanges(plan.changes)
    }
    const outcome = (status: repo.Outcome["status"]): repo.Outcome => ({
      status,
      ...stored,
      problems: [],
      revision,
      isReported: true
    })
    if (plan.problems.length > 0) {
      const problems = plan.problems.map(({ message, path }) =>
        locate({ path, message: message.startsWith(missingSecret) ? secretMessage : message })
      )
      return yield* fail(run, holder, problems, revision, stored)
    }
    if (run.mode === "plan") return yield* endNow(run, holder, outcome(plan.hasChanges ? "planned" : "unchanged"))
    if (plan.changes.length === 0) return yield* endNow(run, holder, outcome("unchanged"))
    if (removesTooMuch(document, plan.changes) && run.approved_digest !== plan.planDigest) {
      return yield* endNow(run, holder, outcome("held"))
    }
    return yield* applyPlan(run, holder, caller, document, plan, outcome("applied"))
  })

  /** Makes the changes, and ends the run in the same transaction. */
  const applyPlan = (
    run: repo.RunRow,
    holder: string,
    caller: Member,
    document: Effect.Success<ReturnType<typeof readFiles>>["document"],
    { planDigest }: Plan,
    outcome: repo.Outcome
  ) => {
    const afterwards = endNow(run, holder, outcome)
    return Effect.as(configuration.apply(caller, { document, planDigest }, { hasEffects: false, afterwards }), outcome)
  }

  /** Reads the commit, with the problems of its files. `files` is null if a run of the same commit has ended. */
  const readCommit = Effect.fnUntraced(function* (
    run: repo.RunRow,
    source: repo.SourceRow,
    { instance, target }: Effect.Success<ReturnType<typeof findBranch>>
  ) {
    const repository = yield* open(instance)
    const approvedRevision = run.approved_digest === null ? undefined : (run.revision ?? undefined)
    const snapshot = yield* repository
      .snapshot(target.branch, approvedRevision)
      .pipe(
        Effect.catchTag("CodeHostFailed", ({ code, message, retryAfterMillis }) =>
          Effect.fail(
            permanent.has(code)
              ? new FilesRefused([problemOf(message)])
              : new Postponed({ message, seconds: Math.ceil((retryAfterMillis ?? 0) / 1000), isAttempt: true })
          )
        )
      )
    const { revision } = snapshot
    const isRepeated = source.last_revision === revision && (run.trigger === "webhook" || run.trigger === "reconcile")
    if (isRepeated && approvedRevision === undefined) return { revision, files: null }
    const files = yield* Effect.result(
      Effect.all({ caller: findCaller(run, source), read: readFiles(snapshot, source.path) }).pipe(
        Effect.catchTag("CodeHostFailed", ({ message }) =>
          Effect.fail(new Postponed({ message, seconds: 0, isAttempt: true }))
        )
      )
    )
    return { revision, files }
  }, Effect.scoped)

  const readAndPlan = Effect.fnUntraced(function* (run: repo.RunRow, holder: string, source: repo.SourceRow) {
    const branch = yield* findBranch(run, source)
    const { files, revision } = yield* lanes.tryWithin(
      laneOf(run.organization_id, branch.instance),
      readCommit(run, source, branch),
      () =>
        Effect.fail(
          new Postponed({
            message: "Too many repositories of the host are read.",
            seconds: busySeconds,
            isAttempt: false
          })
        )
    )
    if (files === null) {
      yield* repo.drop(sql, run, holder)
      return undefined
    }
    if (files._tag === "Failure") {
      const { failure } = files
      return yield* failure._tag === "FilesRefused"
        ? fail(run, holder, failure.problems, revision)
        : Effect.fail(failure)
    }
    const { caller, read } = files.success
    return yield* planAndApply(run, holder, caller, read, revision).pipe(
      Effect.catchTags({
        ConfigurationBusy: ({ message }) =>
          Effect.fail(new Postponed({ message, seconds: busySeconds, isAttempt: false })),
        // The organization has changed since the plan.
        PlanDigestMismatch: ({ message }) => Effect.fail(new Postponed({ message, seconds: 0, isAttempt: true })),
        PlanDigestRequired: ({ message }) => fail(run, holder, [problemOf(message)], revision),
        ConfigurationTooLarge: ({ message }) => fail(run, holder, [problemOf(message)], revision),
        Forbidden: ({ message }) =>
          fail(
            run,
            holder,
            [problemOf(`The member who set the configuration source is not allowed to do this. ${message}`)],
            revision
          ),
        InvalidRequest: ({ details }) =>
          fail(
            run,
            holder,
            details.map(({ message, path }) =>
              read.locate({ path: path[1] === "document" ? path.slice(2) : path.slice(1), message })
            ),
            revision
          )
      })
    )
  })

  /** Runs a claimed run once. Returns its outcome, if it has ended. */
  return Effect.fn("configuration.run")(function* (run: repo.RunRow, holder: string) {
    const { organization_id: organizationId } = run
    const source = yield* repo.findSource(sql, organizationId)
    if (source === undefined || source.version !== run.source_version || isOvertaken(run, source)) {
      return yield* endNow(run, holder, {
        status: "superseded",
        ...noPlan,
        problems: [],
        revision: run.revision,
        isReported: false
      })
    }
    if (run.attempts > attemptsMax) {
      return yield* fail(run, holder, [problemOf("The run was interrupted too many times. Start another run.")], null)
    }
    return yield* readAndPlan(run, holder, source).pipe(
      Effect.catchTags({
        FilesRefused: ({ problems }) => fail(run, holder, problems, null),
        Postponed: ({ isAttempt, message, seconds }) => {
          if (isAttempt && run.attempts >= attemptsMax) return fail(run, holder, [problemOf(message)], null)
          const wait = isAttempt ? Math.min(Math.max(seconds, 2 ** run.attempts - 2), retrySecondsMax) : seconds
          const attempts = isAttempt ? run.attempts : run.attempts - 1
          return Effect.as(repo.putOff(sql, run, holder, wait, attempts), undefined)
        }
      }),
      Effect.catchIf(isSqlError, Effect.die)
    )
  })
})
