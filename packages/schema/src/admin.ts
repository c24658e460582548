/** For who administers: figures of an organization or of all, what needs somebody, and the installation's own lists. */
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
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

const Count = Schema.Int

export const ActivityDay = Schema.Struct({
  day: Schema.String.annotate({ description: "In UTC: `2026-03-01`." }),
  activeUsers: Count,
  realActiveUsers: Count,
  signups: Count
}).annotate({ identifier: "ActivityDay" })

export const AdminMetrics = Schema.Struct({
  totalUsers: Count.annotate({
    description: "People who are members now; of the whole installation, everybody who is not removed."
  }),
  totalOrganizations: Count,
  verifiedUsers: Count.annotate({ description: "Those who have proved their e-mail address." }),
  recentUsers7d: Count.annotate({ description: "Those who joined today or in the six days before." }),
  recentUsers30d: Count,
  totalWorkers: Count.annotate({ description: "Workers that are not removed: cloud and local together." }),
  cloudWorkers: Count,
  localWorkers: Count,
  usersWithWorkers: Count.annotate({ description: "Those who made a worker that is there." }),
  usersWithoutWorkers: Count,
  paidUsers: Count,
  unpaidUsers: Count,
  billingUnavailableUsers: Count.annotate({ description: "Everybody, while nothing tells about billing." }),
  adminCount: Count.annotate({ description: "Those who are an owner or an admin." }),
  activeUsers1d: Count.annotate({
    description:
      "Those with an authenticated session request or an accepted event today; 7d and 30d with the days before."
  }),
  activeUsers7d: Count,
  activeUsers30d: Count,
  realActiveUsers1d: Count.annotate({ description: "Those who changed something, or had an event `task.*`." }),
  realActiveUsers7d: Count,
  realActiveUsers30d: Count,
  recurringUsers: Count.annotate({ description: "Those active on at least two of the 30 days." }),
  inviters: Count.annotate({ description: "Those who invited somebody in the 30 days." }),
  medianHoursToFirstInvite: Schema.NullOr(Schema.Finite).annotate({
    description: "From joining to the first invitation, of those who ever invited; null when nobody has."
  }),
  billingLoaded: Schema.Boolean.annotate({ description: "Whether something tells about billing; nothing does yet." }),
  activitySeries: Schema.Array(ActivityDay).annotate({ description: "Thirty days in UTC, today the last." })
}).annotate({ identifier: "AdminMetrics" })
export type AdminMetrics = typeof AdminMetrics.Type

const SyncTrouble = Schema.Struct({
  connectorSyncEventId: Ids.ConnectorSyncEventId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorTargetId: Ids.ConnectorTargetId,
  name: Schema.String.annotate({ description: "Of the connector." }),
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
  apiKeys: Count.annotate({ description: "Neither revoked nor expired." }),
  plugins: Count,
  configObjects: Count,
  marketplaces: Count,
  connectorInstances: Count,
  mcpConnections: Count,
  workers: Count,
  pendingInvitations: Count,
  syncsInTrouble: Count.annotate({
    description: "Branches whose last sync failed, was partial, or waits for approval."
  }),
  connectionsNeedingAttention: Count.annotate({
    description:
      "MCP connections that changed and wait for a review, or whose shared credential is missing or no longer good."
  }),
  syncTroubles: Schema.Array(SyncTrouble).annotate({ description: `The latest, at most ${listMax}.` }),
  connectionTroubles: Schema.Array(ConnectionTrouble).annotate({ description: `At most ${listMax}.` }),
  recentChanges: Schema.Array(AuditEvent).annotate({ description: `The latest of the audit, at most ${listMax}.` })
}).annotate({ identifier: "AdminOverview" })
export type Overview = typeof Overview.Type

export const PlatformUser = Schema.Struct({
  id: Ids.UserId,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  emailVerified: Schema.Boolean,
  organizations: Count.annotate({ description: "How many they are a member of." }),
  lastActiveDay: Schema.NullOr(Schema.String).annotate({ description: "In UTC; null when no activity is kept." }),
  createdAt: Timestamp
}).annotate({ identifier: "PlatformUser" })
export type PlatformUser = typeof PlatformUser.Type

export const PlatformOrganization = Schema.Struct({
  ...Organization.fields,
  memberCount: Count,
  lastActiveDay: Schema.NullOr(Schema.String).annotate({ description: "In UTC; null when no activity is kept." })
}).annotate({ identifier: "PlatformOrganization" })
export type PlatformOrganization = typeof PlatformOrganization.Type

export const UpdatePlan = Schema.Struct({
  plan: Text(1, 64)
    .check(Schema.isPattern(/^[a-z][a-z0-9_-]*$/u, { message: "must be a word in small letters" }))
    .annotate({ description: "`enterprise` holds every feature; any other word is a plan without those that need it." })
}).annotate({ identifier: "UpdatePlan" })

const search = (description: string) => Schema.optionalKey(Text(1, 255).annotate({ description }))

export const group = HttpApiGroup.make("admin")
  .annotateMerge(
    OpenApi.annotations({
      title: "Admin",
      description: "Figures and lists for who administers an organization, or all."
    })
  )
  .add(
    HttpApiEndpoint.get("metrics", "/v1/admin/metrics", {
      success: Schema.Struct({
        summary: AdminMetrics,
        generatedAt: Timestamp.annotate({
          description: "Every event that was acknowledged before this moment is counted; later ones may be."
        })
      })
    }).pipe(
      endpointMetadata({
        access: Access.permissionOrPlatform("analytics:read"),
        specified: true,
        summary: "Figures of the organization: people, workers, activity, invitations, day by day.",
        description:
          "An administrator of the installation who names no organization gets the figures of all of them together."
      })
    ),
    HttpApiEndpoint.get("overview", "/v1/admin/overview", {
      success: Schema.Struct({ overview: Overview, generatedAt: Timestamp })
    }).pipe(
      endpointMetadata({
        access: Access.permission("audit:read"),
        summary: "What there is in the organization, what needs somebody, and what changed last."
      })
    ),
    HttpApiEndpoint.get("listPlatformUsers", "/v1/admin/platform/users", {
      query: { ...pageQuery, q: search("Part of a name or address, in any case.") },
      success: Page(PlatformUser)
    }).pipe(
      endpointMetadata({ access: Access.platform, paged: true, summary: "Lists the people of the installation." })
    ),
    HttpApiEndpoint.get("listPlatformOrganizations", "/v1/admin/platform/organizations", {
      query: { ...pageQuery, q: search("Part of the name, in any case.") },
      success: Page(PlatformOrganization)
    }).pipe(
      endpointMetadata({
        access: Access.platform,
        paged: true,
        summary: "Lists the organizations of the installation."
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
        summary: "Changes the plan of an organization; every process knows it at its next request."
      })
    )
  )
