/** Overrides of the commands for MCP connections. */
import { exit } from "../exit-code.ts"
import { member, textAt } from "../output/value.ts"
import { resultText } from "../output/http-exchange.ts"
import type { Override } from "../override.ts"

const connectionColumns = ["id", "name", "status", "authType", "credentialMode", "connectedForMe", "url"]
const detailColumns = [
  "id",
  "name",
  "url",
  "presetId",
  "authType",
  "credentialMode",
  "status",
  "statusReason",
  "connectedForMe",
  "scopes",
  "oauthClient",
  "apiKeyHeader",
  "apiKeyScheme",
  "fingerprint",
  "toolsCheckedAt",
  "createdAt",
  "updatedAt"
]
const connected = { columns: connectionColumns } satisfies Override
const scopes = { scopes: { name: "scope" } } as const

/** The next command for a connection that is not ready. */
const nextStep = (body: unknown): string | undefined => {
  const [id, status] = [textAt(body, "mcpConnection.id") ?? "", textAt(body, "mcpConnection.status")]
  switch (status) {
    case "not_connected":
    case "reconnect_required":
      return `Connect it: orgplane mcp-connections connect ${id}`
    case "review_required":
      return `The server changed. Review it: orgplane mcp-connections review ${id}`
    default:
      return undefined
  }
}

export const mcpOverrides: Readonly<Record<string, Override>> = {
  "mcpConnections.resolve": {
    draw: "resolution",
    arguments: [{ name: "query", member: "query", help: "URL, host, or product name" }],
    text: (body) => textAt(body, "match.url") ?? textAt(body, "preset.url") ?? "",
    fails: (body) => (member(body, "resolution") === "not_found" ? exit.notFound : exit.ok),
    examples: [
      { command: "orgplane mcp-connections resolve linear.app", description: "Find a server and its requirements" },
      {
        command: "orgplane mcp-connections resolve linear.app -q",
        description: "Print only its URL. Exits with 3 if there is none"
      }
    ]
  },
  "mcpConnections.listPresets": {
    alias: "presets",
    columns: ["presetId", "displayName", "url", "requiresOAuthClient", "checkedOn"],
    id: "presetId",
    examples: [{ command: "orgplane mcp-connections presets --all", description: "List the curated servers" }]
  },
  "mcpConnections.create": {
    columns: detailColumns,
    note: nextStep,
    flags: scopes,
    examples: [
      {
        command: "orgplane mcp-connections create --name Linear --url https://mcp.linear.app/mcp --auth-type oauth",
        description: "Create a connection to which each member with a grant connects with their own account"
      },
      {
        command:
          "orgplane mcp-connections create --name Docs --url https://docs.example/mcp --auth-type apikey --api-key-header x-api-key",
        description: "Use one API key for all members with a grant"
      }
    ]
  },
  "mcpConnections.list": {
    columns: connectionColumns,
    examples: [
      { command: "orgplane mcp-connections list", description: "List connections with their status for you" },
      {
        command: "orgplane mcp-connections list --status review_required",
        description: "List the connections whose servers have changed"
      }
    ]
  },
  "mcpConnections.get": { columns: detailColumns, note: nextStep },
  "mcpConnections.update": { columns: detailColumns, note: nextStep, flags: scopes },
  "mcpConnections.remove": {
    confirm: (ids) => `Remove the connection ${ids[0] ?? ""} and its credentials and grants?`
  },
  "mcpConnections.listAccess": { columns: ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"] },
  "mcpConnections.grantAccess": {
    examples: [
      {
        command: "orgplane mcp-connections grant-access emc_… --team-id tem_… --role viewer",
        description: "Allow a team to use the tools of a connection"
      }
    ]
  },
  "mcpConnections.revokeAccess": { confirm: (ids) => `Revoke the grant ${ids[1] ?? ""}?` },
  "mcpConnections.listTools": {
    alias: "tools",
    columns: ["name", "decision", "readOnlyHint", "destructiveHint", "openWorldHint", "description"],
    id: "name",
    examples: [
      {
        command: "orgplane mcp-connections tools emc_… --refresh",
        description: "List the current tools of the server"
      },
      {
        command:
          "orgplane mcp-connections tools emc_… --all -o json | jq '.items[] | select(.decision != \"allowed\")'",
        description: "List tools that cannot be called"
      }
    ]
  },
  "mcpConnections.getToolPolicy": { alias: "tool-policy", columns: ["mode", "allowed", "denied"] },
  "mcpConnections.setToolPolicy": {
    columns: ["mode", "allowed", "denied"],
    flags: { allowed: { name: "allow" }, denied: { name: "deny" } },
    // Both lists are empty by default.
    defaults: { allowed: [], denied: [] },
    examples: [
      {
        command: "orgplane mcp-connections set-tool-policy emc_… --mode read_only --allow create_issue --deny whoami",
        description: "Allow read-only tools and create_issue, but not whoami"
      }
    ]
  },
  "mcpConnections.getReview": {
    alias: "review",
    draw: "review",
    text: (body) => textAt(body, "review.fingerprint") ?? "",
    examples: [
      {
        command: "orgplane mcp-connections review emc_…",
        description: "Show what changed, with the command that accepts it"
      }
    ]
  },
  "mcpConnections.decideReview": {
    alias: "decide",
    ...connected,
    confirm: (ids) =>
      `Submit this decision on the changes to ${ids[0] ?? ""}? Run 'orgplane mcp-connections review' first to see the changes.`,
    examples: [
      {
        command: "orgplane mcp-connections decide emc_… --fingerprint 5d2f… --decision accept",
        description: "Accept exactly the reviewed changes, or fail"
      }
    ]
  },
  "mcpConnections.callTool": {
    draw: "call",
    text: resultText,
    arguments: [{ name: "tool", member: "toolName" }],
    examples: [
      {
        command: "orgplane mcp-connections call emc_… search --arg query=login --arg limit:=5",
        description: "`call` takes arguments as flags. `call-tool` takes the raw request body"
      }
    ]
  },
  "mcpConnections.startConnect": {
    columns: ["url", "state", "expiresAt"],
    secret: "connect.url",
    note: () => "Open the URL in a browser. To do this in one step, run 'orgplane mcp-connections connect'.",
    examples: [{ command: "orgplane mcp-connections connect emc_…", description: "Connect from a terminal" }]
  },
  "mcpConnections.completeConnect": {
    ...connected,
    flags: { code: { file: "line", help: "File with the code. `-` prompts on a terminal and reads stdin otherwise" } }
  },
  "mcpConnections.setApiKey": {
    ...connected,
    flags: {
      apiKey: {
        name: "api-key-file",
        file: "line",
        help: "File with the API key. `-` prompts on a terminal and reads stdin otherwise"
      }
    }
  },
  "mcpConnections.disconnect": {
    ...connected,
    confirm: (ids) => `Delete the credential of the connection ${ids[0] ?? ""}?`
  }
}
