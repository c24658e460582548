/** A connector: its repository, the sync that runs, what is imported, and who has access. */
import type { ConnectorInstance } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { OnObject } from "../../design/allowed.tsx"
import { readVersioned, type Versioned } from "../../design/form-version.ts"
import { Tabs } from "../../design/tabs.tsx"
import { Badge, Notice, PageHeader } from "../../design/ui.tsx"
import { Access } from "../../objects/access.tsx"
import { usePathParameter } from "../../parameters.ts"
import { InstanceActions } from "./connector-actions.tsx"
import { Branches } from "./connector-branches.tsx"
import { Import } from "./connector-import.tsx"
import { Overview } from "./connector-overview.tsx"
import { CurrentSync, Syncs } from "./connector-syncs.tsx"
import { Loaded } from "./loaded.tsx"
import { Crumb } from "./parts.tsx"
import { instanceNames, instanceTones } from "./words.ts"

const Connector = ({ item: instance, version }: Versioned<ConnectorInstance>) => {
  const { id, name, remoteId, status, statusReason } = instance
  return (
    <>
      <Crumb to="/connectors">Connectors</Crumb>
      <PageHeader
        title={name}
        description={remoteId}
        actions={<InstanceActions instance={instance} version={version} />}
      />
      <div className="stack">
        <div className="row">
          <Badge tone={instanceTones[status]}>{instanceNames[status]}</Badge>
        </div>
        {status === "error" && (
          <Notice title="The repository cannot be read" tone="bad">
            <span>{statusReason ?? "The reason is unknown. Open the last sync."}</span>
          </Notice>
        )}
        <CurrentSync instance={instance} />
        <Tabs
          tabs={[
            { value: "overview", label: "Overview", content: () => <Overview instance={instance} /> },
            { value: "import", label: "Plugins to import", content: () => <Import instance={instance} /> },
            { value: "syncs", label: "Syncs", content: () => <Syncs instanceId={id} /> },
            { value: "branches", label: "Branches and mappings", content: () => <Branches instance={instance} /> },
            {
              value: "access",
              label: "Access",
              access: "manager",
              content: () => <Access kind="connectorInstance" id={id} />
            }
          ]}
        />
      </div>
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("connectorId")
  const query = useQuery({
    queryKey: ["connectors", id],
    queryFn: ({ signal }) => readVersioned(client.connectors.getInstance(id, { signal }))
  })
  return (
    <Loaded title="Connector" query={query}>
      {({ item, version }) => (
        <OnObject kind="connectorInstance" id={id}>
          <Connector item={item} version={version} />
        </OnObject>
      )}
    </Loaded>
  )
}
