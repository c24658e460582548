import type { Group } from "./reflect.ts"

/** The sections of the API reference and the CLI help, in order, with the groups of operations in each. */
export const sections: ReadonlyArray<{ readonly title: string; readonly groups: ReadonlyArray<string> }> = [
  {
    title: "Identity and access",
    groups: [
      "sessions",
      "users",
      "organizations",
      "members",
      "invitations",
      "teams",
      "roles",
      "apiKeys",
      "access",
      "audit",
      "events",
      "webhookEndpoints",
      "eventStreams",
      "bootstrap"
    ]
  },
  { title: "Agents", groups: ["mcpConnections", "llmProviders", "capabilities", "workers", "memory", "telemetry"] },
  {
    title: "Content",
    groups: [
      "connectors",
      "plugins",
      "configObjects",
      "marketplaces",
      "approvals",
      "assignments",
      "desiredState",
      "delivery",
      "rollouts",
      "templates",
      "webhooks"
    ]
  },
  { title: "Enterprise", groups: ["sso", "ssoDomains", "scim", "scimProtocol", "desktopPolicies"] },
  {
    title: "Operations",
    groups: ["attention", "search", "configuration", "configurationSource", "configurationRuns", "admin", "system"]
  }
]

export interface Section {
  readonly title: string
  readonly groups: ReadonlyArray<Group>
}

/** The groups by section. Throws if a group is in no section. */
export const sectionsOf = (groups: ReadonlyArray<Group>): ReadonlyArray<Section> => {
  const result = sections.map(({ groups: names, title }) => ({
    title,
    groups: names.flatMap((name) => groups.filter((group) => group.name === name))
  }))
  const listed = new Set(result.flatMap((section) => section.groups))
  const missing = groups.filter((group) => !listed.has(group)).map(({ name }) => name)
  if (missing.length > 0)
    throw new Error(`Groups without a section: ${missing.join(", ")}. Add them to scripts/codegen/sections.ts.`)
  return result
}
