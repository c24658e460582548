import type { WebhookEndpointEntry } from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { ordered } from "../../../identity/auth/permissions.ts"
import * as repo from "../../../identity/webhook-endpoints/repo.ts"
import { stateIn, type WebhookEndpointsService } from "../../../identity/webhook-endpoints/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { defined } from "../defined.ts"
import { at, type Kind } from "../kind.ts"
import { readPages } from "../read-pages.ts"

type Entry = Omit<typeof WebhookEndpointEntry.Type, "key">

const typesOf = (types: ReadonlyArray<string>) => [...new Set(types)].toSorted()

/** Webhook endpoints. The server generates their signing secrets, which are not in the document. */
export const webhookEndpointsKind = (sql: Sql, endpoints: WebhookEndpointsService["Service"]): Kind => {
  const setState = (caller: Member, id: Id<"whe">, state: Entry["state"]) =>
    Effect.asVoid(state === "paused" ? endpoints.pause(caller, id) : endpoints.resume(caller, id, {}))
  return {
    kind: "webhookEndpoints",
    permissions: {
      read: ["webhookEndpoints:read"],
      write: "webhookEndpoints:write",
      remove: "webhookEndpoints:manage"
    },
    read: ({ organizationId }) =>
      Effect.map(
        readPages((after, limit) => repo.list(sql, organizationId, {}, after, limit)),
        (rows) =>
          rows.map((row) => ({
            id: row.id,
            version: row.version,
            name: row.name,
            item: {
              name: row.name,
              url: row.url,
              types: typesOf(row.types_json),
              permissions: ordered(row.permissions_json),
              ordering: row.ordering,
              signature: row.signature,
              state: stateIn(row)
            }
          }))
      ),
    normalize: (item) => {
      const { permissions, types, url, ...rest } = item as unknown as Entry
      return {
        ...rest,
        url: URL.parse(url)?.href ?? url,
        ...defined({ types: types && typesOf(types), permissions: permissions && ordered(permissions) })
      }
    },
    references: () => [],
    create: Effect.fnUntraced(function* (caller, item) {
      const { state, ...input } = item as unknown as Entry
      const { item: endpoint } = yield* endpoints.create(caller, input)
      if (state === "paused") yield* setState(caller, endpoint.id, state)
      return endpoint.id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields) {
      const id = current.id as Id<"whe">
      const { signature, state, ...input } = fields as Partial<Entry>
      if (signature !== undefined) return yield* InvalidRequest.at(["signature"], "cannot be changed")
      if (Object.keys(input).length > 0) yield* endpoints.update(at(caller, current), id, input)
      if (state !== undefined) yield* setState(caller, id, state)
    }),
    remove: (caller, current) => endpoints.remove(at(caller, current), current.id as Id<"whe">)
  }
}
