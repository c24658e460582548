import type { EffectiveResponse } from "@orgplane/schema/desktop-policies"
import type { OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** The desktop policy that applies to a caller. The desktop-policies module implements it, because it may import this one. */
export class OwnDesktopPolicy extends Context.Service<
  OwnDesktopPolicy,
  {
    readonly get: (
      caller: Member,
      query: { readonly explain?: "true" | "false" }
    ) => Effect.Effect<EffectiveResponse, OrganizationNotFound | SqlError>
  }
>()("@orgplane/server/users/OwnDesktopPolicy") {}
