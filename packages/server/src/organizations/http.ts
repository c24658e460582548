import { OrgplaneApi } from "@orgplane/schema/api"
import { OrganizationNotFound } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { forMember } from "../http/handlers.ts"
import { SqlDatabase } from "../sql/client.ts"
import * as repo from "./repo.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "organizations",
  Effect.fn(function* (handlers) {
    const sql = yield* SqlDatabase
    return handlers.handleAll({
      get: forMember((caller) =>
        Effect.gen(function* () {
          const row = yield* repo.get(sql, caller.organizationId)
          if (row === undefined) return yield* new OrganizationNotFound()
          caller.request.head["etag"] = `"${row.version}"`
          return { organization: repo.toWire(row) }
        })
      )
    })
  })
)
