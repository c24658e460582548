import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"

/** Accepts a loopback URL or an origin that the operator lists. Null when no `returnTo` was given. */
export const demandReturnTo = (corsOrigins: ReadonlySet<string>, returnTo: string | undefined) => {
  if (returnTo === undefined) return Effect.succeed(null)
  const url = new URL(returnTo)
  return url.protocol === "http:" || corsOrigins.has(url.origin)
    ? Effect.succeed(url.href)
    : Effect.fail(
        InvalidRequest.at(["body", "returnTo"], "must be a loopback URL or have an origin that the operator allows")
      )
}
