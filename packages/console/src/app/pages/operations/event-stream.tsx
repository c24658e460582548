/** An event stream: its state, its destination, and the checkpoints that receivers verify it with. */
import type { EventCheckpoint, EventStreamTest, OrganizationEventStream } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { ActionButton, reload, useAction } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Empty, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { EventTypesText } from "./event-types.tsx"
import { StreamState } from "./event-streams.tsx"
import { StreamsRemoval } from "./stream-bulk.tsx"
import { StreamForm } from "./stream-form.tsx"

const changes = ["event-streams"]
const refreshMilliseconds = 5000
const checkpointCount = 50

const Remove = ({ stream }: { readonly stream: OrganizationEventStream }) => {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const remove = async () => {
    await client.eventStreams.remove(stream.id)
    notify("The event stream was removed.")
    await navigate({ to: "/event-streams" })
    await reload(changes)
  }
  return (
    <>
      <Button permission="eventStreams:manage" kind="danger" onClick={() => setOpen(true)}>
        Remove…
      </Button>
      <Confirm
        title={`Remove ${stream.name}?`}
        action="Remove the stream"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={remove}
      >
        <StreamsRemoval streams={[stream]} />
      </Confirm>
    </>
  )
}

const SendTest = ({ streamId }: { readonly streamId: string }) => {
  const [result, setResult] = useState<EventStreamTest>()
  const { isBusy, run } = useAction({ done: "The test was sent.", changes })
  return (
    <>
      <Button
        permission="eventStreams:write"
        disabled={isBusy}
        onClick={() => void run(async () => setResult(await client.eventStreams.test(streamId)))}
      >
        Send a test
      </Button>
      {result !== undefined && (
        <span role="status">
          {result.ok
            ? `The destination accepted the test in ${result.durationMillis} ms.`
            : `The destination did not accept the test: ${result.error ?? "no reason"}.`}
        </span>
      )}
    </>
  )
}

const Problems = ({ stream }: { readonly stream: OrganizationEventStream }) => {
  const { failingSince, lag, lastError, nextAttemptAt, state } = stream
  if (state === "paused") {
    return (
      <Notice title="The stream is paused" tone="warn">
        <span>{lag} events wait. They are sent when you resume it.</span>
      </Notice>
    )
  }
  return failingSince === null ? null : (
    <Notice title="The last delivery failed" tone="bad">
      <span>
        {lastError !== null && `${lastError}. `}Every attempt has failed since <Time at={failingSince} />. No event is
        skipped: {lag} wait, and the next attempt is <Time at={nextAttemptAt} />.
      </span>
      <div className="row">
        <ActionButton
          permission="eventStreams:write"
          changes={changes}
          done="The stream retries now."
          work={() => client.eventStreams.resume(stream.id)}
        >
          Retry now
        </ActionButton>
      </div>
    </Notice>
  )
}

const destinationRows = ({ destination }: OrganizationEventStream): ReadonlyArray<readonly [string, string]> => {
  switch (destination.kind) {
    case "s3":
      return [
        ["Destination", "S3-compatible object storage"],
        ["URL of the S3 API", destination.endpoint],
        ["Region", destination.region],
        ["Bucket", destination.bucket],
        ["Prefix", destination.prefix],
        ["Access key ID", destination.accessKeyId]
      ]
    case "otlp":
      return [
        ["Destination", "OpenTelemetry collector"],
        ["URL", destination.url]
      ]
    default:
      return [
        ["Destination", destination.format === "splunk_hec" ? "Splunk HTTP Event Collector" : "HTTPS"],
        ["URL", destination.url]
      ]
  }
}

const columns: ReadonlyArray<Column<EventCheckpoint>> = [
  { name: "Through event", width: "120px", cell: ({ sequence }) => sequence, sort: ({ sequence }) => sequence },
  { name: "Hash", width: "minmax(0, 3fr)", cell: ({ hash }) => <code title={hash}>{hash}</code> },
  {
    name: "Key",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ keyId }) => <code title={keyId}>{keyId}</code>,
    sort: ({ keyId }) => keyId
  },
  {
    name: "Signed",
    width: "120px",
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  }
]

const Checkpoints = () => (
  <Section title="Checkpoints">
    <p className="muted">
      Each one signs all lines up to its number. Verify what you received with{" "}
      <code className="wrap">orgplane events verify ./received --keys keys.json</code>.
    </p>
    <DataTable
      label="Checkpoints"
      columns={columns}
      queryKey={["events", "checkpoints"]}
      load={(cursor, signal) =>
        client.events.checkpoints({ limit: checkpointCount, ...(cursor === undefined ? {} : { cursor }) }, { signal })
      }
      idOf={({ sequence }) => String(sequence)}
      empty={
        <Empty title="No checkpoints yet">
          <p>One is signed a minute after an event, or after 1,000 events.</p>
        </Empty>
      }
    />
  </Section>
)

export const Page = () => {
  const streamId = usePathParameter("eventStreamId")
  const [isEditing, setEditing] = useState(false)
  const query = useQuery({
    queryKey: ["event-streams", streamId],
    queryFn: ({ signal }) => client.eventStreams.get(streamId, { signal }),
    refetchInterval: refreshMilliseconds
  })
  return (
    <Shown query={query} lines={8}>
      {(stream) => (
        <>
          <PageHeader
            title={stream.name}
            description="An event stream."
            actions={
              <>
                <SendTest streamId={stream.id} />
                {stream.state === "active" ? (
                  <ActionButton
                    permission="eventStreams:write"
                    changes={changes}
                    done="The stream was paused. Events wait until it is resumed."
                    work={() => client.eventStreams.pause(stream.id)}
                  >
                    Pause
                  </ActionButton>
                ) : (
                  <ActionButton
                    permission="eventStreams:write"
                    kind="primary"
                    changes={changes}
                    done="The stream was resumed."
                    work={() => client.eventStreams.resume(stream.id)}
                  >
                    Resume
                  </ActionButton>
                )}
                <Button permission={["eventStreams:write", "audit:read"]} onClick={() => setEditing(true)}>
                  Edit
                </Button>
                <Remove stream={stream} />
              </>
            }
          />
          <div className="stack">
            <Problems stream={stream} />
            <Section title="Details">
              <Facts
                rows={[
                  ["Status", <StreamState stream={stream} />],
                  ...destinationRows(stream),
                  ["Secret", stream.hasSecret ? "set, and never shown" : "none"],
                  ["Events with content", <EventTypesText types={stream.types} />],
                  ["Delivered through event", stream.position],
                  ["Not delivered yet", stream.lag],
                  ["Last delivery", <Time at={stream.lastDeliveredAt} />],
                  ["Created by", <Name id={stream.createdByOrgMembershipId} />],
                  ["ID", <code>{stream.id}</code>]
                ]}
              />
            </Section>
            <Checkpoints />
          </div>
          {isEditing && <StreamForm stream={stream} isOpen onClose={() => setEditing(false)} />}
        </>
      )}
    </Shown>
  )
}
