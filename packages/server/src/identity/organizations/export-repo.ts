import type { Id } from "@orgplane/schema/shared/ids"
import { manifestOf } from "../../infra/sql/plugin-manifest.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** One kind of line of an export: a table and the columns that are exported. */
export interface Part {
  readonly kind: string
  readonly table: string
  /** Exported in camel case; `column=name` when the API has another name. Never a secret or its digest. */
  readonly columns: string
  /** The column that marks a row as removed. */
  readonly end: string | null
  /** Rows read at a time, for tables whose rows can be several MiB. Default: the usual batch size. */
  readonly rowsMax?: number
}

const by = "created_by_membership_id=createdByOrgMembershipId"

/** The data of an organization, ordered so that nothing is referenced before it is exported. */
export const parts: ReadonlyArray<Part> = [
  {
    kind: "role",
    table: "roles",
    end: "removed_at",
    columns: `id name description permissions_json=permissions ${by} created_at updated_at`
  },
  { kind: "member", table: "memberships", end: "removed_at", columns: "id user_id role created_at updated_at" },
  {
    kind: "domain",
    table: "domains",
    end: "removed_at",
    columns: `id domain status verified_at last_checked_at failure failing_since ${by} created_at updated_at`
  },
  { kind: "team", table: "teams", end: "removed_at", columns: "id name description created_at updated_at" },
  {
    kind: "invitation",
    table: "invitations",
    end: null,
    columns: `id email role team_ids_json=teamIds ${by} created_at expires_at accepted_at cancelled_at`
  },
  {
    kind: "apiKey",
    table: "api_keys",
    end: null,
    columns: `id name hint permissions_json=permissions requests_per_minute ${by} created_at updated_at expires_at last_used_at revoked_at`
  },
  {
    kind: "ssoConnection",
    table: "sso_connections",
    end: null,
    columns: `id protocol config_json=settings enabled enforced break_glass_json=breakGlass jit_enabled jit_role created_at updated_at`
  },
  {
    kind: "connectorAccount",
    table: "connector_accounts",
    end: "removed_at",
    columns: `id adapter remote_id name status status_reason ${by} created_at updated_at`
  },
  {
    kind: "connectorInstance",
    table: "connector_instances",
    end: "removed_at",
    columns: `id connector_account_id adapter remote_id name status status_reason config_json=instanceConfigJson repository_full_name auto_import_new_plugins last_synced_at last_sync_cursor ${by} created_at updated_at`
  },
  {
    kind: "connectorTarget",
    table: "connector_targets",
    end: "removed_at",
    columns: "id connector_instance_id remote_id branch config_json=targetConfigJson created_at updated_at"
  },
  {
    kind: "plugin",
    table: "plugins",
    end: "deleted_at",
    columns: `id name description manifest_json=manifest connector_target_id ${by} created_at updated_at archived_at`
  },
  {
    kind: "connectorMapping",
    table: "connector_mappings",
    end: "removed_at",
    columns:
      "id connector_instance_id connector_target_id mapping_kind selector object_type plugin_id auto_add_to_plugin remote_id config_json=mappingConfigJson created_at updated_at"
  },
  {
    kind: "configObject",
    table: "config_objects",
    end: "deleted_at",
    columns: `id object_type source_mode status title description file_name=currentFileName file_extension=currentFileExtension relative_path=currentRelativePath connector_instance_id latest_version_id ${by} created_at updated_at`
  },
  {
    kind: "configObjectVersion",
    table: "config_object_versions",
    end: null,
    rowsMax: 5,
    columns: `id config_object_id ordinal schema_version payload_json=normalizedPayloadJson source_text=rawSourceText content_digest created_via source_revision=sourceRevisionRef is_deleted_version ${by} created_at`
  },
  {
    kind: "pluginMembership",
    table: "plugin_memberships",
    end: "removed_at",
    columns: `id plugin_id config_object_id connector_mapping_id ${by} created_at`
  },
  {
    kind: "marketplace",
    table: "marketplaces",
    end: "deleted_at",
    columns: `id name description logo_url connector_target_id ${by} created_at updated_at archived_at`
  },
  {
    kind: "marketplaceMembership",
    table: "marketplace_memberships",
    end: "removed_at",
    columns: `id marketplace_id plugin_id ${by} created_at`
  },
  {
    kind: "mcpConnection",
    table: "mcp_connections",
    end: "deleted_at",
    columns: `id name url preset_id auth_type credential_mode scopes_json=scopes oauth_client_id oauth_registration api_key_header api_key_scheme tool_policy_json=toolPolicy fingerprint ${by} created_at updated_at`
  },
  {
    kind: "desktopPolicy",
    table: "desktop_policies",
    end: "deleted_at",
    columns: `id name=policyName settings_json=policy priority is_enabled for_organization member_ids team_ids ${by} created_at updated_at`
  },
  {
    kind: "assignment",
    table: "assignments",
    end: null,
    columns: `id plugin_id marketplace_id mode priority pinned_digest for_organization assigned_members=memberIds assigned_teams=teamIds ${by} created_at updated_at`
  },
  {
    kind: "llmProvider",
    table: "llm_providers",
    end: "deleted_at",
    columns: `id name provider_id npm doc_url api_format base_url env_json=env models_json=models credential_mode headers_json=headers options_json=options ${by} created_at updated_at`
  },
  {
    kind: "template",
    table: "templates",
    end: "deleted_at",
    columns: `id name description latest_version_id ${by} created_at updated_at`
  },
  {
    kind: "templateVersion",
    table: "template_versions",
    end: null,
    rowsMax: 2,
    columns: `id template_id ordinal content_json=content content_digest ${by} created_at`
  },
  {
    kind: "worker",
    table: "workers",
    end: "removed_at",
    columns: `id name description destination status image_version workspace_path sandbox_backend last_heartbeat_at last_active_at created_by_user_id ${by} created_at updated_at`
  },
  {
    kind: "scimDirectory",
    table: "scim_directories",
    end: "removed_at",
    columns: `id name provider ${by} created_at updated_at`
  },
  {
    kind: "scimUser",
    table: "scim_users",
    end: "removed_at",
    rowsMax: 200,
    columns:
      "id directory_id=scimDirectoryId user_name external_id active resource_json=resource user_id membership_id=orgMembershipId created_at updated_at"
  },
  {
    kind: "scimGroup",
    table: "scim_groups",
    end: "removed_at",
    columns:
      "id=teamId directory_id=scimDirectoryId display_name external_id resource_json=resource role created_at updated_at"
  },
  {
    kind: "grant",
    table: "grants",
    end: "removed_at",
    columns: `id object_kind object_id membership_id=orgMembershipId team_id key_id=apiKeyId org_wide role ${by} created_at`
  }
]

const camel = (column: string) => column.replace(/_(\w)/g, (_, initial: string) => initial.toUpperCase())
const utc = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** The members and teams that a desktop policy or an assignment `t` applies to. */
const assigned: Readonly<Record<string, string>> = {
  member_ids: `ARRAY(SELECT a.membership_id FROM desktop_policy_members a
    WHERE a.organization_id = t.organization_id AND a.policy_id = t.id ORDER BY a.membership_id)`,
  team_ids: `ARRAY(SELECT a.team_id FROM desktop_policy_teams a
    WHERE a.organization_id = t.organization_id AND a.policy_id = t.id ORDER BY a.team_id)`,
  assigned_members: `ARRAY(SELECT a.membership_id FROM assignment_members a
    WHERE a.organization_id = t.organization_id AND a.assignment_id = t.id ORDER BY a.membership_id)`,
  assigned_teams: `ARRAY(SELECT a.team_id FROM assignment_teams a
    WHERE a.organization_id = t.organization_id AND a.assignment_id = t.id ORDER BY a.team_id)`
}

/** The row `t` as JSON. A function takes at most 100 arguments, which is 50 columns. */
const itemOf = (columns: string) =>
  columns
    .split(" ")
    .map((definition) => {
      const [column = "", name = camel(column)] = definition.split("=")
      const value =
        column === "manifest_json"
          ? manifestOf("t")
          : column in assigned
            ? assigned[column]
            : column.endsWith("_at")
              ? `to_char(t.${column} AT TIME ZONE 'UTC', ${utc})`
              : `t.${column}`
      return `'${name}', ${value}`
    })
    .join(", ")

export interface Line {
  readonly id: string
  readonly item: Readonly<Record<string, unknown>>
}

/** Rows of one kind, ordered by id. */
export const rows = (sql: Sql, part: Part, organizationId: Id<"org">, after: string, limit: number) =>
  sql<Line>`SELECT t.id, jsonb_build_object(${sql.literal(itemOf(part.columns))}) AS item
    FROM ${sql(part.table)} t
    WHERE t.organization_id = ${organizationId} AND t.id > ${after}
      ${part.end === null ? sql`` : sql`AND t.${sql(part.end)} IS NULL`}
    ORDER BY t.id LIMIT ${limit}`

/** Team memberships, the only exported rows without an id of their own. */
export const teamMembers = (sql: Sql, organizationId: Id<"org">, after: string, limit: number) =>
  sql<Line>`SELECT tm.team_id || '/' || tm.membership_id AS id,
      jsonb_build_object('teamId', tm.team_id, 'orgMembershipId', tm.membership_id) AS item
    FROM team_members tm
    WHERE tm.organization_id = ${organizationId} AND tm.team_id || '/' || tm.membership_id > ${after}
    ORDER BY tm.team_id || '/' || tm.membership_id LIMIT ${limit}`
