import type { DomainFailure } from "@orgplane/schema/sso-domains"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"

interface Row extends AttentionRow {
  readonly status: string
  readonly failure: DomainFailure | null
}

const reasons = {
  dns_unavailable: "The DNS lookup failed.",
  record_missing: "The TXT record is missing.",
  record_mismatch: "The TXT record has another value.",
  domain_taken: "Another organization has verified the domain."
} as const satisfies Record<DomainFailure, string>

/** Domains that need attention. */
export const attention = [
  attentionSource<Row>(
    "sso_domain_failing",
    ["sso:read", "sso:write"],
    (sql, { organizationId }, { limit }) =>
      sql`SELECT d.id, d.domain AS name, NULL::text AS parent_id, coalesce(d.failing_since, d.updated_at) AS since,
          NULL::timestamptz AS expires_at, d.status, d.failure
        FROM domains d
        WHERE d.organization_id = ${organizationId} AND d.removed_at IS NULL
          AND (d.status = 'lapsed' OR (d.status = 'verified' AND d.failing_since IS NOT NULL))
        ORDER BY since, d.id LIMIT ${limit}`,
    ({ failure, status }) =>
      `${status === "lapsed" ? "The verification has lapsed." : "The last check failed."}${failure === null ? "" : ` ${reasons[failure]}`}`
  )
]
