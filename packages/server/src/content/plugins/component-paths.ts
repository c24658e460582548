/** The default folders and files in which agents find components, by manifest member. */
export const componentPaths = {
  agents: "agents",
  commands: "commands",
  hooks: "hooks/hooks.json",
  lspServers: ".lsp.json",
  mcpServers: ".mcp.json",
  monitors: "monitors",
  settings: "settings.json",
  skills: "skills"
} as const satisfies Readonly<Record<string, string>>
