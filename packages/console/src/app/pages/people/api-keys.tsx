import type { ApiKey } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { CreateApiKey } from "./api-key-create.tsx"
import { ApiKeysBulk } from "./api-keys-bulk.tsx"
import "./people.css"

/** A key that expires within this time is marked. */
const soonMilliseconds = 14 * 86_400_000

export const KeyState = ({ apiKey: { expiresAt, revokedAt } }: { readonly apiKey: ApiKey }) => {
  if (revokedAt !== null) return <Badge>revoked</Badge>
  const left = expiresAt === null ? Infinity : Date.parse(expiresAt) - Date.now()
  if (left < 0) return <Badge tone="bad">expired</Badge>
  return left < soonMilliseconds ? <Badge tone="warn">expires soon</Badge> : <Badge tone="good">active</Badge>
}

const columns: ReadonlyArray<Column<ApiKey>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  { name: "Key", width: "minmax(0, 1fr)", wide: true, cell: ({ hint }) => <code>{hint}…</code> },
  {
    name: "Permissions",
    width: "100px",
    wide: true,
    cell: ({ permissions }) => permissions.length,
    sort: ({ permissions }) => permissions.length
  },
  {
    name: "Created by",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ createdByOrgMembershipId }) => <Name kind="member" id={createdByOrgMembershipId} />
  },
  { name: "Status", width: "120px", cell: (apiKey) => <KeyState apiKey={apiKey} /> },
  {
    name: "Expires",
    width: "120px",
    wide: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
    sort: ({ expiresAt }) => expiresAt
  },
  {
    name: "Last used",
    width: "120px",
    wide: true,
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
    sort: ({ lastUsedAt }) => lastUsedAt
  }
]

export const Page = () => {
  const { new: isNew } = useParameters()
  const set = useSetParameters()
  const open = () => set({ new: "true" })
  return (
    <>
      <ListPage
        creates="apiKeys:manage"
        bulkPermission="apiKeys:manage"
        title="API keys"
        name="api-keys"
        description="Credentials of programs. A key has only the permissions that you give it."
        columns={columns}
        searches
        filters={[
          {
            name: "revoked",
            label: "Status",
            options: [
              ["false", "Not revoked"],
              ["true", "Revoked"]
            ]
          }
        ]}
        load={(input, signal, { revoked }) =>
          client.apiKeys.list({ ...input, ...(revoked === "true" ? { revoked: true } : {}) }, { signal })
        }
        idOf={({ id }) => id}
        to={({ id }) => `/api-keys/${id}`}
        bulk={(rows, clear) => <ApiKeysBulk apiKeys={rows} clear={clear} />}
        actions={
          <Button kind="primary" onClick={open}>
            Create an API key
          </Button>
        }
        empty={
          <>
            <p>Create a key for a program that calls the API.</p>
            <Button onClick={open}>Create an API key</Button>
          </>
        }
      />
      {/* It stays after the form has closed, because it shows the secret. */}
      <CreateApiKey isOpen={isNew === "true"} onClose={() => set({ new: undefined })} />
    </>
  )
}
