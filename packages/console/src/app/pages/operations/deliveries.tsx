/** What the code host has sent, and which syncs it has queued. */
import type { WebhookDelivery, WebhookIgnoredReason } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"
import { DeliveriesBulk } from "./deliveries-bulk.tsx"
import { branchOf, events, isEvent } from "./delivery-words.ts"

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
  { name: "Event", width: "minmax(0, 1fr)", cell: ({ event }) => events[event], sort: ({ event }) => events[event] },
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
    cell: branchOf
  },
  {
    name: "Status",
    width: "100px",
    cell: ({ status }) => <DeliveryStatus status={status} />,
    sort: ({ status }) => status
  },
  { name: "Syncs", width: "minmax(0, 2fr)", wide: true, cell: outcomeOf },
  {
    name: "Received",
    width: "120px",
    wide: true,
    cell: ({ receivedAt }) => <Time at={receivedAt} />,
    sort: ({ receivedAt }) => receivedAt
  }
]

export const Page = () => (
  <ListPage
    title="Code host deliveries"
    name="deliveries"
    bulkPermission="webhooks:write"
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
    bulk={(rows, clear) => <DeliveriesBulk deliveries={rows} clear={clear} />}
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
