import { type SsoRefusal, ssoRefusals } from "@orgplane/schema/sso"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { expiringSince } from "../../infra/sql/expiring.ts"

interface FailedRow extends AttentionRow {
  readonly code: SsoRefusal | null
}

const permissions = ["sso:read", "sso:write"] as const
const certificateSince = expiringSince("c.not_before", "c.expires_at")
/** The identity provider. */
const name = "coalesce(s.config_json ->> 'idpEntityId', s.config_json ->> 'issuer', s.id)"

/** SSO connections that need attention. */
export const attention = [
  attentionSource<FailedRow>(
    "sso_failed",
    permissions,
    (sql, { organizationId }, { limit }) =>
      sql`SELECT s.id, ${sql.literal(name)} AS name, NULL::text AS parent_id, (s.last_test_json ->> 'at')::timestamptz AS since,
          NULL::timestamptz AS expires_at, s.last_test_json ->> 'code' AS code
        FROM sso_connections s
        WHERE s.organization_id = ${organizationId} AND s.enabled AND s.last_test_json ->> 'ok' = 'false'
        ORDER BY since, s.id LIMIT ${limit}`,
    ({ code }) => `The last test failed.${code === null ? "" : ` ${ssoRefusals[code]}`}`
  ),
  attentionSource(
    "saml_certificate_expiring",
    permissions,
    (sql, { organizationId }, { limit }) =>
      sql<AttentionRow>`SELECT s.id, ${sql.literal(name)} AS name, NULL::text AS parent_id, ${sql.literal(certificateSince)} AS since,
          c.expires_at
        FROM sso_connections s
        CROSS JOIN LATERAL (SELECT (x.item ->> 'notBefore')::timestamptz AS not_before,
            (x.item ->> 'notAfter')::timestamptz AS expires_at
          FROM jsonb_array_elements(s.config_json -> 'certificates') AS x(item)
          ORDER BY expires_at DESC LIMIT 1) c
        WHERE s.organization_id = ${organizationId} AND s.enabled AND s.protocol = 'saml'
          AND ${sql.literal(certificateSince)} <= now()
        ORDER BY since, s.id LIMIT ${limit}`
  )
]
