/** The branches of a connector and their mappings as a field of its entry. */
import type { BranchEntry, MappingEntry } from "@orgplane/schema/shared/configuration-outside"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { MappingsService } from "../../content/connectors/mappings-service.ts"
import type { TargetsService } from "../../content/connectors/targets-service.ts"
import { canonicalJson } from "../../infra/canonical-json.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./connectors-repo.ts"
import { defined } from "./defined.ts"
import type { Names, Reference } from "./kind.ts"

type Branches = ReadonlyArray<BranchEntry>
/** Branches with their defaults. */
type Normalized = ReadonlyArray<Required<BranchEntry>>
type Mappings = ReadonlyArray<MappingEntry>

const textOf = ({ objectType, plugin, selector }: MappingEntry) => JSON.stringify([selector, objectType, plugin])

const normalizeMapping = ({ autoAddToPlugin, plugin, ...mapping }: MappingEntry): MappingEntry => ({
  ...mapping,
  ...defined({ plugin }),
  autoAddToPlugin: autoAddToPlugin ?? plugin !== undefined
})

const normalizeMappings = (mappings: Mappings): Mappings =>
  mappings.map(normalizeMapping).toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1))

export const normalizeBranches = (branches: Branches): Normalized =>
  branches
    .map(({ branch, config = {}, mappings = [] }) => ({ branch, config, mappings: normalizeMappings(mappings) }))
    .toSorted((one, other) => (one.branch < other.branch ? -1 : 1))

export const branchReferences = (branches: Branches = []): ReadonlyArray<Reference> =>
  branches.flatMap(({ mappings = [] }, index) =>
    mappings.flatMap(({ plugin }, place) =>
      plugin === undefined
        ? []
        : [{ path: ["branches", index, "mappings", place, "plugin"], kind: "plugins", key: plugin } as const]
    )
  )

/** A mapping in the document. A plugin that was archived is not in it. */
const entryOf = (row: repo.MappingRow, names: Names): MappingEntry => {
  const plugin = row.plugin_id === null ? undefined : names.keyOf("plugins", row.plugin_id)
  return normalizeMapping({
    selector: row.selector,
    objectType: row.object_type,
    ...defined({ plugin }),
    autoAddToPlugin: plugin !== undefined && row.auto_add_to_plugin
  })
}

/** The configuration of a branch without the member that imports store in it. */
const configOf = ({ config_json: { marketplaceId: _marketplaceId, ...config } }: repo.BranchRow) => config

/** The branches of all connectors, by connector. */
export const readBranches = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, names: Names) {
  const mappings = new Map<string, Array<MappingEntry>>()
  for (const row of yield* repo.listMappings(sql, organizationId)) {
    const list = mappings.get(row.connector_target_id)
    if (list === undefined) mappings.set(row.connector_target_id, [entryOf(row, names)])
    else list.push(entryOf(row, names))
  }
  const branches = new Map<string, Array<BranchEntry>>()
  for (const row of yield* repo.listBranches(sql, organizationId)) {
    const entry = { branch: row.branch, config: configOf(row), mappings: mappings.get(row.id) ?? [] }
    const list = branches.get(row.connector_instance_id)
    if (list === undefined) branches.set(row.connector_instance_id, [entry])
    else list.push(entry)
  }
  return (id: string) => ({
    // The oldest one comes first.
    branch: branches.get(id)?.[0]?.branch ?? "",
    branches: normalizeBranches(branches.get(id) ?? [])
  })
})

const located = <A, E>(made: Effect.Effect<A, E>, path: ReadonlyArray<string | number>) =>
  Effect.mapError(made, (error) =>
    error instanceof InvalidRequest
      ? new InvalidRequest({
          details: error.details.map((detail) => ({
            message: detail.message,
            path: [
              ...path,
              ...detail.path.filter((part) => part !== "body").map((part) => (part === "pluginId" ? "plugin" : part))
            ]
          }))
        })
      : error
  )

/** Creates, updates and deletes branches and mappings until the connector has these. */
export const makeSetBranches = (sql: Sql, targets: TargetsService["Service"], service: MappingsService["Service"]) => {
  const setMappings = Effect.fnUntraced(function* (
    caller: Member,
    targetId: Id<"ctg">,
    wanted: Mappings,
    stated: Mappings,
    path: ReadonlyArray<string | number>,
    names: Names
  ) {
    const rows = (yield* repo.listMappings(sql, caller.organizationId))
      .filter((row) => row.connector_target_id === targetId)
      .map((row) => ({ id: row.id, entry: entryOf(row, names) }))
    const [left, open] = [new Set(rows), new Set(wanted)]
    const pairs: Array<readonly [(typeof rows)[number], MappingEntry]> = []
    // The same mapping first, then one that only gets another plugin.
    for (const isMatch of [
      (one: MappingEntry, other: MappingEntry) => textOf(one) === textOf(other),
      (one: MappingEntry, other: MappingEntry) => one.selector === other.selector && one.objectType === other.objectType
    ]) {
      for (const entry of [...open]) {
        const row = [...left].find((one) => isMatch(one.entry, entry))
        if (row === undefined) continue
        left.delete(row)
        open.delete(entry)
        pairs.push([row, entry])
      }
    }
    const pluginOf = (plugin: string | undefined) =>
      plugin === undefined ? null : ((names.idOf("plugins", plugin) as Id<"plg"> | undefined) ?? null)
    const placeOf = (entry: MappingEntry) => [...path, stated.findIndex((one) => textOf(one) === textOf(entry))]
    for (const { id } of left) yield* service.remove(caller, id)
    for (const [{ entry: before, id }, entry] of pairs) {
      if (canonicalJson(before) === canonicalJson(entry)) continue
      const { autoAddToPlugin = false, plugin } = entry
      yield* located(service.update(caller, id, { pluginId: pluginOf(plugin), autoAddToPlugin }), placeOf(entry))
    }
    for (const entry of open) {
      const { autoAddToPlugin = false, objectType, plugin, selector } = entry
      yield* located(
        service.create(caller, targetId, { selector, objectType, pluginId: pluginOf(plugin), autoAddToPlugin }),
        placeOf(entry)
      )
    }
  })

  return Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"cin">,
    branches: Normalized,
    stated: Branches,
    names: Names
  ) {
    const existing = new Map(
      (yield* repo.listBranches(sql, caller.organizationId))
        .filter((row) => row.connector_instance_id === id)
        .map((row) => [row.branch, row])
    )
    const missing = [...existing.keys()].find((name) => !branches.some(({ branch }) => branch === name))
    if (missing !== undefined) {
      return yield* InvalidRequest.at(["branches"], `must include ${missing}, because branches cannot be removed`)
    }
    for (const { branch, config, mappings } of branches) {
      const index = stated.findIndex((one) => one.branch === branch)
      const row = existing.get(branch)
      const targetId = row?.id ?? (yield* located(targets.createTarget(caller, id, { branch }), ["branches", index])).id
      const current = row === undefined ? {} : configOf(row)
      if (canonicalJson(config) !== canonicalJson(current)) yield* targets.updateTarget(caller, targetId, { config })
      const path = ["branches", index, "mappings"]
      yield* setMappings(caller, targetId, mappings, stated[index]?.mappings ?? [], path, names)
    }
  })
}
