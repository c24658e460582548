/** What a person needs beyond the contract to read figures, and to administer the installation. */
import type { Override } from "./overrides.ts"

const span = {
  from: { help: "The first day in UTC: 2026-03-01" },
  to: { help: "The last day in UTC" }
} as const

export const adminOverrides: Readonly<Record<string, Override>> = {
  "admin.metrics": {
    draw: "metrics",
    examples: [
      { command: "orgplane metrics", description: "People, activity day by day, invitations, workers" },
      { command: "orgplane metrics -o json | jq .summary.activeUsers7d", description: "One figure for a script" }
    ]
  },
  "admin.overview": {
    columns: [
      "overview.members",
      "overview.pendingInvitations",
      "overview.plugins",
      "overview.mcpConnections",
      "overview.workers",
      "overview.syncsInTrouble",
      "overview.connectionsNeedingAttention",
      "generatedAt"
    ],
    examples: [{ command: "orgplane admin overview", description: "What there is, and what needs somebody" }]
  },
  "admin.listPlatformUsers": {
    alias: "users",
    columns: ["id", "email", "name", "organizations", "lastActiveDay", "createdAt"]
  },
  "admin.listPlatformOrganizations": {
    alias: "organizations",
    columns: ["id", "name", "plan", "memberCount", "lastActiveDay", "createdAt"]
  },
  "admin.updatePlan": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "organization.plan"],
    examples: [
      { command: "orgplane admin update-plan org_… --plan enterprise", description: "What an organization may use" }
    ]
  },
  "telemetry.dimensions": {
    columns: ["type", "value", "label", "events", "lastSeenAt"],
    id: "value",
    examples: [
      { command: "orgplane telemetry dimensions --type skill --all", description: "Every skill that was used" }
    ]
  },
  "telemetry.adoption": {
    rows: "adoption.series",
    columns: ["start", "activeMembers", "newMembers", "returningMembers"],
    flags: span,
    examples: [
      { command: "orgplane telemetry adoption --interval week", description: "Who uses it, week by week" },
      {
        command: "orgplane telemetry adoption --dimension-type model -o json | jq .adoption.byDimension",
        description: "Which model is used by how many"
      }
    ]
  },
  "telemetry.analytics": {
    draw: "analytics",
    flags: span,
    examples: [
      {
        command: "orgplane telemetry analytics --measure users --group-by team --interval week",
        description: "A bar and a line for each team"
      },
      {
        command: "orgplane telemetry analytics --measure durationP95 --group-by dimension:model --type task.completed",
        description: "Which model takes how long"
      }
    ]
  }
}
