import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Installation, RepositoryState } from "../../infra/ports/code-host-app.ts"
import { CodeHost } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { queueRun } from "./configuration-runs-repo.ts"
import * as remote from "./remote-events-repo.ts"
import * as repo from "./repo.ts"
import { SyncService } from "./sync.ts"

/** The stored facts of a code host event: enough to process it again. */
export interface RemoteFacts {
  readonly event: "push" | "create" | "delete" | "installation" | "installation_repositories" | "repository"
  readonly action: string | null
  readonly installationId: string | null
  readonly repositoryId: string | null
  readonly repositoryFullName: string | null
  /** As the host writes it. */
  readonly cloneUrl: string | null
  /** The full name of the ref that was pushed, created or deleted. */
  readonly ref: string | null
  readonly before: string | null
  readonly after: string | null
  /** The state of the repository at `seenAt`, according to the host. */
  readonly archived: boolean | null
  /** ISO 8601, by the host's clock. */
  readonly seenAt: string | null
  /** Repositories that were added to or removed from an installation; null for all of them. */
  readonly repositoryIds: ReadonlyArray<string> | null
}

/** An event without details. */
export const noFacts: Omit<RemoteFacts, "event"> = {
  action: null,
  installationId: null,
  repositoryId: null,
  repositoryFullName: null,
  cloneUrl: null,
  ref: null,
  before: null,
  after: null,
  archived: null,
  seenAt: null,
  repositoryIds: null
}

/** The organizations that an event concerns. */
export interface Concerned {
  readonly organizationIds: ReadonlyArray<Id<"org">>
  /** An organization has an account for the installation. */
  readonly isInstalled: boolean
  readonly place: remote.RemotePlace
}

export interface Outcome {
  readonly instanceIds: ReadonlyArray<Id<"cin">>
  readonly syncEventIds: ReadonlyArray<Id<"cse">>
  /** The event caused a sync or a visible state change. */
  readonly isActed: boolean
}

/**
 * How far ahead a host's clock may be. A later time is replaced by the current time; otherwise all newer events would
 * be ignored.
 */
const aheadMillisMax = 300_000

const branchPrefix = "refs/heads/"

const reasons: Readonly<Record<remote.RemoteState, string>> = {
  archived: "The repository is archived on the code host. Imported content is kept.",
  deleted: "The repository was deleted on the code host. Imported content is kept.",
  transferred: "The repository was transferred to another owner on the code host. Imported content is kept.",
  suspended: "The installation is suspended on the code host. Imported content is kept.",
  uninstalled: "The installation was removed on the code host. Imported content is kept.",
  removed: "The installation can no longer read the repository. Imported content is kept."
}

/** Event types, and the relevant actions of each. */
const actions: Readonly<Record<RemoteFacts["event"], ReadonlySet<string> | null>> = {
  push: null,
  create: null,
  delete: null,
  repository: new Set(["renamed", "archived", "unarchived", "deleted", "transferred", "publicized", "privatized"]),
  installation: new Set(["created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"]),
  installation_repositories: new Set(["added", "removed"])
}

const isAboutInstallation = ({ event }: RemoteFacts) =>
  event === "installation" || event === "installation_repositories"

const branchOf = ({ ref }: RemoteFacts) =>
  ref !== null && ref.startsWith(branchPrefix) ? ref.slice(branchPrefix.length) : undefined

/**
 * Processes events of code hosts. An event only triggers work: content events cause a sync that reads the head, so the
 * result does not depend on the order of events, or on lost or repeated ones. For a repository that is read by its URL,
 * an event only triggers a check, because anyone with the shared secret can name any URL.
 */
export class RemoteEvents extends Context.Service<RemoteEvents>()("@orgplane/server/connectors/RemoteEvents", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const codeHost = yield* CodeHost
    const sync = yield* SyncService

    /** Whether an event of this type can have an effect. */
    const isRelevant = (facts: RemoteFacts): boolean => {
      const relevantActions = actions[facts.event]
      if (relevantActions !== null) return facts.action !== null && relevantActions.has(facts.action)
      return branchOf(facts) !== undefined
    }

    /** The branch that an event affects (null for all branches), and whether the event affects an installation. */
    const scopeOf = (facts: RemoteFacts) => ({
      branch: actions[facts.event] === null ? (branchOf(facts) ?? null) : null,
      isAboutInstallation: isAboutInstallation(facts)
    })

    const placeOf = Effect.fnUntraced(function* (facts: RemoteFacts) {
      const { cloneUrl, installationId, repositoryId } = facts
      const normalized =
        cloneUrl === null
          ? null
          : yield* codeHost.normalize(cloneUrl).pipe(Effect.catchTag("CodeHostFailed", () => Effect.succeed(null)))
      return { installationId, repositoryId, cloneUrl: normalized }
    })

    const concerned = Effect.fnUntraced(function* (facts: RemoteFacts) {
      const place = yield* placeOf(facts)
      const installers = place.installationId === null ? [] : yield* remote.installers(sql, place.installationId)
      const organizationIds = isAboutInstallation(facts) ? installers : yield* remote.followers(sql, place)
      return { organizationIds, isInstalled: installers.length > 0, place } satisfies Concerned
    })

    /** Queues a sync of each branch with the name, or of all, in the current transaction. */
    const queueAll = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      instances: ReadonlyArray<remote.RemoteInstanceRow>,
      branch: string | null
    ) {
      const byId = new Map(instances.filter((row) => !repo.isStopped(row)).map((row) => [row.id, row]))
      if (byId.size === 0) return []
      const targets = yield* remote.branchesOf(sql, organizationId, [...byId.keys()], branch)
      const queued = yield* Effect.forEach(targets, (target) =>
        Effect.gen(function* () {
          const instance = byId.get(target.connector_instance_id)
          if (instance === undefined)
            return yield* Effect.die(new Error("A branch belongs to another connector instance."))
          return (yield* sync.queue(instance, target.id, "webhook")).id
        })
      )
      yield* queueRun(sql, organizationId, { trigger: "webhook", targetIds: targets.map(({ id }) => id) })
      return queued
    })

    const mark = (
      organizationId: Id<"org">,
      instances: ReadonlyArray<remote.RemoteInstanceRow>,
      state: remote.RemoteState | null,
      seenAt: Date | null = null
    ) =>
      Effect.forEach(
        instances,
        ({ id }) =>
          remote.setRemoteState(sql, organizationId, id, state, state === null ? null : reasons[state], seenAt),
        { discard: true }
      )

    const outcome = (
      instances: ReadonlyArray<remote.RemoteInstanceRow>,
      syncEventIds: ReadonlyArray<Id<"cse">>,
      isActed = syncEventIds.length > 0
    ): Outcome => ({ instanceIds: instances.map(({ id }) => id), syncEventIds, isActed })

    /**
     * Records the state of a repository that is read through its installation. The newest state takes precedence,
     * regardless of the order in which events arrive.
     */
    const recordRepository = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      facts: RemoteFacts,
      row: remote.RemoteInstanceRow
    ) {
      const now = yield* Clock.currentTimeMillis
      const hostMillis = facts.seenAt === null ? null : Date.parse(facts.seenAt)
      const seenAt = hostMillis === null ? null : new Date(hostMillis > now + aheadMillisMax ? now : hostMillis)
      if (seenAt !== null && row.remote_seen_at !== null && seenAt < row.remote_seen_at) return
      if (facts.repositoryFullName !== null && facts.repositoryFullName !== row.repository_full_name) {
        yield* repo.renameRepository(sql, organizationId, row.id, facts.repositoryFullName)
      }
      const isArchived = facts.archived ?? facts.action === "archived"
      if (facts.action === "deleted" || facts.action === "transferred") {
        yield* mark(organizationId, [row], facts.action, seenAt)
      } else if (isArchived) {
        yield* mark(organizationId, [row], "archived", seenAt)
      } else if (row.remote_state === "archived") {
        yield* mark(organizationId, [row], null, seenAt)
      }
      if (seenAt !== null) yield* remote.setSeen(sql, organizationId, row.id, seenAt)
    })

    const onRepository = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      facts: RemoteFacts,
      place: remote.RemotePlace
    ) {
      const instances = yield* remote.lockFollowing(sql, organizationId, place)
      const byInstallation = instances.filter(({ adapter }) => adapter === "rest")
      yield* Effect.forEach(byInstallation, (row) => recordRepository(organizationId, facts, row), { discard: true })
      // A removed repository stays removed until a newer event. A repository that is read by its URL is always
      // checked, regardless of events.
      const isGone = facts.action === "deleted" || facts.action === "transferred"
      const affected = isGone ? instances.filter(({ adapter }) => adapter === "git") : instances
      const events = yield* queueAll(organizationId, affected, null)
      return outcome(instances, events, events.length > 0 || byInstallation.length > 0)
    })

    const onInstallation = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      facts: RemoteFacts,
      installationId: string
    ) {
      const instances = yield* remote.lockInstalled(sql, organizationId, installationId, facts.repositoryIds)
      const lossAction =
        facts.event === "installation_repositories"
          ? facts.action === "removed"
            ? "removed"
            : null
          : facts.action === "deleted"
            ? "uninstalled"
            : facts.action === "suspend"
              ? "suspended"
              : null
      if (facts.event === "installation") {
        const reason = lossAction === null ? null : reasons[lossAction]
        yield* remote.setAccountState(
          sql,
          organizationId,
          installationId,
          lossAction === null ? "active" : "error",
          reason
        )
      }
      if (lossAction !== null) {
        yield* mark(organizationId, instances, lossAction)
        return outcome(instances, [], true)
      }
      yield* mark(
        organizationId,
        instances.filter(({ remote_state }) => remote_state !== null && remote_state !== "archived"),
        null
      )
      return outcome(instances, yield* queueAll(organizationId, instances, null), true)
    })

    /** Records the host's current state of a repository, as its event would have done. */
    const observe = Effect.fnUntraced(function* (organizationId: Id<"org">, id: Id<"cin">, state: RepositoryState) {
      const row = yield* remote.lock(sql, organizationId, id)
      if (row === undefined) return
      const updatedAt = state.updatedAt === null ? Number.NaN : Date.parse(state.updatedAt)
      // A response is newer than every event, even if the host dates it earlier.
      const isDated = updatedAt >= (row.remote_seen_at?.getTime() ?? Number.NEGATIVE_INFINITY)
      yield* recordRepository(
        organizationId,
        {
          ...noFacts,
          event: "repository",
          repositoryFullName: state.fullName,
          archived: state.isArchived,
          seenAt: isDated ? new Date(updatedAt).toISOString() : null
        },
        row
      )
    })

    /** Records the host's current state of an installation; true when it was not known. */
    const observeInstallation = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      account: {
        readonly remote_id: string
        readonly status: "active" | "error"
        readonly status_reason: string | null
      },
      installation: Installation | null
    ) {
      const lossAction = installation === null ? "deleted" : installation.isSuspended ? "suspend" : null
      const reason = lossAction === null ? null : reasons[lossAction === "deleted" ? "uninstalled" : "suspended"]
      if ((account.status === "active") === (lossAction === null) && account.status_reason === reason) return false
      const facts: RemoteFacts = {
        ...noFacts,
        event: "installation",
        action: lossAction ?? "unsuspend",
        installationId: account.remote_id
      }
      yield* onInstallation(organizationId, facts, account.remote_id)
      return true
    })

    /** Processes an event for one organization, in the current transaction. */
    const act = Effect.fnUntraced(function* (organizationId: Id<"org">, facts: RemoteFacts, place: remote.RemotePlace) {
      if (!isRelevant(facts)) return outcome([], [])
      if (isAboutInstallation(facts)) {
        return facts.installationId === null
          ? outcome([], [])
          : yield* onInstallation(organizationId, facts, facts.installationId)
      }
      if (facts.event === "repository") return yield* onRepository(organizationId, facts, place)
      const instances = yield* remote.lockFollowing(sql, organizationId, place)
      return outcome(instances, yield* queueAll(organizationId, instances, branchOf(facts) ?? null))
    })

    return { isRelevant, concerned, placeOf, scopeOf, act, observe, observeInstallation } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
