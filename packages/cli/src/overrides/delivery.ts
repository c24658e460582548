/** Overrides of the commands for the delivery of plugins. */
import { countColumns, deviceState, statusSummary } from "../output/delivery.ts"
import { textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

const days = {
  from: { help: "The first UTC date, such as 2026-03-01. Default: 29 days before --to." },
  to: { help: "The last UTC date, inclusive. Default: today." }
} as const

export const deliveryOverrides: Readonly<Record<string, Override>> = {
  "delivery.status": {
    draw: "delivery",
    list: { member: "plugins", columns: ["pluginId", "name", ...countColumns, "unwanted"] },
    listInPipes: true,
    text: statusSummary,
    examples: [
      { command: "orgplane delivery status", description: "Show which plugins are running, and why others are not" },
      {
        command: "orgplane delivery status --plugin-id plg_… --team-id tem_…",
        description: "Show the status of one plugin in one team"
      },
      { command: "orgplane delivery status -q", description: "Print only the summary" }
    ]
  },
  "delivery.listTeams": {
    columns: ["teamId", "name", "memberCount", "deviceCount", ...countColumns],
    priority: ["name", ...countColumns],
    id: "teamId",
    examples: [
      { command: "orgplane delivery list-teams --plugin-id plg_…", description: "Compare teams for one plugin" }
    ]
  },
  "delivery.listMembers": {
    columns: ["orgMembershipId", "name", "email", "deviceCount", ...countColumns, "lastSeenAt"],
    priority: ["email", ...countColumns, "lastSeenAt"],
    id: "orgMembershipId",
    examples: [
      {
        command: "orgplane delivery list-members --state failed",
        description: "List members with failed installations"
      }
    ]
  },
  "delivery.listDevices": {
    columns: ["id", "orgMembershipId", "agent", "platform", "clientVersion", "status", "workerId", "lastSeenAt"],
    priority: ["id", "status", "lastSeenAt", "orgMembershipId", "agent", "platform"],
    sparse: ["workerId"],
    computed: { status: deviceState },
    examples: [
      { command: "orgplane delivery list-devices --state offline", description: "List devices that no longer report" },
      {
        command: "orgplane delivery list-devices --member ada@acme.example",
        description: "List the devices of a member"
      }
    ]
  },
  "delivery.getDevice": {
    draw: "device",
    list: {
      member: "plugins",
      columns: ["pluginId", "name", "state", "failure", "wantedSha256", "installedSha256"]
    },
    examples: [
      {
        command: "orgplane delivery get-device ada@acme.example 0f8b2c1e-6f0b-4c27-9a55-0d6c0c4f2f11",
        description: "Show the state of each plugin on a device"
      }
    ]
  },
  "delivery.removeDevice": {
    confirm: (ids) => `Remove the device ${ids[1] ?? ""} from the list?`
  },
  "delivery.history": {
    draw: "history",
    flags: days,
    list: { member: "days", columns: ["day", "deviceCount", ...countColumns] },
    listInPipes: true,
    text: (body) => textAt(body, "item.to") ?? "",
    examples: [
      { command: "orgplane delivery history --plugin-id plg_…", description: "Show the last 30 days of a plugin" }
    ]
  },
  "delivery.usage": {
    draw: "usage",
    flags: days,
    list: { member: "plugins", columns: ["pluginId", "name", "running", "users", "events", "lastUsedDay", "unused"] },
    listInPipes: true,
    examples: [
      {
        command: "orgplane delivery usage --jq '.plugins[] | select(.unused) | .pluginId'",
        description: "List installed plugins that are not used"
      }
    ]
  }
}
