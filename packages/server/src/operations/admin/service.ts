import * as Admin from "@orgplane/schema/admin"
import type { Member, PlatformAdmin } from "@orgplane/schema/shared/caller"
import { OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as audit from "../../identity/audit/repo.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import * as organizations from "../../identity/organizations/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { TelemetrySummary } from "../../agents/telemetry/summary.ts"
import * as metrics from "./metrics-repo.ts"
import * as overview from "./overview-repo.ts"
import * as platform from "./platform-repo.ts"

type SearchQuery = PageQuery & { readonly q?: string }

const toWire = (row: metrics.Row): Admin.AdminMetrics => ({
  totalUsers: row.total_users,
  totalOrganizations: row.total_organizations,
  verifiedUsers: row.verified_users,
  recentUsers7d: row.recent_7d,
  recentUsers30d: row.recent_30d,
  totalWorkers: row.workers,
  cloudWorkers: row.cloud_workers,
  localWorkers: row.workers - row.cloud_workers,
  usersWithWorkers: row.users_with_workers,
  usersWithoutWorkers: row.total_users - row.users_with_workers,
  // There is no billing data, so the paid status of users is unknown.
  paidUsers: 0,
  unpaidUsers: 0,
  billingUnavailableUsers: row.total_users,
  adminCount: row.admins,
  activeUsers1d: row.active_1d,
  activeUsers7d: row.active_7d,
  activeUsers30d: row.active_30d,
  realActiveUsers1d: row.real_1d,
  realActiveUsers7d: row.real_7d,
  realActiveUsers30d: row.real_30d,
  recurringUsers: row.recurring,
  inviters: row.inviters,
  medianHoursToFirstInvite: row.median_hours === null ? null : Math.round(row.median_hours * 100) / 100,
  billingLoaded: false,
  activitySeries: row.series.map(({ active, day, real, signups }) => ({
    day,
    activeUsers: active,
    realActiveUsers: real,
    signups
  }))
})

/** Metrics and lists for organization and platform administrators. */
export class AdminService extends Context.Service<AdminService>()("@orgplane/server/admin/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const summary = yield* TelemetrySummary
    const { mutate } = yield* Mutate

    const readMetrics = Effect.fnUntraced(function* (caller: Member | PlatformAdmin) {
      const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
      const generatedAt = iso(yield* summary.summedAt)
      const sources =
        caller.kind === "member" ? metrics.ofOrganization(sql, caller.organizationId) : platform.ofAll(sql)
      const [row] = yield* metrics.figures(sql, sources, today)
      return { summary: toWire(yield* expectRow(row, "metrics")), generatedAt }
    })

    const readOverview = Effect.fnUntraced(function* (caller: Member) {
      const { organizationId } = caller
      const generatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
      const counts = yield* overview.counts(sql, organizationId)
      const workers = yield* overview.workers(sql, organizationId)
      const syncs = yield* overview.syncTroubles(sql, organizationId, Admin.listMax)
      const connections = yield* overview.connectionTroubles(sql, organizationId, Admin.listMax)
      const changes = yield* audit.list(sql, organizationId, {}, null, Admin.listMax)
      const result: Admin.Overview = {
        members: counts.members,
        admins: counts.admins,
        teams: counts.teams,
        apiKeys: counts.api_keys,
        plugins: counts.plugins,
        configObjects: counts.config_objects,
        marketplaces: counts.marketplaces,
        connectorInstances: counts.connector_instances,
        mcpConnections: counts.mcp_connections,
        workers,
        pendingInvitations: counts.pending_invitations,
        syncsInTrouble: syncs[0]?.total ?? 0,
        connectionsNeedingAttention: connections[0]?.total ?? 0,
        syncTroubles: syncs.map((row) => ({
          connectorSyncEventId: row.id,
          connectorInstanceId: row.connector_instance_id,
          connectorTargetId: row.connector_target_id,
          name: row.name,
          status: row.status,
          createdAt: iso(row.created_at)
        })),
        connectionTroubles: connections.map(({ id, name, trouble }) => ({ id, name, reason: trouble })),
        recentChanges: changes.map(audit.toWire)
      }
      return { overview: result, generatedAt }
    })

    const listUsers = (_: PlatformAdmin, query: SearchQuery) =>
      pages.read(
        { operation: "admin.listPlatformUsers", organizationId: null, filters: query.q ?? null },
        query,
        (after, limit) => platform.listUsers(sql, query.q, after, limit),
        (row) => row.id,
        platform.userToWire
      )

    const listOrganizations = (_: PlatformAdmin, query: SearchQuery) =>
      pages.read(
        { operation: "admin.listPlatformOrganizations", organizationId: null, filters: query.q ?? null },
        query,
        (after, limit) => platform.listOrganizations(sql, query.q, after, limit),
        (row) => row.id,
        platform.organizationToWire
      )

    /** Changes an organization's plan. Every process drops its cached members and API keys of the organization. */
    const updatePlan = (caller: PlatformAdmin, id: Id<"org">, { plan }: typeof Admin.UpdatePlan.Type) =>
      mutate(
        caller,
        "platform.update_plan",
        Effect.gen(function* () {
          const before = yield* organizations.lock(sql, id)
          if (before === undefined) return yield* new OrganizationNotFound()
          if (before.plan !== plan) {
            yield* platform.setPlan(sql, id, plan)
            yield* principals.announce(id)
          }
          const after = yield* organizations.find(sql, id)
          return { before, after: after ?? before }
        }),
        ({ after, before }) => ({
          target: id,
          before: { plan: before.plan, version: before.version },
          after: { plan: after.plan, version: after.version }
        })
      ).pipe(
        Effect.map(({ after }) => {
          principals.forget(id)
          return { organization: organizations.toWire(after) }
        })
      )

    return {
      metrics: readMetrics,
      overview: readOverview,
      listUsers,
      listOrganizations,
      updatePlan
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
