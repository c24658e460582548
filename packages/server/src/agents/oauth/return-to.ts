import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { Settings } from "../../infra/config/settings.ts"

/**
 * Accepts a loopback URL, a page of the console, or an origin that the operator lists. Null when no `returnTo` was given.
 */
export const demandReturnTo = (
  { consoleUrl, corsOrigins }: Pick<Settings["Service"], "consoleUrl" | "corsOrigins">,
  returnTo: string | undefined
) => {
  if (returnTo === undefined) return Effect.succeed(null)
  const url = new URL(returnTo)
  const isOfConsole = consoleUrl !== null && url.href.startsWith(`${new URL(consoleUrl).href}/`)
  return url.protocol === "http:" || isOfConsole || corsOrigins.has(url.origin)
    ? Effect.succeed(url.href)
    : Effect.fail(
        InvalidRequest.at(
          ["body", "returnTo"],
          "must be a loopback URL, a page of the console, or have an origin that the operator allows"
        )
      )
}
