import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"

/** The normalized URL of a destination that a caller chooses. Fails at `path` if it contains more than an address. */
export const demandPlainUrl = (text: string, path: ReadonlyArray<string>): Effect.Effect<string, InvalidRequest> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isAllowed = url !== undefined && (url.protocol === "https:" || url.protocol === "http:")
  const isPlain = isAllowed && url.username === "" && url.password === "" && url.hash === ""
  return isPlain
    ? Effect.succeed(url.href)
    : Effect.fail(
        InvalidRequest.at(
          [...path],
          "must be an https URL, or an http URL of a host for which the operator allows http, without a user name, a password and a fragment"
        )
      )
}
