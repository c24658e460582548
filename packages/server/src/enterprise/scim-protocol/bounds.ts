import * as Effect from "effect/Effect"
import type { ScimFault } from "../../infra/scim/language/index.ts"
import { wrong } from "./faults.ts"
import type { Kept } from "./users-repo.ts"

/** The size limit of an indexed text. */
const indexedBytesMax = 1500

/** Checks the values that have their own columns. */
export const bounded = <K extends Kept>(name: "userName" | "displayName", kept: K): Effect.Effect<K, ScimFault> => {
  const columns = { [name]: kept.columns.name, externalId: kept.columns.externalId ?? "" }
  const long = Object.entries(columns).find(([, text]) => Buffer.byteLength(text) > indexedBytesMax)
  return long === undefined
    ? Effect.succeed(kept)
    : Effect.fail(wrong(`${long[0]} is longer than ${indexedBytesMax} bytes.`))
}
