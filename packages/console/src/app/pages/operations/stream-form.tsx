/** The form of an event stream, to create one and to change one. */
import type { OrganizationEventStream } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { SelectField } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Field } from "../../design/ui.tsx"
import { EventTypes } from "./event-types.tsx"
import { DestinationFields, keepsSecret, targetOf, useDestination } from "./stream-destination.tsx"

const starts = [
  ["new", "With events that happen from now on"],
  ["0", "With the first event that is kept"]
] as const

export const StreamForm = ({
  isOpen,
  onClose,
  onSaved,
  stream
}: {
  /** The stream to change. Without it, one is created. */
  readonly stream?: OrganizationEventStream
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSaved?: (stream: OrganizationEventStream) => void
}) => {
  const ifMatch = useFormVersion(stream === undefined ? undefined : `"${stream.version}"`)
  const [name, setName] = useFormField(stream?.name ?? "")
  const { before, setValues, values } = useDestination(stream?.destination)
  const [types, setTypes] = useFormField<ReadonlyArray<string>>(stream?.types ?? [])
  const [start, setStart] = useState("new")
  const isChanged = JSON.stringify(values) !== JSON.stringify(before)

  const submit = async () => {
    const saved =
      stream === undefined
        ? await client.eventStreams.create({
            name,
            destination: targetOf(values),
            ...(types.length === 0 ? {} : { types }),
            ...(start === "new" ? {} : { after: Number(start) })
          })
        : await client.eventStreams.update(
            stream.id,
            { name, types, ...(isChanged ? { destination: targetOf(values) } : {}) },
            { ifMatch }
          )
    onSaved?.(saved)
  }
  return (
    <FormDialog
      title={stream === undefined ? "Create an event stream" : "Edit the event stream"}
      description="Events are sent in order and at least once. Events of other types are sent as lines without content, so that receivers can prove that none is missing."
      action={stream === undefined ? "Create the stream" : "Save the changes"}
      done={stream === undefined ? "The stream was created." : "The stream was changed."}
      changes={["event-streams"]}
      fields={["name", "url", "endpoint", "region", "bucket", "accessKeyId", "secretAccessKey", "headers", "token"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={submit}
    >
      {(problem) => (
        <>
          <Field
            label="Name"
            required
            maxLength={120}
            value={name}
            problem={problem("name")}
            onChange={(event) => setName(event.target.value)}
          />
          <DestinationFields
            values={values}
            onChange={setValues}
            problem={problem}
            hasSecret={stream?.hasSecret === true && keepsSecret(before, values)}
          />
          {stream?.hasSecret === true && !keepsSecret(before, values) && (
            <p role="status">The current secret belongs to the old destination and is deleted.</p>
          )}
          <EventTypes value={types} onChange={setTypes} />
          {stream === undefined && (
            <SelectField
              label="Start"
              value={start}
              options={starts}
              onChange={(event) => setStart(event.target.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
