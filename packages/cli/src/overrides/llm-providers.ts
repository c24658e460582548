/** Overrides of the commands for LLM providers. */
import { member, textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

const providerColumns = [
  "id",
  "name",
  "status",
  "providerId",
  "apiFormat",
  "credentialMode",
  "connectedForMe",
  "baseUrl"
]
const detailColumns = [
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

/** Named `--address`, because `--base-url` is the URL of the control plane. */
const urlFlag = { baseUrl: { name: "address" } } as const
const keyFlag = {
  apiKey: {
    name: "api-key-file",
    file: "line",
    help: "File with the API key. `-` prompts on a terminal and reads stdin otherwise"
  }
} as const

const nextStep = (body: unknown): string | undefined =>
  textAt(body, "llmProvider.status") === "not_connected"
    ? `Set its API key: orgplane llm-providers set-credential ${textAt(body, "llmProvider.id") ?? ""} --api-key-file -`
    : undefined

/** Warns that the catalog is a cached copy. */
const staleNote = (body: unknown): string | undefined =>
  member(body, "stale") === true
    ? `This is a cached copy from ${textAt(body, "generatedAt") ?? "an earlier time"}. The catalog is currently unavailable.`
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
    note: staleNote,
    examples: [
      {
        command: "orgplane llm-providers catalog --provider-id anthropic --capability reasoning",
        description: "List models with capabilities, context limits and prices in dollars per million tokens"
      }
    ]
  },
  "llmProviders.listCatalogProviders": {
    alias: "catalog-providers",
    columns: ["id", "name", "modelCount", "apiFormat", "baseUrl", "env"],
    note: staleNote,
    examples: [
      {
        command: "orgplane llm-providers catalog-providers --search open",
        description: "List providers in the catalog"
      }
    ]
  },
  "llmProviders.create": {
    columns: detailColumns,
    note: nextStep,
    flags: urlFlag,
    examples: [
      {
        command: "orgplane llm-providers create --name Claude --provider-id anthropic",
        description: "Add a provider from the catalog with a shared key"
      },
      {
        command:
          "orgplane llm-providers create --name House --provider-id custom --address https://llm.acme.example/v1 --credential-mode per_member",
        description: "Add a custom provider with one key per member"
      }
    ]
  },
  "llmProviders.list": { columns: providerColumns },
  "llmProviders.get": { columns: detailColumns, note: nextStep },
  "llmProviders.update": { columns: detailColumns, note: nextStep, flags: urlFlag },
  "llmProviders.remove": { confirm: (ids) => `Remove the provider ${ids[0] ?? ""} and its keys and grants?` },
  "llmProviders.listAccess": { columns: ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"] },
  "llmProviders.grantAccess": {
    examples: [
      {
        command: "orgplane llm-providers grant-access llm_… --team-id tem_… --role viewer",
        description: "Allow a team to use a provider"
      }
    ]
  },
  "llmProviders.revokeAccess": { confirm: (ids) => `Revoke the grant ${ids[1] ?? ""}?` },
  "llmProviders.setCredential": {
    columns: providerColumns,
    flags: keyFlag,
    examples: [
      {
        command: "orgplane llm-providers set-credential llm_… --api-key-file -",
        description: "Prompt for the key, or read it from a pipe. It never appears in the process list"
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
        description: "Pass only the key to an agent"
      }
    ]
  },
  "llmProviders.test": {
    columns: ["ok", "category", "code", "message", "providerStatus", "latencyMs", "modelsSeen", "missingModels"],
    text: (body) => textAt(body, "test.message") ?? "",
    fails: (body) => member(body, "test.ok") !== true,
    examples: [
      {
        command: "orgplane llm-providers test llm_…",
        description: "Test the provider by listing its models. Exits with 1 if the request fails"
      }
    ]
  }
}
