import * as Connections from "@orgplane/schema/mcp-connections"
import {
  type DecideReview,
  type McpTool,
  McpReviewNotFound,
  type Review,
  StaleReview,
  type ToolDecision,
  type ToolPolicy
} from "@orgplane/schema/mcp-tools"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sha256 } from "../../infra/crypto/digest.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import type { McpServerTool } from "../../infra/ports/mcp-servers.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { serverFailed } from "./diagnostic.ts"
import { fingerprintOf, identityChanges, leadsElsewhere, toolChange } from "./fingerprint.ts"
import { makeObserve } from "./observe.ts"
import * as repo from "./repo.ts"
import { McpConnectionsService } from "./service.ts"
import * as toolsRepo from "./tools-repo.ts"

const changesMax = 500

/** The maximum bytes of a name in a cursor. */
const nameBytesMax = 140
/** Sorts by name; names too long for a cursor come last, by their digest. */
const sortKeyOf = (name: string): string =>
  Buffer.byteLength(name) <= nameBytesMax ? name : `\u{10ffff}${sha256(name)}`

const isAllowed = (policy: ToolPolicy, name: string, isReadOnly: boolean): boolean => {
  if (policy.denied.includes(name)) return false
  return policy.allowed.includes(name) || policy.mode === "all" || (policy.mode === "read_only" && isReadOnly)
}

const decisionOf = (policy: ToolPolicy, { is_accepted, name, tool_json: tool }: toolsRepo.ToolRow): ToolDecision => {
  if (!isAllowed(policy, name, tool.readOnlyHint)) return "denied"
  return is_accepted ? "allowed" : "review_required"
}

/** Lists the tools of connections, applies the tool policy, and manages the review of changes. */
export class McpToolsService extends Context.Service<McpToolsService>()("@orgplane/server/mcp-connections/Tools", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const connections = yield* McpConnectionsService
    const { mutate } = yield* Mutate
    const { observe } = yield* makeObserve

    /**
     * The tools that the server lists for the caller's credential. Requested again if the stored list is older than
     * five minutes.
     */
    const listingFor = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, isRefresh: boolean) {
      const before = yield* connections.usable(caller, id)
      const holder = yield* connections.holderOf(caller, before)
      const cached = yield* toolsRepo.findListing(sql, caller.organizationId, id, holder)
      if (cached?.is_fresh === true && !isRefresh && repo.isConnected(before) && !before.drift_is_whole) {
        return { row: before, listing: cached }
      }
      yield* connections.limitOutbound(caller)
      yield* observe(before, holder).pipe(
        Effect.catchTag("McpFailed", (failure) => serverFailed(failure, before, caller))
      )
      const row = yield* connections.usable(caller, id)
      const listing = yield* toolsRepo.findListing(sql, caller.organizationId, id, holder)
      return listing === undefined ? yield* new Connections.ConnectionNotReady() : { row, listing }
    })

    const listTools = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"emc">,
      query: PageQuery & { readonly refresh?: "true" | "false" }
    ) {
      const { listing, row } = yield* listingFor(caller, id, query.refresh === "true")
      const all = Object.entries(listing.digests_json)
        .map(([name, digest]) => ({ name, digest, sortKey: sortKeyOf(name) }))
        .toSorted((left, right) => (left.sortKey < right.sortKey ? -1 : left.sortKey > right.sortKey ? 1 : 0))
      const page = yield* pages.listBy(caller, query, {
        filters: id,
        rows: (after, limit) =>
          Effect.gen(function* () {
            const selected = all.filter(({ sortKey }) => after === null || sortKey > after).slice(0, limit)
            const rows = yield* toolsRepo.listTools(sql, caller.organizationId, id, selected)
            const byName = new Map(rows.map((tool) => [tool.name, tool]))
            return selected.flatMap(({ name }) => byName.get(name) ?? [])
          }),
        idOf: (tool) => sortKeyOf(tool.name),
        toWire: (tool): McpTool => ({
          ...tool.tool_json,
          decision: decisionOf(row.tool_policy_json, tool)
        })
      })
      return { ...page, fingerprint: row.observed_fingerprint ?? "", checkedAt: iso(listing.checked_at) }
    })

    /**
     * The tool as listed for the caller's credential; undefined if it is not listed. Fails with 403 if calling the tool
     * is not allowed.
     */
    const allowedTool = Effect.fnUntraced(function* (
      caller: Member,
      row: repo.Row,
      listing: toolsRepo.ToolListing,
      name: string
    ) {
      const digest = Object.hasOwn(listing.digests_json, name) ? listing.digests_json[name] : undefined
      const [tool] =
        digest === undefined ? [] : yield* toolsRepo.listTools(sql, caller.organizationId, row.id, [{ name, digest }])
      if (!isAllowed(row.tool_policy_json, name, tool?.tool_json.readOnlyHint === true)) {
        return yield* new Forbidden({
          reason: "policy_blocked",
          message: "The tool policy of the connection denies this tool."
        })
      }
      if (tool === undefined) return undefined
      if (!tool.is_accepted) {
        return yield* new Forbidden({
          reason: "tool_review_required",
          message: "The tool differs from its accepted description. A manager must review the change."
        })
      }
      return tool.tool_json satisfies McpServerTool
    })

    /**
     * The connection and the tool to call, checked in order: grant, readiness, policy, review. The tool is undefined
     * when the server has no tool of that name.
     */
    const callable = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, name: string) {
      const { listing, row } = yield* listingFor(caller, id, false)
      return { row, tool: yield* allowedTool(caller, row, listing, name) }
    })

    const getToolPolicy = (caller: Member, id: Id<"emc">) =>
      Effect.map(connections.find(caller, id), (row) => row.tool_policy_json)

    const setToolPolicy = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, input: ToolPolicy) {
      yield* connections.demand(caller, id, "manager")
      const policy: ToolPolicy = {
        mode: input.mode,
        allowed: [...new Set(input.allowed)],
        denied: [...new Set(input.denied)]
      }
      const auditView = ({ allowed, denied, mode }: ToolPolicy) => ({
        mode,
        allowed: allowed.length,
        denied: denied.length,
        digest: sha256(JSON.stringify([allowed, denied]))
      })
      yield* mutate(
        caller,
        "mcp_connection.set_tool_policy",
        Effect.gen(function* () {
          const before = yield* connections.locked(caller, id)
          yield* repo.setPolicy(sql, caller.organizationId, id, policy)
          return before.tool_policy_json
        }),
        (before) => ({ target: id, before: auditView(before), after: auditView(policy) })
      )
      return policy
    })

    const getReview = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">) {
      const row = yield* connections.find(caller, id)
      if (row.drift_detected_at === null || row.fingerprint === null || row.observed_fingerprint === null) {
        return yield* new McpReviewNotFound()
      }
      const driftedTools = yield* toolsRepo.drift(sql, caller.organizationId, id, changesMax + 1)
      const changes = [
        ...identityChanges(row.accepted_identity_json, row.observed_identity_json),
        ...driftedTools.map(({ accepted, name, observed }) => toolChange(name, accepted, observed))
      ]
      const review: Review = {
        fingerprint: row.observed_fingerprint,
        acceptedFingerprint: row.fingerprint,
        detectedAt: iso(row.drift_detected_at),
        decision: row.drift_decision,
        changes: changes.slice(0, changesMax),
        changesTruncated: changes.length > changesMax
      }
      return review
    })

    /**
     * Accepts the observed state or rejects it. The decision applies only to the fingerprint that the manager reviewed.
     */
    const decideReview = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, input: typeof DecideReview.Type) {
      const { organizationId } = caller
      yield* connections.demand(caller, id, "manager")
      const { connection } = yield* mutate(
        caller,
        "mcp_connection.review",
        Effect.gen(function* () {
          const before = yield* connections.locked(caller, id)
          if (before.drift_detected_at === null) return yield* new McpReviewNotFound()
          if (before.observed_fingerprint !== input.fingerprint) return yield* new StaleReview()
          if (input.decision === "reject") {
            yield* repo.reject(sql, organizationId, id)
          } else {
            yield* toolsRepo.accept(sql, organizationId, id)
            const versions = yield* toolsRepo.listVersions(sql, organizationId, id)
            yield* repo.accept(sql, organizationId, id, fingerprintOf(before.observed_identity_json, versions))
            // Credentials of the previous authorization server no longer work and must not be sent to the new one.
            if (leadsElsewhere(before.accepted_identity_json, before.observed_identity_json)) {
              yield* connections.removeCredentials(organizationId, id)
            }
            if (before.accepted_identity_json?.issuer !== before.observed_identity_json?.issuer) {
              yield* connections.removeClient(caller, before)
            }
          }
          const row = yield* connections.reload(caller, id)
          return { before, observedFingerprint: row.observed_fingerprint, connection: repo.toWire(row) }
        }),
        ({ before, connection, observedFingerprint }) => ({
          target: id,
          before: { fingerprint: before.fingerprint, decision: before.drift_decision },
          after: { fingerprint: connection.fingerprint, decision: input.decision, observed: observedFingerprint }
        })
      )
      return connection
    })

    return { listTools, callable, getToolPolicy, setToolPolicy, getReview, decideReview } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
