/** The form of a webhook endpoint, to create one and to change one. */
import type { Permission, WebhookEndpoint, WebhookOrdering, WebhookSignature } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { useOwnPermissions } from "../../api/permissions.ts"
import { FormDialog } from "../../design/action.tsx"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Field } from "../../design/ui.tsx"
import { EventTypes } from "./event-types.tsx"

const orderings: Readonly<Record<WebhookOrdering, string>> = {
  ordered: "In order: an event waits for the one before",
  parallel: "In parallel: a failed event delays no other"
}
const signatures: Readonly<Record<WebhookSignature, string>> = {
  hmac: "Shared secret (HMAC-SHA256)",
  ed25519: "Public key (Ed25519)"
}

const isOrdering = (value: string): value is WebhookOrdering => value in orderings
const isSignature = (value: string): value is WebhookSignature => value in signatures
const optionsOf = (labels: Readonly<Record<string, string>>) => Object.entries(labels)

const Permissions = ({
  hasDefault,
  onChange,
  value
}: {
  /** Whether the choice can be left to the server. */
  readonly hasDefault: boolean
  /** Undefined for all read permissions of the caller. */
  readonly value: ReadonlyArray<Permission> | undefined
  readonly onChange: (value: ReadonlyArray<Permission> | undefined) => void
}) => {
  const own = useOwnPermissions()
  // Permissions that the endpoint has and the person does not have stay visible, and can be removed.
  const readable = (own.data?.permissions ?? []).filter((each) => each.endsWith(":read"))
  const shown = [...new Set([...readable, ...(value ?? [])])].sort()
  return (
    <fieldset className="stack">
      <legend>Permissions</legend>
      {hasDefault && (
        <Checkbox
          label="All read permissions that I have now"
          hint="The endpoint keeps these permissions if yours change later. It never receives events about personal data."
          isChecked={value === undefined}
          onChange={(isChecked) => onChange(isChecked ? undefined : readable)}
        />
      )}
      {value !== undefined && (
        <div className="choices" tabIndex={0} role="group" aria-label="Read permissions">
          {shown.map((each) => (
            <Checkbox
              key={each}
              label={<code>{each}</code>}
              isChecked={value.includes(each)}
              onChange={(isChecked) => onChange(isChecked ? [...value, each] : value.filter((other) => other !== each))}
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}

interface FormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

const useFields = (endpoint: WebhookEndpoint | undefined) => {
  const [name, setName] = useFormField(endpoint?.name ?? "")
  const [url, setUrl] = useFormField(endpoint?.url ?? "")
  const [types, setTypes] = useFormField<ReadonlyArray<string>>(endpoint?.types ?? [])
  const [permissions, setPermissions] = useFormField<ReadonlyArray<Permission> | undefined>(endpoint?.permissions)
  const [ordering, setOrdering] = useFormField<WebhookOrdering>(endpoint?.ordering ?? "ordered")
  return { name, setName, url, setUrl, types, setTypes, permissions, setPermissions, ordering, setOrdering }
}

const Fields = ({
  fields,
  hasDefault,
  problem
}: {
  readonly fields: ReturnType<typeof useFields>
  readonly hasDefault: boolean
  readonly problem: (field: string) => string | undefined
}) => (
  <>
    <Field
      label="Name"
      required
      maxLength={120}
      value={fields.name}
      problem={problem("name")}
      onChange={(event) => fields.setName(event.target.value)}
    />
    <Field
      label="URL"
      hint="It must use https and a public address. Redirects are not followed."
      type="url"
      required
      maxLength={2048}
      value={fields.url}
      problem={problem("url")}
      onChange={(event) => fields.setUrl(event.target.value)}
    />
    <EventTypes value={fields.types} onChange={fields.setTypes} />
    <Permissions hasDefault={hasDefault} value={fields.permissions} onChange={fields.setPermissions} />
    <SelectField
      label="Delivery"
      value={fields.ordering}
      options={optionsOf(orderings)}
      onChange={({ target }) => isOrdering(target.value) && fields.setOrdering(target.value)}
    />
  </>
)

export const CreateEndpoint = ({
  isOpen,
  onClose,
  onCreated
}: FormProps & { readonly onCreated: (created: WebhookEndpoint, secret: string | null) => void }) => {
  const fields = useFields(undefined)
  const [signature, setSignature] = useState<WebhookSignature>("hmac")
  const [after, setAfter] = useState("")
  const submit = async () => {
    const { name, ordering, permissions, types, url } = fields
    const { item, secret } = await client.webhookEndpoints.create({
      name,
      url,
      ordering,
      signature,
      ...(types.length === 0 ? {} : { types }),
      ...(permissions === undefined ? {} : { permissions }),
      ...(after === "" ? {} : { after: Number(after) })
    })
    onCreated(item, secret)
  }
  return (
    <FormDialog
      title="Create a webhook endpoint"
      description="A URL of yours receives each event as a signed POST request."
      action="Create the endpoint"
      done="The endpoint was created."
      changes={["webhook-endpoints"]}
      fields={["name", "url"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={submit}
    >
      {(problem) => (
        <>
          <Fields hasDefault fields={fields} problem={problem} />
          <SelectField
            label="Signature"
            hint="The receiver verifies it before it processes an event."
            value={signature}
            options={optionsOf(signatures)}
            onChange={({ target }) => isSignature(target.value) && setSignature(target.value)}
          />
          <Field
            label="Start after event (optional)"
            hint="A sequence number; 0 sends all events that are kept. Without it, only later events are sent."
            inputMode="numeric"
            pattern="[0-9]*"
            maxLength={15}
            value={after}
            onChange={(event) => setAfter(event.target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

export const EditEndpoint = ({ endpoint, isOpen, onClose }: FormProps & { readonly endpoint: WebhookEndpoint }) => {
  const fields = useFields(endpoint)
  const ifMatch = useFormVersion(`"${endpoint.version}"`)
  const [before] = useFormField({ url: endpoint.url, permissions: endpoint.permissions })
  const removed = before.permissions.filter((each) => fields.permissions?.includes(each) === false)
  const submit = async () => {
    const { name, ordering, permissions, types, url } = fields
    await client.webhookEndpoints.update(
      endpoint.id,
      {
        name,
        types,
        ordering,
        // Unchanged, they do not require the permissions of the endpoint.
        ...(url === before.url ? {} : { url }),
        ...(permissions === undefined || permissions.join() === before.permissions.join() ? {} : { permissions })
      },
      { ifMatch }
    )
  }
  return (
    <FormDialog
      title="Edit the webhook endpoint"
      action="Save the changes"
      done="The endpoint was changed."
      changes={["webhook-endpoints"]}
      fields={["name", "url"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={submit}
    >
      {(problem) => (
        <>
          <Fields hasDefault={false} fields={fields} problem={problem} />
          {removed.length > 0 && (
            <p role="status">
              The endpoint loses {removed.length === 1 ? "a permission" : `${removed.length} permissions`}. Pending
              deliveries are skipped; you can redeliver them later, without the events that it can no longer see.
            </p>
          )}
        </>
      )}
    </FormDialog>
  )
}
