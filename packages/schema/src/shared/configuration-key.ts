/** The keys by which configuration documents address objects. */
import * as Schema from "effect/Schema"
import { Text } from "./values.ts"

export const keyMax = 64
export const Key = Text(1, keyMax)
  .check(
    Schema.isPattern(/^[a-z0-9][a-z0-9._-]*$/u, {
      message: "must begin with a lowercase letter or a digit and contain only a-z, 0-9, '.', '_' and '-'"
    })
  )
  .annotate({
    identifier: "ConfigurationKey",
    description:
      "The stable key of the object. Unique for its kind, and never used for another object. Declare a rename in `moved`."
  })
