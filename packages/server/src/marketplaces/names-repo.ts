import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { slug } from "../plugins/archive-names.ts"
import type { Sql } from "../sql/client.ts"
import { notReserved } from "./reserved-names.ts"

/** Of an identifier, as much as keeps two names apart; then all of it, and at last as often as somebody guessed that. */
const suffixesOf = (id: string): ReadonlyArray<string> => {
  const random = id.slice(id.indexOf("_") + 1)
  return [random.slice(-6), random, ...Array.from({ length: 8 }, (_, index) => `${random}-${index + 2}`)]
}

interface Named {
  readonly id: string
  readonly wanted: string
}

/**
 * Gives names to those that have none. Each attempt is one statement whose unique indexes decide, so two at once never
 * give one name to two things, or two names to one. A taken name gets a suffix from the identifier of its new bearer: a
 * number would tell how many others there are.
 */
const giveNames = Effect.fnUntraced(function* <E, R>(
  unnamed: ReadonlyArray<Named>,
  give: (
    names: ReadonlyArray<{ readonly id: string; readonly name: string }>
  ) => Effect.Effect<ReadonlySet<string>, E, R>
) {
  let left = unnamed
  for (let attempt = -1; left.length > 0 && attempt < 10; attempt += 1) {
    const named = yield* give(
      left.map(({ id, wanted }) => {
        const suffix = attempt < 0 ? undefined : suffixesOf(id)[attempt]
        return { id, name: suffix === undefined ? wanted : `${wanted}-${suffix}` }
      })
    )
    left = left.filter(({ id }) => !named.has(id))
  }
  if (left.length > 0) return yield* Effect.die(new Error("No free name was found."))
})

const stated = `CASE WHEN jsonb_typeof(p.manifest_json #> '{lifecycle,metadata,name}') = 'string'
  THEN p.manifest_json #>> '{lifecycle,metadata,name}' END`

/** Gives each of the plugins its name in the marketplace, unless it has one; plugins that enter again have theirs. */
export const giveToPlugins = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  marketplaceId: Id<"mkt">,
  pluginIds: ReadonlyArray<string>
) {
  if (pluginIds.length === 0) return
  const rows = yield* sql<{ id: string; name: string; stated: string | null }>`SELECT p.id, p.name,
      ${sql.literal(stated)} AS stated
    FROM plugins p
    WHERE p.organization_id = ${organizationId} AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(pluginIds)}))
      AND NOT EXISTS (SELECT 1 FROM marketplace_plugin_names n WHERE n.organization_id = ${organizationId}
        AND n.marketplace_id = ${marketplaceId} AND n.plugin_id = p.id)
    ORDER BY p.id`
  yield* giveNames(
    rows.map(({ id, name, stated }) => ({ id, wanted: slug(stated ?? name, "plugin") })),
    (names) =>
      sql`INSERT INTO marketplace_plugin_names (organization_id, marketplace_id, name, plugin_id, created_at)
        SELECT ${organizationId}, ${marketplaceId}, r.name, r.id, now()
        FROM jsonb_to_recordset(${sql.json(names)}) AS r(id text, name text) ORDER BY r.name, r.id
        ON CONFLICT DO NOTHING`.pipe(
        Effect.andThen(
          sql<{ plugin_id: string }>`SELECT plugin_id FROM marketplace_plugin_names
            WHERE organization_id = ${organizationId} AND marketplace_id = ${marketplaceId}
              AND plugin_id IN (SELECT r.id FROM jsonb_to_recordset(${sql.json(names)}) AS r(id text))`
        ),
        Effect.map((given) => new Set(given.map(({ plugin_id }) => plugin_id)))
      )
  )
})

/** The names of plugins in a marketplace, by plugin. */
export const ofPlugins = (
  sql: Sql,
  organizationId: Id<"org">,
  marketplaceId: Id<"mkt">,
  pluginIds: ReadonlyArray<string>
) =>
  sql<{ plugin_id: string; name: string }>`SELECT plugin_id, name FROM marketplace_plugin_names
    WHERE organization_id = ${organizationId} AND marketplace_id = ${marketplaceId}
      AND plugin_id IN (SELECT jsonb_array_elements_text(${sql.json(pluginIds)}))`.pipe(
    Effect.map((rows) => new Map(rows.map(({ name, plugin_id }) => [plugin_id, name])))
  )

/** Gives a marketplace the name that agents know it by, unless it has one. */
export const giveToMarketplace = (
  sql: Sql,
  organizationId: Id<"org">,
  marketplace: { readonly id: Id<"mkt">; readonly name: string }
) =>
  giveNames([{ id: marketplace.id, wanted: notReserved(slug(marketplace.name, "marketplace")) }], (names) =>
    sql`INSERT INTO marketplace_names (organization_id, name, marketplace_id, created_at)
      SELECT ${organizationId}, r.name, r.id, now()
      FROM jsonb_to_recordset(${sql.json(names)}) AS r(id text, name text)
      ON CONFLICT DO NOTHING`.pipe(
      Effect.andThen(ofMarketplace(sql, organizationId, marketplace.id)),
      Effect.map((name) => new Set(name === undefined ? [] : [marketplace.id]))
    )
  )

export const ofMarketplace = (sql: Sql, organizationId: Id<"org">, id: Id<"mkt">) =>
  sql<{ name: string }>`SELECT name FROM marketplace_names
    WHERE organization_id = ${organizationId} AND marketplace_id = ${id}`.pipe(Effect.map((rows) => rows[0]?.name))
