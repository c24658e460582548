/** Overrides of the commands for access and audit. */
import type { Override } from "../override.ts"
import { listAt, member } from "../output/value.ts"

const timeRange = {
  since: { time: "past", help: "Events since this ISO 8601 time, or duration before now: 24h, 7d" },
  until: { time: "past", help: "Events before this ISO 8601 time, or duration before now" }
} as const

const memberFilter = {
  nameFlags: [
    {
      name: "member",
      member: "actorId",
      names: "orgMembershipId",
      help: "Only actions by this member: ID or email address."
    }
  ]
} satisfies Override

export const accessAndAuditOverrides: Readonly<Record<string, Override>> = {
  "access.explain": {
    draw: "chain",
    arguments: [{ name: "object-id", member: "object", object: true, help: "ID or name of the object" }],
    flags: { orgMembershipId: { name: "member" } },
    defaults: { action: "view" },
    examples: [
      { command: "orgplane access explain plg_…", description: "Explain why you can see a plugin" },
      {
        command: "orgplane access explain cob_… --member om_… --action edit",
        description: "Explain why a member can or cannot edit a skill"
      }
    ]
  },
  "access.permissions": {
    columns: ["organizationId", "orgMembershipId", "apiKeyId", "isOwner", "managesAllObjects", "permissions"],
    sparse: ["orgMembershipId", "apiKeyId"],
    text: (body) => listAt(body, "item.permissions").join("\n"),
    examples: [
      { command: "orgplane access permissions", description: "Show what you are allowed to do" },
      {
        command: "orgplane access permissions -q | grep -qx plugins:write",
        description: "Check in a script whether you can change plugins"
      }
    ]
  },
  "access.impact": {
    arguments: [{ name: "grant-id", member: "grantId" }],
    rows: "impact.losses",
    columns: ["orgMembershipId", "from", "to", "object.kind", "object.name"],
    priority: ["orgMembershipId", "object.name", "to", "from"],
    note: (body) => {
      const count = member(body, "impact.memberCount")
      const memberCount = typeof count === "number" ? count : 0
      const more = member(body, "impact.truncated") === true ? " The list is incomplete." : ""
      return memberCount === 0
        ? "No member would lose access."
        : `${memberCount} ${memberCount === 1 ? "member" : "members"} would lose access or have a lower level.${more}`
    },
    examples: [{ command: "orgplane access impact mag_…", description: "Preview what revoking a grant would change" }]
  },
  "audit.export": {
    ...memberFilter,
    flags: timeRange,
    examples: [
      {
        command: "orgplane audit export --format csv --since 30d > audit.csv",
        description: "Export the last 30 days for a spreadsheet"
      }
    ]
  },
  "audit.verify": {
    columns: ["valid", "eventCount", "sealedThrough", "firstInvalidSequence", "truncatedThrough", "reason"],
    fails: (body) => member(body, "verification.valid") !== true,
    examples: [
      { command: "orgplane audit verify && echo intact", description: "Fail if an event was changed or is missing" }
    ]
  },
  "audit.checkpoints": { columns: ["sequence", "hash", "keyId", "createdAt"] },
  "audit.list": {
    ...memberFilter,
    flags: timeRange,
    columns: ["createdAt", "action", "actorKind", "actorId", "targetId", "address"],
    priority: ["action", "createdAt", "targetId", "actorKind", "actorId"],
    examples: [
      {
        command: "orgplane audit list --action connector.remove --all -o ndjson",
        description: "List every connector removal as JSON lines"
      },
      { command: "orgplane audit list --member ada@acme.example", description: "List what a member did" }
    ]
  },
  "events.list": {
    flags: timeRange,
    examples: [
      {
        command: "orgplane events list --types 'plugin.*' --since 7d",
        description: "List what happened to plugins in the last 7 days"
      }
    ]
  }
}
