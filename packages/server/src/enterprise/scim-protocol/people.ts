import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { Principals } from "../../identity/auth/principals.ts"
import { personOfEmail } from "../../identity/users/verified-domains.ts"
import { makeId } from "../../infra/ids.ts"
import { addressOf } from "../scim/address.ts"
import type { JsonObject } from "../../infra/scim/language/index.ts"
import { revokeAll } from "../../identity/sessions/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { Kept } from "./users-repo.ts"

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textAt = (resource: JsonObject, name: string): string | undefined => {
  const value = resource[name]
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const nameMax = 120

/** What to call a person whom nobody knew before. */
export const nameOf = (resource: JsonObject): string | null => {
  const name = isObject(resource["name"]) ? resource["name"] : {}
  const parts = [textAt(name, "givenName"), textAt(name, "familyName")].filter((part) => part !== undefined)
  const called =
    textAt(resource, "displayName") ??
    textAt(name, "formatted") ??
    (parts.length > 0 ? parts.join(" ") : undefined) ??
    textAt(resource, "userName")
  return called === undefined ? null : called.slice(0, nameMax).toWellFormed()
}

export interface FoundPerson {
  readonly userId: Id<"usr">
  /** Nobody is known, and nobody is made yet. */
  readonly isUnknown: boolean
  /** Was known before, so what is remembered of them is another now. */
  readonly wasKnown: boolean
}

/**
 * Whom a record is about: whoever has its address, in a domain that the organization has verified. For any other address
 * it is a person of its own, known to nobody: an organization speaks for nobody else's. Inside a transaction, after the
 * directory, which `first` may look at; afterwards the person is held by it.
 */
export const findPerson = Effect.fnUntraced(function* (
  sql: Sql,
  principals: Principals["Service"],
  organizationId: Id<"org">,
  { resource }: Pick<Kept, "resource">,
  first?: Fragment
) {
  const email = addressOf(textAt(resource, "userName") ?? "", resource["emails"])
  const found =
    email === undefined
      ? undefined
      : yield* personOfEmail(sql, organizationId, email, { name: nameOf(resource), ...(first && { first }) })
  if (found === undefined) {
    const unknown: FoundPerson = { userId: makeId("usr"), isUnknown: true, wasKnown: false }
    return unknown
  }
  const { isNew, isTakenOver, person } = found
  if (isTakenOver) {
    yield* revokeAll(sql, person.id)
    yield* principals.announce(person.id)
  }
  const known: FoundPerson = { userId: person.id, isUnknown: false, wasKnown: !isNew }
  return known
})
