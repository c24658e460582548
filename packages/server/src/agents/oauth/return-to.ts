import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"

/** Where a browser may be sent on to: a program on loopback, or an origin that the operator lists. Null where nobody said. */
export const demandReturnTo = (corsOrigins: ReadonlySet<string>, returnTo: string | undefined) => {
  if (returnTo === undefined) return Effect.succeed(null)
  const url = new URL(returnTo)
  return url.protocol === "http:" || corsOrigins.has(url.origin)
    ? Effect.succeed(url.href)
    : Effect.fail(
        InvalidRequest.at(["body", "returnTo"], "is of an origin that the operator of this server does not list")
      )
}
