/** Admin: metrics and lists for organization and platform administrators. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { AuditEvent } from "./audit.ts"
import { Organization } from "./organizations.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { OrganizationNotFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

const Count = Schema.Int

export const ActivityDay = Schema.Struct({
  day: Schema.String.annotate({ description: "A UTC date: `2026-03-01`." }),
  activeUsers: Count,
  realActiveUsers: Count,
  signups: Count
}).annotate({ identifier: "ActivityDay" })

export const AdminMetrics = Schema.Struct({
  totalUsers: Count.annotate({
    description: "Current members of the organization. For the whole installation: all users who have not been removed."
  }),
  totalOrganizations: Count,
  verifiedUsers: Count.annotate({ description: "Users with a verified email address." }),
  recentUsers7d: Count.annotate({ description: "Users who joined in the last 7 UTC days, including today." }),
  recentUsers30d: Count,
  totalWorkers: Count.annotate({ description: "Cloud and local workers that have not been removed." }),
  cloudWorkers: Count,
  localWorkers: Count,
  usersWithWorkers: Count.annotate({ description: "Users who created a worker that still exists." }),
  usersWithoutWorkers: Count,
  paidUsers: Count,
  unpaidUsers: Count,
  billingUnavailableUsers: Count.annotate({
    description: "Users whose billing status is unknown. Currently all users, because no billing source is connected."
  }),
  adminCount: Count.annotate({ description: "Owners and admins." }),
  activeUsers1d: Count.annotate({
    description:
      "Users with an authenticated session request or an accepted telemetry event today. `7d` and `30d` cover the last 7 and 30 UTC days, including today."
  }),
  activeUsers7d: Count,
  activeUsers30d: Count,
  realActiveUsers1d: Count.annotate({
    description:
      "Users who made a change or sent a `task.*` event today. `7d` and `30d` cover the last 7 and 30 UTC days, including today."
  }),
  realActiveUsers7d: Count,
  realActiveUsers30d: Count,
  recurringUsers: Count.annotate({ description: "Users who were active on at least two of the last 30 days." }),
  inviters: Count.annotate({ description: "Users who sent an invitation in the last 30 days." }),
  medianHoursToFirstInvite: Schema.NullOr(Schema.Finite).annotate({
    description:
      "The median number of hours between joining and sending the first invitation, for users who have sent one. Null if there are none."
  }),
  billingLoaded: Schema.Boolean.annotate({
    description: "Whether billing data is included. Always false: no billing source is connected."
  }),
  activitySeries: Schema.Array(ActivityDay).annotate({
    description: "The last 30 UTC days, oldest first. The last one is today."
  })
}).annotate({ identifier: "AdminMetrics" })
export type AdminMetrics = typeof AdminMetrics.Type

const SyncTrouble = Schema.Struct({
  connectorSyncEventId: Ids.ConnectorSyncEventId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorTargetId: Ids.ConnectorTargetId,
  name: Schema.String.annotate({ description: "The name of the connector instance." }),
  status: Schema.Literals(["failed", "partial", "review_required"]),
  createdAt: Timestamp
}).annotate({ identifier: "SyncTrouble" })

const ConnectionTrouble = Schema.Struct({
  id: Ids.McpConnectionId,
  name: Schema.String,
  reason: Schema.Literals(["reconnect_required", "review_required", "not_connected"])
}).annotate({ identifier: "ConnectionTrouble" })

export const listMax = 10

export const Overview = Schema.Struct({
  members: Count,
  admins: Count,
  teams: Count,
  apiKeys: Count.annotate({ description: "API keys that are neither revoked nor expired." }),
  plugins: Count,
  configObjects: Count,
  marketplaces: Count,
  connectorInstances: Count,
  mcpConnections: Count,
  workers: Count,
  pendingInvitations: Count,
  syncsInTrouble: Count.annotate({
    description: "Branches whose last sync failed, was partial, or is pending approval."
  }),
  connectionsNeedingAttention: Count.annotate({
    description:
      "MCP connections whose tools changed and need a review, or whose shared credential is missing or invalid."
  }),
  syncTroubles: Schema.Array(SyncTrouble).annotate({
    description: `The most recent of these syncs, at most ${listMax}.`
  }),
  connectionTroubles: Schema.Array(ConnectionTrouble).annotate({ description: `At most ${listMax}.` }),
  recentChanges: Schema.Array(AuditEvent).annotate({ description: `The most recent audit events, at most ${listMax}.` })
}).annotate({ identifier: "AdminOverview" })
export type Overview = typeof Overview.Type

export const PlatformUser = Schema.Struct({
  id: Ids.UserId,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  emailVerified: Schema.Boolean,
  organizations: Count.annotate({ description: "The number of organizations the user is a member of." }),
  lastActiveDay: Schema.NullOr(Schema.String).annotate({
    description: "The last UTC date with activity. Null if no activity is recorded."
  }),
  createdAt: Timestamp
}).annotate({ identifier: "PlatformUser" })
export type PlatformUser = typeof PlatformUser.Type

export const PlatformOrganization = Schema.Struct({
  ...Organization.fields,
  memberCount: Count,
  lastActiveDay: Schema.NullOr(Schema.String).annotate({
    description: "The last UTC date with activity. Null if no activity is recorded."
  })
}).annotate({ identifier: "PlatformOrganization" })
export type PlatformOrganization = typeof PlatformOrganization.Type

export const UpdatePlan = Schema.Struct({
  plan: Text(1, 64)
    .check(
      Schema.isPattern(/^[a-z][a-z0-9_-]*$/u, {
        message: "must start with a lowercase letter and contain only lowercase letters, digits, `_` and `-`"
      })
    )
    .annotate({
      description:
        "`enterprise` includes every feature. Any other plan excludes the features that require the enterprise plan."
    })
}).annotate({ identifier: "UpdatePlan" })

export const group = HttpApiGroup.make("admin")
  .annotateMerge(
    OpenApi.annotations({
      title: "Admin",
      description: "Metrics and lists for organization and platform administrators."
    })
  )
  .add(
    HttpApiEndpoint.get("metrics", "/v1/admin/metrics", {
      success: Schema.Struct({
        summary: AdminMetrics,
        generatedAt: Timestamp.annotate({
          description: "All events acknowledged before this time are counted. Later events might not be."
        })
      })
    }).pipe(
      endpointMetadata({
        access: Access.permissionOrPlatform("analytics:read"),
        specified: true,
        summary: "Get the metrics of the organization",
        description:
          "Returns counts of users, workers, activity and invitations, and a daily series. A platform administrator who does not specify an organization gets the totals across all organizations."
      })
    ),
    HttpApiEndpoint.get("overview", "/v1/admin/overview", {
      success: Schema.Struct({ overview: Overview, generatedAt: Timestamp })
    }).pipe(
      endpointMetadata({
        access: Access.permission("audit:read"),
        summary: "Get an overview of the organization",
        description:
          "Returns resource counts, the syncs and connections that need attention, and the most recent changes."
      })
    ),
    HttpApiEndpoint.get("listPlatformUsers", "/v1/admin/platform/users", {
      query: { ...pageQuery, q: search("Filter by part of a name or email address. Case-insensitive.") },
      success: Page(PlatformUser)
    }).pipe(endpointMetadata({ access: Access.platform, paged: true, summary: "List all users of the installation" })),
    HttpApiEndpoint.get("listPlatformOrganizations", "/v1/admin/platform/organizations", {
      query: { ...pageQuery, q: search("Filter by part of the name. Case-insensitive.") },
      success: Page(PlatformOrganization)
    }).pipe(
      endpointMetadata({
        access: Access.platform,
        paged: true,
        summary: "List all organizations of the installation"
      })
    ),
    HttpApiEndpoint.patch("updatePlan", "/v1/admin/platform/organizations/:organizationId", {
      params: { organizationId: Ids.OrganizationId },
      payload: UpdatePlan,
      success: Schema.Struct({ organization: Organization }),
      error: OrganizationNotFound
    }).pipe(
      endpointMetadata({
        access: Access.platform,
        audited: "platform.update_plan",
        summary: "Change the plan of an organization",
        description: "Each server process applies the new plan to all subsequent requests."
      })
    )
  )
