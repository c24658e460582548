import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["desired_state_revisions"]

/** The revision of the desired state of each member and worker. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE desired_state_revisions (
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    -- Empty for the state of the member.
    worker_id text NOT NULL,
    revision bigint NOT NULL,
    -- Of the content, without what changes when the state is renewed.
    digest text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, membership_id, worker_id)
  )`,
    ...rowSecurity(tenantTables)
  ])
)
