import type { OrganizationEventStream } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { StreamsBulk } from "./stream-bulk.tsx"
import { StreamForm } from "./stream-form.tsx"
import { destinationText } from "./stream-destination.tsx"

export const StreamState = ({ stream }: { readonly stream: OrganizationEventStream }) => {
  if (stream.state === "paused") return <Badge tone="warn">paused</Badge>
  return stream.failingSince === null ? <Badge tone="good">active</Badge> : <Badge tone="bad">failing</Badge>
}

const columns: ReadonlyArray<Column<OrganizationEventStream>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Destination",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ destination }) => <span title={destinationText(destination)}>{destinationText(destination)}</span>,
    sort: ({ destination }) => destinationText(destination)
  },
  {
    name: "Status",
    width: "110px",
    cell: (stream) => <StreamState stream={stream} />,
    sort: ({ failingSince, state }) => (state === "active" && failingSince !== null ? "failing" : state)
  },
  { name: "Behind", width: "90px", wide: true, cell: ({ lag }) => lag, sort: ({ lag }) => lag },
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
  const navigate = useNavigate()
  return (
    <>
      <ListPage
        creates={["eventStreams:write", "audit:read"]}
        bulkPermission="eventStreams:write"
        title="Event streams"
        name="event-streams"
        description="Every event in order, for a SIEM, object storage or a collector. Receivers can prove that nothing is missing."
        columns={columns}
        searches
        load={(input, signal) => client.eventStreams.list(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/event-streams/${id}`}
        bulk={(rows, clear) => <StreamsBulk streams={rows} clear={clear} />}
        actions={
          <Button kind="primary" onClick={() => setOpen(true)}>
            Create an event stream
          </Button>
        }
        empty={
          <>
            <p>A stream sends a copy of the audit log to a system that the operators of orgplane cannot change.</p>
            <Button onClick={() => setOpen(true)}>Create an event stream</Button>
          </>
        }
      />
      {isOpen && (
        <StreamForm
          isOpen
          onClose={() => setOpen(false)}
          onSaved={({ id }) => void navigate({ to: `/event-streams/${id}` })}
        />
      )}
    </>
  )
}
