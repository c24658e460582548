import type { ConnectorInstance } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Time, type Tone } from "../../design/ui.tsx"

const tones: Readonly<Record<ConnectorInstance["status"], Tone>> = {
  active: "good",
  disabled: "neutral",
  archived: "neutral",
  error: "bad"
}

const columns: ReadonlyArray<Column<ConnectorInstance>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Repository", width: "minmax(0, 3fr)", wide: true, cell: ({ remoteId }) => <code>{remoteId}</code> },
  { name: "Status", width: "110px", cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { name: "Last sync", width: "140px", wide: true, cell: ({ lastSyncedAt }) => <Time at={lastSyncedAt} /> }
]

export const Page = () => (
  <ListPage
    title="Connectors"
    name="connectors"
    description="Connected repositories, from which plugins are imported and kept up to date."
    columns={columns}
    load={(input, signal) => client.connectors.listInstances(input, { signal })}
    idOf={({ id }) => id}
    empty="Connect a repository to import its plugins."
  />
)
