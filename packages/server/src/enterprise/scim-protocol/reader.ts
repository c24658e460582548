import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { Settings } from "../../infra/config/settings.ts"
import {
  attemptParse,
  type JsonObject,
  parseSelection,
  project,
  type Related,
  type ScimFault,
  type Selection,
  toWire,
  wants
} from "../../infra/scim/language/index.ts"
import { ScimLog } from "../../infra/scim/log.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as groupsRepo from "./groups-repo.ts"
import { type ListResult, type Page, pageOf, type Selection as Chosen, selectionOf } from "./lists.ts"
import type { ListQuery, Projection } from "./query.ts"
import { makeScans } from "./scans.ts"
import type { RequestLine } from "./users-service.ts"
import * as usersRepo from "./users-repo.ts"

/** The maximum number of members in one page of groups. Further groups come in the next page. */
const membersInPage = 10_000

const storedOf = (row: usersRepo.Row | groupsRepo.Row) => ({
  id: row.id,
  resource: row.resource_json,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version
})

/** Groups rows by their owner. */
const byOwner = <Row extends { readonly id: string; readonly display: string }>(
  rows: ReadonlyArray<Row>,
  ownerOf: (row: Row) => string
): ReadonlyMap<string, ReadonlyArray<Related>> => {
  const rowsByOwner = new Map<string, Array<Related>>()
  for (const row of rows) {
    const owner = ownerOf(row)
    const ownerRows = rowsByOwner.get(owner)
    if (ownerRows === undefined) rowsByOwner.set(owner, [row])
    else ownerRows.push(row)
  }
  return rowsByOwner
}

/** SCIM resources in the form that identity providers receive, single or in lists. */
export class ScimReader extends Context.Service<ScimReader>()("@orgplane/server/scim-protocol/Reader", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const log = yield* ScimLog
    const { publicUrl } = yield* Settings
    const baseUrl = `${publicUrl}/v1/scim/v2`
    const scan = makeScans(sql)

    const withScanLimit = <Row>(
      caller: DirectoryCaller,
      { isScan }: Chosen,
      page: Effect.Effect<Page<Row>, SqlError>
    ) => (isScan ? scan(caller.organizationId, page) : page)

    const selected = (type: "User" | "Group", projection: Projection) =>
      attemptParse(() => parseSelection(type, projection))

    /** The users with their groups, which one statement reads for all. */
    const users = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      rows: ReadonlyArray<usersRepo.Row>,
      selection: Selection,
      areNew = false
    ) {
      const isRequested = !areNew && rows.length > 0 && wants(selection, "groups")
      const ids = rows.map(({ id }) => id)
      const groups = byOwner(isRequested ? yield* usersRepo.groupsOf(sql, caller, ids) : [], (row) => row.scim_user_id)
      const wire = rows.map((row) =>
        project("User", toWire("User", storedOf(row), baseUrl, groups.get(row.id)), selection)
      )
      return { wire, hasGroups: groups.size > 0 }
    })

    const groups = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      rows: ReadonlyArray<groupsRepo.Row>,
      selection: Selection
    ) {
      const isRequested = rows.length > 0 && wants(selection, "members")
      const ids = rows.map(({ id }) => id)
      const members = byOwner(isRequested ? yield* groupsRepo.membersOf(sql, caller, ids) : [], (row) => row.group_id)
      return rows.map((row) =>
        project("Group", toWire("Group", storedOf(row), baseUrl, members.get(row.id)), selection)
      )
    })

    /** The leading groups whose members fit in one page, at least one. */
    const fitToPage = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      rows: ReadonlyArray<groupsRepo.Row>,
      selection: Selection
    ) {
      if (rows.length < 2 || !wants(selection, "members")) return rows
      const sizes = new Map(
        (yield* groupsRepo.sizes(
          sql,
          caller,
          rows.map(({ id }) => id)
        )).map((row) => [row.group_id, row.size])
      )
      let members = 0
      const end = rows.findIndex(({ id }, index) => {
        members += sizes.get(id) ?? 0
        return index > 0 && members > membersInPage
      })
      return end === -1 ? rows : rows.slice(0, end)
    })

    const listUsers = Effect.fnUntraced(function* (caller: DirectoryCaller, query: ListQuery) {
      const selection = yield* selected("User", query.projection)
      const rowSelection = yield* selectionOf(sql, "User", query)
      const { rows, total } = yield* withScanLimit(
        caller,
        rowSelection,
        pageOf(
          query,
          (limit, offset) => usersRepo.list(sql, caller, rowSelection, limit, offset),
          usersRepo.count(sql, caller, rowSelection.where)
        )
      )
      const listed: ListResult = { total, resources: (yield* users(caller, rows, selection)).wire }
      return listed
    })

    const listGroups = Effect.fnUntraced(function* (caller: DirectoryCaller, query: ListQuery) {
      const selection = yield* selected("Group", query.projection)
      const rowSelection = yield* selectionOf(sql, "Group", query)
      const { rows, total } = yield* withScanLimit(
        caller,
        rowSelection,
        pageOf(
          query,
          (limit, offset) => groupsRepo.list(sql, caller, rowSelection, limit, offset),
          groupsRepo.count(sql, caller, rowSelection.where)
        )
      )
      const listed: ListResult = {
        total,
        resources: yield* groups(caller, yield* fitToPage(caller, rows, selection), selection)
      }
      return listed
    })

    /** For a search over both types: a type without the attribute matches nothing, unless both lack it. */
    const orNone = (listed: Effect.Effect<ListResult, ScimFault>) =>
      Effect.result(listed).pipe(
        Effect.flatMap((result) =>
          result._tag === "Failure" && (result.failure.scimType === "tooMany" || result.failure.status === 429)
            ? Effect.fail(result.failure)
            : Effect.succeed(result)
        )
      )

    /** Users followed by groups, as one list. A page may contain both. */
    const listAll = Effect.fnUntraced(function* (caller: DirectoryCaller, query: ListQuery) {
      const usersFirst = yield* orNone(Effect.catchTag(listUsers(caller, query), "SqlError", Effect.die))
      const firstUsers: ListResult = usersFirst._tag === "Success" ? usersFirst.success : { total: 0, resources: [] }
      const rest: ListQuery = {
        ...query,
        startIndex: Math.max(1, query.startIndex - firstUsers.total),
        count: query.count - firstUsers.resources.length
      }
      const groupsThen = yield* orNone(Effect.catchTag(listGroups(caller, rest), "SqlError", Effect.die))
      if (groupsThen._tag === "Success") {
        const { resources, total } = groupsThen.success
        const all: ListResult = { total: firstUsers.total + total, resources: [...firstUsers.resources, ...resources] }
        return all
      }
      return usersFirst._tag === "Success" ? firstUsers : yield* usersFirst.failure
    })

    /** Records the request in the SCIM log. */
    const withLog = <E>(
      caller: DirectoryCaller,
      requestLine: RequestLine,
      type: "User" | "Group" | undefined,
      listed: Effect.Effect<ListResult, E>
    ) =>
      Effect.tap(listed, () => log.note(caller, { ...requestLine, status: 200, decision: "read", resourceType: type }))

    /** A new user is not in any group. */
    const user = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      row: usersRepo.Row,
      projection: Projection,
      isNew = false
    ) {
      const { hasGroups, wire } = yield* users(caller, [row], yield* selected("User", projection), isNew)
      return { resource: wire[0] ?? ({} satisfies JsonObject), hasGroups }
    })

    const group = Effect.fnUntraced(function* (caller: DirectoryCaller, row: groupsRepo.Row, projection: Projection) {
      const [resource] = yield* groups(caller, [row], yield* selected("Group", projection))
      return resource ?? ({} satisfies JsonObject)
    })

    return {
      baseUrl,
      user,
      group,
      selected,
      listUsers: (caller: DirectoryCaller, requestLine: RequestLine, query: ListQuery) =>
        withLog(caller, requestLine, "User", listUsers(caller, query)),
      listGroups: (caller: DirectoryCaller, requestLine: RequestLine, query: ListQuery) =>
        withLog(caller, requestLine, "Group", listGroups(caller, query)),
      listAll: (caller: DirectoryCaller, requestLine: RequestLine, query: ListQuery) =>
        withLog(caller, requestLine, undefined, listAll(caller, query))
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
