import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"

/** What ends with a membership, except the grants and sessions: what `endMemberships` removes, and what it leaves. */
export interface EndingCounts {
  readonly teamCount: number
  readonly assignmentCount: number
  readonly desktopPolicyCount: number
  readonly deviceCount: number
  readonly connectionCount: number
  readonly workerCount: number
  readonly workerTokenCount: number
  readonly invitationCount: number
  readonly apiKeyCount: number
}

export const countEnding = (sql: Sql, organizationId: Id<"org">, id: Id<"om">) =>
  sql<{ counts: EndingCounts }>`SELECT jsonb_build_object(
      'teamCount', (SELECT count(*) FROM team_members tm
        WHERE tm.organization_id = ${organizationId} AND tm.membership_id = ${id}),
      'assignmentCount', (SELECT count(*) FROM assignment_members am
        WHERE am.organization_id = ${organizationId} AND am.membership_id = ${id}),
      'desktopPolicyCount', (SELECT count(*) FROM desktop_policy_members pm
        WHERE pm.organization_id = ${organizationId} AND pm.membership_id = ${id}),
      'deviceCount', (SELECT count(*) FROM devices d
        WHERE d.organization_id = ${organizationId} AND d.membership_id = ${id}),
      'connectionCount', (SELECT count(*) FROM oauth_credentials c
        WHERE c.organization_id = ${organizationId} AND c.membership_id = ${id}),
      'workerCount', (SELECT count(*) FROM workers w
        WHERE w.organization_id = ${organizationId} AND w.created_by_membership_id = ${id} AND w.removed_at IS NULL
          AND w.status <> 'stopped'),
      'workerTokenCount', (SELECT count(*) FROM worker_tokens wt
        WHERE wt.organization_id = ${organizationId} AND wt.created_by_membership_id = ${id} AND wt.revoked_at IS NULL
          AND (wt.expires_at IS NULL OR wt.expires_at > now())),
      'invitationCount', (SELECT count(*) FROM invitations i
        WHERE i.organization_id = ${organizationId} AND i.created_by_membership_id = ${id} AND i.accepted_at IS NULL
          AND i.cancelled_at IS NULL AND i.expires_at > now()),
      'apiKeyCount', (SELECT count(*) FROM api_keys k
        WHERE k.organization_id = ${organizationId} AND k.created_by_membership_id = ${id} AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > now()))) AS counts`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "counts")),
    Effect.map(({ counts }) => counts)
  )
