/** Overrides of the commands for approvals. */
import { textAt } from "../output/value.ts"
import { statusOf } from "../output/plugin-release.ts"
import type { Override } from "../override.ts"
import { capabilityColumns } from "./content.ts"

const releases = {
  columns: ["id", "name", "number", "status", "createdAt"],
  priority: ["id", "name", "status"],
  computed: { status: statusOf }
} satisfies Override
const decided = { ...releases, rows: "item.releases" } satisfies Override

export const approvalOverrides: Readonly<Record<string, Override>> = {
  "approvals.list": {
    ...releases,
    examples: [
      { command: "orgplane approvals list", description: "List the releases that are pending approval" },
      {
        command: "orgplane approvals list --state approved --plugin-id plg_…",
        description: "List the approved releases of a plugin"
      }
    ]
  },
  "approvals.get": {
    alias: "show",
    draw: "release",
    text: (body) => textAt(body, "item.digest") ?? "",
    beside: {
      path: "/capabilities",
      rows: "item.elements",
      columns: capabilityColumns,
      flag: { name: "capabilities", help: "Also list everything that the release can do, and not only the changes" }
    },
    examples: [
      {
        command: "orgplane approvals get rel_…",
        description: "Show the capabilities that a release adds, and the command that approves it"
      },
      {
        command: "orgplane approvals get rel_… --capabilities",
        description: "Also list everything that the release can do"
      }
    ]
  },
  "approvals.capabilities": {
    rows: "item.elements",
    columns: capabilityColumns,
    examples: [
      {
        command: "orgplane approvals capabilities rel_… -o json",
        description: "Get all fields of each capability of a release, and its signals"
      }
    ]
  },
  "approvals.approve": decided,
  "approvals.reject": decided,
  "approvals.updateSettings": {
    examples: [
      {
        command: "orgplane approvals update-settings --delivery-mode hold_growth",
        description: "Hold new capabilities in every plugin of the organization"
      },
      {
        command: "orgplane approvals update-settings --four-eyes",
        description: "Require approvers who did not change the release"
      }
    ]
  },
  "approvals.setInstanceMode": {
    examples: [
      {
        command: "orgplane approvals set-instance-mode cin_… --delivery-mode hold_all",
        description: "Hold every change from a repository"
      }
    ]
  }
}
