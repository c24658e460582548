/** The tokens of a local worker: creating, replacing and revoking them. */
import type { Worker, WorkerToken } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { SecretDialog } from "../../design/secret.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Empty, Time } from "../../design/ui.tsx"

const changes = ["workers"]
const graces: ReadonlyArray<readonly [string, string]> = [
  ["", "Keep the other tokens"],
  ["0", "Expire the other tokens now"],
  ["600", "Expire the other tokens in ten minutes"],
  ["86400", "Expire the other tokens in a day"]
]
const lifetimes: ReadonlyArray<readonly [string, string]> = [
  ["", "Never"],
  ["86400", "In a day"],
  ["2592000", "In 30 days"],
  ["31536000", "In a year"]
]

const CreateToken = ({ worker }: { readonly worker: Worker }) => {
  const [isOpen, setOpen] = useState(false)
  const [grace, setGrace] = useState("")
  const [lifetime, setLifetime] = useState("")
  const [token, setToken] = useState<string>()
  return (
    <>
      <Button onClick={() => setOpen(true)}>Create a token</Button>
      <FormDialog
        title={`Create a token for ${worker.name}`}
        description="To replace a token without a gap, let the others expire a little later."
        action="Create the token"
        done="The token was created."
        changes={changes}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={async () => {
          const created = await client.workers.createToken(worker.id, {
            ...(grace === "" ? {} : { graceSeconds: Number(grace) }),
            ...(lifetime === "" ? {} : { expiresInSeconds: Number(lifetime) })
          })
          setToken(created.token)
        }}
      >
        {() => (
          <>
            <SelectField
              label="Other tokens"
              options={graces}
              value={grace}
              onChange={({ target }) => setGrace(target.value)}
            />
            <SelectField
              label="Expires"
              options={lifetimes}
              value={lifetime}
              onChange={({ target }) => setLifetime(target.value)}
            />
          </>
        )}
      </FormDialog>
      <SecretDialog
        title="New token of the worker"
        label="Token"
        hint="Start the worker with this token. It is valid for this worker only, and is not shown again."
        secret={token}
        onClose={() => setToken(undefined)}
      />
    </>
  )
}

export const WorkerTokens = ({ worker }: { readonly worker: Worker }) => {
  const [revoked, setRevoked] = useState<WorkerToken>()
  const columns: ReadonlyArray<Column<WorkerToken>> = [
    { name: "Token", width: "minmax(0, 2fr)", cell: ({ id }) => <code title={id}>{id}</code> },
    {
      name: "Created",
      width: "120px",
      wide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt
    },
    {
      name: "Expires",
      width: "120px",
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
      sort: ({ expiresAt }) => expiresAt
    },
    {
      name: "Change",
      width: "100px",
      cell: (token) => (
        <Button kind="quiet" onClick={() => setRevoked(token)}>
          Revoke
        </Button>
      )
    }
  ]
  const revoke = async () => {
    if (revoked === undefined) return
    await client.workers.revokeToken(worker.id, revoked.id)
    notify("The token was revoked.")
    void reload(changes)
  }
  return (
    <div className="stack">
      <div className="row">
        <CreateToken worker={worker} />
      </div>
      <DataTable
        label="Tokens"
        columns={columns}
        queryKey={["workers", worker.id, "tokens"]}
        load={(cursor, signal) =>
          client.workers.listTokens(worker.id, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
        idOf={({ id }) => id}
        empty={
          <Empty title="No token is valid">
            <p>Without a token the worker cannot report. Create one.</p>
          </Empty>
        }
      />
      <Confirm
        title="Revoke the token"
        action="Revoke the token"
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        confirm={revoke}
      >
        <p>
          It stops working at once. A worker that uses it can no longer report, and is shown as failed after three
          missed heartbeats.
        </p>
      </Confirm>
    </div>
  )
}
