/** The document that describes the configuration of an organization, for files in version control. */
import * as Schema from "effect/Schema"
import { Permission } from "../roles.ts"
import { description, Key, keyMax } from "./configuration/key.ts"
import * as Outside from "./configuration-outside.ts"
import { Email, Text } from "./values.ts"

export { Key, keyMax }

/** The kinds of object with keys, in the order in which they are applied. */
export const kinds = ["roles", "teams", "desktopPolicies", "llmProviders", "mcpConnections"] as const
export const Kind = Schema.Literals(kinds).annotate({ identifier: "ConfigurationKind" })
export type Kind = typeof Kind.Type

/** The kinds of settings, of which an organization has one each, without a key. */
export const singletons = ["organization"] as const
export type Singleton = (typeof singletons)[number]

export const OrganizationSettings = Schema.Struct({ name: Schema.optionalKey(Text(2, 120)) }).annotate({
  identifier: "ConfigurationOrganization"
})

export const RoleEntry = Schema.Struct({
  key: Key,
  name: Text(1, 120),
  description,
  permissions: Schema.Array(Permission).check(Schema.isMaxLength(100)).annotate({
    description: "The permissions of the role. The caller must have each of them."
  })
}).annotate({ identifier: "ConfigurationRole" })

export const teamMembersMax = 5000
export const TeamEntry = Schema.Struct({
  key: Key,
  name: Text(1, 120),
  description,
  members: Schema.optionalKey(
    Schema.Array(Email).check(Schema.isMaxLength(teamMembersMax)).annotate({
      description:
        "The email addresses of all members of the team. If omitted, the members are not changed. Must be omitted for a team that SCIM manages."
    })
  )
}).annotate({ identifier: "ConfigurationTeam" })

const entries = <S extends Schema.Top & { readonly Type: { readonly key: string } }>(entry: S, max: number) =>
  Schema.optionalKey(
    Schema.Array(entry).check(
      Schema.isMaxLength(max),
      Schema.makeFilter((list: ReadonlyArray<{ readonly key: string }>) =>
        new Set(list.map(({ key }) => key)).size === list.length ? undefined : "must not contain a key twice"
      )
    )
  )

const flags = Object.fromEntries(kinds.map((kind) => [kind, Schema.optionalKey(Schema.Boolean)])) as {
  readonly [kind in Kind]: Schema.optionalKey<typeof Schema.Boolean>
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
  desktopPolicies: entries(Outside.DesktopPolicyEntry, 2000).annotate({ description: "The desktop policies." }),
  llmProviders: entries(Outside.LlmProviderEntry, 1000).annotate({ description: "The LLM providers." }),
  mcpConnections: entries(Outside.McpConnectionEntry, 1000).annotate({ description: "The MCP connections." }),
  prune: Schema.optionalKey(
    Schema.Struct(flags).annotate({
      description:
        "The kinds whose objects are removed if they are not in the document. Default: none. Teams that SCIM manages are never removed."
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
