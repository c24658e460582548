/** The content that is imported from a branch or from a whole repository, before the connector reads another one. */
import type { ConnectorTarget } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { NamedList, readOnce } from "../../design/consequences.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { branchOf } from "./words.ts"

/** What the next sync compares with the other branch or repository. */
export const ComparedContent = ({
  instanceId,
  target
}: {
  readonly instanceId: string
  /** The branch that changes. Default: the repository changes, with all branches. */
  readonly target?: ConnectorTarget
}) => {
  const query = useQuery({
    queryKey: ["impacts", "compared", target?.id ?? instanceId],
    queryFn: ({ signal }) => client.connectors.configuration(instanceId, { signal }),
    ...readOnce
  })
  const source = target === undefined ? "repository" : "branch"
  return (
    <Shown query={query} lines={6}>
      {({ plugins, targets }) => {
        const ownPlugins =
          target === undefined ? plugins : plugins.filter(({ connectorTargetId }) => connectorTargetId === target.id)
        const ownTargets =
          target === undefined ? targets : targets.filter(({ connectorTarget }) => connectorTarget.id === target.id)
        const objectCount = ownTargets.reduce((sum, { mappings }) => sum + mappings.objects, 0)
        const manualCount = ownTargets.reduce((sum, { mappings }) => sum + mappings.byHand, 0)
        return (
          <>
            <p>
              {plural(ownPlugins.length, "visible plugin")} and {plural(objectCount, "config object")} are imported from{" "}
              {target === undefined ? "this repository" : <code>{branchOf(target.externalTargetRef)}</code>}. The next
              sync compares them with the new {source}:
            </p>
            <ul className="bullets">
              <li>Objects whose files exist in the new {source} are updated to its content as new versions.</li>
              <li>Objects and plugins that do not exist in the new {source} are removed for everyone.</li>
              <li>
                A sync that would remove more than 5 objects and more than 30% of{" "}
                {target === undefined ? "the objects of a branch" : `these ${objectCount.toLocaleString("en")} objects`}{" "}
                is held for approval. The page of the sync lists the objects.
              </li>
              {manualCount > 0 && (
                <li>
                  Manual mappings that then apply to the new {source}: {manualCount}.
                </li>
              )}
              {target !== undefined && target.pinnedRevision !== null && <li>The pin of the rollback is removed.</li>}
            </ul>
            <NamedList label={`Plugins of the ${source}`} rows={ownPlugins} total={ownPlugins.length} />
          </>
        )
      }}
    </Shown>
  )
}
