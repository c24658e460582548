/** The workers that run agents. */
import type { Worker } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"
import { CreateWorker } from "./worker-create.tsx"
import { destinations, isOneOf, WorkerStatusBadge, workerStatuses } from "./worker-states.tsx"
import { WorkersBulk } from "./workers-bulk.tsx"

const columns: ReadonlyArray<Column<Worker>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ isMine, name }) => (
      <span title={name}>
        <strong>{name}</strong> {isMine && <Badge>yours</Badge>}
      </span>
    ),
    sort: ({ name }) => name
  },
  {
    name: "Runs",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ destination }) => destinations[destination],
    sort: ({ destination }) => destination
  },
  {
    name: "Status",
    width: "120px",
    cell: ({ status }) => <WorkerStatusBadge status={status} />,
    sort: ({ status }) => status
  },
  {
    name: "Version",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ imageVersion }) => <span title={imageVersion ?? ""}>{imageVersion ?? ""}</span>,
    sort: ({ imageVersion }) => imageVersion
  },
  {
    name: "Last heartbeat",
    width: "140px",
    wide: true,
    cell: ({ lastHeartbeatAt }) => <Time at={lastHeartbeatAt} />,
    sort: ({ lastHeartbeatAt }) => lastHeartbeatAt
  }
]

const filters: ReadonlyArray<Filter> = [
  {
    name: "status",
    label: "Status",
    options: Object.entries(workerStatuses).map(([value, [, name]]) => [value, name])
  },
  { name: "destination", label: "Runs", options: Object.entries(destinations) },
  {
    name: "mine",
    label: "Of",
    options: [
      ["true", "me"],
      ["false", "others"]
    ]
  }
]

const refreshMillis = 15_000

export const Page = () => (
  <ListPage
    creates="workers:write"
    bulkPermission="workers:write"
    title="Workers"
    name="workers"
    description="Programs that run agents, on a member's own machine or in a runtime of this installation."
    columns={columns}
    searches
    filters={filters}
    refetchInterval={refreshMillis}
    load={(input, signal, { destination, mine, status }) =>
      client.workers.list(
        {
          ...input,
          ...(isOneOf(workerStatuses, status) ? { status } : {}),
          ...(isOneOf(destinations, destination) ? { destination } : {}),
          ...(mine === undefined ? {} : { mine: mine === "true" })
        },
        { signal }
      )
    }
    idOf={({ id }) => id}
    to={({ id }) => `/workers/${id}`}
    bulk={(rows, clear) => <WorkersBulk workers={rows} clear={clear} />}
    actions={<CreateWorker />}
    empty={
      <>
        <p>Create a worker, and start it on your machine with its token.</p>
        <CreateWorker />
      </>
    }
  />
)
