import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["webhook_endpoints", "webhook_secrets", "webhook_messages", "webhook_attempts"]

/** Endpoints that receive events, and what was sent to them. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE webhook_endpoints (
    organization_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    types_json jsonb NOT NULL,
    permissions_json jsonb NOT NULL,
    -- Changes with the permissions. A stored body is reused only if it was made with the current permissions.
    permissions_version integer NOT NULL,
    -- All permissions that the endpoint ever had. A caller needs each of them to read stored bodies.
    body_permissions_json jsonb NOT NULL,
    ordering text NOT NULL,
    signature text NOT NULL,
    public_key text,
    state text NOT NULL,
    pause_reason text,
    -- The sequence number of the last event that was queued.
    position bigint NOT NULL,
    failing_since timestamptz,
    last_delivered_at timestamptz,
    -- When the sender looks at the messages next. Null if none are pending.
    due_at timestamptz,
    -- With too many pending messages: when to count them again.
    full_until timestamptz,
    lease_holder text,
    lease_until timestamptz,
    created_by_membership_id text,
    version integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE state = 'active' AND due_at IS NOT NULL`,
    // The newest secret, and until `usable_until`, the one before the last rotation.
    `CREATE TABLE webhook_secrets (
    organization_id text NOT NULL,
    endpoint_id text NOT NULL,
    id text NOT NULL,
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    usable_until timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, endpoint_id, id),
    FOREIGN KEY (organization_id, endpoint_id) REFERENCES webhook_endpoints (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE TABLE webhook_messages (
    organization_id text NOT NULL,
    endpoint_id text NOT NULL,
    id text NOT NULL,
    -- The order in which they are sent.
    number bigint GENERATED ALWAYS AS IDENTITY,
    event_id text NOT NULL,
    sequence bigint NOT NULL,
    type text NOT NULL,
    -- The exact body of every attempt.
    body text NOT NULL,
    permissions_version integer NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    -- The attempts that failed since the message was queued or the endpoint was resumed. They determine the next pause.
    failures integer NOT NULL,
    next_attempt_at timestamptz,
    delivered_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, endpoint_id, id),
    FOREIGN KEY (organization_id, endpoint_id) REFERENCES webhook_endpoints (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX webhook_messages_pending ON webhook_messages (organization_id, endpoint_id, number)
    WHERE state = 'pending'`,
    `CREATE INDEX webhook_messages_event ON webhook_messages (organization_id, endpoint_id, event_id)`,
    `CREATE INDEX webhook_messages_created ON webhook_messages (created_at)`,
    `CREATE TABLE webhook_attempts (
    organization_id text NOT NULL,
    endpoint_id text NOT NULL,
    message_id text NOT NULL,
    number integer NOT NULL,
    url text NOT NULL,
    headers_json jsonb NOT NULL,
    status integer,
    error text,
    duration_millis integer NOT NULL,
    response text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, endpoint_id, message_id, number),
    FOREIGN KEY (organization_id, endpoint_id, message_id)
      REFERENCES webhook_messages (organization_id, endpoint_id, id) ON DELETE CASCADE
  )`,
    ...rowSecurity(tenantTables)
  ])
)
