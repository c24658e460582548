/**
 * The effects of a plan on members: their access to objects, their desktop settings, and the plugin changes
 * that would be held for approval. They are read in the transaction of the changes, and never make it fail.
 */
import {
  type AccessEffects,
  type Effects,
  type HeldRelease,
  heldCapabilitiesMax,
  heldMax,
  type NotComputedReason
} from "@orgplane/schema/configuration"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { ReleaseChecks } from "../../content/approvals/checks.ts"
import { DesktopPoliciesService, type PolicySnapshot } from "../../enterprise/desktop-policies/service.ts"
import { managesAll } from "../../identity/grants/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { compareAccess } from "./compare-access.ts"
import type { Step } from "./diff.ts"
import * as repo from "./effects-repo.ts"
import type { State } from "./state.ts"

/** The time for all reads of a plan, which hold the locks of its changes, and for the comparison of each effect. */
const readMillisMax = 5_000
const compareMillisMax = 5_000

/** Why an effect is not computed. */
class NotComputed {
  readonly reason: NotComputedReason
  constructor(reason: NotComputedReason) {
    this.reason = reason
  }
}

/** A value that was read in a savepoint. Failing with it rolls the savepoint back, and with it the limit of statements. */
class Read<A> {
  readonly value: A
  constructor(value: A) {
    this.value = value
  }
}

/** One effect: `unchanged` if no change of the plan concerns it. */
type Part<A> = { readonly value: A } | NotComputed | "unchanged"

interface AccessState {
  readonly rows: ReadonlyArray<repo.AccessRow>
  readonly members: ReadonlyArray<Id<"om">>
}

/** Fails when the time for reads is over, and otherwise limits the next statement to the rest of it. */
type Proceed = Effect.Effect<void, SqlError | NotComputed>

interface Before {
  readonly access: Part<AccessState>
  readonly policies: Part<PolicySnapshot>
  /** The number of the newest check of a release. */
  readonly checks: Part<string>
  /** Milliseconds that are left for reads. */
  readonly budget: { millis: number }
}

/** What was read before and after the changes. */
export interface Readings {
  readonly access: Part<readonly [before: AccessState, after: AccessState]>
  readonly policies: Part<readonly [before: PolicySnapshot, after: PolicySnapshot]>
  readonly held: Part<ReadonlyArray<HeldRelease>>
  readonly isCreated: State["isCreated"]
}

const isChange = ({ change }: Step) => ["create", "update", "delete"].includes(change.action)

/** A new team has no access and no policies, unless another change gives it some. */
const changesMembers = ({ change, item, kind }: Step) =>
  kind.kind === "teams" && (change.action === "delete" || (change.action === "update" && "members" in item))

const changesAccess = (step: Step) => {
  const { change, item, kind } = step
  if (changesMembers(step)) return true
  return kind.grantedAs !== undefined && (change.action !== "update" || "access" in item || "marketplaces" in item)
}

const changesPolicies = (step: Step) => changesMembers(step) || step.kind.kind === "desktopPolicies"

const changesReleases = ({ kind: { kind } }: Step) =>
  kind === "plugins" || kind === "marketplaces" || kind === "approvalSettings"

const reasonOf = (cause: Cause.Cause<unknown>): NotComputedReason => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause)) ?? Cause.squash(cause)
  if (error instanceof NotComputed) return error.reason
  return isSqlError(error) && error.reason._tag === "StatementTimeoutError" ? "timeout" : "failed"
}

/** The value of an effect, or why there is none. Interruptions are not caught. */
const settled = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Part<A>, never, R> =>
  effect.pipe(
    Effect.map((value): Part<A> => ({ value })),
    Effect.catchCause((cause): Effect.Effect<Part<A>> => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
      const reason = reasonOf(cause)
      const logged =
        reason === "failed"
          ? Effect.logWarning("Cannot compute the effects of a configuration plan.", cause)
          : Effect.void
      return Effect.as(logged, new NotComputed(reason))
    })
  )

const valueOf = <A>(part: Part<A>): A | null =>
  part === "unchanged" || part instanceof NotComputed ? null : part.value
const reasonFor = <A>(part: Part<A>): NotComputedReason | null => (part instanceof NotComputed ? part.reason : null)

const noAccess: AccessEffects = { memberCount: 0, changeCount: 0, changes: [], truncated: false }
const noPolicies = { ...noAccess, changes: [], settings: [] }

export const makeEffects = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const policies = yield* DesktopPoliciesService
  const checks = yield* ReleaseChecks

  /** Reads in a savepoint. `read` runs its argument before each statement, which fails when the time is over. */
  const reading = <A, E>(
    budget: { millis: number },
    read: (proceed: Proceed) => Effect.Effect<A, E>
  ): Effect.Effect<Part<A>> =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const spent = Effect.map(Clock.currentTimeMillis, (now) => now - start)
      const proceed = Effect.flatMap(spent, (millis): Effect.Effect<void, SqlError | NotComputed> =>
        millis < budget.millis
          ? repo.limitStatements(sql, budget.millis - millis)
          : Effect.fail(new NotComputed("timeout"))
      )
      const rolledBack = sql.withTransaction(Effect.flatMap(read(proceed), (value) => Effect.fail(new Read(value))))
      const value = Effect.catch(rolledBack, (error): Effect.Effect<A, E | SqlError> =>
        error instanceof Read ? Effect.succeed(error.value) : Effect.fail(error)
      )
      const part = yield* settled(value)
      budget.millis -= yield* spent
      return part
    })

  const readAccess = Effect.fnUntraced(function* (organizationId: Id<"org">, proceed: Proceed) {
    yield* proceed
    const count = yield* repo.countAccess(sql, organizationId)
    if (count > repo.accessRowsMax) return yield* Effect.fail(new NotComputed("too_much"))
    yield* proceed
    const rows = yield* repo.access(sql, organizationId)
    yield* proceed
    return { rows, members: yield* repo.grantees(sql, organizationId) } satisfies AccessState
  })

  /** The state before the changes. Reads only what they concern. */
  const readBefore = Effect.fnUntraced(function* (
    { organizationId, permissions, ...caller }: Member,
    steps: ReadonlyArray<Step>
  ) {
    const changes = steps.filter(isChange)
    const budget = { millis: readMillisMax }
    const part = <A, E>(
      isPermitted: boolean,
      concerns: (step: Step) => boolean,
      read: (proceed: Proceed) => Effect.Effect<A, E>
    ): Effect.Effect<Part<A>> => {
      if (!isPermitted) return Effect.succeed(new NotComputed("permission_required"))
      return changes.some(concerns) ? reading(budget, read) : Effect.succeed("unchanged")
    }
    const readsReleases =
      permissions.has("approvals:read") || managesAll({ ...caller, organizationId, permissions }, "plugin")
    return {
      access: yield* part(permissions.has("access:read"), changesAccess, (proceed) =>
        readAccess(organizationId, proceed)
      ),
      policies: yield* part(permissions.has("desktopPolicies:read"), changesPolicies, (proceed) =>
        policies.snapshot(organizationId, proceed)
      ),
      checks: yield* part(readsReleases, changesReleases, (proceed) =>
        Effect.andThen(proceed, checks.lastRequested(organizationId))
      ),
      budget
    } satisfies Before
  })

  /** The releases that the changes would hold for approval. */
  const readHeld = Effect.fnUntraced(function* (
    organizationId: Id<"org">,
    last: string,
    { isCreated, names }: State,
    proceed: Proceed
  ) {
    yield* proceed
    const ids = yield* checks.requestedAfter(organizationId, last, heldMax + 1)
    if (ids.length > heldMax) return yield* Effect.fail(new NotComputed("too_much"))
    const held: Array<HeldRelease> = []
    for (const id of ids) {
      yield* proceed
      const release = yield* checks.preview(organizationId, id)
      if (release === undefined) continue
      const { comparison, name } = release
      const capabilities = [...(comparison?.grew ?? []), ...(comparison?.changed ?? [])]
      held.push({
        plugin: { id: isCreated(id) ? null : id, key: names.keyOf("plugins", id) ?? null, name },
        needsReview: comparison?.needsReview ?? true,
        capabilityCount: capabilities.length,
        capabilities: capabilities.slice(0, heldCapabilitiesMax).map(({ sentence }) => sentence)
      })
    }
    const order = ({ plugin: { key, name } }: HeldRelease) => `${name} ${key ?? ""}`
    return held.toSorted((one, other) => (order(one) < order(other) ? -1 : 1))
  })

  /** The state after the changes, in the same transaction. */
  const readAfter = Effect.fnUntraced(function* ({ organizationId }: Member, before: Before, state: State) {
    const pair = <A, B, E>(
      old: Part<A>,
      read: (old: A, proceed: Proceed) => Effect.Effect<B, E>
    ): Effect.Effect<Part<B>> =>
      old === "unchanged" || old instanceof NotComputed
        ? Effect.succeed(old)
        : reading(before.budget, (proceed) => read(old.value, proceed))
    return {
      access: yield* pair(before.access, (old, proceed) =>
        Effect.map(readAccess(organizationId, proceed), (now) => [old, now] as const)
      ),
      policies: yield* pair(before.policies, (old, proceed) =>
        Effect.map(policies.snapshot(organizationId, proceed), (now) => [old, now] as const)
      ),
      held: yield* pair(before.checks, (last, proceed) => readHeld(organizationId, last, state, proceed)),
      isCreated: state.isCreated
    } satisfies Readings
  })

  const compared = <A, B>(part: Part<A>, none: B, compare: (value: A) => Effect.Effect<B, NotComputed>) => {
    if (part === "unchanged") return Effect.succeed<Part<B>>({ value: none })
    if (part instanceof NotComputed) return Effect.succeed<Part<B>>(part)
    const inTime = Effect.timeoutOrElse(compare(part.value), {
      duration: compareMillisMax,
      orElse: () => Effect.fail(new NotComputed("timeout"))
    })
    return settled(inTime)
  }

  /** Compares what was read. Needs no transaction. */
  const compare = Effect.fnUntraced(function* (readings: Readings): Effect.fn.Return<Effects> {
    const { isCreated } = readings
    const access = yield* compared(readings.access, noAccess, ([old, now]) =>
      Effect.flatMap(inTimeSlices(compareAccess(old.rows, now.rows, old.members, isCreated), 1), (result) =>
        result === null ? Effect.fail(new NotComputed("too_much")) : Effect.succeed(result)
      )
    )
    const desktopPolicies = yield* compared(readings.policies, noPolicies, ([old, now]) => policies.compare(old, now))
    const held = readings.held === "unchanged" ? { value: [] } : readings.held
    return {
      access: valueOf(access),
      desktopPolicies: valueOf(desktopPolicies),
      held: valueOf(held),
      notComputed: { access: reasonFor(access), desktopPolicies: reasonFor(desktopPolicies), held: reasonFor(held) }
    }
  })

  return { readBefore, readAfter, compare } as const
})
