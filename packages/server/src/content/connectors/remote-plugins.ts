import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { sha256 } from "../../infra/crypto/digest.ts"
import { CodeHostFailed, type Snapshot, type TreeEntry } from "../../infra/ports/code-host.ts"
import { RemoteContent, RemoteFailed, type RemotePlace, type RemoteTree } from "../../infra/ports/remote-content.ts"
import { type PluginBounds, pluginBoundsDefault, Settings } from "../../infra/config/settings.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { eachSteps, inTimeSlices } from "../../infra/time-slices.ts"
import { manifestPathsOf } from "./discovery/assemble.ts"
import type { Discovery, RemoteSource } from "./discovery/candidate.ts"
import type { ListedRemote, Remotes, WantedRemote } from "./discovery/from-marketplace.ts"
import { manifestBytesMax, parserVersion } from "./discovery/limits.ts"
import { isRemotePath, showPath, surveySteps } from "./discovery/paths.ts"
import { ownEntries, placeOf, remoteFolder } from "./discovery/remote.ts"
import { withLinks } from "./discovery/links.ts"
import { brokenReferencesOf, referringFiles } from "./discovery/with-folders.ts"
import { storedEntryOf } from "./discovery-repo.ts"
import * as trees from "./remote-trees-repo.ts"

/** Part of the key of a stored tree. Increase it when the same source location would be listed differently. */
const readerVersion = 2

/** Limits of one run for plugins from other sources; the next run continues. */
const bounds = {
  /** Source locations that are fetched and listed; stored listings are not counted. */
  placesMax: 300,
  /** The same limit for an unclaimed workspace. */
  provisionalPlacesMax: 5,
  filesMax: 10_000,
  /** Files of all source locations in total. */
  filesInAllMax: 100_000,
  /** Bytes on disk during one run. */
  bytesInAllMax: 1024 * 1024 * 1024,
  /** The approximate memory of all listings of one run. */
  listedBytesMax: 128 * 1024 * 1024,
  /** Stored listings per organization. */
  keptBytesMax: 256 * 1024 * 1024,
  /** Source locations fetched concurrently. */
  atOnce: 4,
  /** A host that did not respond this many times is not contacted again in the run. */
  silentMax: 3,
  /** Maximum files of one repository that are checked for references: at most 64 MiB are read at once. */
  referringMax: 200,
  millisMax: 5 * 60_000,
  warningsMax: 10
} as const

/** The approximate memory of a listing entry without its name. */
const entryBytes = 200

interface PluginSite extends WantedRemote {
  readonly place: RemotePlace
  readonly subfolder: string
  /** The key of a stored tree. */
  readonly key: string
}

const siteOf = (wanted: WantedRemote): PluginSite | undefined => {
  const placed = placeOf(wanted.source)
  if (!placed.ok) return undefined
  const { folder: subfolder, place } = placed
  return { ...wanted, place, subfolder, key: sha256(JSON.stringify([readerVersion, place, subfolder])) }
}

const unreadable = ({ host, locator }: RemoteSource, reason: string): ListedRemote => ({
  ok: false,
  reason: `The plugin's content is ${showPath(locator)} on ${host} and could not be read: ${reason}.`
})

const failure = (code: RemoteFailed["code"], message: string) => new RemoteFailed({ code, message })

const hostOf = (place: RemotePlace): string =>
  new URL(place.kind === "git" ? place.cloneUrl : place.kind === "npm" ? place.registry : place.url).host

const pluginBoundsOf = ({ bytesMax, fileBytesMax, filesMax }: PluginBounds) => `${fileBytesMax}/${filesMax}/${bytesMax}`

/** Several plugins may be at the same source location. */
const placeKey = (place: RemotePlace) => JSON.stringify(place)

/** A discovery without the plugins that turned out to be unreadable. */
export const withoutRemotes = (discovery: Discovery, problems: ReadonlyMap<string, string>): Discovery =>
  problems.size === 0
    ? discovery
    : {
        ...discovery,
        candidates: discovery.candidates.map((candidate) => {
          const problem = problems.get(remoteFolder(candidate.key))
          return candidate.remote === null || problem === undefined
            ? candidate
            : {
                ...candidate,
                supported: false,
                selectedByDefault: false,
                plan: [],
                remoteProblem: problem,
                warnings: [...candidate.warnings, problem]
              }
        }),
        unread: [
          ...new Set([
            ...discovery.unread,
            ...discovery.candidates.flatMap(({ key, remote }) =>
              remote !== null && problems.has(remoteFolder(key)) ? [key] : []
            )
          ])
        ]
      }

/** The data that one discovery or sync reads from other sources. Fetched data is deleted with the scope. */
export interface RemoteSession {
  readonly remotes: Remotes<never, never>
  /** Contents of manifests by path, for the listed source locations. */
  readonly manifest: (path: string) => Uint8Array | undefined
  /** Like `mount`, without reading contents. */
  readonly listing: (
    entries: ReadonlyArray<TreeEntry>,
    discovery: Discovery
  ) => Effect.Effect<{ readonly entries: ReadonlyArray<TreeEntry>; readonly problems: ReadonlyMap<string, string> }>
  /** A repository's snapshot merged with the plugins from other sources. Returns those that are no longer available. */
  readonly mount: (
    base: Snapshot,
    discovery: Discovery
  ) => Effect.Effect<{ readonly snapshot: Snapshot; readonly problems: ReadonlyMap<string, string> }>
  /** Makes the contents of these files readable; returns the folders that failed, and why. */
  readonly fetch: (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>>
}

/** Plugins that marketplaces list from sources other than their own repository. */
export class RemotePlugins extends Context.Service<RemotePlugins>()("@orgplane/server/connectors/RemotePlugins", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* organizationTransaction
    const content = yield* RemoteContent
    const { pluginBounds } = yield* Settings

    /** Identifies the rules that a discovery was made with. A discovery with other rules is repeated. */
    const version = [
      parserVersion,
      ...(content.fingerprint === "" ? [] : [sha256(content.fingerprint).slice(0, 16)]),
      ...(pluginBoundsOf(pluginBounds) === pluginBoundsOf(pluginBoundsDefault) ? [] : [pluginBoundsOf(pluginBounds)])
    ].join("-")

    /** `isKeeping`: fetched content stays readable, because a sync needs it. */
    const session = Effect.fnUntraced(function* (organizationId: Id<"org">, isKeeping: boolean) {
      const scope = yield* Scope.Scope
      const began = yield* Clock.currentTimeMillis
      const openTrees = new Map<string, RemoteTree>()
      const manifests = new Map<string, Uint8Array>()
      const mounted = new Map<string, PluginSite>()
      const readers = new Map<string, RemoteTree>()
      const silentCounts = new Map<string, number>()
      let bytes = 0
      let listedBytes = 0

      const open = Effect.fnUntraced(function* (place: RemotePlace, until: Scope.Scope) {
        const openTree = openTrees.get(placeKey(place))
        if (openTree !== undefined) return openTree
        if ((yield* Clock.currentTimeMillis) - began > bounds.millisMax) {
          return yield* failure("unreachable", "the time limit was reached; the next sync continues")
        }
        const host = hostOf(place)
        if ((silentCounts.get(host) ?? 0) >= bounds.silentMax)
          return yield* failure("unreachable", "its host does not respond")
        if (bytes > bounds.bytesInAllMax) {
          return yield* failure("too_large", "the plugins from other sources are too large in total")
        }
        if (listedBytes > bounds.listedBytesMax) {
          return yield* failure("too_large", "the plugins from other sources have too many files in total")
        }
        // Files that a failed fetch left on disk are deleted immediately.
        const own = yield* Scope.fork(until)
        const tree = yield* content.open(place, organizationId).pipe(
          Scope.provide(own),
          Effect.onError(() => Scope.close(own, Exit.void)),
          Effect.tapErrorTag("RemoteFailed", ({ code }) =>
            Effect.sync(() => code === "unreachable" && silentCounts.set(host, (silentCounts.get(host) ?? 0) + 1))
          )
        )
        silentCounts.delete(host)
        bytes += tree.bytes
        if (until === scope) {
          openTrees.set(placeKey(place), tree)
          listedBytes += tree.entries.reduce((sum, { path }) => sum + path.length + entryBytes, 0)
        }
        return tree
      })

      /** Fetches a source location and lists its files. */
      const listSites = Effect.fnUntraced(function* (sites: ReadonlyArray<PluginSite>) {
        const [first] = sites
        if (first === undefined) return []
        const own = yield* Scope.fork(scope)
        return yield* Effect.gen(function* () {
          const tree = yield* open(first.place, isKeeping ? scope : own)
          return yield* Effect.forEach(sites, (site) =>
            listOf(site, tree).pipe(
              Effect.result,
              Effect.map((result) => ({ site, result }))
            )
          )
        }).pipe(
          Effect.catchTag("RemoteFailed", (failed) =>
            Effect.succeed(sites.map((site) => ({ site, result: Result.fail(failed) })))
          ),
          Effect.ensuring(Scope.close(own, Exit.void))
        )
      })

      const keep = (tree: trees.KeptTree) =>
        trees.put(sql, organizationId, tree).pipe((put) => fenced(organizationId, put), Effect.orDie)

      /** Stores a tree below its folder, with its manifests. */
      const show = (site: PluginSite, tree: trees.KeptTree): ListedRemote => {
        for (const [path, text] of Object.entries(tree.manifests)) {
          manifests.set(`${site.folder}/${path}`, Buffer.from(text, "base64"))
        }
        return {
          ok: true,
          entries: tree.entries.map((entry) => ({
            ...entry,
            path: `${site.folder}/${entry.path}`,
            ...(entry.linkTo === undefined ? {} : { linkTo: `${site.folder}/${entry.linkTo}` }),
            kind: "file"
          })),
          warnings: tree.warnings
        }
      }

      const list = Effect.fnUntraced(function* (wanted: ReadonlyArray<WantedRemote>) {
        const lists = new Map<string, ListedRemote>()
        const sites = wanted.flatMap((one) => siteOf(one) ?? [])
        for (const site of sites) mounted.set(site.folder, site)
        let files = 0
        const add = (site: PluginSite, tree: trees.KeptTree) => {
          files += tree.entries.length
          lists.set(
            site.folder,
            files > bounds.filesInAllMax
              ? unreadable(site.source, "the plugins from other sources have too many files in total")
              : show(site, tree)
          )
        }
        const missing: Array<PluginSite> = []
        for (let at = 0; at < sites.length; at += 20) {
          const group = sites.slice(at, at + 20)
          const storedTrees = yield* trees
            .find(sql, organizationId, [...new Set(group.map(({ key }) => key))])
            .pipe((find) => fenced(organizationId, find), Effect.orDie)
          const byKey = new Map(storedTrees.map((tree) => [tree.place, tree]))
          for (const site of group) {
            const tree = byKey.get(site.key)
            if (tree === undefined) missing.push(site)
            else add(site, tree)
          }
        }
        if (missing.length === 0) return lists
        const groups = [...Map.groupBy(missing, ({ place }) => placeKey(place)).values()]
        const isProvisional = yield* trees.isProvisional(sql, organizationId).pipe(Effect.orDie)
        const placesMax = isProvisional ? bounds.provisionalPlacesMax : bounds.placesMax
        for (const site of groups.slice(placesMax).flat()) {
          lists.set(
            site.folder,
            unreadable(site.source, `only ${placesMax} sources are read per run; the next sync continues`)
          )
        }
        yield* Effect.forEach(
          groups.slice(0, placesMax),
          (group) =>
            Effect.flatMap(listSites(group), (listedSites) =>
              Effect.forEach(
                listedSites,
                ({ result, site }) =>
                  result._tag === "Failure"
                    ? Effect.sync(() => lists.set(site.folder, unreadable(site.source, result.failure.message)))
                    : Effect.map(keep(result.success), () => add(site, result.success)),
                { discard: true }
              )
            ),
          { concurrency: bounds.atOnce, discard: true }
        )
        yield* trees
          .trim(sql, organizationId, bounds.keptBytesMax)
          .pipe((trim) => fenced(organizationId, trim), Effect.orDie)
        return lists
      })

      const listing = Effect.fnUntraced(function* (base: ReadonlyArray<TreeEntry>, discovery: Discovery) {
        const wanted = discovery.candidates.flatMap(({ key, remote, supported }) =>
          remote !== null && supported ? [{ folder: remoteFolder(key), source: remote }] : []
        )
        const lists = wanted.length === 0 ? new Map<string, ListedRemote>() : yield* list(wanted)
        const problems = new Map<string, string>()
        const entries: Array<TreeEntry> = []
        for (const [folder, one] of lists) {
          if (one.ok) for (const entry of one.entries) entries.push(entry)
          else problems.set(folder, one.reason)
        }
        const own = ownEntries(base)
        return { own, entries: entries.length === 0 ? own : [...own, ...entries], problems }
      })

      const mount = Effect.fnUntraced(function* (base: Snapshot, discovery: Discovery) {
        const { entries, own, problems } = yield* listing(base.entries, discovery)
        const ownShas = new Set<string>()
        yield* inTimeSlices(eachSteps(own, ({ sha }) => ownShas.add(sha)))
        const read = Effect.fnUntraced(function* (shas: ReadonlyArray<string>) {
          const contents = new Map(yield* base.read(shas.filter((sha) => ownShas.has(sha))))
          const remotePaths = Map.groupBy(
            shas.filter((sha) => !ownShas.has(sha)),
            (sha) => readers.get(sha)
          )
          for (const [reader, some] of remotePaths) {
            if (reader === undefined) continue
            const read = yield* reader.read(some).pipe(
              // The content has already been fetched and verified, so a failure at this point is local and transient.
              Effect.mapError(({ message }) => new CodeHostFailed({ code: "unreachable", message }))
            )
            for (const [sha, bytes] of read) contents.set(sha, bytes)
          }
          return contents
        })
        const snapshot: Snapshot = {
          ...base,
          entries,
          read
        }
        return { snapshot, problems }
      })

      const fetch = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
        const folders = new Set(paths.filter(isRemotePath).map((path) => path.split("/").slice(0, 2).join("/")))
        const problems = new Map<string, string>()
        const groups = Map.groupBy(
          [...folders].flatMap((folder) => mounted.get(folder) ?? []),
          ({ place }) => placeKey(place)
        )
        yield* Effect.forEach(
          groups.values(),
          (sites) =>
            Effect.gen(function* () {
              const [first] = sites
              if (first === undefined) return
              const tree = yield* Effect.result(open(first.place, scope))
              if (tree._tag === "Success") {
                for (const { kind, path, sha } of tree.success.entries) {
                  // From a large repository, only files inside a plugin are listed.
                  const isWanted = sites.some(({ subfolder }) => subfolder === "" || path.startsWith(`${subfolder}/`))
                  if (kind === "file" && isWanted) readers.set(sha, tree.success)
                }
                return
              }
              for (const { folder, source } of sites) {
                const list = unreadable(source, tree.failure.message)
                if (!list.ok) problems.set(folder, list.reason)
              }
            }),
          { concurrency: bounds.atOnce, discard: true }
        )
        return problems
      })

      return {
        remotes: { allows: content.allows, list },
        manifest: (path) => manifests.get(path),
        listing,
        mount,
        fetch
      } satisfies RemoteSession
    })

    return { session, version } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** A plugin's files at its source location, checked like those of a repository. */
const listOf = Effect.fnUntraced(function* (site: PluginSite, tree: RemoteTree) {
  const { subfolder } = site
  const inside =
    subfolder === ""
      ? tree.entries
      : tree.entries.flatMap((entry) =>
          entry.path.startsWith(`${subfolder}/`) ? [{ ...entry, path: entry.path.slice(subfolder.length + 1) }] : []
        )
  if (inside.length === 0) {
    return yield* failure("not_found", subfolder === "" ? "it is empty" : `it has no folder ${showPath(subfolder)}`)
  }
  if (inside.length > bounds.filesMax) {
    return yield* failure("too_large", `it has more than ${bounds.filesMax} files`)
  }
  const { accepted, warnings } = yield* inTimeSlices(surveySteps(yield* withLinks(inside, tree.read)))
  const entriesByPath = new Map(accepted.map((entry) => [entry.path, entry]))
  const manifestPaths = manifestPathsOf("").flatMap((path) => {
    const entry = entriesByPath.get(path)
    return entry !== undefined && entry.size <= manifestBytesMax ? [entry] : []
  })
  const contents = yield* tree.read(manifestPaths.map(({ sha }) => sha))
  const referring = referringFiles(accepted).slice(0, bounds.referringMax)
  const texts = yield* tree.read(referring.map(({ sha }) => sha))
  const brokenReferences = brokenReferencesOf(
    accepted,
    new Map(
      referring.flatMap(({ path, sha }) => {
        const bytes = texts.get(sha)
        return bytes === undefined ? [] : [[path, bytes] as const]
      })
    )
  )
  return {
    place: site.key,
    entries: accepted.map(storedEntryOf),
    manifests: Object.fromEntries(
      manifestPaths.flatMap(({ path, sha }) => {
        const bytes = contents.get(sha)
        return bytes === undefined ? [] : [[path, Buffer.from(bytes).toString("base64")]]
      })
    ),
    warnings: [...tree.warnings, ...warnings, ...brokenReferences].slice(0, bounds.warningsMax)
  } satisfies trees.KeptTree
})
