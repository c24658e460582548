/** A sync of a connector: its progress, what it changed, and what went wrong. */
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Badge, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { pollMilliseconds, SyncProgress, useReloadAtEnd } from "./connector-syncs.tsx"
import { HeldPlan } from "./held-plan.tsx"
import { Loaded } from "./loaded.tsx"
import { Crumb, Figures } from "./parts.tsx"
import { SyncActions } from "./sync-actions.tsx"
import { isOngoing, shortRevision, syncNames, syncTones, triggerNames } from "./words.ts"

export const Page = () => {
  const instanceId = usePathParameter("connectorId")
  const id = usePathParameter("syncId")
  const query = useQuery({
    queryKey: ["connectors", instanceId, "syncs", "one", id],
    queryFn: ({ signal }) => client.connectors.getSyncEvent(id, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isOngoing(state.data) ? pollMilliseconds : false)
  })
  useReloadAtEnd(query.data)
  return (
    <>
      <Crumb to={`/connectors/${instanceId}`} tab="syncs">
        Syncs
      </Crumb>
      <Loaded title="Sync" query={query}>
        {(sync) => (
          <>
            <PageHeader
              title={`Sync of ${shortRevision(sync.revision)}`}
              actions={<SyncActions sync={sync} canRollBack />}
            />
            <div className="stack">
              {isOngoing(sync) && <SyncProgress sync={sync} />}
              {sync.error !== null && (
                <Notice title="The sync failed" tone="bad">
                  <span>{sync.error.message}</span>
                  <small>
                    <code>{sync.error.code}</code>
                  </small>
                </Notice>
              )}
              {sync.status === "review_required" && (
                <Notice title="Pending approval" tone="warn">
                  <span>It would remove more than 5 config objects and more than 30% of those on the branch.</span>
                </Notice>
              )}
              {sync.status === "review_required" && (
                <Allowed permission="connectors:manage">
                  <HeldPlan sync={sync} />
                </Allowed>
              )}
              <Section title="Sync">
                <Facts
                  rows={[
                    [
                      "Status",
                      <Badge key="status" tone={syncTones[sync.status]}>
                        {syncNames[sync.status]}
                      </Badge>
                    ],
                    ["Connector", <Name kind="connectorInstance" key="connector" id={sync.connectorInstanceId} />],
                    ["Reason", triggerNames[sync.trigger]],
                    ["Attempt", sync.attempt],
                    ["Revision", sync.revision === null ? null : <code>{sync.revision}</code>],
                    ["Revision before", sync.baseRevision === null ? null : <code>{sync.baseRevision}</code>],
                    ["Queued", <Time key="queued" at={sync.createdAt} />],
                    ["Started", <Time key="started" at={sync.startedAt} />],
                    ["Ended", <Time key="ended" at={sync.endedAt} />]
                  ]}
                />
              </Section>
              <Section title="Changes">
                <Figures
                  rows={[
                    ["plugins added", sync.counts.pluginsCreated],
                    ["objects added", sync.counts.objectsCreated],
                    ["objects changed", sync.counts.objectsUpdated],
                    ["objects removed", sync.counts.objectsDeleted],
                    ["objects unchanged", sync.counts.objectsUnchanged],
                    ["files added", sync.counts.filesAdded],
                    ["files changed", sync.counts.filesChanged],
                    ["files removed", sync.counts.filesRemoved],
                    ["files scanned", sync.counts.filesScanned]
                  ]}
                />
              </Section>
              <Section title="Warnings">
                {sync.warnings.length === 0 ? (
                  <p className="muted">There are no warnings.</p>
                ) : (
                  <ul className="bullets">
                    {sync.warnings.map((warning, index) => (
                      <li key={index}>{warning}</li>
                    ))}
                  </ul>
                )}
              </Section>
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}
