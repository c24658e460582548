import type { JsonObject } from "../../config-objects/parse-json.ts"
import {
  type ComponentKind,
  componentKindNames,
  type MappingPlan,
  type PlannedCandidate,
  type RemoteSource
} from "./candidate.ts"
import { nameLengthMax } from "./limits.ts"
import type { PluginManifest } from "./manifest.ts"
import { showPath } from "./paths.ts"
import type { Warnings } from "./warnings.ts"

interface Parts {
  readonly key: string
  readonly previousKeys?: ReadonlyArray<string>
  readonly rootPath: string
  readonly name: string
  /** In order of precedence: the first manifest that has a field determines its value. */
  readonly manifests: ReadonlyArray<PluginManifest>
  readonly manifestPath: string | null
  readonly plan: ReadonlyArray<MappingPlan>
  readonly supported: boolean
  readonly remote?: RemoteSource
  readonly remoteProblem?: string | null
  readonly warnings: Warnings
}

/** A candidate as returned by the API, from its manifests and the contents of its folder. */
export const assemble = (parts: Parts): PlannedCandidate => {
  const { manifests, supported, warnings } = parts
  // Components defined in a marketplace entry can be planned even if its folder is missing.
  const plan = supported ? parts.plan : []
  const first = <K extends keyof PluginManifest>(member: K): PluginManifest[K] | null =>
    manifests.find((manifest) => manifest[member] !== null)?.[member] ?? null
  const union = (member: "tags" | "keywords") => [...new Set(manifests.flatMap((manifest) => manifest[member]))]
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(parts.name))
    warnings.add(`The name ${showPath(parts.name)} is not kebab-case.`)
  if (supported && plan.length === 0) {
    warnings.add("Nothing to import was found: no skill, command, agent, hook, server, monitor or setting.")
  }
  const pathsOf = (kind: ComponentKind) => [
    ...new Set(plan.filter(({ component }) => component === kind).map(({ selector }) => selector))
  ]
  const metadata: JsonObject = {
    name: parts.name,
    version: first("version"),
    author: first("author"),
    category: first("category"),
    homepage: first("homepage"),
    repository: first("repository"),
    license: first("license"),
    tags: union("tags"),
    keywords: union("keywords"),
    source: parts.remote === undefined ? { kind: "local" } : shownSource(parts.remote)
  }
  return {
    key: parts.key,
    rootPath: parts.rootPath,
    displayName: first("displayName") ?? parts.name.slice(0, nameLengthMax),
    description: first("description"),
    selectedByDefault: supported && plan.length > 0,
    supported,
    manifestPath: parts.manifestPath,
    warnings: warnings.list(),
    componentKinds: componentKindNames.filter((kind) => plan.some(({ component }) => component === kind)),
    componentPaths: {
      agents: pathsOf("agents"),
      commands: pathsOf("commands"),
      hooks: pathsOf("hooks"),
      lspServers: pathsOf("lspServers"),
      mcpServers: pathsOf("mcpServers"),
      monitors: pathsOf("monitors"),
      settings: pathsOf("settings"),
      skills: pathsOf("skills")
    },
    metadata,
    plan,
    previousKeys: parts.previousKeys ?? [],
    remote: parts.remote ?? null,
    remoteProblem: parts.remoteProblem ?? null,
    folder: null
  }
}

const shownSource = ({ host, kind, locator, path, pin, ref, version }: RemoteSource): JsonObject => ({
  kind,
  host,
  locator,
  path,
  ref,
  version,
  pin
})

/** The possible paths of a plugin's own manifest, in order of preference. */
export const manifestPathsOf = (rootPath: string): ReadonlyArray<string> => {
  const root = rootPath === "" ? "" : `${rootPath}/`
  return [`${root}.claude-plugin/plugin.json`, `${root}plugin.json`]
}
