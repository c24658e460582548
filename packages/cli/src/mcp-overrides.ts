/** What a person needs beyond the contract of the operations on MCP connections. */
import { exit } from "./failure.ts"
import { member, textAt } from "./output/cell.ts"
import { resultText } from "./output/inspection.ts"
import type { Override } from "./overrides.ts"

const connection = ["id", "name", "status", "authType", "credentialMode", "connectedForMe", "url"]
const one = [
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
const connected = { columns: connection } satisfies Override
const scopes = { scopes: { name: "scope" } } as const

/** What stands in the way, with the command that takes it away. */
const nextStep = (body: unknown): string | undefined => {
  const [id, status] = [textAt(body, "mcpConnection.id") ?? "", textAt(body, "mcpConnection.status")]
  switch (status) {
    case "not_connected":
    case "reconnect_required":
      return `Connect it: orgplane mcp-connections connect ${id}`
    case "review_required":
      return `The server changed: orgplane mcp-connections review ${id}`
    default:
      return undefined
  }
}

export const mcpOverrides: Readonly<Record<string, Override>> = {
  "mcpConnections.resolve": {
    draw: "resolution",
    arguments: [{ name: "query", member: "query", help: "An address, a host, or the name of a product" }],
    text: (body) => textAt(body, "match.url") ?? textAt(body, "preset.url") ?? "",
    fails: (body) => (member(body, "resolution") === "not_found" ? exit.notFound : exit.ok),
    examples: [
      { command: "orgplane mcp-connections resolve linear.app", description: "Find a server and what it asks for" },
      {
        command: "orgplane mcp-connections resolve linear.app -q",
        description: "Only its address; ends with 3 where there is none"
      }
    ]
  },
  "mcpConnections.listPresets": {
    alias: "presets",
    columns: ["presetId", "displayName", "url", "requiresOAuthClient", "checkedOn"],
    id: "presetId",
    examples: [{ command: "orgplane mcp-connections presets --all", description: "The servers that are known well" }]
  },
  "mcpConnections.create": {
    columns: one,
    note: nextStep,
    flags: scopes,
    examples: [
      {
        command: "orgplane mcp-connections create --name Linear --url https://mcp.linear.app/mcp --auth-type oauth",
        description: "Each member with a grant connects as themselves"
      },
      {
        command:
          "orgplane mcp-connections create --name Docs --url https://docs.example/mcp --auth-type apikey --api-key-header x-api-key",
        description: "One key that everybody with a grant uses"
      }
    ]
  },
  "mcpConnections.list": {
    columns: connection,
    examples: [{ command: "orgplane mcp-connections list", description: "What there is, and how it stands for you" }]
  },
  "mcpConnections.get": { columns: one, note: nextStep },
  "mcpConnections.update": { columns: one, note: nextStep, flags: scopes },
  "mcpConnections.remove": {
    confirm: (ids) => `Remove the connection ${ids[0] ?? ""} with its credentials and grants?`
  },
  "mcpConnections.listAccess": { columns: ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"] },
  "mcpConnections.grantAccess": {
    examples: [
      {
        command: "orgplane mcp-connections grant-access emc_… --team-id tem_… --role viewer",
        description: "Let a team use its tools"
      }
    ]
  },
  "mcpConnections.revokeAccess": { confirm: (ids) => `Revoke the grant ${ids[1] ?? ""}?` },
  "mcpConnections.listTools": {
    alias: "tools",
    columns: ["name", "decision", "readOnlyHint", "destructiveHint", "openWorldHint", "description"],
    id: "name",
    examples: [
      { command: "orgplane mcp-connections tools emc_… --refresh", description: "What the server has now" },
      {
        command:
          "orgplane mcp-connections tools emc_… --all -o json | jq '.items[] | select(.decision != \"allowed\")'",
        description: "What nobody may call"
      }
    ]
  },
  "mcpConnections.getToolPolicy": { alias: "tool-policy", columns: ["mode", "allowed", "denied"] },
  "mcpConnections.setToolPolicy": {
    columns: ["mode", "allowed", "denied"],
    flags: { allowed: { name: "allow" }, denied: { name: "deny" } },
    // What is not named is in no list.
    defaults: { allowed: [], denied: [] },
    examples: [
      {
        command: "orgplane mcp-connections set-tool-policy emc_… --mode read_only --allow create_issue --deny whoami",
        description: "What says that it only reads, one more, and one less"
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
        description: "What changed, with the command that accepts it"
      }
    ]
  },
  "mcpConnections.decideReview": {
    alias: "decide",
    ...connected,
    confirm: (ids) => `Decide on what changed at the server of ${ids[0] ?? ""}? Look at 'review' first.`,
    examples: [
      {
        command: "orgplane mcp-connections decide emc_… --fingerprint 5d2f… --decision accept",
        description: "Accept exactly what the review showed, or nothing"
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
        description: "`call` takes arguments as flags; this one takes the body as it is sent"
      }
    ]
  },
  "mcpConnections.startConnect": {
    columns: ["url", "state", "expiresAt"],
    secret: "connect.url",
    note: () => "Open the address in a browser; 'connect' does all of it.",
    examples: [{ command: "orgplane mcp-connections connect emc_…", description: "The whole sign-in, from a terminal" }]
  },
  "mcpConnections.completeConnect": {
    ...connected,
    flags: { code: { file: "line", help: "The code; `-` asks, or reads standard input" } }
  },
  "mcpConnections.setApiKey": {
    ...connected,
    flags: { apiKey: { name: "api-key-file", file: "line", help: "The key; `-` asks, or reads standard input" } }
  },
  "mcpConnections.disconnect": {
    ...connected,
    confirm: (ids) => `Delete the credential of ${ids[0] ?? ""}?`
  }
}
