/** Every column with encrypted values. */
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"

/** What the values of each table are. Those of `sealed_values` depend on the row that refers to them. */
export const sealedColumns = {
  secret_canary: "check values",
  signing_keys: "signing keys",
  oauth_credentials: "credentials for other servers",
  oauth_clients: "OAuth clients",
  oauth_states: "OAuth sign-ins",
  "sealed_values of connector_instances": "connector credentials",
  "sealed_values of mcp_connections": "MCP client secrets",
  "sealed_values without owner": "values without owner",
  sso_connections: "SSO client secrets",
  sso_sign_ins: "SSO sign-ins",
  event_streams: "secrets of event streams",
  webhook_secrets: "webhook secrets",
  worker_instances: "worker runtime tokens"
} as const

export type SealedColumn = keyof typeof sealedColumns

export interface SealedCount {
  readonly column: SealedColumn
  readonly keyId: string
  readonly count: number
}

/** How many values of each column each key encrypts. */
export const countSealed = (sql: Sql) =>
  sql<SealedCount>`SELECT s."column", s.key_id AS "keyId", count(*)::int AS count FROM (
      SELECT 'secret_canary' AS "column", key_id FROM secret_canary
      UNION ALL SELECT 'signing_keys', key_id FROM signing_keys
      UNION ALL SELECT 'oauth_credentials', key_id FROM oauth_credentials
      UNION ALL SELECT 'oauth_clients', key_id FROM oauth_clients
      UNION ALL SELECT 'oauth_states', key_id FROM oauth_states
      UNION ALL SELECT CASE WHEN i.id IS NOT NULL THEN 'sealed_values of connector_instances'
          WHEN m.id IS NOT NULL THEN 'sealed_values of mcp_connections' ELSE 'sealed_values without owner' END, v.key_id
        FROM sealed_values v
        LEFT JOIN connector_instances i ON i.organization_id = v.organization_id AND i.credential_id = v.id
        LEFT JOIN mcp_connections m ON m.organization_id = v.organization_id AND m.oauth_client_secret_id = v.id
      UNION ALL SELECT 'sso_connections', key_id FROM sso_connections
      UNION ALL SELECT 'sso_sign_ins', key_id FROM sso_sign_ins
      UNION ALL SELECT 'event_streams', key_id FROM event_streams
      UNION ALL SELECT 'webhook_secrets', key_id FROM webhook_secrets
      UNION ALL SELECT 'worker_instances', key_id FROM worker_instances) s
    WHERE s.key_id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`

/** Such as `OAuth clients (oauth_clients: 3), signing keys (signing_keys: 1)`. */
export const listSealed = (counts: ReadonlyArray<SealedCount>): string => {
  const totals = new Map<SealedColumn, number>()
  for (const { column, count } of counts) totals.set(column, (totals.get(column) ?? 0) + count)
  return [...totals].map(([column, count]) => `${sealedColumns[column]} (${column}: ${count})`).join(", ")
}

/** The values that need a key that is not configured, as a sentence; undefined if there are none. */
export const describeUnreadable = (sql: Sql, canOpen: (keyId: string) => boolean) =>
  Effect.map(countSealed(sql), (counts) => {
    const unreadable = counts.filter(({ keyId }) => !canOpen(keyId))
    if (unreadable.length === 0) return undefined
    const keyIds = [...new Set(unreadable.map(({ keyId }) => keyId))]
    return `No configured key decrypts ${listSealed(unreadable)}. They were encrypted with ${keyIds.length === 1 ? "the key" : "the keys"} ${keyIds.join(", ")}.`
  })
