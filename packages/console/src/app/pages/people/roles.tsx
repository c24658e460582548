import type { Role } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Time } from "../../design/ui.tsx"

const columns: ReadonlyArray<Column<Role>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Description", width: "minmax(0, 3fr)", wide: true, cell: ({ description }) => description ?? "" },
  { name: "Permissions", width: "110px", cell: ({ permissions }) => permissions.length },
  { name: "Changed", width: "140px", wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> }
]

export const Page = () => (
  <ListPage
    title="Roles"
    name="roles"
    description="Roles of your organization, besides owner, admin and member."
    columns={columns}
    load={(input, signal) => client.roles.list(input, { signal })}
    idOf={({ id }) => id}
    empty="Create a role to give members exactly the permissions that they need."
  />
)
