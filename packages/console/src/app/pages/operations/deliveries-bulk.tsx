/** Processes the deliveries that are selected in the list again, in the order in which they were received. */
import type { WebhookDelivery } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { plural } from "../../design/text.ts"
import { Notice, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { branchOf, events } from "./delivery-words.ts"

const namedMax = 20

/** Content events sync the current head of the branch. Their order and their number do not matter. */
const contentEvents: ReadonlySet<WebhookDelivery["event"]> = new Set(["push", "create", "delete"])

/** Actions that take away the access of connectors. They have no time that could be compared with that of newer events. */
const losses: Readonly<Partial<Record<WebhookDelivery["event"], ReadonlyArray<string>>>> = {
  installation: ["deleted", "suspend"],
  installation_repositories: ["removed"]
}

const isLoss = ({ action, event }: WebhookDelivery) => action !== null && losses[event]?.includes(action) === true

const DeliveryName = ({ delivery }: { readonly delivery: WebhookDelivery }) => {
  const branch = branchOf(delivery)
  return (
    <>
      {events[delivery.event]}
      {delivery.repositoryFullName !== null && `, ${delivery.repositoryFullName}`}
      {branch !== "" && `, ${branch}`}, <Time at={delivery.receivedAt} />
    </>
  )
}

/** What the deliveries cause when they are processed again. */
const Consequences = ({ deliveries }: { readonly deliveries: ReadonlyArray<WebhookDelivery> }) => {
  const connectorIds = [...new Set(deliveries.flatMap(({ connectorInstanceIds }) => connectorInstanceIds))]
  const lost = deliveries.filter(isLoss)
  return (
    <>
      <p>
        {deliveries.length === 1 ? "It is processed" : "They are processed one after another, the oldest first,"} with
        the connectors and branches that exist now.
      </p>
      {deliveries.some(({ event }) => contentEvents.has(event)) && (
        <p>
          Each connector that follows one of the branches syncs it. A sync always reads the newest commit of the branch.
        </p>
      )}
      {lost.length > 0 && (
        <Notice
          tone="warn"
          title={`${plural(lost.length, "delivery reports", "deliveries report")} that the code host took away access`}
        >
          <span>
            The accounts and connectors show this again until a newer delivery arrives, although access may have been
            restored.
          </span>
        </Notice>
      )}
      {connectorIds.length === 0 ? (
        <p className="muted">
          No connector was affected when {deliveries.length === 1 ? "it was" : "they were"} last processed.
        </p>
      ) : (
        <>
          <p>Connectors that were affected when {deliveries.length === 1 ? "it was" : "they were"} last processed:</p>
          <ul className="facts" aria-label="Connectors">
            {connectorIds.slice(0, namedMax).map((id) => (
              <li key={id}>
                <Name id={id} />
              </li>
            ))}
            {connectorIds.length > namedMax && <li className="muted">{connectorIds.length - namedMax} more</li>}
          </ul>
        </>
      )}
    </>
  )
}

export const DeliveriesBulk = ({
  clear,
  deliveries
}: {
  readonly deliveries: ReadonlyArray<WebhookDelivery>
  readonly clear: () => void
}) => {
  // The list shows the newest first. The state of an installation is that of the delivery that is processed last.
  const inOrder = deliveries.toSorted((left, right) => Date.parse(left.receivedAt) - Date.parse(right.receivedAt))
  return (
    <BulkButton
      action="Process again"
      title={`Process ${plural(inOrder.length, "delivery", "deliveries")} again`}
      done="processed again"
      nouns={["delivery", "deliveries"]}
      rows={inOrder}
      clear={clear}
      nameOf={(delivery) => <DeliveryName delivery={delivery} />}
      changes={["deliveries", "connectors"]}
      work={({ id }) => client.webhooks.redeliver(id)}
      consequences={<Consequences deliveries={inOrder} />}
    />
  )
}
