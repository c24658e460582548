/** What the code host has sent, and which syncs it has queued. */
import type { WebhookDelivery, WebhookEvent, WebhookIgnoredReason } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"

const events: Readonly<Record<WebhookEvent, string>> = {
  push: "push",
  create: "branch created",
  delete: "branch deleted",
  installation: "installation",
  installation_repositories: "repositories of the installation",
  repository: "repository",
  ping: "ping"
}

const reasons: Readonly<Record<WebhookIgnoredReason, string>> = {
  event_ignored: "the event changes nothing",
  installation_unknown: "no connector uses this installation",
  target_unknown: "no connector follows this branch"
}

export const outcomeOf = ({ reason, syncEventIds }: WebhookDelivery): string =>
  reason !== null ? reasons[reason] : syncEventIds.length === 0 ? "no sync was queued" : `${syncEventIds.length} queued`

export const DeliveryStatus = ({ status }: Pick<WebhookDelivery, "status">) => (
  <Badge tone={status === "accepted" ? "good" : "neutral"}>{status}</Badge>
)

const columns: ReadonlyArray<Column<WebhookDelivery>> = [
  { name: "Event", width: "minmax(0, 1fr)", cell: ({ event }) => events[event] },
  {
    name: "Repository",
    width: "minmax(0, 2fr)",
    cell: ({ repositoryFullName }) => <span title={repositoryFullName ?? ""}>{repositoryFullName}</span>,
    sort: ({ repositoryFullName }) => repositoryFullName
  },
  {
    name: "Branch",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ ref }) => (ref ?? "").replace(/^refs\/heads\//, "")
  },
  { name: "Status", width: "100px", cell: ({ status }) => <DeliveryStatus status={status} /> },
  { name: "Syncs", width: "minmax(0, 2fr)", wide: true, cell: outcomeOf },
  { name: "Received", width: "120px", wide: true, cell: ({ receivedAt }) => <Time at={receivedAt} /> }
]

const isEvent = (value: string | undefined): value is WebhookEvent => value !== undefined && value in events

export const Page = () => (
  <ListPage
    title="Code host deliveries"
    name="deliveries"
    description="The webhooks that the code host has sent in the last 30 days, and the syncs that they queued."
    columns={columns}
    filters={[
      { name: "event", label: "Event", options: Object.entries(events) },
      {
        name: "status",
        label: "Status",
        options: [
          ["accepted", "accepted"],
          ["ignored", "ignored"]
        ]
      }
    ]}
    load={(input, signal, { event, status }) =>
      client.webhooks.listDeliveries(
        {
          ...input,
          ...(isEvent(event) ? { event } : {}),
          ...(status === "accepted" || status === "ignored" ? { status } : {})
        },
        { signal }
      )
    }
    idOf={({ id }) => id}
    to={({ id }) => `/deliveries/${id}`}
    empty={
      <>
        <p>Each push to a connected repository appears here if the code host sends webhooks.</p>
        <Link className="button" to="/connectors">
          Connectors
        </Link>
      </>
    }
  />
)
