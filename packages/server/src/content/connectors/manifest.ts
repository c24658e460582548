import type { Manifest } from "@orgplane/schema/plugins"
import type { JsonObject } from "@orgplane/schema/shared/values"
import type { Id } from "@orgplane/schema/shared/ids"
import type { SourcedRow } from "../../infra/sql/plugin-manifest.ts"
import type { SourcedPlugin } from "../plugins/repo.ts"
import type { PlannedCandidate } from "./discovery/candidate.ts"

const manifestSchemaVersion = 1

/** The source of a plugin's content: the pinned location from the marketplace, or the repository itself at a commit. */
const referenceOf = ({ remote }: PlannedCandidate, own: string): string => {
  if (remote === null) return own
  const { host, kind, locator, path, pin, version } = remote
  const place = locator.includes("://") ? locator : `${host}/${locator}`
  return `${place}${path === null ? "" : `#${path}`}@${(kind === "npm" ? version : null) ?? pin ?? ""}`
}

/** The canonical manifest of a plugin from a repository, without the commit. */
const manifestOf = (candidate: PlannedCandidate, repositoryFullName: string, files: JsonObject | null): Manifest => ({
  schemaVersion: manifestSchemaVersion,
  id: candidate.key,
  name: candidate.displayName,
  description: candidate.description ?? "",
  source: { trusted: false, reference: referenceOf(candidate, repositoryFullName) },
  resources: candidate.plan.map(({ component, objectType, pointer, selector }): JsonObject => ({
    component,
    objectType,
    pointer,
    selector
  })),
  contributions: candidate.componentKinds.map((kind): JsonObject => ({
    kind,
    paths: [...candidate.componentPaths[kind]]
  })),
  // The plugin's path in the repository; archives remove it from the paths of its files.
  setup: { rootPath: candidate.rootPath, ...(files === null ? {} : { files }) },
  lifecycle: { metadata: candidate.metadata }
})

/** A plugin at a commit; `revision` is that commit, or '' for the commit that its branch published last. */
export const sourced = (
  candidate: PlannedCandidate,
  place: {
    readonly id: Id<"plg">
    readonly targetId: Id<"ctg">
    readonly repositoryFullName: string
    readonly revision: string
    /** A summary of the plugin's files; null before they were read. */
    readonly files: JsonObject | null
  }
): SourcedPlugin => ({
  id: place.id,
  name: candidate.displayName,
  description: candidate.description ?? "",
  manifest: manifestOf(candidate, place.repositoryFullName, place.files),
  sourceRevision: candidate.remote === null ? place.revision : null,
  targetId: place.targetId,
  candidateKey: candidate.key
})

const isSameJson = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  // JSON omits undefined members.
  const members = Object.entries(one).filter(([, value]) => value !== undefined)
  const others = new Map<string, unknown>(Object.entries(other))
  return (
    members.length === others.size &&
    members.every(([name, value]) => others.has(name) && isSameJson(value, others.get(name)))
  )
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The summary of the plugin's files in a manifest; null if they were not read yet. */
export const filesStated = (manifest: Manifest | null | undefined): JsonObject | null => {
  const files = manifest?.setup["files"]
  return isJsonObject(files) ? files : null
}

/** Whether a row already has the values that would be written. */
export const isWritten = (plugin: SourcedPlugin, row: SourcedRow | undefined): boolean =>
  row !== undefined &&
  row.candidate_key === plugin.candidateKey &&
  row.name === plugin.name &&
  (row.description ?? "") === plugin.description &&
  row.source_revision === plugin.sourceRevision &&
  isSameJson(row.manifest_json, plugin.manifest)
