/** Keys and references in configuration documents. */
import * as Schema from "effect/Schema"
import { Text } from "../values.ts"

export const keyMax = 64
export const keyPattern = /^[a-z0-9][a-z0-9._-]*$/u
const keyText = Text(1, keyMax).check(
  Schema.isPattern(keyPattern, {
    message: "must begin with a lowercase letter or a digit and contain only a-z, 0-9, '.', '_' and '-'"
  })
)
export const Key = keyText.annotate({
  identifier: "ConfigurationKey",
  description:
    "The stable key of the object. Unique within its kind, and never reused for another object. Declare a rename in `moved`."
})

/** The key of another object. */
export const keyOf = (description: string) => keyText.annotate({ description })

export const description = Schema.optionalKey(
  Schema.NullOr(Text(0, 2000)).annotate({ description: "Default for a new object: null." })
)
