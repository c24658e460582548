import type * as Document from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest, PreconditionFailed } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as repo from "../../../content/assignments/repo.ts"
import type { AssignmentsService } from "../../../content/assignments/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { at, type Kind, type Making, type Names } from "../kind.ts"
import { normalizePeople, peopleIds, type PeopleIds, peopleKeys, peopleReferences } from "../people.ts"
import { readPages } from "../read-pages.ts"

type Entry = Partial<Omit<typeof Document.AssignmentEntry.Type, "key">>
type Audience = NonNullable<Entry["to"]>

const noRecipients = () => InvalidRequest.at(["to"], "must include at least one team or member")

const idsOf = (to: Audience, names: Names, before?: PeopleIds) =>
  to.everyone === true ? { teamIds: [], memberIds: [] } : peopleIds(normalizePeople(to), names, before)

const countOf = ({ memberIds, teamIds }: PeopleIds) => memberIds.length + teamIds.length

/** Assignments of plugins and marketplaces. Those of removed plugins and marketplaces are left out. */
export const assignmentsKind = (sql: Sql, assignments: AssignmentsService["Service"]): Kind => {
  const create = Effect.fnUntraced(function* (caller: Member, item: Entry, { names }: Making) {
    const { marketplace, mode = "available", plugin, to = {}, ...input } = item
    const ids = idsOf(to, names)
    if (to.everyone !== true && countOf(ids) === 0) return yield* noRecipients()
    const pluginId = plugin === undefined ? undefined : names.idOf("plugins", plugin)
    const marketplaceId = marketplace === undefined ? undefined : names.idOf("marketplaces", marketplace)
    const { id } = yield* assignments.create(caller, {
      ...(pluginId === undefined ? {} : { pluginId: pluginId as Id<"plg"> }),
      ...(marketplaceId === undefined ? {} : { marketplaceId: marketplaceId as Id<"mkt"> }),
      mode,
      ...input,
      ...ids
    })
    return id
  })
  return {
    kind: "assignments",
    refersTo: ["teams", "marketplaces", "plugins"],
    permissions: { read: ["assignments:read"], write: "assignments:write", remove: "assignments:manage" },
    read: Effect.fnUntraced(function* (caller, names) {
      const rows = yield* readPages((after, limit) => repo.list(sql, caller, {}, after, limit))
      return rows.flatMap((row) => {
        const [kind, id] =
          row.plugin_id === null
            ? (["marketplaces", row.marketplace_id] as const)
            : (["plugins", row.plugin_id] as const)
        const key = names.keyOf(kind, id ?? "")
        if (key === undefined) return []
        const { for_organization: everyone, member_ids: memberIds, team_ids: teamIds } = row
        return [
          {
            id: row.id,
            version: row.version,
            name: `${key} ${row.mode}`,
            item: {
              ...(kind === "plugins" ? { plugin: key } : { marketplace: key }),
              mode: row.mode,
              priority: row.priority,
              pinnedDigest: row.pinned_digest,
              to: everyone ? { everyone } : peopleKeys({ memberIds, teamIds }, names)
            }
          }
        ]
      })
    }),
    normalize: (item: Entry) =>
      item.to === undefined
        ? item
        : { ...item, to: item.to.everyone === true ? { everyone: true } : normalizePeople(item.to) },
    references: ({ marketplace, plugin, to = {} }: Entry) => [
      ...(plugin === undefined ? [] : [{ path: ["plugin"], kind: "plugins" as const, key: plugin }]),
      ...(marketplace === undefined
        ? []
        : [{ path: ["marketplace"], kind: "marketplaces" as const, key: marketplace }]),
      ...peopleReferences(to, ["to"])
    ],
    create,
    update: Effect.fnUntraced(function* (caller, current, fields: Entry, { names }) {
      const id = current.id as Id<"asg">
      const { marketplace, plugin, to, ...input } = fields
      if (plugin !== undefined || marketplace !== undefined) {
        return yield* InvalidRequest.at(
          [plugin === undefined ? "marketplace" : "plugin"],
          "cannot be changed. To assign another plugin or marketplace, use a new key"
        )
      }
      const { item: before, version } = yield* assignments.get(caller, id)
      const { mode, pinnedDigest, priority } = before
      // The removal of a team or member in the same transaction changes the version.
      const { mode: oldMode, pinnedDigest: oldDigest, priority: oldPriority } = current.item as Entry
      if (mode !== oldMode || pinnedDigest !== oldDigest || priority !== oldPriority) {
        return yield* new PreconditionFailed()
      }
      if (to === undefined) {
        yield* assignments.update(at(caller, { version }), id, input)
        return
      }
      const ids = idsOf(to, names, before)
      if (to.everyone !== true && countOf(ids) === 0) return yield* noRecipients()
      // An assignment whose teams and members were all removed does not become one for everyone by an empty list.
      yield* assignments.update(at(caller, { version }), id, {
        ...input,
        ...ids,
        forOrganization: to.everyone === true
      })
    }),
    remove: (caller, current) => assignments.remove(at(caller, current), current.id as Id<"asg">)
  }
}
