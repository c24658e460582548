/** The credential of an MCP connection: connecting an account, setting an API key, and disconnecting. */
import type { McpConnection } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { readOnce } from "../../design/consequences.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Field } from "../../design/ui.tsx"
import { readGrants, receiversOf } from "./connection-grants.ts"
import { SignInButton } from "./sign-in-window.tsx"

const changes = ["mcp-connections"]

const ApiKey = ({ connection }: { readonly connection: McpConnection }) => {
  const [isOpen, setOpen] = useState(false)
  const [key, setKey] = useState("")
  const { apiKeyHeader, apiKeyScheme, connectedForMe, credentialMode, id } = connection
  const close = () => {
    setOpen(false)
    setKey("")
  }
  return (
    <>
      <Button kind={connectedForMe ? "plain" : "primary"} onClick={() => setOpen(true)}>
        {connectedForMe ? "Replace the API key" : "Set the API key"}
      </Button>
      <FormDialog
        title={connectedForMe ? "Replace the API key" : "Set the API key"}
        description={
          credentialMode === "shared"
            ? "Everyone with access to the connection uses this key."
            : "Only you use this key."
        }
        action="Save the key"
        done="The API key was saved."
        changes={changes}
        isOpen={isOpen}
        onClose={close}
        submit={() => client.mcpConnections.setApiKey(id, { apiKey: key })}
        fields={["apiKey"]}
      >
        {(problem) => (
          <Field
            label="API key"
            hint={`Sent to the server as ${apiKeyHeader ?? "authorization"}${apiKeyScheme === null ? "" : ` with ${apiKeyScheme}`}. Stored encrypted, and never shown again.`}
            type="password"
            autoComplete="new-password"
            required
            maxLength={4096}
            value={key}
            problem={problem("apiKey")}
            onChange={({ target }) => setKey(target.value)}
          />
        )}
      </FormDialog>
    </>
  )
}

const Disconnect = ({ connection }: { readonly connection: McpConnection }) => {
  const [isOpen, setOpen] = useState(false)
  const { authType, credentialMode, id, name } = connection
  const disconnect = async () => {
    await client.mcpConnections.disconnect(id)
    notify("The connection was disconnected.")
    void reload(changes)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Disconnect</Button>
      <Confirm
        title={`Disconnect ${name}`}
        action="Disconnect"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={disconnect}
      >
        <p>
          {credentialMode === "shared"
            ? "The shared credential is deleted. No one can use the tools until a manager connects it again."
            : "Your credential is deleted. Your agents cannot use the tools until you connect again. Other members keep theirs."}
        </p>
        {credentialMode === "shared" && <SharedWith connectionId={id} />}
        {authType === "oauth" && <p>Where the authorization server supports it, the access is revoked there too.</p>}
        <p>The settings, the access and the approved tools stay.</p>
      </Confirm>
    </>
  )
}

/** The members and teams with a grant on the connection, who can use its shared credential. */
const SharedWith = ({ connectionId }: { readonly connectionId: string }) => {
  const query = useQuery({
    queryKey: ["impacts", "mcp-access", connectionId],
    queryFn: ({ signal }) => readGrants(connectionId, signal),
    ...readOnce
  })
  return (
    <Shown query={query} lines={1}>
      {(grants) => (
        <p>
          {receiversOf(grants)} {grants.isForEveryone ? "has" : "have"} a grant on the connection.
        </p>
      )}
    </Shown>
  )
}

export const ConnectActions = ({
  connection,
  onWaiting
}: {
  readonly connection: McpConnection
  readonly onWaiting: (isWaiting: boolean) => void
}) => {
  const { authType, connectedForMe, id, missingScopes, status } = connection
  if (authType === "none") return null
  const isConnected = connectedForMe && status !== "reconnect_required" && missingScopes.length === 0
  return (
    <>
      {authType === "apikey" ? (
        <ApiKey connection={connection} />
      ) : (
        <SignInButton
          path={`/mcp-connections/${id}`}
          start={(input) => client.mcpConnections.startConnect(id, input)}
          complete={(input) => client.mcpConnections.completeConnect(id, input)}
          isConnected={isConnected}
          changes={changes}
          done="Your account is connected."
          kind={isConnected ? "plain" : "primary"}
          onWaiting={onWaiting}
        >
          {connectedForMe ? "Connect again" : "Connect"}
        </SignInButton>
      )}
      {connectedForMe && <Disconnect connection={connection} />}
    </>
  )
}
