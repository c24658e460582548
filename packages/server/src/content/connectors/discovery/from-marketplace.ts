import * as Effect from "effect/Effect"
import { assemble, manifestPathsOf } from "./assemble.ts"
import type { PlannedCandidate, RemoteSource } from "./candidate.ts"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { inTimeSlices, mapSteps } from "../../../infra/time-slices.ts"
import { type Declared, makePlanner } from "./components.ts"
import { candidatesMax, candidateWarningsMax, keyLengthMax, renamesMax } from "./limits.ts"
import { type MarketplaceEntry, type MarketplaceManifest, type PluginManifest, readPlugin } from "./manifest.ts"
import { loadManifests, type Read } from "./manifests.ts"
import { showPath } from "./paths.ts"
import { placeOf, remoteFolder } from "./remote.ts"
import { readSource } from "./source.ts"
import { type Tree, treeInSlices } from "./tree.ts"
import { makeWarnings, type Warnings } from "./warnings.ts"

export const marketplacePath = ".claude-plugin/marketplace.json"

/** A plugin from another source, and the folder where it is shown. */
export interface WantedRemote {
  readonly folder: string
  readonly source: RemoteSource
}

/** The files of a plugin from another source, or why they cannot be read. */
export type ListedRemote =
  | { readonly ok: true; readonly entries: ReadonlyArray<TreeEntry>; readonly warnings: ReadonlyArray<string> }
  | { readonly ok: false; readonly reason: string }

export interface Remotes<E, R> {
  readonly allows: (host: string) => boolean
  /** The result for each requested folder; paths start with the folder. */
  readonly list: (wanted: ReadonlyArray<WantedRemote>) => Effect.Effect<ReadonlyMap<string, ListedRemote>, E, R>
}

interface Input<E, R> {
  readonly tree: Tree
  readonly truncated: boolean
  readonly remotes: Remotes<E, R> | undefined
  readonly warnings: Warnings
}

/** The plugins that a marketplace lists, in its order. */
export const fromMarketplace = Effect.fnUntraced(function* <E, R>(
  { remotes, tree: own, truncated, warnings }: Input<E, R>,
  { entries, pluginRoot, renames }: MarketplaceManifest,
  read: Read<E, R>
): Effect.fn.Return<FromMarketplace, E, R> {
  const keys = new Set<string>()
  const checkedEntries = yield* inTimeSlices(
    mapSteps(entries.slice(0, candidatesMax), (entry) => {
      const key = distinct(`marketplace:${entry.name}`, keys)
      const source = readSource(entry.source, pluginRoot, own)
      return { entry, key, source, problem: source.kind === "remote" ? problemOf(source.source, remotes) : null }
    })
  )
  const wantedRemotes = checkedEntries.flatMap(({ key, problem, source }) =>
    source.kind === "remote" && problem === null ? [{ folder: remoteFolder(key), source: source.source }] : []
  )
  const lists = remotes === undefined || wantedRemotes.length === 0 ? emptyLists : yield* remotes.list(wantedRemotes)
  const remoteEntries = [...lists.values()].flatMap((list) => (list.ok ? list.entries : []))
  const tree = remoteEntries.length === 0 ? own : yield* treeInSlices([...own.all, ...remoteEntries])
  const unreadKeys: Array<string> = []
  const listedOf = ({ entry, key, problem, source }: (typeof checkedEntries)[number]) => {
    const list = source.kind === "remote" && problem === null ? lists.get(remoteFolder(key)) : undefined
    if (list?.ok === false) {
      unreadKeys.push(key)
      warnings.add(`Plugin ${showPath(entry.name)}: ${list.reason}`)
    }
    const root = source.kind === "local" ? source.rootPath : list?.ok === true ? remoteFolder(key) : null
    const manifestPath = root === null ? undefined : manifestPathsOf(root).find((path) => tree.file(path) !== undefined)
    return {
      entry,
      key,
      source,
      root,
      problem: list?.ok === false ? list.reason : problem,
      findings: list?.ok === true ? list.warnings : [],
      ownManifest: manifestPath ?? null
    }
  }
  const listedEntries = yield* inTimeSlices(mapSteps(checkedEntries, listedOf))
  if (entries.length > candidatesMax)
    warnings.add(`Only the first ${candidatesMax} plugins of the marketplace are listed.`)
  if (entries.length === 0) warnings.add(`${showPath(marketplacePath)} lists no usable plugin.`)

  const manifests = yield* loadManifests(
    tree,
    [
      ...new Set(
        listedEntries.flatMap(({ entry, ownManifest }) => (entry.strict && ownManifest !== null ? [ownManifest] : []))
      )
    ],
    read
  )
  const planner = makePlanner(tree)
  const formerNames = invert(renames)

  const candidateOf = ({
    entry,
    findings,
    key,
    ownManifest,
    problem,
    root,
    source
  }: (typeof listedEntries)[number]): PlannedCandidate => {
    const ownWarnings = makeWarnings(candidateWarningsMax)
    const duplicate = key !== `marketplace:${entry.name}`
    if (duplicate) {
      const warning = `The marketplace lists ${showPath(entry.name)} more than once; this one gets the key ${showPath(key)}.`
      ownWarnings.add(warning)
      warnings.add(warning)
    }
    const common = {
      key,
      previousKeys: duplicate ? [] : (formerNames.get(entry.name) ?? []).map((name) => `marketplace:${name}`),
      name: entry.name,
      warnings: ownWarnings,
      ...(source.kind === "remote" ? { remote: source.source, remoteProblem: problem } : {})
    }
    if (root === null) {
      if (source.kind === "refused") {
        ownWarnings.add(source.warning)
        warnings.add(`Plugin ${showPath(entry.name)}: ${source.warning}`)
      }
      if (problem !== null) ownWarnings.add(problem)
      return assemble({ ...common, rootPath: "", manifests: [entry], manifestPath: null, plan: [], supported: false })
    }

    for (const finding of findings) ownWarnings.add(finding)
    const rootPath = root
    const there = tree.under(rootPath).length > 0
    if (!there) {
      ownWarnings.add(
        `The folder ${showPath(rootPath)} ${truncated ? "is not in the part of the repository that was listed" : "does not exist"}.`
      )
    }
    const fromEntry: Declared = { manifestPath: marketplacePath, pointer: entry.pointer, components: entry.components }
    if (!entry.strict) {
      if (ownManifest !== null)
        ownWarnings.add(
          `${showPath(ownManifest)} is not read: with "strict": false the marketplace entry is the manifest.`
        )
      const plan = planner.plan(rootPath, [fromEntry], ownWarnings)
      return assemble({
        ...common,
        rootPath,
        manifests: [entry],
        manifestPath: marketplacePath,
        plan,
        supported: there
      })
    }
    const manifest = ownManifest === null ? undefined : manifests.get(ownManifest)
    if (manifest !== undefined && !manifest.ok) {
      ownWarnings.add(manifest.warning)
      warnings.add(manifest.warning)
      return assemble({
        ...common,
        rootPath,
        manifests: [entry],
        manifestPath: ownManifest,
        plan: [],
        supported: false
      })
    }
    if (ownManifest === null || manifest === undefined) {
      const plan = planner.plan(rootPath, [fromEntry], ownWarnings)
      return assemble({ ...common, rootPath, manifests: [entry], manifestPath: null, plan, supported: there })
    }
    for (const warning of manifest.warnings) ownWarnings.add(warning)
    const plugin = readPlugin(manifest.value, ownWarnings)
    if (plugin.name !== null && plugin.name !== entry.name) {
      ownWarnings.add(
        `${showPath(ownManifest)} names the plugin ${showPath(plugin.name)}; the name in the marketplace is used.`
      )
    }
    const declared: Declared = { manifestPath: ownManifest, pointer: "", components: plugin.components }
    const plan = planner.plan(rootPath, [declared, fromEntry], ownWarnings)
    return assemble({
      ...common,
      rootPath,
      manifests: precedence(entry, plugin),
      manifestPath: ownManifest,
      plan,
      supported: there
    })
  }
  return { candidates: yield* inTimeSlices(mapSteps(listedEntries, candidateOf)), unread: unreadKeys, tree }
})

interface FromMarketplace {
  readonly candidates: ReadonlyArray<PlannedCandidate>
  readonly unread: ReadonlyArray<string>
  /** The repository with plugins from other repositories. */
  readonly tree: Tree
}

const emptyLists: ReadonlyMap<string, ListedRemote> = new Map()

/** The marketplace entry takes precedence over the plugin's manifest. */
const precedence = (entry: MarketplaceEntry, plugin: PluginManifest): ReadonlyArray<PluginManifest> => [entry, plugin]

/** Why a plugin from another source is not requested; null if it is. */
const problemOf = <E, R>(remote: RemoteSource, remotes: Remotes<E, R> | undefined): string | null => {
  const where = `The plugin's content is ${showPath(remote.locator)} on ${remote.host}`
  if (remotes?.allows(remote.host) !== true) return `${where}; this server is not configured to read from that host.`
  if (remote.pin === null) return `${where} without a pinned revision; only pinned sources are read.`
  const place = placeOf(remote)
  return place.ok ? null : `${where} and is not read: ${place.reason}.`
}

const distinct = (wanted: string, taken: Set<string>): string => {
  let key = wanted
  for (let count = 2; taken.has(key); count++) {
    const suffix = `#${count}`
    key = wanted.slice(0, keyLengthMax - suffix.length) + suffix
  }
  taken.add(key)
  return key
}

/** Maps each current name to all its former names. Chains are followed and cycles end. */
const invert = (renames: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const former = new Map<string, Array<string>>()
  for (const start of [...renames.keys()].slice(0, renamesMax)) {
    const seen = new Set([start])
    let name = renames.get(start)
    while (name !== undefined && !seen.has(name) && seen.size < 32) {
      seen.add(name)
      const names = former.get(name)
      if (names === undefined) former.set(name, [start])
      else names.push(start)
      name = renames.get(name)
    }
  }
  return former
}
