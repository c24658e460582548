import type { Plugin } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"

const columns: ReadonlyArray<Column<Plugin>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Description", width: "minmax(0, 3fr)", wide: true, cell: ({ description }) => description ?? "" },
  { name: "Objects", width: "80px", wide: true, cell: ({ memberCount }) => memberCount },
  {
    name: "Status",
    width: "minmax(0, 1fr)",
    cell: ({ archivedAt, pendingReleaseId }) =>
      archivedAt !== null ? (
        <Badge>archived</Badge>
      ) : pendingReleaseId === null ? (
        <Badge tone="good">current</Badge>
      ) : (
        <Badge tone="warn">waits for approval</Badge>
      )
  },
  { name: "Changed", width: "140px", wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> }
]

export const Page = () => (
  <ListPage
    title="Plugins"
    name="plugins"
    description="Skills, agents, commands and servers, in sets that members install."
    columns={columns}
    searches
    load={(input, signal) => client.plugins.list(input, { signal })}
    idOf={({ id }) => id}
    to={({ id }) => `/plugins/${id}`}
    empty="Connect a repository, or create a plugin."
  />
)
