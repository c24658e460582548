/** The entries of a configuration document for settings of the desktop app and for servers outside orgplane. */
import * as Schema from "effect/Schema"
import { CreateMapping } from "../connector-operations.ts"
import * as Policies from "../desktop-policies.ts"
import { CreateLlmProvider } from "../llm-providers.ts"
import { CreateMcpConnection } from "../mcp-connections.ts"
import { ToolPolicy } from "../mcp-tools.ts"
import { CreateScimDirectory, ScimProvider } from "../scim.ts"
import { PutOidc, PutSaml } from "../sso.ts"
import { access } from "./configuration/access.ts"
import { Key, keyOf } from "./configuration/key.ts"
import { assignableRole } from "./configuration/roles.ts"
import { secret } from "./configuration/secrets.ts"
import { Email, JsonInput, Text } from "./values.ts"

export const PolicyAudience = Schema.Union([
  Schema.Literal("everyone"),
  Schema.Struct({
    members: Schema.optionalKey(
      Schema.Array(Email).check(Schema.isMaxLength(Policies.assignedMax)).annotate({
        description: "The email addresses of the members. Default: none."
      })
    ),
    teams: Schema.optionalKey(
      Schema.Array(Key).check(Schema.isMaxLength(Policies.assignedMax)).annotate({
        description: "The keys of the teams. Default: none."
      })
    )
  })
]).annotate({
  identifier: "ConfigurationPolicyAudience",
  description:
    "`everyone`, or the members and teams that the policy applies to. A policy without members and teams applies to no one."
})

export const DesktopPolicyEntry = Schema.Struct({
  key: Key,
  name: Text(1, 255),
  settings: Schema.optionalKey(Policies.SettingsInput.annotate({ description: "All settings of the policy." })),
  priority: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Policies.priorityMax })).annotate({
      description: "The policy with the highest priority wins. Default for a new policy: 0."
    })
  ),
  isEnabled: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether the policy applies. Default for a new policy: true." })
  ),
  appliesTo: PolicyAudience
}).annotate({ identifier: "ConfigurationDesktopPolicy" })

export const LlmProviderEntry = Schema.Struct({
  key: Key,
  ...CreateLlmProvider.fields,
  apiKey: secret("The shared key. Requires credentialMode `shared`. It is not tested."),
  access
}).annotate({ identifier: "ConfigurationLlmProvider" })

const { oauthClient: _client, presetId, ...connection } = CreateMcpConnection.fields

export const McpConnectionEntry = Schema.Struct({
  key: Key,
  ...connection,
  presetId,
  oauthClient: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ clientId: Text(1, 2048) })).annotate({
      description: "An OAuth client that you have already registered with the authorization server."
    })
  ),
  oauthClientSecret: secret("The secret of `oauthClient`. Omit it for a client without a secret."),
  apiKey: secret("The shared key. Requires authType `apikey` and credentialMode `shared`. It is not tested."),
  toolPolicy: Schema.optionalKey(ToolPolicy),
  access
}).annotate({ identifier: "ConfigurationMcpConnection" })

export const ConnectorAccountEntry = Schema.Struct({
  key: Key,
  adapter: Schema.optionalKey(
    Schema.Literals(["git", "rest"]).annotate({
      description:
        "`git`: plain Git. `rest`: an installation of the app on the code host, which must already exist. Default: `git`. Cannot be changed."
    })
  ),
  remoteId: Text(1, 2048).annotate({
    description:
      "For `git`: `git:` followed by the host, such as `git:git.example`. For `rest`: the ID of the installation. Cannot be changed."
  }),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "For `git`. Default: the host. Cannot be changed." }))
}).annotate({
  identifier: "ConfigurationConnectorAccount",
  description:
    "An account on a code host. A connector creates the account of its host if there is none. Repositories on the server's file system have no account in documents."
})

export const MappingEntry = Schema.Struct({
  selector: CreateMapping.fields.selector,
  objectType: CreateMapping.fields.objectType,
  plugin: Schema.optionalKey(keyOf("The key of the plugin that config objects from the mapping are added to.")),
  autoAddToPlugin: CreateMapping.fields.autoAddToPlugin.annotate({
    description: "Whether config objects from the mapping are added to the plugin. Default: `true` if `plugin` is set."
  })
}).annotate({ identifier: "ConfigurationMapping", description: "Maps a path of a branch to config objects." })
export type MappingEntry = typeof MappingEntry.Type

export const branchesMax = 50

const identityOf = ({ objectType, plugin, selector }: MappingEntry) => JSON.stringify([selector, objectType, plugin])

export const BranchEntry = Schema.Struct({
  branch: Text(1, 200).annotate({ description: "The name of the branch." }),
  config: Schema.optionalKey(JsonInput.annotate({ description: "A custom JSON object. Default: `{}`." })),
  mappings: Schema.optionalKey(
    Schema.Array(MappingEntry)
      .check(
        Schema.isMaxLength(1000),
        Schema.makeFilter((list: ReadonlyArray<MappingEntry>) =>
          new Set(list.map(identityOf)).size === list.length ? undefined : "must not contain duplicate mappings"
        )
      )
      .annotate({
        description:
          "All mappings of the branch, except those that imports created. Default: none. Removing a mapping also removes the config objects that come only from it."
      })
  )
}).annotate({ identifier: "ConfigurationBranch", description: "A branch of a connector, and its mappings." })
export type BranchEntry = typeof BranchEntry.Type

const branchErrors = (entry: { readonly branch: string; readonly branches?: ReadonlyArray<BranchEntry> }) => {
  if (entry.branches === undefined) return undefined
  const names = entry.branches.map(({ branch }) => branch)
  if (new Set(names).size !== names.length) return { path: ["branches"], issue: "must not contain duplicate branches" }
  return names.includes(entry.branch) ? undefined : { path: ["branches"], issue: "must include the value of `branch`" }
}

export const ConnectorEntry = Schema.Struct({
  key: Key,
  name: Text(1, 255),
  adapter: Schema.optionalKey(
    Schema.Literals(["git", "rest"]).annotate({
      description:
        "`git`: reads the repository from its clone URL. `rest`: uses the API of the code host. With `rest`, the repository must already be connected. Default: `git`. Cannot be changed."
    })
  ),
  remoteId: Text(1, 2048).annotate({
    description: "The clone URL of the repository for `git`, and its ID on the code host for `rest`."
  }),
  branch: Text(1, 200).annotate({
    description: "The first branch that was connected. Cannot be changed."
  }),
  branches: Schema.optionalKey(
    Schema.Array(BranchEntry).check(Schema.isMaxLength(branchesMax)).annotate({
      description:
        "All branches, including `branch`. If omitted, the branches are not changed, and a new connector has only `branch`. Branches cannot be removed. An apply does not read the repository."
    })
  ),
  config: Schema.optionalKey(JsonInput.annotate({ description: "A custom JSON object." })),
  status: Schema.optionalKey(
    Schema.Literals(["active", "disabled", "archived"]).annotate({
      description: "Default for a new connector: `active`."
    })
  ),
  autoImportNewPlugins: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether plugins that appear later are imported automatically." })
  ),
  username: Schema.optionalKey(
    Text(1, 255).annotate({ description: "The name that is sent with the token. Default: `git`." })
  ),
  token: secret("The credential of the repository. Only for `git`. It is not tested."),
  access
})
  .check(Schema.makeFilter(branchErrors))
  .annotate({
    identifier: "ConfigurationConnector",
    description: "A connected repository. An apply does not read a new one: discover its plugins after the apply."
  })

export const scimGroupsMax = 1000

export const DomainEntry = Schema.Struct({
  key: Key,
  domain: Text(3, 253).annotate({
    description: "The domain, such as `acme.com`. Verify it after the apply. Cannot be changed."
  })
}).annotate({ identifier: "ConfigurationDomain" })

const { clientId, issuer, scopes } = PutOidc.fields
const { attributes } = PutSaml.fields

const protocolErrors = (entry: {
  readonly protocol: "oidc" | "saml"
  readonly issuer?: string
  readonly clientId?: string
  readonly scopes?: ReadonlyArray<string>
  readonly clientSecret?: object
  readonly saml?: object
}) => {
  const [required, other] =
    entry.protocol === "oidc"
      ? ([["issuer", "clientId"], ["saml"]] as const)
      : ([["saml"], ["issuer", "clientId", "scopes", "clientSecret"]] as const)
  return [
    ...required
      .filter((name) => entry[name] === undefined)
      .map((name) => ({ path: [name], issue: `is required for protocol ${entry.protocol}` })),
    ...other
      .filter((name) => entry[name] !== undefined)
      .map((name) => ({ path: [name], issue: `is not allowed for protocol ${entry.protocol}` }))
  ]
}

export const SsoConnectionEntry = Schema.Struct({
  key: Key,
  protocol: Schema.Literals(["oidc", "saml"]),
  issuer: Schema.optionalKey(
    issuer.annotate({ description: "For `oidc`: the issuer, `https://…`. The provider is not contacted." })
  ),
  clientId: Schema.optionalKey(clientId),
  scopes,
  clientSecret: secret("For `oidc`: the client secret."),
  saml: Schema.optionalKey(
    Schema.Struct({
      idpEntityId: Text(1, 1024).annotate({ description: "The entity id of the identity provider." }),
      ssoUrl: Text(8, 2048).annotate({
        description: "The sign-in URL of the identity provider (HTTP-Redirect binding)."
      }),
      certificates: Schema.Array(Text(1, 16_384)).check(Schema.isMinLength(1), Schema.isMaxLength(8)).annotate({
        description: "The signing certificates of the identity provider: PEM, or its base64 content."
      }),
      attributes
    }).annotate({ description: "For `saml`: the settings of the identity provider." })
  ),
  jit: Schema.optionalKey(
    Schema.Struct({
      enabled: Schema.Boolean,
      role: Schema.optionalKey(
        assignableRole("The role of new members: `admin`, `member` or the key of a custom role. Default: `member`.")
      )
    }).annotate({
      description:
        "JIT provisioning: whether users with an email address in a verified domain become members on first sign-in, and their role. If omitted, keeps the current settings."
    })
  )
})
  .check(Schema.makeFilter(protocolErrors))
  .annotate({
    identifier: "ConfigurationSsoConnection",
    description:
      "The SSO connection, of which an organization has at most one. A document does not test, enable or enforce it."
  })

const groupErrors = (groups: ReadonlyArray<{ readonly name: string }>) =>
  new Set(groups.map(({ name }) => name.toLowerCase())).size === groups.length
    ? undefined
    : "must not contain duplicate names"

export const ScimDirectoryEntry = Schema.Struct({
  key: Key,
  name: CreateScimDirectory.fields.name.annotate({ description: "A label for the directory. Cannot be changed." }),
  provider: Schema.optionalKey(ScimProvider.annotate({ description: "Default: `other`. Cannot be changed." })),
  groups: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Text(1, 1500).annotate({
          description: "The name of the group, as the identity provider sent it. Not case-sensitive."
        }),
        role: assignableRole("The role of its members: `admin`, `member` or the key of a custom role.")
      })
    )
      .check(Schema.isMaxLength(scimGroupsMax), Schema.makeFilter(groupErrors))
      .annotate({
        description:
          "All groups that assign a role to their members. Other groups assign none. If omitted, the roles of groups are not changed."
      })
  )
}).annotate({
  identifier: "ConfigurationScimDirectory",
  description:
    "A SCIM directory. A new directory has no token: create one with `scim.rotateToken`. The members of a removed directory are kept."
})
