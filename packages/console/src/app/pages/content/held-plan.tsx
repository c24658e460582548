/** What a sync that is held for approval would change: the plan of its branch for the plugins that are imported now. */
import type { ConnectorPlan, ConnectorSyncEvent } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { readOnce } from "../../design/consequences.tsx"
import { Shown } from "../../design/query.tsx"
import { Notice } from "../../design/ui.tsx"
import { PlanView } from "./plan.tsx"
import { PlannedRemovals } from "./removals.tsx"
import { shortRevision } from "./words.ts"

/** Reading a repository takes long. */
const timeoutMillis = 120_000

const usePlan = (
  { connectorInstanceId, connectorTargetId, id }: ConnectorSyncEvent,
  name: "plan" | "removals",
  options: { readonly staleTime: number; readonly gcTime?: number; readonly refetchOnWindowFocus?: boolean }
) =>
  useQuery({
    // Not below the key of the connector: otherwise, an approval would also load the plan again and wait for it.
    queryKey: ["impacts", "sync", name, connectorInstanceId, id],
    queryFn: async ({ signal }) => {
      const [discovery, configuration] = await Promise.all([
        client.connectors.discovery(connectorInstanceId, { connectorTargetId }, { signal, timeoutMillis }),
        client.connectors.configuration(connectorInstanceId, { signal })
      ])
      const imported = new Set(
        configuration.plugins.filter((each) => each.connectorTargetId === connectorTargetId).map(({ key }) => key)
      )
      const plan = await client.connectors.plan(
        connectorInstanceId,
        {
          // The API refuses the keys of plugins that cannot be imported any more.
          selectedKeys: discovery.discoveredPlugins.flatMap(({ key, supported }) =>
            supported && imported.has(key) ? [key] : []
          ),
          autoImportNewPlugins: discovery.autoImportNewPlugins,
          connectorTargetId
        },
        { signal, timeoutMillis }
      )
      return { plan, names: new Map(discovery.discoveredPlugins.map(({ displayName, key }) => [key, displayName])) }
    },
    ...options
  })

const ChangedBranch = ({ plan, sync }: { readonly plan: ConnectorPlan; readonly sync: ConnectorSyncEvent }) =>
  plan.revision === sync.revision ? null : (
    <Notice title="The branch has changed since" tone="warn">
      <span>
        The plan shows revision <code>{shortRevision(plan.revision)}</code>. An approval applies to revision{" "}
        <code>{shortRevision(sync.revision)}</code> only.
      </span>
    </Notice>
  )

export const HeldPlan = ({ sync }: { readonly sync: ConnectorSyncEvent }) => (
  <Shown query={usePlan(sync, "plan", { staleTime: 60_000 })} lines={8}>
    {({ names, plan }) => (
      <>
        <ChangedBranch plan={plan} sync={sync} />
        <PlanView plan={plan} names={names} />
      </>
    )}
  </Shown>
)

/** The names of what the sync would remove. A question that contains it waits until they have been read. */
export const HeldRemovals = ({ sync }: { readonly sync: ConnectorSyncEvent }) => (
  <Shown query={usePlan(sync, "removals", readOnce)} lines={6}>
    {({ plan }) => (
      <>
        <ChangedBranch plan={plan} sync={sync} />
        <PlannedRemovals plan={plan} />
      </>
    )}
  </Shown>
)
