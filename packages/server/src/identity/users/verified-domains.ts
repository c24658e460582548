import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"
import { normalizeEmail } from "./email.ts"
import { makeId } from "../../infra/ids.ts"
import * as repo from "./verified-domains-repo.ts"

/** The organization that has verified the domain of an email address. Locks the domain until the transaction ends. */
export const ownerOfEmail = (sql: Sql, email: string) => {
  const domain = normalizeEmail(email)?.split("@")[1]
  return domain === undefined ? Effect.succeed(undefined) : repo.ownerOf(sql, domain)
}

/**
 * The user with an email address in a domain that the organization has verified, created if new. Undefined for any
 * other email address, because an organization cannot vouch for it. When `isTakenOver`, a user had set the address
 * without verifying it; the caller must sign them out everywhere. `name` is for a new user. `first` must select a row
 * before any row is locked; otherwise the result is undefined.
 */
export const personOfEmail = (
  sql: Sql,
  organizationId: Id<"org">,
  email: string,
  { first, name = null }: { readonly name?: string | null; readonly first?: Fragment } = {}
) =>
  Effect.gen(function* () {
    const normalized = normalizeEmail(email)
    const domain = normalized?.split("@")[1]
    if (normalized === undefined || domain === undefined) return undefined
    const id = makeId("usr")
    const person = yield* repo.personOf(
      sql,
      organizationId,
      { id, email: normalized, domain, name },
      first ?? sql`SELECT 1`
    )
    if (person === undefined) return undefined
    return { person, isNew: person.id === id, isTakenOver: person.was_verified === false }
  })
