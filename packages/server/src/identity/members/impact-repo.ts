import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"

/** What ends with a membership, except the grants: what `endMemberships` removes, and what it leaves. */
export interface EndingCounts {
  readonly teamCount: number
  readonly assignmentCount: number
  readonly desktopPolicyCount: number
  readonly deviceCount: number
  readonly sessionCount: number
  readonly connectionCount: number
  readonly workerCount: number
  readonly workerTokenCount: number
  readonly invitationCount: number
  readonly apiKeyCount: number
}

export const countEnding = (sql: Sql, organizationId: Id<"org">, id: Id<"om">, userId: Id<"usr">) =>
  sql<{ counts: EndingCounts }>`SELECT jsonb_build_object(
      'teamCount', (SELECT count(*) FROM team_members
        WHERE organization_id = ${organizationId} AND membership_id = ${id}),
      'assignmentCount', (SELECT count(*) FROM assignment_members
        WHERE organization_id = ${organizationId} AND membership_id = ${id}),
      'desktopPolicyCount', (SELECT count(*) FROM desktop_policy_members
        WHERE organization_id = ${organizationId} AND membership_id = ${id}),
      'deviceCount', (SELECT count(*) FROM devices
        WHERE organization_id = ${organizationId} AND membership_id = ${id}),
      'sessionCount', (SELECT count(*) FROM sessions
        WHERE organization_id = ${organizationId} AND user_id = ${userId} AND revoked_at IS NULL
          AND expires_at > now()),
      'connectionCount', (SELECT count(*) FROM oauth_credentials
        WHERE organization_id = ${organizationId} AND membership_id = ${id}),
      'workerCount', (SELECT count(*) FROM workers
        WHERE organization_id = ${organizationId} AND created_by_membership_id = ${id} AND removed_at IS NULL
          AND status <> 'stopped'),
      'workerTokenCount', (SELECT count(*) FROM worker_tokens
        WHERE organization_id = ${organizationId} AND created_by_membership_id = ${id} AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > now())),
      'invitationCount', (SELECT count(*) FROM invitations
        WHERE organization_id = ${organizationId} AND created_by_membership_id = ${id} AND accepted_at IS NULL
          AND cancelled_at IS NULL AND expires_at > now()),
      'apiKeyCount', (SELECT count(*) FROM api_keys
        WHERE organization_id = ${organizationId} AND created_by_membership_id = ${id} AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > now()))) AS counts`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "counts")),
    Effect.map(({ counts }) => counts)
  )
