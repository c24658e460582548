import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { forMember } from "../http/handlers.ts"
import { Pages } from "../pages/index.ts"
import { SqlDatabase } from "../sql/client.ts"
import * as repo from "./repo.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "audit",
  Effect.fn(function* (handlers) {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    return handlers.handleAll({
      list: forMember((caller, { query }) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.read(
          { operation: "audit.list", organizationId: caller.organizationId, filters },
          query,
          (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
          (row) => row.id,
          repo.toWire
        )
      })
    })
  })
)
