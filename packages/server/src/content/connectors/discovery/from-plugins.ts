import * as Effect from "effect/Effect"
import { flatMapSteps, inTimeSlices, type Steps } from "../../../infra/time-slices.ts"
import { assemble } from "./assemble.ts"
import type { PlannedCandidate } from "./candidate.ts"
import { makePlanner } from "./components.ts"
import { candidatesMax, candidateWarningsMax, keyLengthMax, nameLengthMax } from "./limits.ts"
import { readPlugin } from "./manifest.ts"
import { loadManifests, type Read } from "./manifests.ts"
import { showPath } from "./paths.ts"
import type { Tree } from "./tree.ts"
import { makeWarnings, type Warnings } from "./warnings.ts"

interface Input {
  readonly tree: Tree
  readonly repositoryFullName: string
  readonly warnings: Warnings
}

/** Every folder with a plugin manifest, by path; null if the repository has none. */
export const fromPlugins = Effect.fnUntraced(function* <E, R>(
  { repositoryFullName, tree, warnings }: Input,
  read: Read<E, R>
): Effect.fn.Return<ReadonlyArray<PlannedCandidate> | null, E, R> {
  const roots = yield* inTimeSlices(pluginRoots(tree))
  if (roots.size === 0) return null
  if (roots.size > candidatesMax) warnings.add(`Only the first ${candidatesMax} plugins are listed.`)
  const sortedRoots = [...roots].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, candidatesMax)
  const manifests = yield* loadManifests(
    tree,
    sortedRoots.map(([, path]) => path),
    read
  )
  const planner = makePlanner(tree)

  const candidateOf = ([rootPath, manifestPath]: readonly [string, string]): ReadonlyArray<PlannedCandidate> => {
    const manifest = manifests.get(manifestPath)
    if (manifest === undefined || !manifest.ok) {
      if (manifest !== undefined) warnings.add(manifest.warning)
      return []
    }
    if (rootPath.length > keyLengthMax) {
      warnings.add(`${showPath(rootPath)} is longer than ${keyLengthMax} characters; its plugin is not listed.`)
      return []
    }
    const ownWarnings = makeWarnings(candidateWarningsMax)
    for (const warning of manifest.warnings) ownWarnings.add(warning)
    const plugin = readPlugin(manifest.value, ownWarnings)
    if (plugin.name === null) {
      // Other tools also use plugin.json; only `.claude-plugin/plugin.json` is certainly a plugin manifest.
      if (!manifestPath.endsWith(".claude-plugin/plugin.json")) {
        warnings.add(`${showPath(manifestPath)} has no "name" and is not treated as a plugin manifest.`)
        return []
      }
      ownWarnings.add(`${showPath(manifestPath)} has no "name"; the folder's name is used.`)
    }
    const folder = (rootPath === "" ? repositoryFullName : rootPath).split("/").findLast((part) => part !== "")
    const plan = planner.plan(rootPath, [{ manifestPath, pointer: "", components: plugin.components }], ownWarnings)
    return [
      assemble({
        key: rootPath === "" ? "." : rootPath,
        rootPath,
        name: plugin.name ?? (folder ?? "plugin").slice(0, nameLengthMax),
        manifests: [plugin],
        manifestPath,
        plan,
        supported: true,
        warnings: ownWarnings
      })
    ]
  }
  return yield* inTimeSlices(flatMapSteps(sortedRoots, candidateOf))
})

/** Maps each plugin folder to its manifest. Installed dependencies are skipped. */
const pluginRoots = function* (tree: Tree): Steps<ReadonlyMap<string, string>> {
  const roots = new Map<string, string>()
  for (const { path } of tree.files) {
    yield
    const match = /^(?:(.*)\/)?plugin\.json$/u.exec(path)
    if (match === null || path.split("/").includes("node_modules")) continue
    const folder = match[1] ?? ""
    const hidden = /^(?:(.*)\/)?\.claude-plugin$/u.exec(folder)
    const root = hidden === null ? folder : (hidden[1] ?? "")
    if (hidden !== null || !roots.has(root)) roots.set(root, path)
  }
  return roots
}
