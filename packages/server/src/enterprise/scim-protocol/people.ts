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
import type { StoredResource } from "./directory-repo.ts"

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textAt = (resource: JsonObject, name: string): string | undefined => {
  const value = resource[name]
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const nameMax = 120

/** A display name for a new user. */
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

export interface PersonMatch {
  readonly userId: Id<"usr">
  /** No user was found, and none is created yet. */
  readonly isMissing: boolean
  /** The user existed before, so cached credentials must be evicted. */
  readonly isExisting: boolean
}

/**
 * The user that a SCIM user represents: the one with its email address, if the organization has verified the domain.
 * Otherwise a new user without an email address, because an organization cannot vouch for other addresses. Call it
 * inside a transaction. `first` can lock the directory; the user is locked afterwards.
 */
export const findPerson = Effect.fnUntraced(function* (
  sql: Sql,
  principals: Principals["Service"],
  organizationId: Id<"org">,
  { resource }: Pick<StoredResource, "resource">,
  first?: Fragment
) {
  const email = addressOf(textAt(resource, "userName") ?? "", resource["emails"])
  const match =
    email === undefined
      ? undefined
      : yield* personOfEmail(sql, organizationId, email, { name: nameOf(resource), ...(first && { first }) })
  if (match === undefined) {
    const unknown: PersonMatch = { userId: makeId("usr"), isMissing: true, isExisting: false }
    return unknown
  }
  const { isNew, isTakenOver, person } = match
  if (isTakenOver) {
    yield* revokeAll(sql, person.id)
    yield* principals.announce(person.id)
  }
  const existing: PersonMatch = { userId: person.id, isMissing: false, isExisting: !isNew }
  return existing
})
