import * as Delivery from "@orgplane/schema/delivery"
import { MemberNotFound } from "@orgplane/schema/members"
import { PluginNotFound } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import { TeamNotFound } from "@orgplane/schema/teams"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { type ComparedInstallation, installedOf } from "./compare.ts"
import { comparePairs, makeSnapshot } from "./comparison.ts"
import * as people from "./people-repo.ts"
import * as repo from "./repo.ts"
import * as statusRepo from "./status-repo.ts"
import { countInto, type InstallationFilter, isWanted, makeTally, noCounts } from "./tally.ts"

interface InstallationQuery {
  readonly pluginId?: Id<"plg">
  readonly digest?: string
}

interface StatusQuery extends InstallationQuery {
  readonly teamId?: Id<"tem">
  readonly orgMembershipId?: Id<"om">
}

interface StatesQuery extends StatusQuery {
  readonly state?: Delivery.InstallState
  readonly failure?: Delivery.Failure
}

interface DevicesQuery extends StatesQuery {
  readonly agent?: string
  readonly platform?: Delivery.Platform
}

const installationsOf = ({ digest, pluginId }: InstallationQuery): InstallationFilter => ({
  digest: digest ?? null,
  pluginId: pluginId ?? null
})

const devicesOf = ({ orgMembershipId, teamId }: StatusQuery): statusRepo.DeviceFilter => ({
  membershipId: orgMembershipId ?? null,
  teamId: teamId ?? null
})

/** The filters of a list, without the page. */
const filtersOf = <Q extends PageQuery>({ cursor: _cursor, limit: _limit, ...filters }: Q) => filters

const deviceToWire = (row: people.DeviceRow, installations: Delivery.Counts): Delivery.Device => ({
  id: row.id,
  orgMembershipId: row.membership_id,
  workerId: row.worker_id === "" ? null : row.worker_id,
  agent: row.agent,
  clientVersion: row.client_version,
  platform: row.platform,
  offline: row.is_offline,
  revision: row.revision,
  wantedRevision: row.wanted_revision,
  failure: row.failure,
  firstSeenAt: iso(row.first_seen_at),
  lastSeenAt: iso(row.last_seen_at),
  installations
})

const installationToWire = (
  { failure, pluginId, reported, state, wanted }: ComparedInstallation,
  names: ReadonlyMap<Id<"plg">, string>
): Delivery.Installation => {
  const installed = reported === null ? null : installedOf(reported)
  const name = names.get(pluginId) ?? null
  return {
    pluginId,
    name,
    state,
    wantedSha256: wanted?.sha256 ?? null,
    wantedDigest: name === null ? null : (wanted?.digest ?? null),
    installedSha256: installed,
    // After a failure, the digest is that of the release that could not be installed.
    installedDigest: name !== null && reported?.state === "installed" ? reported.digest : null,
    failure
  }
}

/** Device IDs contain no space. */
const positionOf = (row: people.DeviceRow) => `${row.membership_id} ${row.id}`
const afterOf = (position: string): people.DevicePosition => {
  const [membershipId = "", id = ""] = position.split(" ")
  return { membershipId, id }
}

/** The delivery status of an organization, of its teams, members and devices. */
export class DeliveryService extends Context.Service<DeliveryService>()("@orgplane/server/devices/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const { mutate } = yield* Mutate
    const snapshot = yield* makeSnapshot

    const demandPlugin = Effect.fnUntraced(function* (caller: Member, { pluginId }: InstallationQuery) {
      const existing = yield* statusRepo.getExisting(sql, caller, {
        membershipId: null,
        teamId: null,
        pluginId: pluginId ?? null
      })
      if (existing?.has_plugin !== true) return yield* new PluginNotFound()
    })

    const demandFilter = Effect.fnUntraced(function* (caller: Member, query: StatusQuery) {
      const existing = yield* statusRepo.getExisting(sql, caller, {
        ...devicesOf(query),
        pluginId: query.pluginId ?? null
      })
      if (existing?.has_plugin !== true) return yield* new PluginNotFound()
      if (!existing.has_team) return yield* new TeamNotFound()
      if (!existing.has_member) return yield* new MemberNotFound()
    })

    const namesOf = (caller: Member, plugins: ReadonlyArray<{ readonly pluginId: Id<"plg"> }>) =>
      statusRepo.names(
        sql,
        caller,
        plugins.map(({ pluginId }) => pluginId)
      )

    const status = Effect.fnUntraced(function* (caller: Member, query: StatusQuery) {
      const { organizationId } = caller
      yield* demandFilter(caller, query)
      const filter = installationsOf(query)
      const { counted, tally } = yield* snapshot(
        Effect.gen(function* () {
          const tally = makeTally(filter, yield* statusRepo.existingPlugins(sql, organizationId, filter.pluginId))
          const counts = yield* statusRepo.deviceCounts(sql, organizationId, devicesOf(query))
          const pairs = yield* statusRepo.pairs(sql, organizationId, devicesOf(query))
          yield* comparePairs(sql, organizationId, pairs, filter.pluginId, ({ count }, installations) =>
            tally.visit(installations, count)
          )
          return { counted: counts, tally }
        })
      )
      const { plugins, ...tallied } = tally.result()
      const names = yield* namesOf(caller, plugins)
      const { member_count: memberCount, ...devices } = counted
      return {
        generatedAt: iso(new Date(yield* Clock.currentTimeMillis)),
        memberCount,
        devices,
        ...tallied,
        plugins: plugins.map(({ pluginId, releases, ...plugin }) => {
          const name = names.get(pluginId) ?? null
          const served = name === null ? releases.map((one) => ({ ...one, digest: null, version: null })) : releases
          return { pluginId, name, ...plugin, releases: served }
        })
      } satisfies Delivery.Status
    })

    /** The installations of each group, which is a team, a member or a device. */
    const countGroups = Effect.fnUntraced(function* <P extends statusRepo.Pair>(
      organizationId: Id<"org">,
      pairs: ReadonlyArray<P>,
      filter: InstallationFilter,
      groupOf: (pair: P) => { readonly group: string; readonly times: number }
    ) {
      const groups = new Map<string, ReturnType<typeof noCounts>>()
      yield* comparePairs(sql, organizationId, pairs, filter.pluginId, (pair, installations) => {
        const { group, times } = groupOf(pair)
        let counts = groups.get(group)
        if (counts === undefined) groups.set(group, (counts = noCounts()))
        countInto(counts, filter, installations, times)
      })
      return (group: string): Delivery.Counts => groups.get(group) ?? noCounts()
    })

    const byGroup = ({ count, group_id: group }: people.GroupedPair) => ({ group, times: count })

    const listTeams = (caller: Member, query: PageQuery & InstallationQuery) => {
      const { organizationId } = caller
      const filter = installationsOf(query)
      const listed = pages.list(caller, query, {
        filters: filtersOf(query),
        rows: (after, limit) =>
          snapshot(
            Effect.gen(function* () {
              const rows = yield* people.teams(sql, organizationId, after, limit)
              const ids = rows.map(({ id }) => id)
              const pairs = yield* people.pairsOfTeams(sql, organizationId, ids)
              const countsOf = yield* countGroups(organizationId, pairs, filter, byGroup)
              return rows.map((row) => ({ ...row, counts: countsOf(row.id) }))
            })
          ),
        toWire: ({ counts, ...row }): Delivery.TeamStatus => ({
          teamId: row.id,
          name: row.name,
          memberCount: row.member_count,
          deviceCount: row.device_count,
          ...counts
        })
      })
      return Effect.andThen(demandPlugin(caller, query), listed)
    }

    /** The pairs with an installation that the query selects; null if it selects all devices. */
    const matchingPairs = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      query: StatesQuery
    ): Effect.fn.Return<people.Matching, SqlError> {
      const { digest, failure, pluginId, state } = query
      if (digest === undefined && failure === undefined && pluginId === undefined && state === undefined) return null
      const filter = installationsOf(query)
      const pairs = yield* statusRepo.pairs(sql, organizationId, devicesOf(query))
      const matching: Array<statusRepo.Pair> = []
      const isSelected = (installation: ComparedInstallation) =>
        isWanted(filter, installation) &&
        (state === undefined || installation.state === state) &&
        (failure === undefined || installation.failure === failure)
      yield* comparePairs(sql, organizationId, pairs, filter.pluginId, (pair, installations) => {
        if (installations.some(isSelected)) matching.push(pair)
      })
      return matching
    })

    const listMembers = (caller: Member, query: PageQuery & StatesQuery) => {
      const { organizationId } = caller
      const filter = installationsOf(query)
      const listed = pages.list(caller, query, {
        filters: filtersOf(query),
        rows: (after, limit) =>
          snapshot(
            Effect.gen(function* () {
              const matching = yield* matchingPairs(organizationId, query)
              const rows = yield* people.members(sql, organizationId, devicesOf(query), matching, after, limit)
              const ids = rows.map(({ id }) => id)
              const pairs = yield* people.pairsOfMembers(sql, organizationId, ids)
              const countsOf = yield* countGroups(organizationId, pairs, filter, byGroup)
              return rows.map((row) => ({ ...row, counts: countsOf(row.id) }))
            })
          ),
        toWire: ({ counts, ...row }): Delivery.MemberStatus => ({
          orgMembershipId: row.id,
          name: row.name,
          email: row.email,
          deviceCount: row.device_count,
          lastSeenAt: iso(row.last_seen_at),
          ...counts
        })
      })
      return Effect.andThen(demandFilter(caller, query), listed)
    }

    const listDevices = (caller: Member, query: PageQuery & DevicesQuery) => {
      const { organizationId } = caller
      const filter = installationsOf(query)
      const selection = { ...devicesOf(query), agent: query.agent ?? null, platform: query.platform ?? null }
      const listed = pages.listBy(caller, query, {
        filters: filtersOf(query),
        rows: (after, limit) =>
          snapshot(
            Effect.gen(function* () {
              const matching = yield* matchingPairs(organizationId, query)
              const from = after === null ? null : afterOf(after)
              const rows = yield* people.devices(sql, organizationId, selection, matching, from, limit)
              const countsOf = yield* countGroups(organizationId, rows, filter, (row) => ({
                group: positionOf(row),
                times: 1
              }))
              return rows.map((row) => ({ row, counts: countsOf(positionOf(row)) }))
            })
          ),
        idOf: ({ row }) => positionOf(row),
        toWire: ({ counts, row }) => deviceToWire(row, counts)
      })
      return Effect.andThen(demandFilter(caller, query), listed)
    }

    /** Fails because the device or its member does not exist. */
    const missingDevice = Effect.fnUntraced(function* (caller: Member, membershipId: Id<"om">) {
      yield* demandFilter(caller, { orgMembershipId: membershipId }).pipe(
        Effect.catchTag(["PluginNotFound", "TeamNotFound"], (error) => Effect.die(error))
      )
      return yield* new Delivery.DeviceNotFound()
    })

    const getDevice = Effect.fnUntraced(function* (caller: Member, membershipId: Id<"om">, id: string) {
      const { organizationId } = caller
      const compared: Array<ComparedInstallation> = []
      const row = yield* snapshot(
        Effect.gen(function* () {
          const device = yield* people.findDevice(sql, organizationId, membershipId, id)
          if (device === undefined) return yield* missingDevice(caller, membershipId)
          yield* comparePairs(sql, organizationId, [device], null, (_, installations) => {
            compared.push(...installations)
          })
          return device
        })
      )
      const counts = noCounts()
      countInto(counts, installationsOf({}), compared, 1)
      const names = yield* namesOf(caller, compared)
      return {
        ...deviceToWire(row, counts),
        plugins: compared.map((installation) => installationToWire(installation, names))
      } satisfies Delivery.DeviceDetails
    })

    const removeDevice = (caller: Member, membershipId: Id<"om">, id: string) =>
      mutate(
        caller,
        "device.remove",
        Effect.gen(function* () {
          // A report takes the same lock, so that no report refers to the plugins that are deleted with the device.
          yield* repo.lockMembership(sql, caller.organizationId, membershipId)
          const isRemoved = yield* repo.remove(sql, caller.organizationId, membershipId, id)
          if (!isRemoved) return yield* missingDevice(caller, membershipId)
        }),
        () => ({ target: membershipId, before: { deviceId: id } })
      )

    return { status, listTeams, listMembers, listDevices, getDevice, removeDevice } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
