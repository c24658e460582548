/** What a person needs beyond the contract of the operations on LLM providers. */
import { member, textAt } from "./output/cell.ts"
import type { Override } from "./overrides.ts"

const provider = ["id", "name", "status", "providerId", "apiFormat", "credentialMode", "connectedForMe", "baseUrl"]
const one = [
  "id",
  "name",
  "providerId",
  "apiFormat",
  "baseUrl",
  "credentialMode",
  "status",
  "statusReason",
  "connectedForMe",
  "env",
  "npm",
  "docUrl",
  "headers",
  "options",
  "models",
  "createdAt",
  "updatedAt"
]

/** `--base-url` is where the control plane is. */
const settings = { baseUrl: { name: "address" } } as const
const key = {
  apiKey: { name: "api-key-file", file: "line", help: "The key; `-` asks, or reads standard input" }
} as const

const nextStep = (body: unknown): string | undefined =>
  textAt(body, "llmProvider.status") === "not_connected"
    ? `Set its key: orgplane llm-providers set-credential ${textAt(body, "llmProvider.id") ?? ""} --api-key-file -`
    : undefined

/** That what is shown is not what the catalogue's address says now. */
const age = (body: unknown): string | undefined =>
  member(body, "stale") === true
    ? `This is of ${textAt(body, "generatedAt") ?? "before"}: the catalogue cannot be reached since.`
    : undefined

export const llmOverrides: Readonly<Record<string, Override>> = {
  "llmProviders.listCatalog": {
    alias: "catalog",
    columns: [
      "providerId",
      "id",
      "capabilities",
      "contextLimit",
      "outputLimit",
      "cost.input",
      "cost.output",
      "releaseDate"
    ],
    note: age,
    examples: [
      {
        command: "orgplane llm-providers catalog --provider-id anthropic --capability reasoning",
        description: "Models with what they can do, how much they hold, and dollars for a million tokens"
      }
    ]
  },
  "llmProviders.listCatalogProviders": {
    alias: "catalog-providers",
    columns: ["id", "name", "modelCount", "apiFormat", "baseUrl", "env"],
    note: age,
    examples: [
      { command: "orgplane llm-providers catalog-providers --search open", description: "Whose models there are" }
    ]
  },
  "llmProviders.create": {
    columns: one,
    note: nextStep,
    flags: settings,
    examples: [
      {
        command: "orgplane llm-providers create --name Claude --provider-id anthropic",
        description: "Of the catalogue, with one key for everybody"
      },
      {
        command:
          "orgplane llm-providers create --name House --provider-id custom --address https://llm.acme.example/v1 --credential-mode per_member",
        description: "Your own, where everybody has a key of their own"
      }
    ]
  },
  "llmProviders.list": { columns: provider },
  "llmProviders.get": { columns: one, note: nextStep },
  "llmProviders.update": { columns: one, note: nextStep, flags: settings },
  "llmProviders.remove": { confirm: (ids) => `Remove the provider ${ids[0] ?? ""} with its keys and grants?` },
  "llmProviders.listAccess": { columns: ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"] },
  "llmProviders.grantAccess": {
    examples: [
      {
        command: "orgplane llm-providers grant-access llm_… --team-id tem_… --role viewer",
        description: "Let a team use it"
      }
    ]
  },
  "llmProviders.revokeAccess": { confirm: (ids) => `Revoke the grant ${ids[1] ?? ""}?` },
  "llmProviders.setCredential": {
    columns: provider,
    flags: key,
    examples: [
      {
        command: "orgplane llm-providers set-credential llm_… --api-key-file -",
        description: "Asks for the key; a pipe may bring it. It stands in no list of processes"
      }
    ]
  },
  "llmProviders.removeCredential": { confirm: (ids) => `Delete the key of ${ids[0] ?? ""}?` },
  "llmProviders.connect": {
    columns: [
      "name",
      "providerId",
      "apiFormat",
      "baseUrl",
      "npm",
      "env",
      "headers",
      "options",
      "credential.header",
      "credential.scheme",
      "credential.shared",
      "credential.apiKey"
    ],
    secret: "connection.credential.apiKey",
    list: { member: "connection.models", columns: ["id", "name", "capabilities", "contextLimit", "outputLimit"] },
    examples: [
      {
        command: "ANTHROPIC_API_KEY=$(orgplane llm-providers connect llm_… -q) agent",
        description: "With -q only the key"
      }
    ]
  },
  "llmProviders.test": {
    columns: ["ok", "category", "code", "message", "providerStatus", "latencyMs", "modelsSeen", "missingModels"],
    text: (body) => textAt(body, "test.message") ?? "",
    fails: (body) => member(body, "test.ok") !== true,
    examples: [
      { command: "orgplane llm-providers test llm_…", description: "Asks for its models; ends with 1 when it refuses" }
    ]
  }
}
