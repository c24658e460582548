import type { Marketplace } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Time } from "../../design/ui.tsx"

const columns: ReadonlyArray<Column<Marketplace>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Description", width: "minmax(0, 3fr)", wide: true, cell: ({ description }) => description ?? "" },
  { name: "Plugins", width: "80px", cell: ({ pluginCount }) => pluginCount },
  { name: "Changed", width: "140px", wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> }
]

export const Page = () => (
  <ListPage
    title="Marketplaces"
    name="marketplaces"
    description="Sets of plugins that members browse and install from."
    columns={columns}
    searches
    load={(input, signal) => client.marketplaces.list(input, { signal })}
    idOf={({ id }) => id}
    empty="A marketplace is created from a repository, or here."
  />
)
