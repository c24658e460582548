/** Overrides of the commands for desktop policies. */
import { member } from "../output/value.ts"
import type { Override } from "../override.ts"

const assigned = {
  memberIds: { name: "member", former: "member-id", help: "ID or email address of a member." },
  teamIds: { name: "team-id" }
} as const

export const policyOverrides: Readonly<Record<string, Override>> = {
  "users.desktopPolicy": {
    draw: "policy",
    examples: [
      {
        command: "orgplane users desktop-policy --explain",
        description: "Show your desktop app's settings and the policy that sets each one"
      }
    ]
  },
  "desktopPolicies.create": {
    subject: "desktopPolicy",
    // The settings of a policy become flags. The policy does not set a setting whose flag is omitted.
    flatten: "policy",
    flags: {
      ...assigned,
      onboardingPrompts: { name: "onboarding-prompt" },
      onboardingPromptDescriptions: { name: "onboarding-prompt-description" }
    },
    examples: [
      {
        command: "orgplane desktop-policies create --policy-name 'No alphas' --no-allow-alpha-updates",
        description: "Create a policy for the whole organization"
      },
      {
        command:
          "orgplane desktop-policies create --policy-name Kiosk --team-id tem_… --no-allow-manage-extensions --priority 10",
        description: "Create a policy for a team with a higher priority"
      }
    ]
  },
  "desktopPolicies.list": {
    columns: ["id", "policyName", "priority", "isEnabled", "audience", "updatedAt"],
    examples: [{ command: "orgplane desktop-policies list", description: "List policies with their audience" }]
  },
  "desktopPolicies.get": { subject: "desktopPolicy" },
  "desktopPolicies.update": {
    subject: "desktopPolicy",
    flags: assigned,
    note: (body) =>
      member(body, "desktopPolicy.audience") === "nobody"
        ? "This policy applies to no one: every member and team it was assigned to has been removed."
        : undefined,
    examples: [
      { command: "orgplane desktop-policies update dpo_… --priority 20", description: "Raise the priority" },
      {
        command: `echo '{"policy":{"showWelcomePage":false},"memberIds":[]}' | orgplane desktop-policies update dpo_… --input -`,
        description: "Replace all settings and clear the assigned members"
      }
    ]
  },
  "desktopPolicies.remove": {
    confirm: (ids) => `Remove the desktop policy ${ids[0] ?? ""}? It stops applying immediately.`
  },
  "desktopPolicies.effective": { draw: "policy" },
  "desktopPolicies.simulate": {
    draw: "simulation",
    text: (body) => JSON.stringify(member(body, "simulation.changeCount") ?? null),
    examples: [
      {
        command: `echo '{"delete":{"desktopPolicyId":"dpo_…"}}' | orgplane desktop-policies simulate --input -`,
        description: "Preview the effect of removing a policy"
      },
      {
        command: "orgplane desktop-policies simulate --input change.json -q",
        description: "Print only the number of changed settings"
      }
    ]
  }
}
