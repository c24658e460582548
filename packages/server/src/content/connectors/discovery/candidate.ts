import type { JsonObject } from "../../config-objects/parse-json.ts"

/** In the order of `componentKinds`. */
export const componentKindNames = [
  "agents",
  "commands",
  "hooks",
  "lspServers",
  "mcpServers",
  "monitors",
  "settings",
  "skills"
] as const
export type ComponentKind = (typeof componentKindNames)[number]

export type ObjectType = "skill" | "agent" | "command" | "tool" | "mcp" | "hook" | "context" | "custom"

export const objectTypeOf: Readonly<Record<ComponentKind, ObjectType>> = {
  agents: "agent",
  commands: "command",
  hooks: "hook",
  lspServers: "custom",
  mcpServers: "mcp",
  monitors: "custom",
  settings: "custom",
  skills: "skill"
}

/** A mapping that importing a candidate creates. */
export interface MappingPlan {
  readonly mappingKind: "path"
  /** A file, a folder, or "." for the repository; 1 to 255 characters. */
  readonly selector: string
  readonly objectType: ObjectType
  /** The location of the object in the selected manifest; null if the object is the whole file. */
  readonly pointer: string | null
  readonly component: ComponentKind
}

/** A plugin source outside the repository that lists it. */
export interface RemoteSource {
  readonly kind: "github" | "url" | "git-subdir" | "npm" | "archive"
  readonly host: string
  /** Repository, package or URL, without user information, query or fragment. */
  readonly locator: string
  readonly path: string | null
  readonly ref: string | null
  /** A commit, integrity or digest; null if the content can change. */
  readonly pin: string | null
  /** The version of a package. */
  readonly version: string | null
  /** The base URL of a package registry; null for the default. */
  readonly registry: string | null
  /** Whether the URL as written in the manifest had no user information, query or fragment. */
  readonly isPlain: boolean
}

export interface Candidate {
  /** Stable within the target: `marketplace:<name>`, otherwise the root path ("." for the repository). */
  readonly key: string
  /** Without a leading "./"; "" is the repository root. */
  readonly rootPath: string
  readonly displayName: string
  readonly description: string | null
  readonly selectedByDefault: boolean
  readonly supported: boolean
  readonly manifestPath: string | null
  readonly warnings: ReadonlyArray<string>
  readonly componentKinds: ReadonlyArray<ComponentKind>
  readonly componentPaths: Readonly<Record<ComponentKind, ReadonlyArray<string>>>
  readonly metadata: JsonObject
}

export interface PlannedCandidate extends Candidate {
  readonly plan: ReadonlyArray<MappingPlan>
  /** Former keys of the plugin according to the marketplace, so that its identity survives a rename. */
  readonly previousKeys: ReadonlyArray<string>
  readonly remote: RemoteSource | null
  /** Why a plugin from another source cannot be imported; null if it can, and for plugins in the repository. */
  readonly remoteProblem: string | null
  /** The files of its folder; null if it cannot be imported. */
  readonly folder: {
    readonly fileCount: number
    readonly bytes: number
    /** Why the plugin has no archive; null if it has one. */
    readonly problem: string | null
  } | null
}

export interface Marketplace {
  readonly name: string
  readonly description: string | null
  readonly owner: { readonly name: string; readonly email: string | null; readonly url: string | null } | null
}

export interface Discovery {
  readonly candidates: ReadonlyArray<PlannedCandidate>
  readonly marketplace: Marketplace | null
  readonly warnings: ReadonlyArray<string>
  /** Keys of plugins whose source is allowed but could not be read. Another attempt may succeed. */
  readonly unread: ReadonlyArray<string>
  readonly tree: {
    readonly scannedEntryCount: number
    readonly strategy: "git-tree-recursive" | "git-tree-walk"
    readonly truncated: boolean
  }
}
