/** What a person needs beyond the contract of the operations on desktop policies. */
import { member } from "./output/cell.ts"
import type { Override } from "./overrides.ts"

const assigned = { memberIds: { name: "member-id" }, teamIds: { name: "team-id" } } as const

export const policyOverrides: Readonly<Record<string, Override>> = {
  "users.desktopPolicy": {
    draw: "policy",
    examples: [
      { command: "orgplane users desktop-policy --explain", description: "What your desktop app may do, and why" }
    ]
  },
  "desktopPolicies.create": {
    subject: "desktopPolicy",
    // What it states is said by flags; the rest of a policy stays as it is told.
    flatten: "policy",
    flags: {
      ...assigned,
      onboardingPrompts: { name: "onboarding-prompt" },
      onboardingPromptDescriptions: { name: "onboarding-prompt-description" }
    },
    examples: [
      {
        command: "orgplane desktop-policies create --policy-name 'No alphas' --no-allow-alpha-updates",
        description: "For the whole organization"
      },
      {
        command:
          "orgplane desktop-policies create --policy-name Kiosk --team-id tem_… --no-allow-manage-extensions --priority 10",
        description: "For a team, above others"
      }
    ]
  },
  "desktopPolicies.list": {
    columns: ["id", "policyName", "priority", "isEnabled", "audience", "updatedAt"],
    examples: [{ command: "orgplane desktop-policies list", description: "Which there are, and for whom" }]
  },
  "desktopPolicies.get": { subject: "desktopPolicy" },
  "desktopPolicies.update": {
    subject: "desktopPolicy",
    flags: assigned,
    note: (body) =>
      member(body, "desktopPolicy.audience") === "nobody"
        ? "It applies to nobody: all that it was assigned to are gone."
        : undefined,
    examples: [
      { command: "orgplane desktop-policies update dpo_… --priority 20", description: "Let it win over others" },
      {
        command: `echo '{"policy":{"showWelcomePage":false},"memberIds":[]}' | orgplane desktop-policies update dpo_… --input -`,
        description: "All that it states from now on, and for no single member"
      }
    ]
  },
  "desktopPolicies.remove": {
    confirm: (ids) => `Remove the desktop policy ${ids[0] ?? ""}? It ends for everybody at once.`
  },
  "desktopPolicies.effective": { draw: "policy" },
  "desktopPolicies.simulate": {
    draw: "simulation",
    text: (body) => JSON.stringify(member(body, "simulation.changeCount") ?? null),
    examples: [
      {
        command: `echo '{"delete":{"desktopPolicyId":"dpo_…"}}' | orgplane desktop-policies simulate --input -`,
        description: "Who could do what without a policy"
      },
      {
        command: "orgplane desktop-policies simulate --input change.json -q",
        description: "Only how many settings of members would change"
      }
    ]
  }
}
