import type { JsonObject } from "../../config-objects/parse-json.ts"

/** In the order `componentKinds` lists them. */
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

/** One mapping that importing a candidate makes. */
export interface MappingPlan {
  readonly mappingKind: "path"
  /** A file, a folder, or "." for the repository; 1 to 255 characters. */
  readonly selector: string
  readonly objectType: ObjectType
  /** Where in the selected manifest the object is written; null when it is the whole file. */
  readonly pointer: string | null
  readonly component: ComponentKind
}

/** A plugin's content that lies in another place than the repository that lists it. */
export interface RemoteSource {
  readonly kind: "github" | "url" | "git-subdir" | "npm" | "archive"
  readonly host: string
  /** Repository, package or address, without user info, query and fragment. */
  readonly locator: string
  readonly path: string | null
  readonly ref: string | null
  /** A commit, integrity or digest; null when whoever serves it may change it. */
  readonly pin: string | null
  /** Of a package. */
  readonly version: string | null
  /** Base address of a package's registry; null for the usual one. */
  readonly registry: string | null
  /** The address as stated had neither user information nor a query nor a fragment. */
  readonly isPlain: boolean
}

export interface Candidate {
  /** Stable inside the target: `marketplace:<name>`, else the root path ("." for the repository). */
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
  /** Keys the marketplace says this plugin had before, so that its identity survives a rename. */
  readonly previousKeys: ReadonlyArray<string>
  readonly remote: RemoteSource | null
  /** Why what lies elsewhere is not there to be imported; null when it is, and for what lies in the repository. */
  readonly remoteProblem: string | null
  /** The files of its folder; null when it cannot be imported. */
  readonly folder: {
    readonly fileCount: number
    readonly bytes: number
    /** Why it has no archive; null when it has one. */
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
  /** Keys of plugins whose source may be read and could not be: another look may find more. */
  readonly unread: ReadonlyArray<string>
  readonly tree: {
    readonly scannedEntryCount: number
    readonly strategy: "git-tree-recursive" | "git-tree-walk"
    readonly truncated: boolean
  }
}
