import type { Plugin } from "@orgplane/client"
import { client } from "../api/client.ts"
import { type Column, DataTable, NothingYet } from "../design/data-table.tsx"
import { Badge, PageHeader, Time } from "../design/ui.tsx"

const columns: ReadonlyArray<Column<Plugin>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Description", width: "minmax(0, 3fr)", wide: true, cell: ({ description }) => description ?? "" },
  { name: "Objects", width: "80px", wide: true, cell: ({ memberCount }) => memberCount },
  {
    name: "Status",
    width: "minmax(0, 1fr)",
    cell: ({ pendingReleaseId }) =>
      pendingReleaseId === null ? <Badge tone="good">current</Badge> : <Badge tone="warn">waits for approval</Badge>
  },
  { name: "Changed", width: "140px", wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> }
]

export const Page = () => (
  <>
    <PageHeader title="Plugins" description="Skills, agents, commands and servers, in sets that members install." />
    <DataTable
      label="Plugins"
      columns={columns}
      queryKey={["plugins"]}
      load={(cursor, signal) =>
        client.plugins.list({ limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
      }
      idOf={({ id }) => id}
      empty={<NothingYet title="No plugins yet">Connect a repository, or create a plugin.</NothingYet>}
    />
  </>
)
