import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The error types of RFC 7644, table 9, which clients may depend on. */
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

/** A rejected request. The detail is for the person who configures the directory, and contains no secret. */
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

/** The parsers throw their faults, because they are recursive; this turns them into failures. */
export const attemptParse = <A>(read: () => A): Effect.Effect<A, ScimFault> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (fault) {
      return fault instanceof ScimFault ? Effect.fail(fault) : Effect.die(fault)
    }
  })
