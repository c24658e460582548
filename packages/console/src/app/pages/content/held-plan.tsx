/** What a sync that is held for approval would change: the plan of its branch for the plugins that are imported now. */
import type { ConnectorSyncEvent } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Shown } from "../../design/query.tsx"
import { Notice } from "../../design/ui.tsx"
import { PlanView } from "./plan.tsx"
import { shortRevision } from "./words.ts"

/** Reading a repository takes long. */
const timeoutMillis = 120_000

const usePlan = ({ connectorInstanceId, connectorTargetId, id }: ConnectorSyncEvent) =>
  useQuery({
    queryKey: ["connectors", connectorInstanceId, "syncs", "plan", id],
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
          selectedKeys: discovery.discoveredPlugins.flatMap(({ key }) => (imported.has(key) ? [key] : [])),
          autoImportNewPlugins: discovery.autoImportNewPlugins,
          connectorTargetId
        },
        { signal, timeoutMillis }
      )
      return { plan, names: new Map(discovery.discoveredPlugins.map(({ displayName, key }) => [key, displayName])) }
    },
    staleTime: 60_000
  })

export const HeldPlan = ({ sync }: { readonly sync: ConnectorSyncEvent }) => (
  <Shown query={usePlan(sync)} lines={8}>
    {({ names, plan }) => (
      <>
        {plan.revision !== sync.revision && (
          <Notice title="The branch has changed since" tone="warn">
            <span>
              The plan shows revision <code>{shortRevision(plan.revision)}</code>. An approval applies to revision{" "}
              <code>{shortRevision(sync.revision)}</code> only.
            </span>
          </Notice>
        )}
        <PlanView plan={plan} names={names} />
      </>
    )}
  </Shown>
)
