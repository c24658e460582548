/** Access to an object in configuration documents. */
import * as Schema from "effect/Schema"
import { GrantRole } from "../grants.ts"
import { Email } from "../values.ts"
import { keyOf } from "./key.ts"

export const accessMax = 5000

interface Recipient {
  readonly everyone?: true
  readonly team?: string
  readonly member?: string
}

export const AccessEntry = Schema.Struct({
  everyone: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Every member of the organization." })),
  team: Schema.optionalKey(keyOf("The key of a team.")),
  member: Schema.optionalKey(Email.annotate({ description: "The email address of a member." })),
  role: GrantRole
})
  .check(
    Schema.makeFilter((recipient: Recipient) =>
      [recipient.everyone, recipient.team, recipient.member].filter((one) => one !== undefined).length === 1
        ? undefined
        : "must include exactly one of: everyone, team, member"
    )
  )
  .annotate({
    identifier: "ConfigurationAccess",
    description: "A recipient, and the role that the recipient has on the object."
  })
export type AccessEntry = typeof AccessEntry.Type

export const recipientOf = ({ member, team }: Recipient): string =>
  team !== undefined ? `team ${team}` : member !== undefined ? `member ${member.toLowerCase()}` : "everyone"

export const access = Schema.optionalKey(
  Schema.Array(AccessEntry)
    .check(
      Schema.isMaxLength(accessMax),
      Schema.makeFilter((list: ReadonlyArray<Recipient>) =>
        new Set(list.map(recipientOf)).size === list.length ? undefined : "must not contain duplicate recipients"
      )
    )
    .annotate({
      description:
        "All grants on the object: a recipient that is not listed loses its grant. If omitted, the grants are not changed, and only the creator has access to a new object. Owners and admins have access without a grant."
    })
)
