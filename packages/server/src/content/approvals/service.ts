import * as Approvals from "@orgplane/schema/approvals"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { readContentChanges } from "./changes-repo.ts"
import { ReleaseChecks } from "./checks.ts"
import * as repo from "./repo.ts"
import { deliver, demandStart } from "../rollouts/start.ts"
import { deleteOldContents } from "./retention-repo.ts"

/** The number of changed plugins that a listing checks first, and the longest time that it waits for the checks. */
const checkedMax = 100
const checkingPatience = "5 seconds"

interface Decided {
  readonly releaseId: Id<"rel">
  readonly digest: string
}

const actorOf = ({ principal }: Member): string =>
  principal.kind === "session" ? principal.membershipId : principal.keyId

const keyTookPart = () =>
  new Approvals.ApproverTookPart({
    message: "API keys cannot approve releases if four-eyes approval is on. Approve the release as a member."
  })

/** Releases of plugins, and the decisions about them. */
export class ApprovalsService extends Context.Service<ApprovalsService>()("@orgplane/server/approvals/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const checks = yield* ReleaseChecks
    const { mutate } = yield* Mutate

    const list = Effect.fnUntraced(function* (
      caller: Member,
      query: PageQuery & {
        readonly q?: string
        readonly state?: Approvals.ReleaseFilter
        readonly pluginId?: Id<"plg">
      }
    ) {
      const { organizationId } = caller
      const filters: repo.Filters = {
        state: query.state ?? "pending",
        pluginId: query.pluginId ?? null,
        ...(query.q === undefined ? {} : { q: query.q })
      }
      yield* Effect.timeoutOption(checks.checkAll(organizationId, checkedMax), checkingPatience)
      return yield* pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    })

    const find = (organizationId: Id<"org">, id: Id<"rel">) =>
      Effect.flatMap(repo.find(sql, organizationId, id), (row) =>
        row === undefined ? Effect.fail(new Approvals.PluginReleaseNotFound()) : Effect.succeed(row)
      )

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"rel">) {
      const row = yield* find(caller.organizationId, id)
      return {
        ...repo.toWire(row),
        contentChanges: yield* readContentChanges(sql, caller.organizationId, id),
        comparison: row.comparison_json
      } satisfies Approvals.ReleaseDetails
    })

    /** Locks the plugin of a release, and requires that the release is the one that the caller reviewed. */
    const locked = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      { digest, releaseId }: Decided,
      states: ReadonlyArray<Approvals.ReleaseState>
    ) {
      const { plugin_id: pluginId } = yield* find(organizationId, releaseId)
      if ((yield* repo.lockPlugin(sql, organizationId, pluginId)) === undefined) {
        return yield* new Approvals.PluginReleaseNotFound()
      }
      const row = yield* find(organizationId, releaseId)
      if (row.digest !== digest) return yield* new Approvals.ReleaseDigestMismatch()
      if (!row.is_latest || !states.includes(row.state)) return yield* new Approvals.ReleaseNotPending()
      return row
    })

    /** Whether the release now has enough approvals. */
    const isApprovedBy = Effect.fnUntraced(function* (caller: Member, row: repo.Row, fourEyes: boolean) {
      if (!fourEyes) return true
      const { organizationId, principal } = caller
      if (principal.kind !== "session") return yield* keyTookPart()
      const { membershipId } = principal
      if ((yield* repo.participants(sql, organizationId, row.id)).has(membershipId)) {
        return yield* new Approvals.ApproverTookPart()
      }
      yield* repo.addApproval(sql, organizationId, row, membershipId)
      const { approvals, approvals_required } = yield* find(organizationId, row.id)
      return approvals >= approvals_required
    })

    /** Decides about releases in one transaction. Their plugins are locked in the same order by every caller. */
    const decide = <E>(
      caller: Member,
      action: "release.approve" | "release.reject",
      releases: ReadonlyArray<Decided>,
      /** Returns the rollout that the decision starts, if any. */
      one: (release: Decided) => Effect.Effect<Id<"rlo"> | null, E>
    ) =>
      mutate(
        caller,
        action,
        Effect.gen(function* () {
          const { organizationId } = caller
          const ordered = [...new Map(releases.map((release) => [release.releaseId, release])).values()].sort((a, b) =>
            a.releaseId < b.releaseId ? -1 : 1
          )
          const started = yield* Effect.forEach(ordered, one)
          const rows = yield* Effect.forEach(ordered, ({ releaseId }) =>
            Effect.flatMap(repo.find(sql, organizationId, releaseId), (row) => expectRow(row, "release"))
          )
          return { releases: rows.map(repo.toWire), rolloutIds: started.filter((id) => id !== null) }
        }),
        (decided) => ({
          target: decided.releases[0]?.pluginId ?? null,
          after: {
            releases: decided.releases.map(({ digest, id, pluginId, state }) => ({
              releaseId: id,
              pluginId,
              digest,
              state
            })),
            ...(decided.rolloutIds.length === 0 ? {} : { rolloutIds: decided.rolloutIds })
          }
        })
      ).pipe(Effect.map((decided) => ({ releases: decided.releases })))

    const approve = (caller: Member, { comment, releases, startsAt }: typeof Approvals.ApproveReleases.Type) =>
      decide(caller, "release.approve", releases, (release) =>
        Effect.gen(function* () {
          const { organizationId } = caller
          const row = yield* locked(organizationId, release, ["pending", "rejected"])
          yield* demandStart(sql, startsAt)
          const fourEyes = yield* repo.hasFourEyes(sql, organizationId)
          if (!(yield* isApprovedBy(caller, row, fourEyes))) return null
          const decision = { state: "approved", by: actorOf(caller), comment: comment ?? null } as const
          yield* repo.decide(sql, organizationId, row.id, decision)
          const rolloutId = yield* deliver(sql, caller, row.plugin_id, row.id, startsAt ?? null)
          yield* deleteOldContents(sql, organizationId, row.plugin_id)
          return rolloutId
        })
      )

    const reject = (caller: Member, { comment, releases }: typeof Approvals.RejectReleases.Type) =>
      decide(caller, "release.reject", releases, (release) =>
        Effect.gen(function* () {
          const { organizationId } = caller
          const row = yield* locked(organizationId, release, ["pending"])
          const decision = { state: "rejected", by: actorOf(caller), comment } as const
          yield* repo.decide(sql, organizationId, row.id, decision)
          return null
        })
      )

    return { list, get, approve, reject } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
