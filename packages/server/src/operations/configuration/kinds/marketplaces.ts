import type * as Document from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { ApprovalSettingsService } from "../../../content/approvals/settings-service.ts"
import type { MarketplacesService } from "../../../content/marketplaces/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { accessReferences, normalizeAccess, readAccess, setAccess } from "../access.ts"
import * as repo from "../content-repo.ts"
import { at, demandOwnFields, type Kind, type Names } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import { demandSources, readSources } from "../sources.ts"

type Entry = Partial<Omit<typeof Document.MarketplaceEntry.Type, "key">>

/** Marketplaces, their delivery mode and their grants. Those that were imported are never created or removed. */
export const marketplacesKind = (
  sql: Sql,
  marketplaces: MarketplacesService["Service"],
  settings: ApprovalSettingsService["Service"]
): Kind => {
  const put = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"mkt">,
    { access, deliveryMode }: Entry,
    names: Names,
    isNew: boolean
  ) {
    if (deliveryMode !== undefined) yield* settings.setMarketplaceMode(caller, id, deliveryMode)
    if (access !== undefined) yield* setAccess(sql, caller, "marketplace", id, marketplaces, access, names, isNew)
  })
  /** The marketplaces with their sources, without imported ones whose connector was removed. */
  const list = Effect.fnUntraced(function* (organizationId: Id<"org">) {
    const sourceOf = yield* readSources(sql, organizationId)
    const rows = yield* readPages((after, limit) => repo.listMarketplaces(sql, organizationId, after, limit))
    return rows.flatMap((row) => {
      const source = sourceOf(row)
      return row.connector_target_id !== null && source === undefined ? [] : [{ row, source }]
    })
  })
  return {
    kind: "marketplaces",
    refersTo: ["teams"],
    grantedAs: ["marketplace"],
    permissions: {
      read: ["marketplaces:read", "approvals:read"],
      write: "marketplaces:write",
      remove: "marketplaces:write",
      fields: { access: "marketplaces:read", deliveryMode: "approvals:manage" }
    },
    readNames: ({ organizationId }) => Effect.map(list(organizationId), (listed) => listed.map(({ row }) => row)),
    read: Effect.fnUntraced(function* (caller, names) {
      const accessOf = yield* readAccess(sql, caller.organizationId, "marketplace", names)
      const listed = yield* list(caller.organizationId)
      yield* demandSources(
        caller,
        listed.some(({ source }) => source !== undefined)
      )
      return listed.map(({ row, source }) => ({
        id: row.id,
        version: row.version,
        name: row.name,
        isManagedElsewhere: source !== undefined,
        item: {
          ...(source === undefined ? { name: row.name, description: row.description } : { source }),
          logoUrl: row.logo_url,
          deliveryMode: row.delivery_mode ?? "auto",
          access: accessOf(row.id)
        }
      }))
    }),
    normalize: (item: Entry) => (item.access === undefined ? item : { ...item, access: normalizeAccess(item.access) }),
    references: (item: Entry) => accessReferences(item.access),
    create: Effect.fnUntraced(function* (caller, item: Entry, { names }) {
      const { access: _access, deliveryMode: _mode, name, source, ...input } = item
      if (source !== undefined || name === undefined) {
        return yield* InvalidRequest.at(["source"], "is not the source of an imported marketplace")
      }
      const { id } = yield* marketplaces.create(caller, { name, ...input })
      yield* put(caller, id, item, names, true)
      return id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields: Entry, { names }) {
      const id = current.id as Id<"mkt">
      const { access: _access, deliveryMode: _mode, source: _source, ...input } = fields
      yield* demandOwnFields(current, fields)
      if (Object.keys(input).length > 0) yield* marketplaces.update(at(caller, current), id, input)
      yield* put(caller, id, fields, names, false)
    }),
    remove: (caller, current) => marketplaces.archive(caller, current.id as Id<"mkt">).pipe(Effect.asVoid)
  }
}
