import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { ActionButton } from "../../design/action.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { DeliveryStatus, outcomeOf } from "./deliveries.tsx"
import { Revision } from "./run-parts.tsx"

export const Page = () => {
  const id = usePathParameter("webhookDeliveryId")
  const query = useQuery({
    queryKey: ["deliveries", id],
    queryFn: ({ signal }) => client.webhooks.getDelivery(id, { signal })
  })
  return (
    <Shown query={query} lines={8}>
      {(delivery) => (
        <>
          <PageHeader
            title={`Delivery of ${delivery.event}`}
            description={delivery.repositoryFullName ?? "A webhook of the code host."}
            actions={
              <ActionButton
                permission="webhooks:write"
                changes={["deliveries"]}
                done="The delivery was processed again."
                work={() => client.webhooks.redeliver(delivery.id)}
              >
                Process it again
              </ActionButton>
            }
          />
          <Section title="Details">
            <Facts
              rows={[
                ["Status", <DeliveryStatus status={delivery.status} />],
                ["Outcome", outcomeOf(delivery)],
                ["Action", delivery.action],
                ["Branch", delivery.ref],
                ["Commit before", <Revision revision={delivery.before} />],
                ["Commit after", <Revision revision={delivery.after} />],
                [
                  "Connectors",
                  delivery.connectorInstanceIds.length === 0 ? null : (
                    <span className="row">
                      {delivery.connectorInstanceIds.map((each) => (
                        <Name key={each} id={each} />
                      ))}
                    </span>
                  )
                ],
                ["Syncs", delivery.syncEventIds.length === 0 ? null : delivery.syncEventIds.length],
                ["Received", <Time at={delivery.receivedAt} />],
                ["Processed", <Time at={delivery.actedAt} />],
                ["Processed again", delivery.redeliveryCount],
                ["ID of the sender", <code>{delivery.deliveryId}</code>]
              ]}
            />
          </Section>
          <p>
            <Link to="/deliveries">All deliveries of the code host</Link>
          </p>
        </>
      )}
    </Shown>
  )
}
