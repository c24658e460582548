import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { slug } from "../plugins/archive-names.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { notReserved } from "./reserved-names.ts"

/**
 * Suffixes in the order they are tried: the end of the identifier, the whole identifier, then the whole identifier with
 * a number.
 */
const suffixesOf = (id: string): ReadonlyArray<string> => {
  const random = id.slice(id.indexOf("_") + 1)
  return [random.slice(-6), random, ...Array.from({ length: 8 }, (_, index) => `${random}-${index + 2}`)]
}

interface NameRequest {
  readonly id: string
  readonly wanted: string
}

/**
 * Assigns missing names. Each attempt is one statement, and its unique indexes ensure that concurrent calls never
 * assign one name twice, or two names to one row. When a name is taken, a suffix from the identifier is added: a
 * counter would reveal how many others exist.
 */
const giveNames = Effect.fnUntraced(function* <E, R>(
  unnamed: ReadonlyArray<NameRequest>,
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

const statedName = `CASE WHEN jsonb_typeof(p.manifest_json #> '{lifecycle,metadata,name}') = 'string'
  THEN p.manifest_json #>> '{lifecycle,metadata,name}' END`

/** Assigns each plugin its name in the marketplace, unless it already has one from before. */
export const giveToPlugins = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  marketplaceId: Id<"mkt">,
  pluginIds: ReadonlyArray<string>
) {
  if (pluginIds.length === 0) return
  const rows = yield* sql<{ id: string; name: string; stated: string | null }>`SELECT p.id, p.name,
      ${sql.literal(statedName)} AS stated
    FROM (SELECT DISTINCT jsonb_array_elements_text(${sql.json(pluginIds)}) AS id) added
    CROSS JOIN LATERAL (SELECT o.id, o.name, o.manifest_json FROM plugins o
      WHERE o.organization_id = ${organizationId} AND o.id = added.id OFFSET 0) p
    WHERE NOT EXISTS (SELECT 1 FROM marketplace_plugin_names n WHERE n.organization_id = ${organizationId}
        AND n.marketplace_id = ${marketplaceId} AND n.plugin_id = p.id)
    ORDER BY p.id`
  yield* giveNames(
    rows.map(({ id, name, stated: statedName }) => ({ id, wanted: slug(statedName ?? name, "plugin") })),
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
        Effect.map((named) => new Set(named.map(({ plugin_id }) => plugin_id)))
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

/** Assigns a marketplace its published name, unless it already has one. */
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
