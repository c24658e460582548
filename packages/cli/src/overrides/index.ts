/** All overrides of generated commands. An operation without one works unchanged. */
import type { FlagOverride, Override } from "../override.ts"
import { accessAndAuditOverrides } from "./access-and-audit.ts"
import { adminOverrides } from "./admin.ts"
import { approvalOverrides } from "./approvals.ts"
import { assignmentOverrides } from "./assignments.ts"
import { attentionOverrides } from "./attention.ts"
import { capabilityOverrides } from "./capabilities.ts"
import { configurationOverrides } from "./configuration.ts"
import { connectorOverrides } from "./connectors.ts"
import { contentOverrides } from "./content.ts"
import { deliveryOverrides } from "./delivery.ts"
import { policyOverrides } from "./desktop-policies.ts"
import { identityOverrides } from "./identity.ts"
import { llmOverrides } from "./llm-providers.ts"
import { mcpOverrides } from "./mcp-connections.ts"
import { memoryOverrides } from "./memory.ts"
import { rolloutOverrides } from "./rollouts.ts"
import { scimBranches, scimOverrides } from "./scim.ts"
import { ssoOverrides } from "./sso.ts"
import { telemetryOverrides } from "./telemetry.ts"
import { templateOverrides } from "./templates.ts"
import { workerOverrides } from "./workers.ts"

/** Flag overrides by member, for every command. `q` becomes `--search`, because `-q` is short for `--quiet`. */
export const defaultFlags: Readonly<Record<string, FlagOverride>> = {
  q: { name: "search" },
  orgMembershipId: { name: "member", former: "org-membership-id", help: "ID or email address of the member." }
}

/** Groups that are nested below another group or renamed. */
export const groupNames: Readonly<Record<string, string>> = { ssoDomains: "sso domains" }

/** Summaries of the words on a command path that are neither a group nor a command. */
export const branches: Readonly<Record<string, string>> = scimBranches

export const overrides: Readonly<Record<string, Override>> = {
  ...identityOverrides,
  ...accessAndAuditOverrides,
  ...policyOverrides,
  ...memoryOverrides,
  ...configurationOverrides,
  ...connectorOverrides,
  ...adminOverrides,
  ...attentionOverrides,
  ...capabilityOverrides,
  ...contentOverrides,
  ...approvalOverrides,
  ...assignmentOverrides,
  ...deliveryOverrides,
  ...rolloutOverrides,
  ...telemetryOverrides,
  ...mcpOverrides,
  ...workerOverrides,
  ...llmOverrides,
  ...templateOverrides,
  ...ssoOverrides,
  ...scimOverrides
}
