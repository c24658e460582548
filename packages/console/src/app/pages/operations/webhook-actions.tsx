/** Changes of a webhook endpoint that have consequences. */
import type { WebhookEndpoint } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Field } from "../../design/ui.tsx"
import { EndpointsRemoval, PendingEvents, pendingText } from "./webhook-bulk.tsx"
import { EndpointSecret } from "./webhook-parts.tsx"

const changes = ["webhook-endpoints"]

interface Props {
  readonly endpoint: WebhookEndpoint
}

export const Resume = ({ endpoint }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const [skips, setSkips] = useState(false)
  return (
    <>
      <Button permission="webhookEndpoints:write" kind="primary" onClick={() => setOpen(true)}>
        Resume…
      </Button>
      <FormDialog
        title="Resume the endpoint"
        description={pendingText([endpoint])}
        action="Resume the endpoint"
        done="The endpoint was resumed."
        changes={changes}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={() => client.webhookEndpoints.resume(endpoint.id, { skip: skips })}
      >
        {() => <PendingEvents skips={skips} onChange={setSkips} />}
      </FormDialog>
    </>
  )
}

/** Events in one request. */
const redeliverMax = 10_000

export const Redeliver = ({ endpoint }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const [from, setFrom] = useState("")
  const [to, setTo] = useState("")
  const submit = async () => {
    const { count } = await client.webhookEndpoints.redeliver(endpoint.id, { from: Number(from), to: Number(to) })
    if (count === 0) notify("The endpoint selects and can see no event of this range.", "warn")
  }
  return (
    <>
      <Button permission="webhookEndpoints:write" onClick={() => setOpen(true)}>
        Redeliver…
      </Button>
      <FormDialog
        title="Redeliver events"
        description={`Events in a range of sequence numbers that the endpoint selects and can see are sent again, also those that it never received. Their ID is the same as before, so that the receiver can ignore duplicates. The last event that was sent is ${endpoint.position}.`}
        action="Redeliver the events"
        done="The events were queued."
        changes={changes}
        fields={["from", "to"]}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={submit}
      >
        {(problem) => (
          <>
            <Field
              label="First event"
              type="number"
              required
              min={1}
              max={endpoint.position}
              value={from}
              problem={problem("from")}
              onChange={(event) => setFrom(event.target.value)}
            />
            <Field
              label="Last event"
              hint={`At most ${redeliverMax.toLocaleString("en")} events.`}
              type="number"
              required
              min={Number(from) || 1}
              max={(Number(from) || 1) + redeliverMax - 1}
              value={to}
              problem={problem("to")}
              onChange={(event) => setTo(event.target.value)}
            />
          </>
        )}
      </FormDialog>
    </>
  )
}

const overlaps = [
  ["0", "No overlap: the old one expires now"],
  ["3600", "One hour"],
  ["86400", "One day"],
  ["604800", "One week"]
] as const

export const Rotate = ({ endpoint }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const [overlap, setOverlap] = useState("86400")
  const [secret, setSecret] = useState<string | null>()
  const isShared = endpoint.signature === "hmac"
  const submit = async () => {
    const rotated = await client.webhookEndpoints.rotateSecret(endpoint.id, { overlapSeconds: Number(overlap) })
    setSecret(rotated.secret)
  }
  return (
    <>
      <Button permission="webhookEndpoints:manage" onClick={() => setOpen(true)}>
        {isShared ? "Rotate the secret…" : "Rotate the key…"}
      </Button>
      <FormDialog
        title={isShared ? "Rotate the secret" : "Rotate the key"}
        description={
          isShared
            ? "You get a new secret. Until the overlap ends, each request is signed with both."
            : "The endpoint gets a new public key. Until the overlap ends, each request is signed with both."
        }
        action={isShared ? "Rotate the secret" : "Rotate the key"}
        done={isShared ? "The secret was rotated." : "The key was rotated. The new public key is in the details."}
        changes={changes}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={submit}
      >
        {() => (
          <>
            <SelectField
              label={isShared ? "The old secret stays valid" : "The old key stays valid"}
              value={overlap}
              options={overlaps}
              onChange={(event) => setOverlap(event.target.value)}
            />
            {overlap === "0" && (
              <p role="status">Receivers reject every request until they have the new {isShared ? "secret" : "key"}.</p>
            )}
          </>
        )}
      </FormDialog>
      <EndpointSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

export const Remove = ({ endpoint }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const remove = async () => {
    await client.webhookEndpoints.remove(endpoint.id)
    notify("The endpoint was removed.")
    await navigate({ to: "/webhook-endpoints" })
    await reload(changes)
  }
  return (
    <>
      <Button permission="webhookEndpoints:manage" kind="danger" onClick={() => setOpen(true)}>
        Remove…
      </Button>
      <Confirm
        title={`Remove ${endpoint.name}?`}
        action="Remove the endpoint"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={remove}
      >
        <EndpointsRemoval endpoints={[endpoint]} />
      </Confirm>
    </>
  )
}
