import * as Effect from "effect/Effect"
import type { ScimFault } from "../../infra/scim/language/index.ts"
import { invalidValue } from "./faults.ts"
import type { StoredResource } from "./directory-repo.ts"

/** The size limit of an indexed text. */
const indexedBytesMax = 1500

/** Checks the values that have their own columns. */
export const bounded = <K extends StoredResource>(
  name: "userName" | "displayName",
  resource: K
): Effect.Effect<K, ScimFault> => {
  const columns = { [name]: resource.columns.name, externalId: resource.columns.externalId ?? "" }
  const long = Object.entries(columns).find(([, text]) => Buffer.byteLength(text) > indexedBytesMax)
  return long === undefined
    ? Effect.succeed(resource)
    : Effect.fail(invalidValue(`${long[0]} is longer than ${indexedBytesMax} bytes.`))
}
