import { levelOf, levels } from "../../identity/grants/index.ts"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { purpose } from "./repo.ts"

/** LLM providers that need attention. */
export const attention = [
  attentionSource(
    "llm_provider_disconnected",
    ["llmProviders:read"],
    (sql, caller, { limit }) =>
      sql<AttentionRow>`SELECT p.id, p.name, NULL::text AS parent_id, p.updated_at AS since, NULL::timestamptz AS expires_at
        FROM llm_providers p
        LEFT JOIN oauth_credentials c ON c.organization_id = ${caller.organizationId} AND c.purpose = ${purpose}
          AND c.subject_id = p.id AND c.membership_id = ''
        WHERE p.organization_id = ${caller.organizationId} AND p.deleted_at IS NULL AND p.credential_mode = 'shared'
          AND c.status IS DISTINCT FROM 'ready'
          AND ${levelOf(sql, caller, "llmProvider", sql`p.id`)} >= ${sql.literal(String(levels.manager))}
        ORDER BY since, p.id LIMIT ${limit}`,
    () => "The shared key is missing."
  )
]
