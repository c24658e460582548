/** The document that describes the configuration of an organization, for files in version control. */
import * as Schema from "effect/Schema"
import { Permission } from "../roles.ts"
import { ApprovalSettingsEntry, AssignmentEntry, RolloutSettingsEntry } from "./configuration/delivery.ts"
import { EventStreamEntry, WebhookEndpointEntry } from "./configuration/events.ts"
import { describedJsonSchema } from "./configuration/json-schema.ts"
import { description, Key, keyMax } from "./configuration/key.ts"
import { MarketplaceEntry } from "./configuration/marketplaces.ts"
import { PluginEntry } from "./configuration/plugins.ts"
import { MemberRoles, RoleKey } from "./configuration/roles.ts"
import { TemplateEntry } from "./configuration/templates.ts"
import * as Outside from "./configuration-outside.ts"
import { Email, Text } from "./values.ts"

export { Key, keyMax }
export * from "./configuration/delivery.ts"
export * from "./configuration/events.ts"
export * from "./configuration/marketplaces.ts"
export * from "./configuration/plugins.ts"
export * from "./configuration/roles.ts"
export * from "./configuration/templates.ts"

/** The kinds of object with keys, in the order in which they are applied. */
export const kinds = [
  "roles",
  "teams",
  "marketplaces",
  "plugins",
  "assignments",
  "templates",
  "desktopPolicies",
  "llmProviders",
  "mcpConnections",
  "connectorAccounts",
  "connectors",
  "domains",
  "ssoConnections",
  "scimDirectories",
  "webhookEndpoints",
  "eventStreams"
] as const
export const Kind = Schema.Literals(kinds).annotate({ identifier: "ConfigurationKind" })
export type Kind = typeof Kind.Type

/** The kinds of settings, of which an organization has one each, without a key. */
export const singletons = ["organization", "memberRoles", "rolloutSettings", "approvalSettings"] as const
export type Singleton = (typeof singletons)[number]

export const OrganizationSettings = Schema.Struct({
  name: Schema.optionalKey(Text(2, 120).annotate({ description: "The name of the organization." }))
}).annotate({
  identifier: "ConfigurationOrganization",
  description: "The settings of the organization."
})

export const RoleEntry = Schema.Struct({
  key: RoleKey,
  name: Text(1, 120).annotate({ description: "Must be unique in the organization." }),
  description,
  permissions: Schema.Array(Permission).check(Schema.isMaxLength(100)).annotate({
    description: "The permissions of the role. The caller must have each of them."
  })
}).annotate({ identifier: "ConfigurationRole", description: "A custom role." })

export const teamMembersMax = 5000
export const TeamEntry = Schema.Struct({
  key: Key,
  name: Text(1, 120).annotate({ description: "Must be unique in the organization." }),
  description,
  members: Schema.optionalKey(
    Schema.Array(Email).check(Schema.isMaxLength(teamMembersMax)).annotate({
      description:
        "The email addresses of all members of the team. If omitted, the members are not changed. Must be omitted for a team that SCIM manages."
    })
  )
}).annotate({ identifier: "ConfigurationTeam", description: "A team." })

const entries = <S extends Schema.Top & { readonly Type: { readonly key: string } }>(entry: S, max: number) =>
  Schema.optionalKey(
    Schema.Array(entry).check(
      Schema.isMaxLength(max),
      Schema.makeFilter((list: ReadonlyArray<{ readonly key: string }>) =>
        new Set(list.map(({ key }) => key)).size === list.length ? undefined : "must not contain duplicate keys"
      ),
      Schema.makeFilter(
        (list: ReadonlyArray<{ readonly key: string; readonly source?: Readonly<Record<string, string>> }>) => {
          const sources = list.flatMap(({ source }) =>
            source === undefined ? [] : [JSON.stringify(Object.entries(source).toSorted())]
          )
          return new Set(sources).size === sources.length ? undefined : "must not contain duplicate sources"
        }
      )
    )
  )

const flags = Object.fromEntries(kinds.map((kind) => [kind, Schema.optionalKey(Schema.Boolean)])) as {
  readonly [kind in Kind]: Schema.optionalKey<typeof Schema.Boolean>
}

export const ManagedMode = Schema.Literals(["off", "warn", "refuse"]).annotate({
  identifier: "ConfigurationManagedMode"
})
export type ManagedMode = typeof ManagedMode.Type

const modes = Object.fromEntries(kinds.map((kind) => [kind, Schema.optionalKey(ManagedMode)])) as {
  readonly [kind in Kind]: Schema.optionalKey<typeof ManagedMode>
}

export const movesMax = 1000

export const Move = Schema.Struct({
  kind: Kind,
  from: Key,
  to: Key
}).annotate({
  identifier: "ConfigurationMove",
  description: "A renamed key: the previous one in `from`, and the new one in `to`."
})

export const Document = Schema.Struct({
  $schema: Schema.optionalKey(Text(0, 2048).annotate({ description: "The JSON Schema of the document, for editors." })),
  version: Schema.Literal(1).annotate({ description: "The version of the document format." }),
  organization: Schema.optionalKey(OrganizationSettings),
  roles: entries(RoleEntry, 500).annotate({ description: "The custom roles." }),
  teams: entries(TeamEntry, 2000).annotate({ description: "The teams." }),
  marketplaces: entries(MarketplaceEntry, 1000).annotate({ description: "The marketplaces." }),
  plugins: entries(PluginEntry, 5000).annotate({ description: "The plugins." }),
  assignments: entries(AssignmentEntry, 2000).annotate({ description: "The assignments of plugins and marketplaces." }),
  templates: entries(TemplateEntry, 1000).annotate({ description: "The templates of plugins." }),
  desktopPolicies: entries(Outside.DesktopPolicyEntry, 2000).annotate({ description: "The desktop policies." }),
  llmProviders: entries(Outside.LlmProviderEntry, 1000).annotate({ description: "The LLM providers." }),
  mcpConnections: entries(Outside.McpConnectionEntry, 1000).annotate({ description: "The MCP connections." }),
  connectorAccounts: entries(Outside.ConnectorAccountEntry, 1000).annotate({
    description: "The accounts on code hosts."
  }),
  connectors: entries(Outside.ConnectorEntry, 1000).annotate({ description: "The connected repositories." }),
  domains: entries(Outside.DomainEntry, 50).annotate({ description: "The domains of the organization." }),
  ssoConnections: entries(Outside.SsoConnectionEntry, 1).annotate({ description: "The SSO connection." }),
  scimDirectories: entries(Outside.ScimDirectoryEntry, 10).annotate({ description: "The SCIM directories." }),
  webhookEndpoints: entries(WebhookEndpointEntry, 100).annotate({ description: "The webhook endpoints." }),
  eventStreams: entries(EventStreamEntry, 20).annotate({ description: "The event streams." }),
  memberRoles: Schema.optionalKey(MemberRoles),
  rolloutSettings: Schema.optionalKey(RolloutSettingsEntry),
  approvalSettings: Schema.optionalKey(ApprovalSettingsEntry),
  prune: Schema.optionalKey(
    Schema.Struct(flags).annotate({
      description:
        "The kinds whose objects are removed if they are not in the document. Default: none. Marketplaces and plugins are archived. Teams that SCIM manages, and imported objects, are never removed."
    })
  ),
  managed: Schema.optionalKey(
    Schema.Struct(modes).annotate({
      description:
        "How other changes to the objects of a kind that have a key are treated: `refuse` refuses them with 403 `managed_by_configuration`, `warn` allows them with a warning in the `orgplane-warning` header. Default: `off`. Kinds that are omitted are not changed. Syncs, SCIM and other background work are not affected."
    })
  ),
  moved: Schema.optionalKey(
    Schema.Array(Move).check(Schema.isMaxLength(movesMax)).annotate({ description: "Keys that were renamed." })
  )
}).annotate({
  identifier: "ConfigurationDocument",
  description:
    "Describes objects by stable keys. Kinds that are omitted are not changed, and neither are fields that are omitted from an object."
})
export type Document = typeof Document.Type

/** The JSON Schema of documents, for editors. */
export const documentJsonSchema = () => describedJsonSchema(Document)
