/** What a change of a connector removes, restores, changes and moves: the first names, and how many there are. */
import type { ConnectorPlan, PlannedObject } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { client } from "../../api/client.ts"
import { Shown } from "../../design/query.tsx"

import { Figures } from "./parts.tsx"
import { shortRevision } from "./words.ts"

const namedMax = 20

interface Named {
  readonly id: string
  readonly name: ReactNode
}

/** The first 20 of many, with their total. */
export const NamedList = ({
  label,
  rows,
  total
}: {
  readonly label: string
  readonly rows: ReadonlyArray<Named>
  /** The number of all, of which `rows` can contain only the first. */
  readonly total: number
}) => {
  if (total === 0) return null
  const first = rows.slice(0, namedMax)
  return (
    <>
      <p>
        {label}: {total.toLocaleString("en")}
      </p>
      <ul className="facts" aria-label={label}>
        {first.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
        {total > first.length && <li className="muted">{(total - first.length).toLocaleString("en")} more</li>}
      </ul>
    </>
  )
}

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

const namedObjects = (objects: ReadonlyArray<PlannedObject>): ReadonlyArray<Named> =>
  objects.map((object) => ({ id: object.configObjectId, name: nameOf(object) }))

/** Read once for each dialog, so that the consequences do not change while the person decides. */
export const readOnce = { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false } as const

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
