import { ConfigurationTooLarge, contentBytesMax } from "@orgplane/schema/configuration"
import type * as Document from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { ConfigObjectsService } from "../../../content/config-objects/service.ts"
import type { MarketplacesService } from "../../../content/marketplaces/service.ts"
import type { PluginsService } from "../../../content/plugins/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { inTimeSlices, mapSteps } from "../../../infra/time-slices.ts"
import { accessReferences, normalizeAccess, readAccess, setAccess } from "../access.ts"
import { at, demandOwnFields, type Item, type Kind, type Making, type Names } from "../kind.ts"
import {
  comparedOf,
  inOrder,
  isSameObject,
  matched,
  normalizeObject,
  objectOf,
  shownObjects
} from "../plugin-objects.ts"
import * as repo from "../plugins-repo.ts"
import { readPages } from "../read-pages.ts"
import { demandSources, readSources } from "../sources.ts"

type ObjectEntry = Document.ObjectEntry
interface Listed {
  readonly row: repo.PluginRow
  readonly source: typeof Document.PluginSource.Type | undefined
}
type Entry = Partial<Omit<typeof Document.PluginEntry.Type, "key">>

/** The input of an operation on an object. */
const inputOf = ({ description, fileName, relativePath, title, type: _type, ...content }: ObjectEntry) => {
  const metadata = { title, description, fileName, relativePath }
  const present = Object.entries(metadata).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { ...content, metadata: Object.fromEntries(present) as Record<string, string> }
}

/** Gives the errors of an object their location in the document. */
const located = <A, E>(effect: Effect.Effect<A, E>, object: ObjectEntry, stated: Item): Effect.Effect<A, unknown> =>
  Effect.mapError(effect, (error) => {
    if (!(error instanceof InvalidRequest)) return error
    const index = ((stated as Entry).objects ?? []).findIndex((one) => isSameObject(normalizeObject(one), object))
    return new InvalidRequest({
      details: error.details.map(({ path, ...detail }) => ({
        ...detail,
        path: ["objects", index, ...path.filter((part) => !["body", "input", "metadata"].includes(String(part)))]
      }))
    })
  })

/** Plugins, their objects, the marketplaces that contain them, and their grants. */
export const pluginsKind = (
  sql: Sql,
  plugins: PluginsService["Service"],
  objects: ConfigObjectsService["Service"],
  marketplaces: MarketplacesService["Service"]
): Kind => {
  /** The plugins with their sources, without imported ones whose connector was removed. */
  const list = Effect.fnUntraced(function* (organizationId: Id<"org">) {
    const sourceOf = yield* readSources(sql, organizationId)
    const rows = yield* readPages((after, limit) => repo.listPlugins(sql, organizationId, after, limit))
    return rows.flatMap((row): ReadonlyArray<Listed> => {
      if (row.connector_target_id === null) return [{ row, source: undefined }]
      const source = sourceOf(row)
      return source === undefined || row.candidate_key === null
        ? []
        : [{ row, source: { ...source, plugin: row.candidate_key } }]
    })
  })

  const setMarketplaces = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"plg">,
    before: ReadonlyArray<string>,
    after: ReadonlyArray<string>,
    names: Names
  ) {
    const idsOf = (keys: ReadonlyArray<string>) =>
      keys.flatMap((key) => (names.idOf("marketplaces", key) as Id<"mkt"> | undefined) ?? [])
    const [old, current] = [idsOf(before), idsOf(after)]
    for (const one of old.filter((marketplaceId) => !current.includes(marketplaceId))) {
      yield* marketplaces.removePlugin(caller, one, id)
    }
    for (const one of current.filter((marketplaceId) => !old.includes(marketplaceId))) {
      yield* marketplaces.addPlugin(caller, one, id)
    }
  })

  const addObject = (caller: Member, id: Id<"plg">, object: ObjectEntry, stated: Item) =>
    located(
      objects.create(caller, { input: { type: object.type, ...inputOf(object) }, pluginIds: [id] }),
      object,
      stated
    )

  /** An object that is also in another plugin is not changed: the plugin gets its own. */
  const setObjects = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"plg">,
    wanted: ReadonlyArray<ObjectEntry>,
    stated: Item
  ) {
    const rows = yield* repo.listObjects(sql, caller.organizationId, id)
    const existing = yield* inTimeSlices(
      mapSteps(rows, (row) => ({ id: row.id, isShared: row.is_shared, ...comparedOf(objectOf(row)) })),
      1
    )
    const { added, changed, removed } = matched(existing, yield* inTimeSlices(mapSteps(wanted, comparedOf), 1))
    for (const [before, { entry }] of changed) {
      yield* located(objects.createVersion(caller, before.id, { input: inputOf(entry) }), entry, stated)
    }
    for (const one of removed) {
      yield* plugins.removeObject(caller, id, one.id)
      if (!one.isShared) yield* objects.archive(caller, one.id)
    }
    for (const { entry } of added) yield* addObject(caller, id, entry, stated)
  })

  /** Makes the changes other than those of the name and description. */
  const put = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"plg">,
    before: Entry | undefined,
    fields: Entry,
    { names, stated }: Making
  ) {
    const { access, marketplaces: places, objects: wanted } = fields
    if (wanted !== undefined) yield* setObjects(caller, id, wanted, stated)
    if (places !== undefined) yield* setMarketplaces(caller, id, before?.marketplaces ?? [], places, names)
    if (access !== undefined) {
      yield* setAccess(sql, caller, "plugin", id, plugins, access, names, before === undefined)
    }
  })

  return {
    kind: "plugins",
    refersTo: ["teams", "marketplaces"],
    grantedAs: ["plugin", "configObject"],
    permissions: {
      read: ["plugins:read", "configObjects:read"],
      write: "plugins:write",
      remove: "plugins:write",
      fields: { access: "plugins:read", marketplaces: "marketplaces:write", objects: "configObjects:write" }
    },
    readNames: ({ organizationId }) => Effect.map(list(organizationId), (rows) => rows.map(({ row }) => row)),
    read: Effect.fnUntraced(function* (caller, names) {
      const { organizationId } = caller
      const listed = yield* list(organizationId)
      yield* demandSources(
        caller,
        listed.some(({ source }) => source !== undefined)
      )
      if ((yield* repo.objectBytes(sql, organizationId)) > contentBytesMax) return yield* new ConfigurationTooLarge()
      const accessOf = yield* readAccess(sql, organizationId, "plugin", names)
      const places = Map.groupBy(yield* repo.listPlaces(sql, organizationId), (row) => row.plugin_id)
      const contents = Map.groupBy(yield* repo.listObjects(sql, organizationId), (row) => row.plugin_id)
      return yield* Effect.forEach(listed, ({ row, source }) => {
        const isImported = source !== undefined
        const keys = (places.get(row.id) ?? []).flatMap(
          ({ marketplace_id }) => names.keyOf("marketplaces", marketplace_id) ?? []
        )
        const current = Effect.sync(() => ({
          id: row.id,
          version: row.version,
          name: row.name,
          isManagedElsewhere: isImported,
          item: {
            ...(isImported ? { source } : { name: row.name, description: row.description }),
            marketplaces: keys.toSorted(),
            access: accessOf(row.id),
            ...(isImported ? {} : { objects: inOrder((contents.get(row.id) ?? []).map(objectOf)) })
          }
        }))
        // Yields for each plugin, because parsing its objects may take long.
        return Effect.andThen(Effect.yieldNow, current)
      })
    }),
    normalize: (item: Entry) => ({
      ...item,
      ...(item.marketplaces === undefined ? {} : { marketplaces: [...new Set(item.marketplaces)].toSorted() }),
      ...(item.access === undefined ? {} : { access: normalizeAccess(item.access) }),
      ...(item.objects === undefined ? {} : { objects: inOrder(item.objects.map(normalizeObject)) })
    }),
    references: ({ access, marketplaces: places = [] }: Entry) => [
      ...places.map((key, index) => ({ path: ["marketplaces", index], kind: "marketplaces" as const, key })),
      ...accessReferences(access)
    ],
    create: Effect.fnUntraced(function* (caller, item: Entry, making) {
      const { description, name, source } = item
      if (source !== undefined || name === undefined) {
        return yield* InvalidRequest.at(["source"], "is not the source of an imported plugin")
      }
      const { id } = yield* plugins.create(caller, { name, ...(description === undefined ? {} : { description }) })
      yield* put(caller, id, undefined, item, making)
      return id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields: Entry, making) {
      const id = current.id as Id<"plg">
      const { access: _access, marketplaces: _places, objects: _objects, source: _source, ...input } = fields
      yield* demandOwnFields(current, fields)
      if (Object.keys(input).length > 0) yield* plugins.update(at(caller, current), id, input)
      yield* put(caller, id, current.item, fields, making)
    }),
    remove: (caller, current) => plugins.archive(caller, current.id as Id<"plg">).pipe(Effect.asVoid),
    shown: (field, before, after) =>
      field === "objects"
        ? shownObjects((before ?? []) as ReadonlyArray<ObjectEntry>, (after ?? []) as ReadonlyArray<ObjectEntry>)
        : [before, after]
  }
}
