import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"

interface Row extends AttentionRow {
  readonly number: number
  readonly needs_review: boolean
  readonly problem: string | null
}

/** Releases that need attention. */
export const attention = [
  attentionSource<Row>(
    "release_approval",
    ["approvals:read", "approvals:write"],
    (sql, { organizationId, principal }, { limit }) => {
      // With four-eyes approval, the release waits for another member.
      const isUndecided =
        principal.kind === "session"
          ? sql`NOT EXISTS (SELECT 1 FROM plugin_release_approvals a WHERE a.organization_id = ${organizationId}
              AND a.release_id = r.id AND a.membership_id = ${principal.membershipId})`
          : sql`TRUE`
      return sql<Row>`SELECT r.id, r.name, r.plugin_id AS parent_id, r.created_at AS since, NULL::timestamptz AS expires_at, r.number,
          r.needs_review, r.problem
        FROM plugin_releases r
        JOIN plugins p ON p.organization_id = r.organization_id AND p.id = r.plugin_id AND p.deleted_at IS NULL
        WHERE r.organization_id = ${organizationId} AND r.state = 'pending' AND ${isUndecided}
        ORDER BY since, r.id LIMIT ${limit}`
    },
    ({ needs_review: needsReview, number, problem }) => {
      const change = needsReview ? "new or changed capabilities" : "no new capabilities"
      return `Release ${number}: ${problem === null ? `${change}.` : `no archive can be created. ${problem}`}`
    }
  )
]
