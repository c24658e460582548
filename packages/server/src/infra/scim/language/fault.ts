import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** RFC 7644 table 9; what a client's program may go by. */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue"
  | "invalidVers"
  | "sensitive"

/** A request that SCIM refuses; the detail is for the person who set the directory up, and holds nothing secret. */
export class ScimFault extends Data.TaggedError("ScimFault")<{
  readonly status: 400 | 403 | 404 | 409 | 412 | 413 | 429 | 501
  readonly scimType?: ScimType
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

export const refuse = (scimType: ScimType, detail: string): ScimFault =>
  new ScimFault({ status: 400, scimType, detail })

/** The language throws its faults, being recursive all over; here they become what an effect fails with. */
export const judged = <A>(read: () => A): Effect.Effect<A, ScimFault> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (fault) {
      return fault instanceof ScimFault ? Effect.fail(fault) : Effect.die(fault)
    }
  })
