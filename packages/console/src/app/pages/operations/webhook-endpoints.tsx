import type { WebhookEndpoint } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Button, Time } from "../../design/ui.tsx"
import { EndpointsBulk } from "./webhook-bulk.tsx"
import { CreateEndpoint } from "./webhook-form.tsx"
import { EndpointSecret, EndpointState } from "./webhook-parts.tsx"

const columns: ReadonlyArray<Column<WebhookEndpoint>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "URL",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ url }) => <span title={url}>{url}</span>,
    sort: ({ url }) => url
  },
  { name: "Status", width: "110px", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  {
    name: "Pending",
    width: "80px",
    wide: true,
    cell: ({ pendingCount }) => pendingCount,
    sort: ({ pendingCount }) => pendingCount
  },
  {
    name: "Last delivery",
    width: "140px",
    wide: true,
    cell: ({ lastDeliveredAt }) => <Time at={lastDeliveredAt} />,
    sort: ({ lastDeliveredAt }) => lastDeliveredAt
  }
]

export const Page = () => {
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string }>()
  const navigate = useNavigate()
  const show = (id: string) => void navigate({ to: `/webhook-endpoints/${id}` })
  return (
    <>
      <ListPage
        creates="webhookEndpoints:write"
        bulkPermission="webhookEndpoints:write"
        title="Webhook endpoints"
        name="webhook-endpoints"
        description="URLs of yours that receive events as signed POST requests."
        columns={columns}
        searches
        load={(input, signal) => client.webhookEndpoints.list(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/webhook-endpoints/${id}`}
        bulk={(rows, clear) => <EndpointsBulk endpoints={rows} clear={clear} />}
        actions={
          <Button kind="primary" onClick={() => setOpen(true)}>
            Create a webhook endpoint
          </Button>
        }
        empty={
          <>
            <p>An endpoint sends the events that you choose to another system.</p>
            <Button onClick={() => setOpen(true)}>Create a webhook endpoint</Button>
          </>
        }
      />
      {isOpen && (
        <CreateEndpoint
          isOpen
          onClose={() => setOpen(false)}
          onCreated={({ id }, secret) => (secret === null ? show(id) : setCreated({ id, secret }))}
        />
      )}
      <EndpointSecret
        secret={created?.secret}
        onClose={() => {
          if (created !== undefined) show(created.id)
          setCreated(undefined)
        }}
      />
    </>
  )
}
