import type { ApiKey } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"

const stateOf = ({ expiresAt, revokedAt }: ApiKey) => {
  if (revokedAt !== null) return <Badge>revoked</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) < Date.now()) return <Badge tone="bad">expired</Badge>
  return <Badge tone="good">active</Badge>
}

const columns: ReadonlyArray<Column<ApiKey>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: ({ name }) => <strong>{name}</strong> },
  { name: "Key", width: "minmax(0, 1fr)", wide: true, cell: ({ hint }) => <code>{hint}</code> },
  { name: "Status", width: "110px", cell: stateOf },
  { name: "Last used", width: "140px", wide: true, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> }
]

export const Page = () => (
  <ListPage
    title="API keys"
    name="api-keys"
    description="Credentials of programs."
    columns={columns}
    load={(input, signal) => client.apiKeys.list(input, { signal })}
    idOf={({ id }) => id}
    empty="Create a key for a program that calls the API."
  />
)
