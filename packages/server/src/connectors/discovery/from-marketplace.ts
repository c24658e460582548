import * as Effect from "effect/Effect"
import { assemble, manifestPathsOf } from "./assemble.ts"
import type { PlannedCandidate, RemoteSource } from "./candidate.ts"
import { type Declared, makePlanner } from "./components.ts"
import { candidatesMax, candidateWarningsMax, keyLengthMax, renamesMax } from "./limits.ts"
import { type MarketplaceEntry, type MarketplaceManifest, type PluginManifest, readPlugin } from "./manifest.ts"
import { loadManifests, type Read } from "./manifests.ts"
import { showPath } from "./paths.ts"
import { readSource } from "./source.ts"
import type { Tree } from "./tree.ts"
import { makeWarnings, type Warnings } from "./warnings.ts"

export const marketplacePath = ".claude-plugin/marketplace.json"

interface Input {
  readonly tree: Tree
  readonly truncated: boolean
  readonly remoteAllowed: (source: RemoteSource) => boolean
  readonly warnings: Warnings
}

/** The plugins a marketplace lists, in its order. */
export const fromMarketplace = Effect.fnUntraced(function* <E, R>(
  { remoteAllowed, tree, truncated, warnings }: Input,
  { entries, pluginRoot, renames }: MarketplaceManifest,
  read: Read<E, R>
): Effect.fn.Return<ReadonlyArray<PlannedCandidate>, E, R> {
  const listed = entries.slice(0, candidatesMax).map((entry) => {
    const source = readSource(entry.source, pluginRoot, tree)
    const own =
      source.kind === "local"
        ? manifestPathsOf(source.rootPath).find((path) => tree.file(path) !== undefined)
        : undefined
    return { entry, source, ownManifest: own ?? null }
  })
  if (entries.length > candidatesMax)
    warnings.add(`Only the first ${candidatesMax} plugins of the marketplace are listed.`)
  if (entries.length === 0) warnings.add(`${showPath(marketplacePath)} lists no usable plugin.`)

  const manifests = yield* loadManifests(
    tree,
    [
      ...new Set(
        listed.flatMap(({ entry, ownManifest }) => (entry.strict && ownManifest !== null ? [ownManifest] : []))
      )
    ],
    read
  )
  const planner = makePlanner(tree)
  const keys = new Set<string>()
  const formerNames = invert(renames)

  return listed.map(({ entry, ownManifest, source }) => {
    const own = makeWarnings(candidateWarningsMax)
    const key = distinct(`marketplace:${entry.name}`, keys)
    const duplicate = key !== `marketplace:${entry.name}`
    if (duplicate) {
      const warning = `The marketplace lists ${showPath(entry.name)} more than once; this one is kept apart as ${showPath(key)}.`
      own.add(warning)
      warnings.add(warning)
    }
    const common = {
      key,
      previousKeys: duplicate ? [] : (formerNames.get(entry.name) ?? []).map((name) => `marketplace:${name}`),
      name: entry.name,
      warnings: own
    }
    if (source.kind !== "local") {
      if (source.kind === "refused") {
        own.add(source.warning)
        warnings.add(`Plugin ${showPath(entry.name)}: ${source.warning}`)
      }
      const remote = source.kind === "remote" ? source.source : null
      const supported = remote !== null && judgeRemote(remote, remoteAllowed, own)
      return assemble({
        ...common,
        rootPath: "",
        manifests: [entry],
        manifestPath: null,
        plan: [],
        supported,
        ...(remote === null ? {} : { remote })
      })
    }

    const { rootPath } = source
    const there = tree.under(rootPath).length > 0
    if (!there) {
      own.add(
        `The folder ${showPath(rootPath)} ${truncated ? "is not in the part of the repository that was listed" : "does not exist"}.`
      )
    }
    const fromEntry: Declared = { manifestPath: marketplacePath, pointer: entry.pointer, components: entry.components }
    if (!entry.strict) {
      if (ownManifest !== null)
        own.add(`${showPath(ownManifest)} is not read: with "strict": false the marketplace entry is the manifest.`)
      const plan = planner.plan(rootPath, [fromEntry], own)
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
      own.add(manifest.warning)
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
      const plan = planner.plan(rootPath, [fromEntry], own)
      return assemble({ ...common, rootPath, manifests: [entry], manifestPath: null, plan, supported: there })
    }
    for (const warning of manifest.warnings) own.add(warning)
    const plugin = readPlugin(manifest.value, own)
    if (plugin.name !== null && plugin.name !== entry.name) {
      own.add(`${showPath(ownManifest)} calls the plugin ${showPath(plugin.name)}; the marketplace's name counts.`)
    }
    const declared: Declared = { manifestPath: ownManifest, pointer: "", components: plugin.components }
    const plan = planner.plan(rootPath, [declared, fromEntry], own)
    return assemble({
      ...common,
      rootPath,
      manifests: precedence(entry, plugin),
      manifestPath: ownManifest,
      plan,
      supported: there
    })
  })
})

/** What the marketplace says is what its readers see; the plugin fills the rest. */
const precedence = (entry: MarketplaceEntry, plugin: PluginManifest): ReadonlyArray<PluginManifest> => [entry, plugin]

const judgeRemote = (remote: RemoteSource, allowed: (source: RemoteSource) => boolean, warnings: Warnings): boolean => {
  const where = `${showPath(remote.locator)} on ${remote.host}`
  if (!allowed(remote)) {
    warnings.add(`The plugin's content is ${where}; sources outside this repository are not read.`)
    return false
  }
  if (remote.pin !== null) return true
  warnings.add(`The plugin's content is ${where} without a pinned revision; only pinned sources are read.`)
  return false
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

/** Present name to all former ones; chains are followed, circles end. */
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
