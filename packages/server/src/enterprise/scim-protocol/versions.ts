import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import { ScimFault } from "../../infra/scim/language/index.ts"

export const etagOf = (version: number): string => `W/"${version}"`

/** Whether a list of tags contains the version. Weak and strong tags compare equal (RFC 7644, 3.14). */
export const names = (tags: string, version: number): boolean =>
  tags.trim() === "*" || tags.split(",").some((tag) => tag.trim().replace(/^W\//, "") === `"${version}"`)

/** 412 if the request expects another version. */
export const demandVersion = (caller: DirectoryCaller, version: number): Effect.Effect<void, ScimFault> => {
  const { ifMatch } = caller.request
  return ifMatch === null || names(ifMatch, version)
    ? Effect.void
    : Effect.fail(
        new ScimFault({ status: 412, detail: `The resource has changed. Its current version is ${etagOf(version)}.` })
      )
}
