/** The settings of an MCP connection, and its removal. */
import { type McpConnection, PreconditionFailedError, type UpdateMcpConnection } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { client } from "../../api/client.ts"
import { problemOf, reload, useSubmit } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Failure, Notice } from "../../design/ui.tsx"
import { useUnsaved } from "../../design/unsaved.ts"
import { inputOf, type Settings, SettingsFields, settingsFields, settingsOf } from "./connection-form.tsx"
import { ConnectionsRemoval, removalChanges } from "./connection-removal.tsx"

/** Whether the change deletes credentials and the approved state of the server. */
const isAnother = (before: Settings, after: Settings) =>
  before.url !== after.url.trim() ||
  before.authType !== after.authType ||
  before.credentialMode !== after.credentialMode

const changesOf = (before: Settings, after: Settings): UpdateMcpConnection => {
  const { oauthClient, ...input } = inputOf(after)
  const isSameClient = before.clientId === after.clientId.trim() && after.clientSecret === ""
  // A client that the person did not register is not changed by an empty field.
  const client = isSameClient || after.authType !== "oauth" ? {} : { oauthClient: oauthClient ?? null }
  return { ...input, ...client }
}

interface Version {
  readonly connection: McpConnection
  /** Another change since then is refused instead of overwritten. */
  readonly etag: string | undefined
}

const load = async (id: string, signal?: AbortSignal): Promise<Version> => {
  const { data, response } = await client.mcpConnections.get(id, { signal }).withResponse()
  return { connection: data, etag: response.headers.get("etag") ?? undefined }
}

const SettingsForm = ({ initial }: { readonly initial: Version }) => {
  const [version, setVersion] = useState(initial)
  const [settings, setSettings] = useState(() => settingsOf(initial.connection))
  const [isAsked, setAsked] = useState(false)
  const { error, isBusy, setError, submit } = useSubmit({
    done: "The settings were saved.",
    changes: ["mcp-connections"]
  })
  const before = settingsOf(version.connection)
  useUnsaved(JSON.stringify(settings) !== JSON.stringify(before), false)
  const show = (next: Version) => {
    setVersion(next)
    setSettings(settingsOf(next.connection))
    setError(undefined)
  }
  const save = () =>
    submit(async () => {
      const { connection, etag } = version
      const options = etag === undefined ? {} : { ifMatch: etag }
      const { data, response } = await client.mcpConnections
        .update(connection.id, changesOf(before, settings), options)
        .withResponse()
      show({ connection: data, etag: response.headers.get("etag") ?? undefined })
    })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isAnother(before, settings)) setAsked(true)
    else void save()
  }
  const problem = (field: string) => problemOf(error, field)
  const isShown = settingsFields.some((field) => problem(field) !== undefined)
  return (
    <form className="stack narrow" onSubmit={onSubmit}>
      <SettingsFields
        value={settings}
        onChange={setSettings}
        problem={problem}
        hasSecret={version.connection.oauthClient?.hasSecret === true}
      />
      {isAnother(before, settings) && (
        <Notice title="This deletes the stored credentials and the approved tools" tone="warn">
          <span>
            Members must connect again, and the next state of the server that is read becomes the approved one.
          </span>
        </Notice>
      )}
      {error instanceof PreconditionFailedError ? (
        <Notice title="Another user has changed the settings" tone="bad">
          <span>Nothing was saved. Load the current settings, and make your change again.</span>
          <div className="row">
            <Button onClick={() => void load(version.connection.id).then(show, setError)}>
              Load the current settings
            </Button>
          </div>
        </Notice>
      ) : (
        error !== undefined && !isShown && <Failure error={error} />
      )}
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy}>
          Save the settings
        </Button>
      </div>
      <Confirm
        title="Save the settings"
        action="Save, and delete the credentials"
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        confirm={save}
      >
        <p>
          All credentials of the connection are deleted. Agents cannot use its tools until they are connected again.
        </p>
        <p>The approved state of the server is deleted. The next tools that it lists are approved without a review.</p>
      </Confirm>
    </form>
  )
}

const Remove = ({ connection }: { readonly connection: McpConnection }) => {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const remove = async () => {
    await client.mcpConnections.remove(connection.id)
    notify("The connection was removed.")
    void reload(removalChanges)
    await navigate({ to: "/mcp-connections", ignoreBlocker: true })
  }
  return (
    <Section title="Remove the connection">
      <p>Agents can no longer use its tools. This cannot be undone.</p>
      <div className="row">
        <Button kind="danger" permission="mcpConnections:manage" onClick={() => setOpen(true)}>
          Remove the connection
        </Button>
      </div>
      <Confirm
        title={`Remove ${connection.name}`}
        action="Remove the connection"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={remove}
      >
        <ConnectionsRemoval connections={[connection]} />
      </Confirm>
    </Section>
  )
}

export const ConnectionSettings = ({ connection }: { readonly connection: McpConnection }) => {
  const version = useQuery({
    queryKey: ["mcp-connections", connection.id, "version"],
    queryFn: ({ signal }) => load(connection.id, signal),
    // The form starts from what is stored now, and is not replaced while it is edited.
    gcTime: 0,
    refetchOnWindowFocus: false
  })
  return (
    <div className="stack">
      <Section title="Settings">
        <Shown query={version} lines={6}>
          {(initial) => <SettingsForm initial={initial} />}
        </Shown>
      </Section>
      <Remove connection={connection} />
    </div>
  )
}
