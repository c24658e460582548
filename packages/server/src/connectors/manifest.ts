import type { Manifest } from "@orgplane/schema/plugins"
import type { JsonObject } from "@orgplane/schema/shared/values"
import type { PlannedCandidate } from "./discovery/candidate.ts"

const manifestSchemaVersion = 1

/** Where a plugin's content is from: the place that the marketplace pins, or the repository itself. */
const referenceOf = ({ remote }: PlannedCandidate, own: string): string => {
  if (remote === null) return own
  const { host, kind, locator, path, pin, version } = remote
  const place = locator.includes("://") ? locator : `${host}/${locator}`
  return `${place}${path === null ? "" : `#${path}`}@${(kind === "npm" ? version : null) ?? pin ?? ""}`
}

/** What a plugin of a repository says of itself, in the one form that every plugin has here. */
export const manifestOf = (candidate: PlannedCandidate, repositoryFullName: string, revision: string): Manifest => ({
  schemaVersion: manifestSchemaVersion,
  id: candidate.key,
  name: candidate.displayName,
  description: candidate.description ?? "",
  source: { trusted: false, reference: referenceOf(candidate, `${repositoryFullName}@${revision}`) },
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
  // Where in the repository the plugin lies: what an archive leaves off the paths of its files.
  setup: { rootPath: candidate.rootPath },
  lifecycle: { metadata: candidate.metadata }
})
