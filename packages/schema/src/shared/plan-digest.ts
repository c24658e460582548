/** The error of an apply whose plan has changed since the caller saw it. */
import * as Schema from "effect/Schema"
import { Sha256 } from "../plugin-archives.ts"
import { conflictWith } from "./errors.ts"

/** 409 with the digest of the current plan. */
export const planDigestMismatch = (message: string) =>
  conflictWith("plan_digest_mismatch", message, {
    planDigest: Schema.optionalKey(
      Sha256.annotate({
        description:
          "The digest of the current plan. Absent if an object changed while the plan was applied, and if a configuration document would now remove objects."
      })
    )
  })
