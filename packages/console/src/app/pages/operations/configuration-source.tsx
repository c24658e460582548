/** The repository whose configuration files are planned or applied after each push. */
import type { ConfigurationMode, ConfigurationSource } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client, statusOf } from "../../api/client.ts"
import { FormDialog, useAction } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { reload } from "../../design/action.tsx"
import { Badge, Button, Empty, Field, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { Picker } from "../../objects/picker.tsx"
import { Revision } from "./run-parts.tsx"

const changes = ["configuration"]
/** A connector has at most 50 branches. */
const listMax = 100

const modes: Readonly<Record<ConfigurationMode, string>> = {
  plan: "Plan: only report how the organization differs",
  apply: "Apply: change the organization to match the files"
}

const isMode = (value: string): value is ConfigurationMode => value in modes

const SourceForm = ({
  onClose,
  source
}: {
  readonly source: ConfigurationSource | null
  readonly onClose: () => void
}) => {
  const ifMatch = useFormVersion(source === null ? undefined : `"${source.version}"`)
  // A branch belongs to a connector, so they change together.
  const [{ connectorId, targetId }, setBranch] = useFormField({
    connectorId: source?.connectorInstanceId ?? "",
    targetId: source?.connectorTargetId ?? ""
  })
  const [path, setPath] = useFormField(source?.path ?? "orgplane.yaml")
  const [mode, setMode] = useFormField<ConfigurationMode>(source?.mode ?? "plan")
  const [isEnabled, setEnabled] = useFormField(source?.isEnabled ?? true)
  const branches = useQuery({
    queryKey: ["connectors", connectorId, "branches", "choices"],
    queryFn: ({ signal }) => client.connectors.listTargets(connectorId, { limit: listMax }, { signal }),
    enabled: connectorId !== ""
  })
  const submit = () =>
    client.configurationSource.set(
      {
        connectorInstanceId: connectorId,
        path,
        mode,
        isEnabled,
        ...(targetId === "" ? {} : { connectorTargetId: targetId })
      },
      ifMatch === undefined ? {} : { ifMatch }
    )
  return (
    <FormDialog
      title={source === null ? "Set the configuration source" : "Change the configuration source"}
      description="Each run has your permissions at that time. Everyone who can push to the branch can make the changes that you can make, so protect the branch."
      action="Set the source"
      done="The source was set, and a run has started."
      changes={changes}
      fields={["path", "connectorInstanceId", "connectorTargetId"]}
      isOpen
      onClose={onClose}
      submit={submit}
    >
      {(problem) => (
        <>
          <Picker
            kind="connectorInstance"
            label="Repository"
            hint="A connector whose manager you are."
            problem={problem("connectorInstanceId")}
            value={connectorId === "" ? undefined : connectorId}
            onChange={(id) => setBranch({ connectorId: id ?? "", targetId: "" })}
          />
          <SelectField
            label="Branch"
            disabled={connectorId === ""}
            problem={problem("connectorTargetId")}
            value={targetId}
            options={[
              ["", "The first branch of the connector"],
              ...(branches.data?.items ?? []).map(
                ({ externalTargetRef, id }) => [id, externalTargetRef.replace(/^refs\/heads\//, "")] as const
              )
            ]}
            onChange={(event) => setBranch({ connectorId, targetId: event.target.value })}
          />
          <Field
            label="Path"
            hint="A file, or a folder whose YAML and JSON files are one document. A dot is the whole repository."
            required
            maxLength={1024}
            spellCheck={false}
            value={path}
            problem={problem("path")}
            onChange={(event) => setPath(event.target.value)}
          />
          <SelectField
            label="Mode"
            hint="A run that would remove many objects is held for approval."
            value={mode}
            options={Object.entries(modes)}
            onChange={({ target }) => isMode(target.value) && setMode(target.value)}
          />
          <Checkbox label="Pushes start runs" isChecked={isEnabled} onChange={setEnabled} />
        </>
      )}
    </FormDialog>
  )
}

const RunNow = ({ source }: { readonly source: ConfigurationSource }) => {
  const { isBusy, run } = useAction({ done: "The run has started.", changes })
  const navigate = useNavigate()
  const start = async () => {
    const { id } = await client.configurationSource.run()
    await navigate({ to: `/configuration/runs/${id}` })
  }
  return (
    <Button kind="primary" disabled={isBusy || !source.isEnabled} onClick={() => void run(start)}>
      Run now
    </Button>
  )
}

const Remove = () => {
  const [isOpen, setOpen] = useState(false)
  const remove = async () => {
    await client.configurationSource.remove()
    notify("The source was removed.")
    await reload(changes)
  }
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Remove…
      </Button>
      <Confirm
        title="Remove the configuration source?"
        action="Remove the source"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={remove}
      >
        <ul>
          <li>Pushes no longer start runs. Queued and held runs become superseded.</li>
          <li>What was applied stays as it is.</li>
          <li>Objects that the files manage stay managed, until a document says otherwise.</li>
        </ul>
      </Confirm>
    </>
  )
}

const SourceDetails = ({ onEdit, source }: { readonly source: ConfigurationSource; readonly onEdit: () => void }) => (
  <Section
    title="Configuration source"
    actions={
      <>
        <RunNow source={source} />
        <Button onClick={onEdit}>Change…</Button>
        <Remove />
      </>
    }
  >
    <Facts
      rows={[
        ["Repository", <Name id={source.connectorInstanceId} />],
        ["Branch", source.branch],
        ["Path", <code>{source.path}</code>],
        [
          "Mode",
          source.mode === "apply" ? (
            <>
              <Badge tone="good">apply</Badge> the organization is changed to match the files
            </>
          ) : (
            <>
              <Badge>plan</Badge> differences are only reported
            </>
          )
        ],
        ["Pushes start runs", source.isEnabled ? "yes" : "no"],
        ["Runs with the permissions of", <Name key="member" id={source.appliedAsOrgMembershipId} />],
        ["Last commit", <Revision revision={source.lastRevision} />],
        ["Changed", <Time at={source.updatedAt} />]
      ]}
    />
  </Section>
)

export const Source = () => {
  const [isOpen, setOpen] = useState(false)
  const query = useQuery({
    queryKey: ["configuration", "source"],
    queryFn: async ({ signal }) => {
      try {
        return await client.configurationSource.get({ signal })
      } catch (error) {
        if (statusOf(error) === 404) return null
        throw error
      }
    }
  })
  return (
    <Shown query={query} lines={6}>
      {(source) => (
        <>
          {source === null ? (
            <Empty title="No configuration source yet">
              <p>
                Connect a repository with configuration files, and each push plans or applies them. CI then needs no API
                key.
              </p>
              <div className="row">
                <Button kind="primary" onClick={() => setOpen(true)}>
                  Set the source
                </Button>
                <Link className="button" to="/connectors">
                  Connect a repository
                </Link>
              </div>
            </Empty>
          ) : (
            <SourceDetails source={source} onEdit={() => setOpen(true)} />
          )}
          {isOpen && <SourceForm source={source} onClose={() => setOpen(false)} />}
        </>
      )}
    </Shown>
  )
}
