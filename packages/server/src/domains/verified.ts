import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"
import { normaliseEmail } from "../users/email.ts"
import * as users from "../users/repo.ts"
import { makeId } from "../ids.ts"
import * as repo from "./repo.ts"

/** The organization that has verified the domain of an address, which is verified until the transaction ends. */
export const ownerOfEmail = (sql: Sql, email: string) => {
  const domain = normaliseEmail(email)?.split("@")[1]
  return domain === undefined ? Effect.succeed(undefined) : repo.ownerOf(sql, domain)
}

/**
 * The person who has an address in a domain that the organization has verified, made known where nobody has it;
 * undefined for any other address: an organization speaks for nobody else's. Whoever wrote the address down without
 * proving it before is signed out everywhere by the caller, when `isTakenOver`.
 */
export const personOfEmail = (sql: Sql, organizationId: Id<"org">, email: string) =>
  Effect.gen(function* () {
    const normalised = normaliseEmail(email)
    if (normalised === undefined || (yield* ownerOfEmail(sql, normalised)) !== organizationId) return undefined
    const known = yield* users.findByEmail(sql, normalised)
    const id = makeId("usr")
    const person = yield* users.proved(sql, id, normalised)
    if (person === undefined) return yield* Effect.die(new Error("A person who was just written is not there."))
    return { person, isNew: person.id === id, isTakenOver: known !== undefined && !known.email_verified }
  })
