import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

/** The state of a stored catalog copy. Ages are in seconds by the database's clock. */
export interface CopyRow {
  /** Null until the catalog has been fetched once. */
  readonly catalog_digest: string | null
  readonly etag: string | null
  readonly checked_at: Date | null
  readonly age: number | null
  /** Seconds since the last fetch, successful or not. */
  readonly tried: number
  readonly is_held: boolean
}

export const findStatus = (sql: Sql, address: string) =>
  sql<CopyRow>`SELECT catalog_digest, etag, checked_at, extract(epoch FROM now() - checked_at)::float8 AS age,
      extract(epoch FROM now() - tried_at)::float8 AS tried, coalesce(held_until > now(), FALSE) AS is_held
    FROM model_catalogs WHERE address_digest = ${address}`.pipe(Effect.map((rows) => rows[0]))

export const findText = (sql: Sql, address: string) =>
  sql<{ catalog_text: string; catalog_digest: string }>`SELECT catalog_text, catalog_digest FROM model_catalogs
    WHERE address_digest = ${address} AND catalog_text IS NOT NULL`.pipe(Effect.map((rows) => rows[0]))

/** Claims the fetch of the catalog. False while another process holds the claim, or too soon after the last fetch. */
export const claim = (sql: Sql, address: string, holder: string, heldSeconds: number, pauseSeconds: number) =>
  sql`INSERT INTO model_catalogs AS m (address_digest, tried_at, holder, held_until)
    VALUES (${address}, now(), ${holder}, now() + make_interval(secs => ${heldSeconds}))
    ON CONFLICT (address_digest) DO UPDATE SET tried_at = now(), holder = excluded.holder,
      held_until = excluded.held_until
    WHERE (m.held_until IS NULL OR m.held_until < now())
      AND m.tried_at < now() - make_interval(secs => ${pauseSeconds})
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

export const keep = (
  sql: Sql,
  address: string,
  holder: string,
  copy: { readonly text: string; readonly digest: string; readonly etag: string | null }
) =>
  sql`UPDATE model_catalogs SET catalog_text = ${copy.text}, catalog_digest = ${copy.digest}, etag = ${copy.etag},
      checked_at = now(), holder = NULL, held_until = NULL
    WHERE address_digest = ${address} AND holder = ${holder}`

export const keepUnchanged = (sql: Sql, address: string, holder: string) =>
  sql`UPDATE model_catalogs SET checked_at = now(), holder = NULL, held_until = NULL
    WHERE address_digest = ${address} AND holder = ${holder}`

export const release = (sql: Sql, address: string, holder: string) =>
  sql`UPDATE model_catalogs SET holder = NULL, held_until = NULL
    WHERE address_digest = ${address} AND holder = ${holder}`
