/** Creates a worker. The token of a local one is shown once. */
import type { WorkerDestination } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { SelectField, TextArea } from "../../design/fields.tsx"
import { SecretDialog } from "../../design/secret.tsx"
import { Button, Field } from "../../design/ui.tsx"

const options: ReadonlyArray<readonly [WorkerDestination, string]> = [
  ["local", "On my machine, started with a token"],
  ["cloud", "In this installation, started by the server"]
]

export const CreateWorker = () => {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [destination, setDestination] = useState<WorkerDestination>("local")
  const [created, setCreated] = useState<{ readonly id: string; readonly token: string }>()
  const navigate = useNavigate()
  const close = () => {
    setOpen(false)
    setName("")
    setDescription("")
  }
  const submit = async () => {
    const { token, worker } = await client.workers.create({
      name: name.trim(),
      destination,
      ...(description.trim() === "" ? {} : { description: description.trim() })
    })
    if (token === null) await navigate({ to: `/workers/${worker.id}` })
    else setCreated({ id: worker.id, token })
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        Create a worker
      </Button>
      <FormDialog
        title="Create a worker"
        description="It runs agents for you, and stops when you leave the organization."
        action="Create the worker"
        done="The worker was created."
        changes={["workers"]}
        isOpen={isOpen}
        onClose={close}
        submit={submit}
        fields={["name", "description"]}
      >
        {(problem) => (
          <>
            <Field
              label="Name"
              required
              maxLength={120}
              value={name}
              problem={problem("name")}
              onChange={({ target }) => setName(target.value)}
            />
            <SelectField
              label="Where it runs"
              options={options}
              value={destination}
              onChange={({ target }) => setDestination(target.value === "cloud" ? "cloud" : "local")}
            />
            <TextArea
              label="Description (optional)"
              rows={2}
              maxLength={2000}
              value={description}
              problem={problem("description")}
              onChange={({ target }) => setDescription(target.value)}
            />
          </>
        )}
      </FormDialog>
      <SecretDialog
        title="Token of the worker"
        label="Token"
        hint="Start the worker with this token. It is valid for this worker only, and is not shown again."
        secret={created?.token}
        onClose={() => {
          const id = created?.id
          setCreated(undefined)
          if (id !== undefined) void navigate({ to: `/workers/${id}` })
        }}
      />
    </>
  )
}
