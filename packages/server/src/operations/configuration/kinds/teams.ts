import type * as Document from "@orgplane/schema/shared/configuration-document"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as repo from "../../../identity/teams/repo.ts"
import type { TeamsService } from "../../../identity/teams/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { at, type Kind } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import * as membersRepo from "../team-members-repo.ts"

type Entry = Omit<typeof Document.TeamEntry.Type, "key">

const memberships = <A>(emails: ReadonlyArray<string>, idOf: (email: string) => A | undefined): ReadonlyArray<A> =>
  emails.flatMap((email) => {
    const id = idOf(email)
    return id === undefined ? [] : [id]
  })

/** Teams, and their members by email address unless SCIM manages them. */
export const teamsKind = (sql: Sql, teams: TeamsService["Service"]): Kind => ({
  kind: "teams",
  permissions: { read: ["teams:read", "members:read"], write: "teams:write", remove: "teams:manage" },
  read: Effect.fnUntraced(function* ({ organizationId }, names) {
    const rows = yield* readPages((after, limit) => repo.list(sql, organizationId, {}, after, limit))
    const managed = new Set((yield* membersRepo.listManaged(sql, organizationId)).map(({ id }) => id))
    const members = new Map<string, Array<string>>()
    for (const { membership_id, team_id } of yield* membersRepo.listMembers(sql, organizationId)) {
      const email = names.emailOf(membership_id)
      if (email === undefined) continue
      const list = members.get(team_id)
      if (list === undefined) members.set(team_id, [email])
      else list.push(email)
    }
    return rows.map((row) => ({
      id: row.id,
      version: row.version,
      name: row.name,
      isManagedElsewhere: managed.has(row.id),
      item: {
        name: row.name,
        description: row.description,
        ...(managed.has(row.id) ? {} : { members: (members.get(row.id) ?? []).toSorted() })
      }
    }))
  }),
  normalize: (item) => {
    const { members, ...rest } = item as unknown as Entry
    return members === undefined
      ? rest
      : { ...rest, members: [...new Set(members.map((email) => email.toLowerCase()))].toSorted() }
  },
  references: (item) =>
    ((item as unknown as Entry).members ?? []).map((email, index) => ({
      path: ["members", index],
      email: email.toLowerCase()
    })),
  create: Effect.fnUntraced(function* (caller, item, { names }) {
    const { members = [], ...input } = item as unknown as Entry
    const { team } = yield* teams.create(caller, input)
    yield* teams.addMembers(caller, team.id, memberships(members, names.membershipOf))
    return team.id
  }),
  update: Effect.fnUntraced(function* (caller, current, fields, { names }) {
    const id = current.id as Id<"tem">
    const { members, ...input } = fields as Partial<Entry>
    if (Object.keys(input).length > 0) yield* teams.update(at(caller, current), id, input)
    if (members === undefined) return
    const before = new Set((current.item as unknown as Entry).members)
    const after = new Set(members)
    const [added, removed] = [
      members.filter((email) => !before.has(email)),
      [...before].filter((email) => !after.has(email))
    ]
    yield* teams.removeMembers(caller, id, memberships(removed, names.membershipOf))
    yield* teams.addMembers(caller, id, memberships(added, names.membershipOf))
  }),
  remove: (caller, current) => teams.remove(at(caller, current), current.id as Id<"tem">)
})
