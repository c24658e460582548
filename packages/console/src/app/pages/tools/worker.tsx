/** A worker: its state, its runtime, what it did, and its tokens. */
import { type Json, ServerError, type Worker, type WorkerActivity, type WorkerInstance } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { TextArea } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Field, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { usePathParameter } from "../../parameters.ts"
import { removalChanges, useManagesWorker, WorkersRemoval } from "./worker-removal.tsx"
import { destinations, WorkerStatusBadge } from "./worker-states.tsx"
import { WorkerTokens } from "./worker-tokens.tsx"
import "./tools.css"

const changes = ["workers"]
const pollMillis = 5_000

const JsonText = ({ label, value }: { readonly label: string; readonly value: Json }) => (
  <pre className="code exchange-body" tabIndex={0} role="region" aria-label={label}>
    {JSON.stringify(value, null, 2)}
  </pre>
)

const Upgrade = ({ worker }: { readonly worker: Worker }) => {
  const [isOpen, setOpen] = useState(false)
  const [response, setResponse] = useState<Json>()
  const upgrade = async () => {
    setResponse(await client.workers.upgradeRuntime(worker.id))
    notify("The runtime received the upgrade.")
    void reload(changes)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Upgrade the runtime</Button>
      <Confirm
        title={`Upgrade ${worker.name}`}
        action="Upgrade the runtime"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={upgrade}
      >
        <p>
          The runtime receives one request to upgrade itself, and decides how. Tasks that it runs may be interrupted.
        </p>
      </Confirm>
      {response !== undefined && <JsonText label="Response to the upgrade" value={response} />}
    </>
  )
}

const Runtime = ({ instance, worker }: { readonly worker: Worker; readonly instance: WorkerInstance }) => {
  const isManaged = useManagesWorker()(worker)
  const isRunning = instance.status === "running"
  const isRead = isManaged && isRunning
  const runtime = useQuery({
    queryKey: ["workers", worker.id, "runtime"],
    queryFn: ({ signal }) => client.workers.getRuntime(worker.id, { signal }),
    enabled: isRead,
    refetchInterval: isRead ? pollMillis : false
  })
  return (
    <Section title="Runtime" actions={isRead && <Upgrade worker={worker} />}>
      <Facts
        rows={[
          [
            "State",
            <Badge key="state" tone={isRunning ? "good" : instance.status === "failed" ? "bad" : "neutral"}>
              {instance.status}
            </Badge>
          ],
          ["Provider", instance.provider],
          ["Region", instance.region],
          ["Started", <Time key="started" at={instance.createdAt} />],
          ["Changed", <Time key="changed" at={instance.updatedAt} />]
        ]}
      />
      {isRead ? (
        <>
          <Shown query={runtime}>{(state) => <JsonText label="State of the runtime" value={state} />}</Shown>
          {runtime.error instanceof ServerError && (
            <p className="muted">The runtime did not respond. The server keeps retrying.</p>
          )}
        </>
      ) : (
        isManaged && <p className="muted">Its own state is shown while it runs.</p>
      )}
    </Section>
  )
}

const hints: Readonly<Record<Worker["status"], string | undefined>> = {
  provisioning: "Start it with its token.",
  healthy: undefined,
  failed: "Its next heartbeat makes it healthy again. Check that it runs, and that its token is valid.",
  stopped: "It reported that it is stopping, or its member left the organization."
}

const Overview = ({ instance, worker }: { readonly worker: Worker; readonly instance: WorkerInstance | null }) => {
  const hint =
    worker.status === "provisioning" && worker.destination === "cloud"
      ? "Its runtime is being started. This page follows it."
      : hints[worker.status]
  return (
    <div className="stack">
      {(hint !== undefined || worker.statusReason !== null) && (
        <Notice
          title={
            worker.statusReason ?? (worker.status === "provisioning" ? "It has not reported yet" : "It does not run")
          }
          tone={worker.status === "failed" ? "bad" : worker.status === "healthy" ? "good" : "warn"}
        >
          {hint !== undefined && <span>{hint}</span>}
        </Notice>
      )}
      <div className="columns">
        <Section title="Worker">
          <Facts
            rows={[
              ["Runs", destinations[worker.destination]],
              ["Belongs to", worker.isMine ? "you" : <code key="owner">{worker.createdByUserId}</code>],
              ["Version", worker.imageVersion],
              ["Workspace", worker.workspacePath === null ? null : <code key="path">{worker.workspacePath}</code>],
              ["Sandbox", worker.sandboxBackend],
              ["Last heartbeat", <Time key="heartbeat" at={worker.lastHeartbeatAt} />],
              ["Last activity", <Time key="active" at={worker.lastActiveAt} />],
              ["Created", <Time key="created" at={worker.createdAt} />]
            ]}
          />
        </Section>
        {instance !== null && <Runtime worker={worker} instance={instance} />}
      </div>
    </div>
  )
}

const activityColumns: ReadonlyArray<Column<WorkerActivity>> = [
  {
    name: "When",
    width: "130px",
    cell: ({ occurredAt }) => <Time at={occurredAt} />,
    sort: ({ occurredAt }) => occurredAt
  },
  {
    name: "Kind",
    width: "minmax(0, 1fr)",
    cell: ({ kind }) => <code title={kind}>{kind}</code>,
    sort: ({ kind }) => kind
  },
  {
    name: "What",
    width: "minmax(0, 4fr)",
    cell: ({ message }) => <span title={message}>{message}</span>,
    sort: ({ message }) => message
  },
  {
    name: "Session",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ sessionId }) => <code title={sessionId ?? ""}>{sessionId ?? ""}</code>,
    sort: ({ sessionId }) => sessionId
  }
]

const Activity = ({ worker }: { readonly worker: Worker }) => {
  const [shown, setShown] = useState<WorkerActivity>()
  return (
    <div className="stack">
      <p className="muted">What the worker reported, newest first. It is kept for 30 days.</p>
      <DataTable
        label="Activity"
        columns={activityColumns}
        queryKey={["workers", worker.id, "activity"]}
        load={(cursor, signal) =>
          client.workers.listActivity(worker.id, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
        idOf={({ id }) => id}
        open={setShown}
        refetchInterval={pollMillis}
        empty={
          <Empty title="It has reported nothing yet">
            <p>A worker reports what it does while it runs.</p>
          </Empty>
        }
      />
      {shown !== undefined && (
        <Section title={shown.kind} actions={<Button onClick={() => setShown(undefined)}>Close</Button>}>
          <p className="plain-text">{shown.message}</p>
        </Section>
      )}
    </div>
  )
}

const Edit = ({ worker }: { readonly worker: Worker }) => {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState(worker.name)
  const [description, setDescription] = useState(worker.description ?? "")
  const open = () => {
    setName(worker.name)
    setDescription(worker.description ?? "")
    setOpen(true)
  }
  return (
    <>
      <Button onClick={open}>Rename</Button>
      <FormDialog
        title={`Rename ${worker.name}`}
        action="Save"
        done="The worker was changed."
        changes={changes}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={() =>
          client.workers.update(worker.id, {
            name: name.trim(),
            description: description.trim() === "" ? null : description.trim()
          })
        }
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
            <TextArea
              label="Description (optional)"
              rows={3}
              maxLength={2000}
              value={description}
              problem={problem("description")}
              onChange={({ target }) => setDescription(target.value)}
            />
          </>
        )}
      </FormDialog>
    </>
  )
}

const Remove = ({ worker }: { readonly worker: Worker }) => {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const remove = async () => {
    await client.workers.remove(worker.id)
    notify("The worker was removed.")
    await navigate({ to: "/workers" })
    void reload(removalChanges)
  }
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Confirm
        title={`Remove ${worker.name}`}
        action="Remove the worker"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={remove}
      >
        <WorkersRemoval workers={[worker]} />
      </Confirm>
    </>
  )
}

export const Page = () => {
  const workerId = usePathParameter("workerId")
  const manages = useManagesWorker()
  const query = useQuery({
    queryKey: ["workers", workerId],
    queryFn: ({ signal }) => client.workers.get(workerId, { signal }),
    refetchInterval: pollMillis
  })
  return (
    <Shown query={query} lines={8}>
      {({ instance, worker }) => (
        <>
          <PageHeader
            title={worker.name}
            {...(worker.description === null ? {} : { description: worker.description })}
            actions={
              <>
                <WorkerStatusBadge status={worker.status} />
                {manages(worker) && (
                  <>
                    <Edit worker={worker} />
                    <Remove worker={worker} />
                  </>
                )}
              </>
            }
          />
          <Tabs
            tabs={[
              { value: "overview", label: "Overview", content: () => <Overview worker={worker} instance={instance} /> },
              ...(manages(worker)
                ? [{ value: "activity", label: "Activity", content: () => <Activity worker={worker} /> }]
                : []),
              ...(worker.destination === "local" && manages(worker)
                ? [{ value: "tokens", label: "Tokens", content: () => <WorkerTokens worker={worker} /> }]
                : [])
            ]}
          />
        </>
      )}
    </Shown>
  )
}
