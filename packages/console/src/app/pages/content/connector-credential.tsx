/** The access token of a repository that is read as plain Git: replaced here, and never shown. */
import type { ConnectorInstance } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { Button, Field } from "../../design/ui.tsx"
import type { ConnectorDialogProps } from "./parts.tsx"

const CredentialDialog = ({ instance, isOpen, onClose }: ConnectorDialogProps) => {
  const [token, setToken] = useState("")
  const [username, setUsername] = useState("")
  return (
    <FormDialog
      title="Set the access token"
      description="The new token is checked by reading the repository. If the host rejects it, the current token is kept."
      action="Set the token"
      done="The token was set. The next sync uses it."
      changes={["connectors"]}
      isOpen={isOpen}
      onClose={onClose}
      fields={["token", "username"]}
      submit={() => client.connectors.setCredential(instance.id, { token, ...(username === "" ? {} : { username }) })}
    >
      {(problem) => (
        <>
          <Field
            label="Access token"
            hint="The token needs only read access to the repository."
            type="password"
            autoComplete="off"
            required
            maxLength={4096}
            value={token}
            problem={problem("token")}
            onChange={({ target }) => setToken(target.value)}
          />
          <Field
            label="User name (optional)"
            hint="Default: git. Set it only if the host requires another user name."
            autoComplete="off"
            maxLength={255}
            value={username}
            problem={problem("username")}
            onChange={({ target }) => setUsername(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

export const Credential = ({ instance }: { readonly instance: ConnectorInstance }) => {
  // Each opening starts with an empty form.
  const [opened, setOpened] = useState(0)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p className="muted">The access token is stored encrypted, and never shown.</p>
      <div className="row">
        <Button
          permission="connectors:manage"
          onClick={() => {
            setOpened(opened + 1)
            setOpen(true)
          }}
        >
          Set the access token
        </Button>
      </div>
      <CredentialDialog key={opened} instance={instance} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
