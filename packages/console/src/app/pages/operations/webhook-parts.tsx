/** The state of a webhook endpoint, its new secret, and an attempt to deliver an event. */
import type { WebhookAttempt, WebhookEndpoint, WebhookMessage } from "@orgplane/client"
import { Facts } from "../../design/facts.tsx"
import { SecretDialog } from "../../design/secret.tsx"
import { Badge, Time, type Tone } from "../../design/ui.tsx"

export const EndpointState = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const { failingSince, state } = endpoint
  if (state !== "active") return <Badge tone={state === "disabled" ? "bad" : "warn"}>{state}</Badge>
  return failingSince === null ? <Badge tone="good">active</Badge> : <Badge tone="bad">failing</Badge>
}

export const EndpointSecret = ({
  onClose,
  secret
}: {
  readonly secret: string | null | undefined
  readonly onClose: () => void
}) => (
  <SecretDialog
    title="The secret of the endpoint"
    label="Secret"
    hint="The receiver verifies the signature of each request with it. Store it there now. It is not shown again."
    secret={secret ?? undefined}
    onClose={onClose}
  />
)

const tones: Readonly<Record<WebhookMessage["state"], Tone>> = {
  pending: "warn",
  delivered: "good",
  failed: "bad",
  skipped: "neutral"
}

export const MessageState = ({ state }: { readonly state: WebhookMessage["state"] }) => (
  <Badge tone={tones[state]}>{state}</Badge>
)

const reasons: Readonly<Record<string, string>> = {
  timeout: "no response within 15 seconds",
  no_secret: "the secret was lost, and must be rotated"
}

export const Attempt = ({ attempt }: { readonly attempt: WebhookAttempt }) => {
  const { at, durationMillis, error, requestHeaders, response, status, url } = attempt
  const isDelivered = status !== null && status >= 200 && status < 300
  return (
    <div className="stack">
      <div className="row">
        <Badge tone={isDelivered ? "good" : "bad"}>{status === null ? "no response" : `HTTP ${status}`}</Badge>
        <Time at={at} />
        <span className="muted">{durationMillis} ms</span>
      </div>
      <Facts
        rows={[
          ["URL", url],
          ...(error === null ? [] : [["Reason", reasons[error] ?? error] as const]),
          ...Object.entries(requestHeaders).map(([name, value]) => [name, <code>{value}</code>] as const)
        ]}
      />
      {response === null ? (
        <p className="muted">
          {status === null
            ? "There was no response."
            : "The response is shown only to those with every permission that the endpoint had."}
        </p>
      ) : response === "" ? (
        <p className="muted">The response was empty.</p>
      ) : (
        <pre className="exchange" tabIndex={0} aria-label="Response">
          {response}
        </pre>
      )}
    </div>
  )
}
