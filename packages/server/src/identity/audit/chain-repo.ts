import { advisoryLocks } from "../../infra/sql/advisory-locks.ts"
import { lockKey } from "../../infra/sql/schema.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as Effect from "effect/Effect"
import type { CheckpointRow } from "./repo.ts"

/** The chain of events without an organization has this name. */
export const platformChain = "platform"
/** An event as it is sealed: the exact content of the database row. */
export interface Content {
  readonly id: string
  readonly organization_id: string | null
  readonly action: string
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly credential_id: string | null
  readonly target_id: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly before_text: string | null
  readonly after_text: string | null
  readonly payload_digest: string | null
  readonly created_micros: string
  readonly txid: string
}

export interface SealedContent extends Content {
  readonly sequence: number
  readonly hash: string
  readonly seal_key_id: string
  /** Null for events that only the first version of the seal covers. */
  readonly feed_hash: string | null
}

const content = (sql: Sql) =>
  sql.literal(`id, organization_id, action, actor_kind, actor_id, credential_id, target_id, request_id, address,
    user_agent, before_json::text AS before_text, after_json::text AS after_text, payload_digest,
    (extract(epoch FROM created_at) * 1000000)::bigint::text AS created_micros, created_txid::text AS txid`)

/** Takes the lock until the transaction ends. Waits for it, or only tries. */
export const lock = (sql: Sql, waits: boolean) =>
  waits
    ? Effect.as(sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.auditChain)}::bigint)::text`, true)
    : sql<{
        taken: boolean
      }>`SELECT pg_try_advisory_xact_lock(${lockKey(sql, advisoryLocks.auditChain)}::bigint) AS taken`.pipe(
        Effect.map((rows) => rows[0]?.taken === true)
      )

/**
 * Whether there is anything to seal or sign, in any organization, and otherwise the number of seconds until there is.
 */
export const work = (sql: Sql, everyEvents: number, everySeconds: number) =>
  sql<{ unsealed: boolean; behind: boolean; due: boolean; due_in: number | null }>`SELECT
      EXISTS (SELECT 1 FROM audit_events WHERE sequence IS NULL) AS unsealed,
      EXISTS (SELECT 1 FROM audit_chains WHERE feed_sequence < sequence) AS behind,
      EXISTS (SELECT 1 FROM audit_chains WHERE sequence > checkpoint_sequence
        AND (sequence - checkpoint_sequence >= ${everyEvents}
          OR checkpoint_at <= now() - make_interval(secs => ${everySeconds}))) AS due,
      (SELECT extract(epoch FROM checkpoint_at - now())::float8 + ${everySeconds}::float8 FROM audit_chains
        WHERE sequence > checkpoint_sequence ORDER BY checkpoint_at LIMIT 1) AS due_in`.pipe(
    Effect.map((rows) => rows[0] ?? { unsealed: false, behind: false, due: false, due_in: null })
  )

/**
 * Committed events that are not sealed yet, from all organizations. Events of a transaction that commits late are in a
 * later batch, so no event is skipped.
 */
export const unsealed = (sql: Sql, limit: number) =>
  sql<Content>`SELECT ${content(sql)} FROM audit_events WHERE sequence IS NULL
    ORDER BY created_txid, id LIMIT ${limit}`

export interface ChainRow {
  readonly organization_id: string
  readonly sequence: number
  readonly hash: string
}

/** The end of a chain, and the end of the chain over the lines of the feed. */
export interface ChainHead extends ChainRow {
  /** The sequence number of the first line. Null until an event is sealed by a version that chains lines. */
  readonly feed_start: number | null
  /** Less than `sequence` if an earlier version sealed the last events. */
  readonly feed_sequence: number | null
  readonly feed_hash: string | null
}

export const chains = (sql: Sql, organizationIds: ReadonlyArray<string>) =>
  sql<ChainHead>`SELECT organization_id, sequence, hash, feed_start, feed_sequence, feed_hash FROM audit_chains
    WHERE organization_id IN (SELECT jsonb_array_elements_text(${sql.json(organizationIds)}))`

/** Chains over lines that end before the last sealed event, in the order of organizations. */
export const chainsBehind = (sql: Sql, after: string, limit: number) =>
  sql<ChainHead>`SELECT organization_id, sequence, hash, feed_start, feed_sequence, feed_hash FROM audit_chains
    WHERE feed_sequence < sequence AND organization_id > ${after} ORDER BY organization_id LIMIT ${limit}`

/**
 * Stores the ends of chains over lines. When one reaches the last sealed event, which is signed without it, the event is
 * due to be signed again.
 */
export const putFeedHeads = (sql: Sql, heads: ReadonlyArray<ChainHead>) =>
  sql`UPDATE audit_chains c SET feed_start = r.feed_start, feed_sequence = r.feed_sequence, feed_hash = r.feed_hash,
      checkpoint_sequence = CASE WHEN r.feed_sequence = c.sequence THEN least(c.checkpoint_sequence, c.sequence - 1)
        ELSE c.checkpoint_sequence END
    FROM jsonb_to_recordset(${sql.json(heads)}) AS r(organization_id text, feed_start bigint, feed_sequence bigint,
      feed_hash text)
    WHERE c.organization_id = r.organization_id`

export interface Seal {
  readonly id: string
  readonly txid: string
  readonly sequence: number
  readonly hash: string
  readonly position: number
  /** The hash of the line; null for events without an organization. */
  readonly feed_hash: string | null
}

/** Reserves positions in the order of all changes, and returns the one before the first. */
export const reservePositions = (sql: Sql, count: number) =>
  sql<{
    last: number
  }>`SELECT setval('audit_positions', nextval('audit_positions') + ${count}::bigint - 1) AS last`.pipe(
    Effect.map((rows) => (rows[0]?.last ?? 0) - count)
  )

export const seal = (sql: Sql, keyId: string, seals: ReadonlyArray<Seal>, chains: ReadonlyArray<ChainHead>) =>
  Effect.gen(function* () {
    yield* sql`UPDATE audit_events e SET sequence = r.sequence, hash = r.hash, seal_key_id = ${keyId},
        position = r.position, feed_hash = r.feed_hash
      FROM jsonb_to_recordset(${sql.json(seals)})
        AS r(id text, txid bigint, sequence bigint, hash text, position bigint, feed_hash text)
      WHERE e.created_txid = r.txid AND e.id = r.id AND e.sequence IS NULL`
    yield* sql`INSERT INTO audit_chains (organization_id, sequence, hash, feed_start, feed_sequence, feed_hash,
        checkpoint_at)
      SELECT r.organization_id, r.sequence, r.hash, r.feed_start, r.feed_sequence, r.feed_hash, now()
      FROM jsonb_to_recordset(${sql.json(chains)}) AS r(organization_id text, sequence bigint, hash text,
        feed_start bigint, feed_sequence bigint, feed_hash text)
      ON CONFLICT (organization_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,
        feed_start = excluded.feed_start, feed_sequence = excluded.feed_sequence, feed_hash = excluded.feed_hash,
        checkpoint_at = CASE WHEN audit_chains.sequence = audit_chains.checkpoint_sequence
          THEN excluded.checkpoint_at ELSE audit_chains.checkpoint_at END`
  })

/** Adds the hashes of lines to events that an earlier version sealed. */
export const putFeedHashes = (
  sql: Sql,
  organizationId: string,
  hashes: ReadonlyArray<{ readonly sequence: number; readonly hash: string }>
) =>
  sql`UPDATE audit_events e SET feed_hash = r.hash
    FROM jsonb_to_recordset(${sql.json(hashes)}) AS r(sequence bigint, hash text)
    WHERE e.organization_id = ${organizationId} AND e.sequence = r.sequence AND e.feed_hash IS NULL`

export const chainsDue = (sql: Sql, everyEvents: number, everySeconds: number, limit: number) =>
  sql<ChainHead>`SELECT organization_id, sequence, hash, feed_start, feed_sequence, feed_hash FROM audit_chains
    WHERE sequence > checkpoint_sequence AND (sequence - checkpoint_sequence >= ${everyEvents}
      OR checkpoint_at <= now() - make_interval(secs => ${everySeconds}))
    ORDER BY checkpoint_at LIMIT ${limit}`

export interface Signed extends ChainRow {
  readonly key_id: string
  readonly signature: string
  /** Null if the chain over the lines ends earlier. */
  readonly feed_hash: string | null
  readonly feed_signature: string | null
  readonly feed_signed_at: string | null
}

export const putCheckpoints = (sql: Sql, signed: ReadonlyArray<Signed>) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO audit_checkpoints (organization_id, sequence, hash, key_id, signature, created_at, feed_hash,
        feed_signature, feed_signed_at)
      SELECT r.organization_id, r.sequence, r.hash, r.key_id, r.signature, now(), r.feed_hash, r.feed_signature,
        r.feed_signed_at
      FROM jsonb_to_recordset(${sql.json(signed)})
        AS r(organization_id text, sequence bigint, hash text, key_id text, signature text, feed_hash text,
          feed_signature text, feed_signed_at timestamptz)
      ON CONFLICT (organization_id, sequence) DO UPDATE SET key_id = excluded.key_id, signature = excluded.signature,
        feed_hash = excluded.feed_hash, feed_signature = excluded.feed_signature,
        feed_signed_at = excluded.feed_signed_at
      WHERE audit_checkpoints.feed_signature IS NULL AND excluded.feed_signature IS NOT NULL
        AND audit_checkpoints.hash = excluded.hash`
    yield* sql`UPDATE audit_chains c SET checkpoint_sequence = r.sequence, checkpoint_at = now()
      FROM jsonb_to_recordset(${sql.json(signed)}) AS r(organization_id text, sequence bigint)
      WHERE c.organization_id = r.organization_id`
  })

export interface Ends {
  /** The last sequence number according to the chain. */
  readonly head: number
  readonly head_hash: string
  /** The first and the last sequence number of an event. */
  readonly first_event: number
  readonly last_event: number
  readonly last_checkpoint: number
}

/** The events of a chain up to a sequence number, which were deleted. */
export interface Truncation {
  readonly organization_id: string
  readonly sequence: number
  /** The hash of the last deleted event, from which the next one continues. */
  readonly hash: string
  /** How many events have been deleted from the chain. */
  readonly event_count: number
  readonly truncated_at: Date
}

export interface SignedTruncation extends Truncation {
  /** The hash of the last deleted line; null if it has none. */
  readonly feed_hash: string | null
  readonly key_id: string
  readonly signature: string
}

export const findTruncation = (sql: Sql, chain: string) =>
  sql<SignedTruncation>`SELECT organization_id, sequence, hash, event_count, key_id, signature, truncated_at,
      feed_hash FROM audit_truncations WHERE organization_id = ${chain}`.pipe(Effect.map((rows) => rows[0]))

/** Chains with a checkpoint that is older than this, up to which events can be deleted; the newest such checkpoint. */
export const findTruncatable = (sql: Sql, days: number) =>
  sql<CheckpointRow & { readonly organization_id: string; readonly feed_hash: string | null }>`SELECT k.organization_id,
      k.sequence, k.hash, k.key_id, k.signature, k.created_at,
      (SELECT e.feed_hash FROM audit_events e
        WHERE e.organization_id = k.organization_id AND e.sequence = k.sequence) AS feed_hash
    FROM audit_chains c
    LEFT JOIN audit_truncations t ON t.organization_id = c.organization_id
    CROSS JOIN LATERAL (SELECT organization_id, sequence, hash, key_id, signature, created_at FROM audit_checkpoints
      WHERE organization_id = c.organization_id AND sequence > coalesce(t.sequence, 0)
        AND created_at < now() - make_interval(days => ${days})
      ORDER BY sequence DESC LIMIT 1) k
    ORDER BY c.organization_id`

export const putTruncation = (sql: Sql, truncation: SignedTruncation) =>
  sql`INSERT INTO audit_truncations (organization_id, sequence, hash, event_count, key_id, signature, truncated_at,
      feed_hash)
    VALUES (${truncation.organization_id}, ${truncation.sequence}, ${truncation.hash}, ${truncation.event_count},
      ${truncation.key_id}, ${truncation.signature}, ${truncation.truncated_at},
      ${truncation.feed_hash})
    ON CONFLICT (organization_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,
      event_count = excluded.event_count, key_id = excluded.key_id, signature = excluded.signature,
      truncated_at = excluded.truncated_at, feed_hash = excluded.feed_hash
    WHERE audit_truncations.sequence < excluded.sequence`

export const truncations = (sql: Sql) =>
  sql<{ organization_id: string; sequence: number }>`SELECT organization_id, sequence FROM audit_truncations
    ORDER BY organization_id`

/** Deletes events and checkpoints that a truncation covers. The last checkpoint is kept. */
export const deleteTruncated = (sql: Sql, chain: string, sequence: number, limit: number) => ({
  events: sql`DELETE FROM audit_events WHERE ctid IN (SELECT ctid FROM audit_events
    WHERE ${ofChain(sql, chain)} AND sequence <= ${sequence}::bigint ORDER BY sequence LIMIT ${limit})
    RETURNING 1 AS one`,
  checkpoints: sql`DELETE FROM audit_checkpoints WHERE organization_id = ${chain} AND sequence IN (
    SELECT sequence FROM audit_checkpoints WHERE organization_id = ${chain} AND sequence < ${sequence}::bigint
    LIMIT ${limit}) RETURNING 1 AS one`
})

/** The ends of a chain, of its events and of its checkpoints, all read in one statement. */
export const ends = (sql: Sql, organizationId: string) =>
  sql<Ends>`SELECT coalesce(c.sequence, 0) AS head, coalesce(c.hash, '') AS head_hash,
      coalesce((SELECT min(e.sequence) FROM audit_events e WHERE e.organization_id = ${organizationId}), 1)
        AS first_event,
      coalesce((SELECT max(e.sequence) FROM audit_events e WHERE e.organization_id = ${organizationId}), 0)
        AS last_event,
      coalesce((SELECT max(k.sequence) FROM audit_checkpoints k WHERE k.organization_id = ${organizationId}), 0)
        AS last_checkpoint
    FROM (SELECT 1) one LEFT JOIN audit_chains c ON c.organization_id = ${organizationId}`.pipe(
    Effect.map((rows) => rows[0] ?? { head: 0, head_hash: "", first_event: 1, last_event: 0, last_checkpoint: 0 })
  )

const ofChain = (sql: Sql, chain: string) =>
  chain === platformChain ? sql`organization_id IS NULL` : sql`organization_id = ${chain}`

/** Sealed events after a sequence number, in order. */
export const sealed = (sql: Sql, chain: string, after: number, last: number, limit: number) =>
  sql<SealedContent>`SELECT ${content(sql)}, sequence, coalesce(hash, '') AS hash, coalesce(seal_key_id, '') AS seal_key_id,
      feed_hash FROM audit_events
    WHERE ${ofChain(sql, chain)} AND sequence > ${after}::bigint AND sequence <= ${last}::bigint
    ORDER BY sequence LIMIT ${limit}`

export const checkpointsBetween = (sql: Sql, organizationId: string, after: number, last: number) =>
  sql<CheckpointRow>`SELECT sequence, hash, key_id, signature, created_at FROM audit_checkpoints
    WHERE organization_id = ${organizationId} AND sequence > ${after}::bigint AND sequence <= ${last}::bigint
    ORDER BY sequence`
