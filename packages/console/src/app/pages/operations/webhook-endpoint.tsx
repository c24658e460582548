/** A webhook endpoint: its state, what it is sent, and its deliveries. */
import type { WebhookAttempt, WebhookEndpoint, WebhookMessage } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { usePermitted } from "../../api/permissions.ts"
import { ActionButton, useAction } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Empty, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters, usePathParameter } from "../../parameters.ts"
import { EventTypesText } from "./event-types.tsx"
import { Filters, SelectFilter } from "./filters.tsx"
import { RedeliverBulk } from "./webhook-bulk.tsx"
import { Redeliver, Remove, Resume, Rotate } from "./webhook-actions.tsx"
import { EditEndpoint } from "./webhook-form.tsx"
import { Attempt, EndpointState, MessageState } from "./webhook-parts.tsx"

const changes = ["webhook-endpoints"]
const pageSize = 50
const refreshMilliseconds = 5000

const messageStates = ["pending", "delivered", "failed", "skipped"] as const

const columns: ReadonlyArray<Column<WebhookMessage>> = [
  {
    name: "Event",
    width: "minmax(0, 2fr)",
    cell: ({ type }) => <code title={type}>{type}</code>,
    sort: ({ type }) => type
  },
  {
    name: "Number",
    width: "90px",
    wide: true,
    cell: ({ sequence }) => sequence ?? "test",
    sort: ({ sequence }) => sequence
  },
  { name: "Status", width: "110px", cell: ({ state }) => <MessageState state={state} />, sort: ({ state }) => state },
  {
    name: "Attempts",
    width: "90px",
    wide: true,
    cell: ({ attemptCount }) => attemptCount,
    sort: ({ attemptCount }) => attemptCount
  },
  {
    name: "Next attempt",
    width: "130px",
    wide: true,
    cell: ({ nextAttemptAt, state }) => (state === "pending" ? <Time at={nextAttemptAt} /> : ""),
    sort: ({ nextAttemptAt, state }) => (state === "pending" ? nextAttemptAt : null)
  },
  {
    name: "Queued",
    width: "minmax(90px, 1fr)",
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  }
]

const Messages = ({ endpointId }: { readonly endpointId: string }) => {
  const value = useParameters()["state"]
  const state = messageStates.find((each) => each === value)
  const canRedeliver = usePermitted("webhookEndpoints:write")
  return (
    <>
      <Filters>
        <SelectFilter
          name="state"
          label="Status"
          all="All deliveries"
          options={messageStates.map((each) => [each, each] as const)}
        />
      </Filters>
      <DataTable
        label="Deliveries"
        columns={columns}
        queryKey={["webhook-endpoints", endpointId, "messages", state]}
        load={(cursor, signal) =>
          client.webhookEndpoints.listMessages(
            endpointId,
            {
              limit: pageSize,
              ...(state === undefined ? {} : { state }),
              ...(cursor === undefined ? {} : { cursor })
            },
            { signal }
          )
        }
        idOf={({ id }) => id}
        to={({ id }) => `/webhook-endpoints/${endpointId}/messages/${id}`}
        refetchInterval={refreshMilliseconds}
        {...(canRedeliver === true
          ? {
              bulk: (messages: ReadonlyArray<WebhookMessage>, clear: () => void) => (
                <RedeliverBulk endpointId={endpointId} messages={messages} clear={clear} />
              )
            }
          : {})}
        empty={
          state === undefined ? (
            <Empty title="No deliveries yet">
              <p>The next event that the endpoint can see is sent within seconds.</p>
            </Empty>
          ) : (
            <Empty title="Nothing matches" />
          )
        }
      />
    </>
  )
}

const pauseReasons = {
  manual: "Paused by a member or an API key.",
  failing: "Every attempt failed for three days.",
  gone: "The receiver returned 410, which means that the URL no longer exists."
}

const Problems = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const { failingSince, pauseReason, pendingCount, state } = endpoint
  if (state !== "active") {
    return (
      <Notice title={state === "paused" ? "The endpoint is paused" : "The endpoint is disabled"} tone="warn">
        <span>
          {pauseReason === null ? "" : pauseReasons[pauseReason]} {pendingCount} events wait. They are sent when you
          resume it.
        </span>
      </Notice>
    )
  }
  return failingSince === null ? null : (
    <Notice title="The last delivery failed" tone="bad">
      <span>
        Every attempt has failed since <Time at={failingSince} />. Deliveries are retried for three days. The{" "}
        <Link to="." search={{ state: "pending" }}>
          pending deliveries
        </Link>{" "}
        show the responses.
      </span>
    </Notice>
  )
}

const SendTest = ({ endpointId }: { readonly endpointId: string }) => {
  const [attempt, setAttempt] = useState<WebhookAttempt>()
  const { isBusy, run } = useAction({ done: "The test was sent.", changes })
  return (
    <>
      <Button
        permission="webhookEndpoints:write"
        disabled={isBusy}
        onClick={() => void run(async () => setAttempt(await client.webhookEndpoints.test(endpointId)))}
      >
        Send a test
      </Button>
      <Dialog
        title="The test"
        description="An event of the type webhook.test was sent. It is not retried."
        isOpen={attempt !== undefined}
        onClose={() => setAttempt(undefined)}
      >
        {attempt !== undefined && <Attempt attempt={attempt} />}
      </Dialog>
    </>
  )
}

const Actions = ({ endpoint, onEdit }: { readonly endpoint: WebhookEndpoint; readonly onEdit: () => void }) => (
  <>
    <SendTest endpointId={endpoint.id} />
    {endpoint.state === "active" ? (
      <ActionButton
        permission="webhookEndpoints:write"
        changes={changes}
        done="The endpoint was paused. Events wait until it is resumed."
        work={() => client.webhookEndpoints.pause(endpoint.id)}
      >
        Pause
      </ActionButton>
    ) : (
      <Resume endpoint={endpoint} />
    )}
    <Button permission="webhookEndpoints:write" onClick={onEdit}>
      Edit
    </Button>
    <Redeliver endpoint={endpoint} />
    <Rotate endpoint={endpoint} />
    <Remove endpoint={endpoint} />
  </>
)

const Details = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => (
  <Section title="Details">
    <Facts
      rows={[
        ["URL", endpoint.url],
        ["Status", <EndpointState endpoint={endpoint} />],
        ["Events", <EventTypesText types={endpoint.types} />],
        [
          "Can see",
          <span className="row">
            {endpoint.permissions.map((each) => (
              <Badge key={each}>{each}</Badge>
            ))}
          </span>
        ],
        ["Delivery", endpoint.ordering === "ordered" ? "in order" : "in parallel"],
        [
          "Signature",
          endpoint.signature === "hmac" ? "shared secret (HMAC-SHA256)" : <code>{endpoint.publicKey ?? "Ed25519"}</code>
        ],
        ...(endpoint.previousSecretUntil === null || Date.parse(endpoint.previousSecretUntil) < Date.now()
          ? []
          : [["Old secret is valid until", <Time at={endpoint.previousSecretUntil} />] as const]),
        ["Sent through event", endpoint.position],
        ["Pending", endpoint.pendingCount],
        ["Last delivery", <Time at={endpoint.lastDeliveredAt} />],
        ["Created by", <Name id={endpoint.createdByOrgMembershipId} />],
        ["ID", <code>{endpoint.id}</code>]
      ]}
    />
  </Section>
)

export const Page = () => {
  const endpointId = usePathParameter("webhookEndpointId")
  const [isEditing, setEditing] = useState(false)
  const query = useQuery({
    queryKey: ["webhook-endpoints", endpointId],
    queryFn: ({ signal }) => client.webhookEndpoints.get(endpointId, { signal }),
    refetchInterval: refreshMilliseconds
  })
  return (
    <Shown query={query} lines={8}>
      {(endpoint) => (
        <>
          <PageHeader
            title={endpoint.name}
            description="A webhook endpoint."
            actions={<Actions endpoint={endpoint} onEdit={() => setEditing(true)} />}
          />
          <div className="stack">
            <Problems endpoint={endpoint} />
            <Details endpoint={endpoint} />
            <section aria-label="Deliveries" className="stack">
              <h2>Deliveries</h2>
              <Messages endpointId={endpointId} />
            </section>
          </div>
          {isEditing && <EditEndpoint endpoint={endpoint} isOpen onClose={() => setEditing(false)} />}
        </>
      )}
    </Shown>
  )
}
