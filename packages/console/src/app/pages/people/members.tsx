import type { Member } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"

const columns: ReadonlyArray<Column<Member>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ email, name }) => <strong>{name ?? email ?? "unnamed"}</strong> },
  { name: "Email address", width: "minmax(0, 2fr)", wide: true, cell: ({ email }) => email ?? "" },
  { name: "Role", width: "minmax(0, 1fr)", cell: ({ role }) => <Badge>{role}</Badge> },
  { name: "Joined", width: "140px", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> }
]

export const Page = () => (
  <ListPage
    title="Members"
    name="members"
    description="The people of the organization, and their roles."
    columns={columns}
    searches
    load={(input, signal) => client.members.list(input, { signal })}
    idOf={({ id }) => id}
    empty="Invite people by email, or provision them with SCIM."
  />
)
