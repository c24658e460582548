/** What a change of a connector removes, restores, changes and moves: the first names, and how many there are. */
import type { ConnectorPlan, PlannedObject } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { NamedList, type NamedRow, readOnce } from "../../design/consequences.tsx"
import { Shown } from "../../design/query.tsx"
import { Figures } from "./parts.tsx"
import { shortRevision } from "./words.ts"

const nameOf = ({ objectType, path, plugin, pointer, was }: PlannedObject) => (
  <>
    {was !== null && (
      <>
        <code>{was}</code> to{" "}
      </>
    )}
    <code>{path}</code>
    {pointer !== null && <code> {pointer}</code>} ({objectType}
    {plugin !== null && <> of {plugin.name}</>})
  </>
)

const namedObjects = (objects: ReadonlyArray<PlannedObject>): ReadonlyArray<NamedRow> =>
  objects.map((object) => ({ id: object.configObjectId, name: nameOf(object) }))

/** The effects of a rollback of a branch to a revision. A dialog that contains them waits until they have been read. */
export const RollbackEffects = ({
  instanceId,
  revision,
  targetId
}: {
  readonly instanceId: string
  readonly targetId: string
  readonly revision: string
}) => {
  const query = useQuery({
    queryKey: ["impacts", "rollback", instanceId, targetId, revision],
    queryFn: ({ signal }) =>
      client.connectors.planRollback(instanceId, { revision, connectorTargetId: targetId }, { signal }),
    ...readOnce
  })
  return (
    <Shown query={query} lines={6}>
      {({ baseRevision, changed, counts, moved, removed, removedPlugins, restored, restoredPlugins }) => (
        <>
          {baseRevision !== null && (
            <p>
              Revision <code>{shortRevision(baseRevision)}</code> is imported now. The rollback changes:
            </p>
          )}
          <Figures
            rows={[
              ["objects removed", counts.objectsDeleted],
              ["objects restored", counts.objectsCreated],
              ["objects changed", counts.objectsUpdated],
              ["objects moved", counts.objectsMoved],
              ["plugin files changed", counts.filesAdded + counts.filesChanged + counts.filesRemoved]
            ]}
          />
          <NamedList label="Plugins removed for everyone" rows={removedPlugins} total={counts.pluginsRemoved} />
          <NamedList label="Objects removed for everyone" rows={namedObjects(removed)} total={counts.objectsDeleted} />
          <NamedList label="Plugins restored" rows={restoredPlugins} total={counts.pluginsCreated} />
          <NamedList label="Objects restored" rows={namedObjects(restored)} total={counts.objectsCreated} />
          <NamedList label="Objects changed" rows={namedObjects(changed)} total={counts.objectsUpdated} />
          <NamedList label="Objects moved" rows={namedObjects(moved)} total={counts.objectsMoved} />
          {counts.objectsDeleted +
            counts.objectsCreated +
            counts.objectsUpdated +
            counts.objectsMoved +
            counts.pluginsRemoved +
            counts.pluginsCreated ===
            0 && <p>The rollback changes no config objects and no plugins.</p>}
        </>
      )}
    </Shown>
  )
}

/** What an import removes, by its plan. */
export const PlannedRemovals = ({ plan }: { readonly plan: ConnectorPlan }) => {
  const named = (kind: "object" | "plugin") =>
    plan.removed.flatMap(({ kind: other, name, objectType, pointer }, index) =>
      other === kind
        ? [
            {
              id: `${index}`,
              name:
                kind === "plugin" ? (
                  name
                ) : (
                  <>
                    <code>{name}</code>
                    {pointer !== null && <code> {pointer}</code>} ({objectType})
                  </>
                )
            }
          ]
        : []
    )
  return (
    <>
      <NamedList label="Plugins removed for everyone" rows={named("plugin")} total={plan.counts.removed.plugins} />
      <NamedList label="Objects removed for everyone" rows={named("object")} total={plan.counts.removed.objects} />
    </>
  )
}

/** The config objects that are deleted with a manual mapping. */
export const MappingDeletions = ({ mappingId }: { readonly mappingId: string }) => {
  const query = useQuery({
    queryKey: ["impacts", "mapping", mappingId],
    queryFn: ({ signal }) => client.connectors.mappingImpact(mappingId, { signal }),
    ...readOnce
  })
  return (
    <Shown query={query}>
      {({ deleted, objectsDeleted, objectsKept }) => (
        <>
          {objectsDeleted === 0 && <p>No config object comes only from this mapping.</p>}
          <NamedList label="Objects deleted for everyone" rows={namedObjects(deleted)} total={objectsDeleted} />
          {objectsKept > 0 && <p>Objects that are kept, because another mapping also imports them: {objectsKept}.</p>}
        </>
      )}
    </Shown>
  )
}
