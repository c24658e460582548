import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** Audit events, idempotency keys and rate limits. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE audit_events (
    id text PRIMARY KEY,
    organization_id text,
    action text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    credential_id text,
    target_id text,
    request_id text,
    address text,
    user_agent text,
    before_json jsonb,
    after_json jsonb,
    payload_digest text,
    created_at timestamptz NOT NULL
  )`,
    `CREATE INDEX audit_events_organization ON audit_events (organization_id, id)`,
    `CREATE INDEX audit_events_target ON audit_events (organization_id, target_id, id)`,
    `CREATE TABLE idempotency_keys (
    scope text NOT NULL,
    key text NOT NULL,
    digest text NOT NULL,
    status integer,
    answer_json jsonb,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (scope, key)
  )`,
    `CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)`,
    // Unlogged, because rate limit windows can restart after a crash.
    `CREATE UNLOGGED TABLE rate_windows (
    bucket text PRIMARY KEY,
    taken integer NOT NULL,
    ends_at timestamptz NOT NULL
  )`
  ])
)
