import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"

/** The organization that has verified the domain. Locks the domain until the transaction ends. */
export const ownerOf = (sql: Sql, domain: string) =>
  sql<{ organization_id: Id<"org"> }>`SELECT organization_id FROM domains
    WHERE domain = ${domain} AND status = 'verified' AND removed_at IS NULL FOR SHARE`.pipe(
    Effect.map((rows) => rows[0]?.organization_id)
  )

export interface VerifiedPerson {
  readonly id: Id<"usr">
  readonly name: string | null
  /** Null when no user had the email address. */
  readonly was_verified: boolean | null
}

/**
 * The user with an email address, whether or not it was verified before. Creates a user if none has the address.
 * Returns none if the organization has not verified the domain. One statement: it locks the domain first, then the
 * user, until the transaction ends. `first` must select a row, which it locks before both; otherwise nothing is done.
 */
export const personOf = (
  sql: Sql,
  organizationId: Id<"org">,
  person: { readonly id: Id<"usr">; readonly email: string; readonly domain: string; readonly name: string | null },
  first: Fragment
) =>
  sql<VerifiedPerson>`WITH before AS MATERIALIZED (${first}),
    owned AS MATERIALIZED (SELECT d.id FROM domains d, before
      WHERE d.domain = ${person.domain} AND d.organization_id = ${organizationId} AND d.status = 'verified'
        AND d.removed_at IS NULL
      FOR SHARE OF d),
    existing AS MATERIALIZED (SELECT u.email_verified FROM users u, owned
      WHERE lower(u.email) = lower(${person.email}) AND u.deleted_at IS NULL FOR UPDATE OF u)
    INSERT INTO users AS u (id, email, email_verified, name, created_at, updated_at)
    SELECT ${person.id}, ${person.email}, true, ${person.name}, now(), now() FROM owned LEFT JOIN existing ON true
    ON CONFLICT (lower(email)) WHERE email IS NOT NULL AND deleted_at IS NULL
    DO UPDATE SET email_verified = true,
      updated_at = CASE WHEN u.email_verified THEN u.updated_at ELSE now() END
    RETURNING u.id, u.name, (SELECT existing.email_verified FROM existing) AS was_verified`.pipe(
    Effect.map((rows) => rows[0])
  )
