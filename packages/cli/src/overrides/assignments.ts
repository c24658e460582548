/** Overrides of the commands for assignments of plugins and marketplaces. */
import { member, textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

const assigned = {
  memberIds: { name: "member", help: "ID or email address of a member." },
  teamIds: { name: "team-id" }
} as const

const effective = {
  columns: [
    "pluginId",
    "pluginName",
    "mode",
    "enabled",
    "hasAccess",
    "version",
    "explanation.rule",
    "explanation.winner.id"
  ],
  priority: ["pluginName", "mode", "enabled"],
  // Null without `--explain`.
  sparse: ["explanation.rule", "explanation.winner.id"],
  id: "pluginId"
} satisfies Override

export const assignmentOverrides: Readonly<Record<string, Override>> = {
  "assignments.create": {
    flags: assigned,
    examples: [
      {
        command: "orgplane assignments create --plugin-id plg_… --mode required",
        description: "Require a plugin for the whole organization"
      },
      {
        command: "orgplane assignments create --marketplace-id mkt_… --mode default_on --team-id tem_…",
        description: "Turn on all plugins of a marketplace for a team"
      },
      {
        command: "orgplane assignments create --plugin-id plg_… --mode blocked --member ada@acme.example",
        description: "Block a plugin for a member"
      }
    ]
  },
  "assignments.list": {
    columns: ["id", "assigns", "mode", "priority", "audience", "updatedAt"],
    priority: ["id", "assigns", "mode"],
    computed: { assigns: (row) => textAt(row, "pluginId") ?? textAt(row, "marketplaceId") ?? "" },
    examples: [
      { command: "orgplane assignments list", description: "List assignments with their audience" },
      { command: "orgplane assignments list --mode blocked", description: "List what is blocked" }
    ]
  },
  "assignments.update": {
    flags: assigned,
    note: (body) =>
      member(body, "item.audience") === "nobody"
        ? "This assignment applies to no one: every member and team it was assigned to has been removed."
        : undefined,
    examples: [
      { command: "orgplane assignments update asg_… --mode blocked", description: "Block what was assigned" },
      {
        command: "orgplane assignments update asg_… --pinned-digest 5d2f…",
        description: "Deliver the release with this digest, and not later ones"
      }
    ]
  },
  "assignments.remove": {
    confirm: (ids) => `Remove the assignment ${ids[0] ?? ""}? It stops applying immediately.`
  },
  "assignments.effective": {
    ...effective,
    examples: [
      {
        command: "orgplane assignments effective ada@acme.example --explain",
        description: "Show a member's plugins, their modes, and the assignment that determines each one"
      }
    ]
  },
  "assignments.own": {
    ...effective,
    examples: [{ command: "orgplane assignments own", description: "List your assigned plugins" }]
  },
  "assignments.setChoice": {
    columns: effective.columns.slice(0, 6),
    subject: "item.pluginId",
    examples: [
      { command: "orgplane assignments set-choice plg_… --no-enabled", description: "Turn a plugin off for yourself" }
    ]
  },
  "assignments.resetChoice": {
    confirm: (ids) => `Reset the plugin ${ids[0] ?? ""} to its assigned state?`
  },
  "assignments.simulate": {
    rows: "simulation.changes",
    columns: ["orgMembershipId", "pluginId", "before.mode", "after.mode"],
    id: "orgMembershipId",
    note: (body) => {
      const [changes, members] = [member(body, "simulation.changeCount"), member(body, "simulation.memberCount")]
      const more = member(body, "simulation.truncated") === true ? " Not all changes are listed." : ""
      return `This is a simulation. Changed modes: ${String(changes)}, of ${String(members)} members.${more}`
    },
    examples: [
      {
        command: `echo '{"delete":{"assignmentId":"asg_…"}}' | orgplane assignments simulate --input -`,
        description: "Preview the effect of removing an assignment"
      }
    ]
  }
}
