/** A delivery of a webhook endpoint: the exact body, and each attempt with its response. */
import type { WebhookMessageDetails } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { ActionButton } from "../../design/action.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Attempt, MessageState } from "./webhook-parts.tsx"

const refreshMilliseconds = 3000

/** JSON as it can be read. The bytes that are sent have no spaces. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const Redeliver = ({ message }: { readonly message: WebhookMessageDetails }) => {
  const { sequence, state } = message
  if (sequence === null || state === "pending") return null
  return (
    <ActionButton
      permission="webhookEndpoints:write"
      changes={["webhook-endpoints"]}
      done="The event is sent again."
      work={() => client.webhookEndpoints.redeliver(message.webhookEndpointId, { from: sequence, to: sequence })}
    >
      Redeliver
    </ActionButton>
  )
}

export const Page = () => {
  const endpointId = usePathParameter("webhookEndpointId")
  const messageId = usePathParameter("webhookMessageId")
  const query = useQuery({
    queryKey: ["webhook-endpoints", endpointId, "messages", "one", messageId],
    queryFn: ({ signal }) => client.webhookEndpoints.getMessage(endpointId, messageId, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === "pending" ? refreshMilliseconds : false)
  })
  return (
    <Shown query={query} lines={8}>
      {(message) => (
        <>
          <PageHeader
            title={message.type}
            description="A delivery of a webhook endpoint."
            actions={<Redeliver message={message} />}
          />
          <div className="stack">
            <Section title="Details">
              <Facts
                rows={[
                  ["Endpoint", <Name id={message.webhookEndpointId} />],
                  ["Status", <MessageState state={message.state} />],
                  [
                    "Event",
                    message.eventId === null ? (
                      "a test"
                    ) : (
                      <>
                        <code>{message.eventId}</code>
                        {message.sequence !== null && `, number ${message.sequence}`}
                      </>
                    )
                  ],
                  ["Attempts", message.attemptCount],
                  ["Queued", <Time at={message.createdAt} />],
                  ["Delivered", message.deliveredAt === null ? "not yet" : <Time at={message.deliveredAt} />],
                  ...(message.state === "pending"
                    ? [["Next attempt", <Time at={message.nextAttemptAt} />] as const]
                    : [])
                ]}
              />
            </Section>
            <Section title="Request body">
              {message.body === null ? (
                <p className="muted">
                  The body is shown only to those with every permission that the endpoint has had.
                </p>
              ) : (
                <pre className="exchange" tabIndex={0} aria-label="Request body">
                  {readable(message.body)}
                </pre>
              )}
            </Section>
            {message.attempts.length === 0 ? (
              <p className="muted">There was no attempt yet.</p>
            ) : (
              message.attempts
                .map((attempt, index) => (
                  <Section
                    key={`${attempt.at} ${index}`}
                    title={`Attempt ${message.attemptCount - message.attempts.length + index + 1}`}
                  >
                    <Attempt attempt={attempt} />
                  </Section>
                ))
                .reverse()
            )}
            <p>
              <Link to={`/webhook-endpoints/${endpointId}`}>All deliveries of this endpoint</Link>
            </p>
          </div>
        </>
      )}
    </Shown>
  )
}
