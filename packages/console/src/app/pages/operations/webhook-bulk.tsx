/** Changes the webhook endpoints, or sends the events again, that are selected in a list, one after another. */
import type { WebhookEndpoint, WebhookMessage } from "@orgplane/client"
import { type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { BulkButton } from "../../design/bulk.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Impacts, impactsMax } from "../../design/impacts.tsx"
import { plural } from "../../design/text.ts"
import "./operations.css"

const namedMax = 8

type Endpoints = ReadonlyArray<WebhookEndpoint>

const pendingOf = (endpoints: Endpoints) => endpoints.reduce((total, { pendingCount }) => total + pendingCount, 0)

/** What happens to the events that wait for endpoints that are resumed. */
export const PendingEvents = ({
  onChange,
  skips
}: {
  readonly skips: boolean
  readonly onChange: (skips: boolean) => void
}) => (
  <SelectField
    label="Pending events"
    hint="Skipped events can be redelivered later."
    value={String(skips)}
    options={[
      ["false", "Send them now"],
      ["true", "Skip them, and send only events that happen from now on"]
    ]}
    onChange={({ target }) => onChange(target.value === "true")}
  />
)

export const pendingText = (endpoints: Endpoints): string =>
  `${plural(pendingOf(endpoints), "event waits", "events wait")}.`

export const EndpointsRemoval = ({ endpoints }: { readonly endpoints: Endpoints }) => {
  const pending = pendingOf(endpoints)
  return (
    <ul>
      {endpoints.slice(0, namedMax).map(({ id, name, url }) => (
        <li key={id} className="wrap">
          {endpoints.length > 1 && <strong>{name}: </strong>}
          {url} receives no further events.
        </li>
      ))}
      {endpoints.length > namedMax && (
        <li>
          {plural(endpoints.length - namedMax, "other endpoint receives", "other endpoints receive")} no further events.
        </li>
      )}
      <li>
        {pending === 0
          ? "No delivery is pending."
          : `${plural(pending, "pending delivery is", "pending deliveries are")} not sent.`}
      </li>
      <li>
        {endpoints.length === 1 ? "Its deliveries and its secret" : "Their deliveries and their secrets"} are deleted. A
        new endpoint has a new secret.
      </li>
    </ul>
  )
}

/** The endpoints as they are now: the list is not loaded again while it is shown. */
const Current = ({
  children,
  endpoints
}: {
  readonly endpoints: Endpoints
  readonly children: (endpoints: Endpoints) => ReactNode
}) => (
  <Impacts
    name="webhook-endpoints"
    rows={endpoints}
    impactOf={({ id }, signal) => client.webhookEndpoints.get(id, { signal })}
  >
    {(current) => children(current.map(([, endpoint]) => endpoint))}
  </Impacts>
)

export const EndpointsBulk = ({ clear, endpoints }: { readonly endpoints: Endpoints; readonly clear: () => void }) => {
  const [skips, setSkips] = useState(false)
  const change = {
    nouns: ["webhook endpoint", "webhook endpoints"],
    clear,
    nameOf: ({ name }: WebhookEndpoint) => name,
    changes: ["webhook-endpoints"]
  } as const
  const active = endpoints.filter(({ state }) => state === "active")
  const stopped = endpoints.filter(({ state }) => state !== "active")
  return (
    <>
      <BulkButton
        {...change}
        action="Pause"
        done="paused"
        rows={active}
        work={({ id }) => client.webhookEndpoints.pause(id)}
        consequences={<p>Events wait until {active.length === 1 ? "the endpoint is" : "the endpoints are"} resumed.</p>}
      />
      <BulkButton
        {...change}
        action="Resume"
        done="resumed"
        rows={stopped}
        max={impactsMax}
        work={({ id }) => client.webhookEndpoints.resume(id, { skip: skips })}
        consequences={
          <>
            <Current endpoints={stopped}>{(current) => <p>{pendingText(current)}</p>}</Current>
            <PendingEvents skips={skips} onChange={setSkips} />
          </>
        }
      />
      <Allowed permission="webhookEndpoints:manage">
        <BulkButton
          {...change}
          action="Remove"
          done="removed"
          isDangerous
          rows={endpoints}
          max={impactsMax}
          work={({ id }) => client.webhookEndpoints.remove(id)}
          consequences={
            <Current endpoints={endpoints}>{(current) => <EndpointsRemoval endpoints={current} />}</Current>
          }
        />
      </Allowed>
    </>
  )
}

/** Sends the events of the selected deliveries again. Tests are not events. */
export const RedeliverBulk = ({
  clear,
  endpointId,
  messages
}: {
  readonly endpointId: string
  readonly messages: ReadonlyArray<WebhookMessage>
  readonly clear: () => void
}) => (
  <BulkButton
    action="Redeliver"
    done="queued"
    nouns={["event", "events"]}
    rows={messages.flatMap(({ id, sequence, type }) => (sequence === null ? [] : [{ id, sequence, type }]))}
    clear={clear}
    nameOf={({ sequence, type }) => `${type} ${sequence}`}
    changes={["webhook-endpoints"]}
    work={({ sequence }) => client.webhookEndpoints.redeliver(endpointId, { from: sequence, to: sequence })}
  />
)
