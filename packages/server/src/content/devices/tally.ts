/** Counts installations by their state. */
import {
  type Counts,
  type Failure,
  type InstallState,
  type PluginStatus,
  releasesMax,
  statusPluginsMax
} from "@orgplane/schema/delivery"
import type { Id } from "@orgplane/schema/shared/ids"
import { type ComparedInstallation, installedOf, type WantedInstallation } from "./compare.ts"

/** The installations to count. */
export interface InstallationFilter {
  readonly pluginId: string | null
  /** The release that should be installed. */
  readonly digest: string | null
}

type MutableCounts = { -readonly [K in keyof Counts]: Counts[K] }

export const noCounts = (): MutableCounts => ({ wanted: 0, running: 0, behind: 0, missing: 0, failed: 0, offline: 0 })

const add = (counts: MutableCounts, state: InstallState, times: number) => {
  counts.wanted += times
  counts[state] += times
}

const isCounted = ({ digest, pluginId }: InstallationFilter, installation: ComparedInstallation): boolean =>
  (pluginId === null || installation.pluginId === pluginId) &&
  (digest === null || installation.wanted?.digest === digest)

/** Whether an installation is wanted and matches the filter. */
export const isWanted = (
  filter: InstallationFilter,
  installation: ComparedInstallation
): installation is WantedInstallation => installation.wanted !== null && isCounted(filter, installation)

/** Adds the installations of `times` devices to the counts. */
export const countInto = (
  counts: MutableCounts,
  filter: InstallationFilter,
  installations: ReadonlyArray<ComparedInstallation>,
  times: number
) => {
  for (const installation of installations) if (isWanted(filter, installation)) add(counts, installation.state, times)
}

/** Reported releases of a plugin that are counted. A plugin keeps 200 releases, and those that assignments pin. */
const releasesOfPluginMax = 1000

interface ReleaseTally {
  readonly sha256: string
  readonly digest: string | null
  readonly version: string | null
  readonly counts: MutableCounts
}

interface PluginTally {
  readonly counts: MutableCounts
  unwanted: number
  readonly failures: Map<Failure, number>
  readonly releases: Map<string, ReleaseTally>
}

const addFailure = (failures: Map<Failure, number>, failure: Failure | null, times: number) => {
  if (failure !== null) failures.set(failure, (failures.get(failure) ?? 0) + times)
}

const failuresOf = (failures: Map<Failure, number>) =>
  [...failures].map(([failure, count]) => ({ failure, count })).toSorted((a, b) => b.count - a.count)

const compareIds = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

export interface TalliedPlugin extends Omit<PluginStatus, "name"> {
  readonly pluginId: Id<"plg">
}

/**
 * Counts installations by plugin and by release. Devices can report any ID, so unwanted plugins are counted only if they
 * are in `existing`.
 */
export const makeTally = (filter: InstallationFilter, existing: ReadonlySet<string>) => {
  const counts = noCounts()
  const failures = new Map<Failure, number>()
  const plugins = new Map<Id<"plg">, PluginTally>()

  const tallyOf = (pluginId: Id<"plg">): PluginTally => {
    let tally = plugins.get(pluginId)
    if (tally === undefined) {
      tally = { counts: noCounts(), unwanted: 0, failures: new Map(), releases: new Map() }
      plugins.set(pluginId, tally)
    }
    return tally
  }

  const visit = (installations: ReadonlyArray<ComparedInstallation>, times: number) => {
    for (const installation of installations) {
      if (!isCounted(filter, installation)) continue
      const { failure, pluginId, state, wanted } = installation
      if (state === "unwanted") {
        if (existing.has(pluginId)) tallyOf(pluginId).unwanted += times
        continue
      }
      const plugin = tallyOf(pluginId)
      const { digest, sha256, version } = wanted
      let release = plugin.releases.get(sha256)
      if (release === undefined)
        plugin.releases.set(sha256, (release = { sha256, digest, version, counts: noCounts() }))
      for (const each of [counts, plugin.counts, release.counts]) add(each, state, times)
      for (const each of [failures, plugin.failures]) addFailure(each, failure, times)
    }
  }

  const releasesOf = (plugin: PluginTally) =>
    [...plugin.releases.values()]
      .toSorted((a, b) => b.counts.wanted - a.counts.wanted || compareIds(a.sha256, b.sha256))
      .slice(0, releasesMax)
      .map(({ counts: own, ...release }) => ({ ...release, ...own }))

  const result = (pluginsMax = statusPluginsMax) => {
    const behind = (plugin: PluginTally) => plugin.counts.wanted - plugin.counts.running
    const ordered = [...plugins].toSorted(
      ([a, one], [b, other]) =>
        behind(other) - behind(one) ||
        other.counts.wanted - one.counts.wanted ||
        other.unwanted - one.unwanted ||
        compareIds(a, b)
    )
    return {
      installations: counts,
      failures: failuresOf(failures),
      plugins: ordered.slice(0, pluginsMax).map(([pluginId, plugin]): TalliedPlugin => ({
        pluginId,
        ...plugin.counts,
        unwanted: plugin.unwanted,
        failures: failuresOf(plugin.failures),
        releases: releasesOf(plugin)
      })),
      truncated: ordered.length > pluginsMax
    }
  }

  return { visit, result } as const
}

/** Counts the installed archives of existing plugins by plugin and by release, whether they are wanted or not. */
export const makeRunning = (existing: ReadonlySet<string>) => {
  const plugins = new Map<Id<"plg">, { total: number; readonly releases: Map<string, number> }>()

  const visit = (installations: ReadonlyArray<ComparedInstallation>, times: number) => {
    for (const { pluginId, reported } of installations) {
      if (reported === null || installedOf(reported) === null || !existing.has(pluginId)) continue
      let plugin = plugins.get(pluginId)
      if (plugin === undefined) plugins.set(pluginId, (plugin = { total: 0, releases: new Map() }))
      plugin.total += times
      // After a failure, the release of the installed archive is not reported.
      const digest = reported.state === "installed" ? reported.digest : null
      // Devices can report any digest.
      if (digest === null || (plugin.releases.size >= releasesOfPluginMax && !plugin.releases.has(digest))) continue
      plugin.releases.set(digest, (plugin.releases.get(digest) ?? 0) + times)
    }
  }

  const of = (pluginId: Id<"plg">, digest?: string): number => {
    const plugin = plugins.get(pluginId)
    return (digest === undefined ? plugin?.total : plugin?.releases.get(digest)) ?? 0
  }

  return { visit, of, pluginIds: () => [...plugins.keys()] } as const
}
