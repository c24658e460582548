import type { Team } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Time } from "../../design/ui.tsx"

const columns: ReadonlyArray<Column<Team>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Description", width: "minmax(0, 3fr)", wide: true, cell: ({ description }) => description ?? "" },
  { name: "Members", width: "90px", cell: ({ memberCount }) => memberCount },
  { name: "Changed", width: "140px", wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> }
]

export const Page = () => (
  <ListPage
    title="Teams"
    name="teams"
    description="Groups of members, to which access, assignments and policies apply."
    columns={columns}
    searches
    load={(input, signal) => client.teams.list(input, { signal })}
    idOf={({ id }) => id}
    empty="Create a team, or let SCIM provision them."
  />
)
