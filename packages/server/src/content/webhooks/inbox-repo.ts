import * as Effect from "effect/Effect"
import type { Concerned, RemoteFacts } from "../connectors/remote-events.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** A verified delivery, with its repository, branch or installation. */
export interface Arrival {
  readonly deliveryId: string
  readonly facts: RemoteFacts
  readonly place: Concerned["place"]
  /** Null if the event is about all branches. */
  readonly branch: string | null
  readonly isAboutInstallation: boolean
}

/** The state of a delivery before it is processed. */
export interface Verdict {
  readonly n: number
  /** The delivery was processed before. */
  readonly is_done: boolean
  /** An organization has an account for its installation. */
  readonly is_installed: boolean
  /** The delivery is stored, because it concerns an organization. */
  readonly is_known: boolean
  /** A sync or a state change will follow from it. */
  readonly is_acted: boolean
}

/**
 * Classifies deliveries and stores those that concern an organization, all in one statement: they are stored together
 * or not at all. Deliveries with the same subject are classified once.
 */
export const put = (sql: Sql, arrivals: ReadonlyArray<Arrival>) => {
  const places = new Map<string, Record<string, unknown>>()
  const deliveries = arrivals.map(({ branch, deliveryId, facts, isAboutInstallation, place }, n) => {
    const key = JSON.stringify([place.installationId, place.repositoryId, place.cloneUrl, branch, isAboutInstallation])
    const placeIndex = places.get(key)
    const p = placeIndex === undefined ? places.size : placeIndex["p"]
    if (placeIndex === undefined) {
      places.set(key, {
        p,
        branch,
        installation_id: place.installationId,
        repository_id: place.repositoryId,
        clone_url: place.cloneUrl,
        is_about_installation: isAboutInstallation
      })
    }
    return { n, p, delivery_id: deliveryId, event: facts.event, facts }
  })
  return sql<Verdict>`WITH given AS (
      SELECT g.n, g.p, g.delivery_id, g.event, g.facts FROM jsonb_to_recordset(${sql.json(deliveries)})
        AS g(n int, p int, delivery_id text, event text, facts jsonb)
    ), places AS (
      SELECT q.p, q.is_about_installation,
        EXISTS (SELECT 1 FROM connector_accounts a JOIN organizations o ON o.id = a.organization_id AND o.deleted_at IS NULL
          WHERE a.adapter = 'rest' AND a.remote_id = q.installation_id AND a.removed_at IS NULL) AS is_installed,
        f.is_known, f.is_acted
      FROM jsonb_to_recordset(${sql.json([...places.values()])}) AS q(p int, branch text, installation_id text,
        repository_id text, clone_url text, is_about_installation boolean)
      CROSS JOIN LATERAL (
        SELECT count(*) > 0 AS is_known, coalesce(bool_or(
            (i.adapter = 'rest' AND q.branch IS NULL)
            OR (i.status NOT IN ('disabled', 'archived') AND EXISTS (SELECT 1 FROM connector_targets t
              WHERE t.organization_id = i.organization_id AND t.connector_instance_id = i.id AND t.removed_at IS NULL
                AND (q.branch IS NULL OR t.branch = q.branch)))), false) AS is_acted
        FROM connector_instances i
        JOIN organizations o ON o.id = i.organization_id AND o.deleted_at IS NULL
        WHERE i.removed_at IS NULL AND NOT q.is_about_installation
          AND lower(i.remote_id) = ANY (ARRAY[lower(q.clone_url), lower(q.repository_id)])
          AND ((i.adapter = 'git' AND lower(i.remote_id) = lower(q.clone_url))
            OR (i.adapter = 'rest' AND lower(i.remote_id) = lower(q.repository_id)
              AND EXISTS (SELECT 1 FROM connector_accounts a
                WHERE a.organization_id = i.organization_id AND a.id = i.connector_account_id AND a.adapter = 'rest'
                  AND a.remote_id = q.installation_id AND a.removed_at IS NULL)))
      ) f
    ), judged AS (
      SELECT g.n, g.delivery_id, g.event, g.facts, q.is_installed,
        CASE WHEN q.is_about_installation THEN q.is_installed ELSE q.is_known END AS is_known,
        CASE WHEN q.is_about_installation THEN q.is_installed ELSE q.is_acted END AS is_acted,
        EXISTS (SELECT 1 FROM webhook_receipts r
          WHERE r.delivery_id = g.delivery_id AND r.event = g.event) AS is_done
      FROM given g JOIN places q ON q.p = g.p
    ), stored AS (
      INSERT INTO webhook_inbox (delivery_id, event, facts_json, bytes)
      SELECT j.delivery_id, j.event, j.facts, length(j.facts::text) FROM judged j
      WHERE j.is_known AND NOT j.is_done ORDER BY j.n
      ON CONFLICT (delivery_id, event) DO NOTHING
    )
    SELECT n, is_done, is_installed, is_known, is_acted FROM judged ORDER BY n`
}

/** Total bytes of all waiting deliveries. */
export const bytesWaiting = (sql: Sql) =>
  sql<{ bytes: number }>`SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM webhook_inbox`.pipe(
    Effect.map((rows) => rows[0]?.bytes ?? 0)
  )

export interface WaitingRow {
  readonly delivery_id: string
  readonly event: string
  readonly facts_json: RemoteFacts
}

/** Takes the oldest waiting delivery for this transaction; concurrent transactions take the next ones. */
export const takeNext = (sql: Sql) =>
  sql<WaitingRow>`DELETE FROM webhook_inbox WHERE (delivery_id, event) IN (
      SELECT delivery_id, event FROM webhook_inbox WHERE due_at <= now()
      ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING delivery_id, event, facts_json`.pipe(Effect.map((rows) => rows[0]))

/** Postpones a delivery after a failure, each time for longer; returns the number of attempts. */
export const putOff = (sql: Sql, { delivery_id, event }: Pick<WaitingRow, "delivery_id" | "event">) =>
  sql<{ attempts: number }>`UPDATE webhook_inbox SET attempts = attempts + 1,
      due_at = now() + make_interval(secs => least(600, power(2, least(attempts, 10))))
    WHERE delivery_id = ${delivery_id} AND event = ${event} RETURNING attempts`.pipe(
    Effect.map((rows) => rows[0]?.attempts ?? 0)
  )

export const drop = (sql: Sql, { delivery_id, event }: Pick<WaitingRow, "delivery_id" | "event">) =>
  sql`DELETE FROM webhook_inbox WHERE delivery_id = ${delivery_id} AND event = ${event}`
