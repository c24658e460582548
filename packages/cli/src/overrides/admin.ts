/** Overrides of the commands for metrics, usage analytics and platform administration. */
import type { Override } from "../override.ts"

const dateRange = {
  from: { help: "First day in UTC, for example 2026-03-01" },
  to: { help: "Last day in UTC" }
} as const

export const adminOverrides: Readonly<Record<string, Override>> = {
  "admin.metrics": {
    draw: "metrics",
    examples: [
      { command: "orgplane metrics", description: "Show users, daily activity, invitations and workers" },
      { command: "orgplane metrics -o json | jq .summary.activeUsers7d", description: "Get one metric in a script" }
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
    examples: [{ command: "orgplane admin overview", description: "Show counts and items that need attention" }]
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
      { command: "orgplane admin update-plan org_… --plan enterprise", description: "Change an organization's plan" }
    ]
  },
  "telemetry.dimensions": {
    columns: ["type", "value", "label", "events", "lastSeenAt"],
    id: "value",
    examples: [
      { command: "orgplane telemetry dimensions --type skill --all", description: "List every skill that was used" }
    ]
  },
  "telemetry.adoption": {
    rows: "adoption.series",
    columns: ["start", "activeMembers", "newMembers", "returningMembers"],
    flags: dateRange,
    examples: [
      { command: "orgplane telemetry adoption --interval week", description: "Show weekly active members" },
      {
        command: "orgplane telemetry adoption --dimension-type model -o json | jq .adoption.byDimension",
        description: "Count active members per model"
      }
    ]
  },
  "telemetry.analytics": {
    draw: "analytics",
    flags: dateRange,
    examples: [
      {
        command: "orgplane telemetry analytics --measure users --group-by team --interval week",
        description: "Chart weekly users per team"
      },
      {
        command: "orgplane telemetry analytics --measure durationP95 --group-by dimension:model --type task.completed",
        description: "Compare task durations per model"
      }
    ]
  }
}
