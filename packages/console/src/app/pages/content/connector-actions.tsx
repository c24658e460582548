/** What can be done with a connector as a whole. */
import type { ConnectorConfiguration, ConnectorInstance } from "@orgplane/client"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { ActionButton, FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Button, Field, Notice } from "../../design/ui.tsx"
import { ComparedContent } from "./compared-content.tsx"
import type { ConnectorDialogProps } from "./parts.tsx"

const EditDialog = ({
  instance,
  isOpen,
  onClose,
  version
}: ConnectorDialogProps & { readonly version: string | undefined }) => {
  const ifMatch = useFormVersion(version)
  const [name, setName] = useFormField(instance.name)
  const [remoteId, setRemoteId] = useFormField(instance.remoteId)
  const isMoved = remoteId.trim() !== instance.remoteId
  return (
    <FormDialog
      title="Edit the connector"
      action="Save"
      kind={isMoved ? "danger" : "primary"}
      done="The connector was changed."
      changes={["connectors"]}
      isOpen={isOpen}
      onClose={onClose}
      fields={["name", "remoteId"]}
      submit={() =>
        client.connectors.updateInstance(
          instance.id,
          {
            name: name === instance.name ? undefined : name,
            remoteId: isMoved ? remoteId.trim() : undefined
          },
          { ifMatch }
        )
      }
    >
      {(problem) => (
        <>
          <Field
            label="Name"
            required
            maxLength={255}
            value={name}
            problem={problem("name")}
            onChange={({ target }) => setName(target.value)}
          />
          <Field
            label={instance.adapter === "git" ? "Clone URL or path" : "ID of the repository on the code host"}
            required
            maxLength={2048}
            value={remoteId}
            problem={problem("remoteId")}
            onChange={({ target }) => setRemoteId(target.value)}
          />
          {isMoved && (
            <>
              <Notice title="The next sync reads the new repository" tone="warn">
                <span>
                  If it is on another host, the stored access token is deleted, because a token is sent only to its
                  host.
                </span>
              </Notice>
              <ComparedContent instanceId={instance.id} />
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}

/** What a removal deletes, from the configuration of the connector. */
const Removed = ({ query }: { readonly query: UseQueryResult<ConnectorConfiguration> }) => (
  <Shown query={query}>
    {({ plugins, targets }) => {
      const objects = targets.reduce((sum, { mappings }) => sum + mappings.objects, 0)
      const mappings = targets.reduce((sum, each) => sum + each.mappings.imported + each.mappings.byHand, 0)
      return (
        <>
          <p>
            This deletes, for everyone, what comes only from this repository:{" "}
            <strong>
              {plural(plugins.length, "plugin")}, {plural(objects, "config object")} and {plural(mappings, "mapping")}
            </strong>
            .
          </p>
          {plugins.length > 0 && (
            <ul className="bullets">
              {plugins.slice(0, 20).map((plugin) => (
                <li key={plugin.id}>{plugin.name}</li>
              ))}
              {plugins.length > 20 && <li>and {plugins.length - 20} more</li>}
            </ul>
          )}
          <p>It cannot be undone. To keep the content and stop the syncs, pause the connector instead.</p>
        </>
      )
    }}
  </Shown>
)

type Asked = "pause" | "archive" | "remove" | "edit"

export const InstanceActions = ({
  instance,
  version
}: {
  readonly instance: ConnectorInstance
  readonly version: string | undefined
}) => {
  const [asked, setAsked] = useState<Asked>()
  const navigate = useNavigate()
  const close = () => setAsked(undefined)
  const { id, name, status } = instance
  const configuration = useQuery({
    queryKey: ["connectors", id, "configuration"],
    queryFn: ({ signal }) => client.connectors.configuration(id, { signal }),
    enabled: asked === "remove"
  })
  const isRunning = status === "active" || status === "error"
  return (
    <>
      {isRunning ? (
        <>
          <ActionButton
            kind="primary"
            permission="connectors:write"
            access="editor"
            done="A sync was queued."
            changes={["connectors"]}
            work={() => client.connectors.sync(id)}
          >
            Sync now
          </ActionButton>
          <Button permission="connectors:write" access="editor" onClick={() => setAsked("pause")}>
            Pause
          </Button>
        </>
      ) : (
        <ActionButton
          kind="primary"
          permission="connectors:write"
          access="editor"
          done="The connector was resumed, and a sync was queued."
          changes={["connectors"]}
          work={() => client.connectors.enable(id)}
        >
          Resume
        </ActionButton>
      )}
      <Button permission="connectors:write" access="editor" onClick={() => setAsked("edit")}>
        Edit
      </Button>
      {status !== "archived" && (
        <Button permission="connectors:write" access="editor" onClick={() => setAsked("archive")}>
          Archive
        </Button>
      )}
      <Button kind="danger" permission="connectors:manage" access="manager" onClick={() => setAsked("remove")}>
        Remove
      </Button>
      {asked === "edit" && <EditDialog instance={instance} version={version} isOpen onClose={close} />}
      <Confirm
        title={`Pause ${name}?`}
        action="Pause the connector"
        isOpen={asked === "pause"}
        onClose={close}
        confirm={async () => {
          await client.connectors.disable(id)
          notify("The connector was paused.")
          await reload(["connectors"])
        }}
      >
        <p>Imported content is kept as it is. Pushes are ignored until the connector is resumed.</p>
      </Confirm>
      <Confirm
        title={`Archive ${name}?`}
        action="Archive the connector"
        isOpen={asked === "archive"}
        onClose={close}
        confirm={async () => {
          await client.connectors.archive(id)
          notify("The connector was archived.")
          await reload(["connectors"])
        }}
      >
        <p>
          The connector is hidden from lists, and pushes are ignored. Imported content is kept, and the name stays
          reserved. Resuming it restores it.
        </p>
      </Confirm>
      <Confirm
        title={`Remove ${name}?`}
        action="Remove the connector and its content"
        isOpen={asked === "remove"}
        isReady={!configuration.isPending}
        onClose={close}
        confirm={async () => {
          const { deletedConfigObjectCount } = await client.connectors.remove(id)
          notify(`The connector was removed, with ${plural(deletedConfigObjectCount, "config object")}.`)
          await navigate({ to: "/connectors" })
          void reload(["connectors", "plugins", "objects", "marketplaces"])
        }}
      >
        <Removed query={configuration} />
      </Confirm>
    </>
  )
}
