/** Accounts on code hosts, through which repositories are read. */
import type { ConnectorAccount } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import type { Column } from "../../design/data-table.tsx"
import { Confirm, type DialogState } from "../../design/dialog.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Field, Time } from "../../design/ui.tsx"
import { accountTones } from "./connector-account.tsx"
import { InstallDialog } from "./install-app.tsx"
import { Crumb } from "./parts.tsx"
import { filled } from "./words.ts"

const CreateDialog = ({ isOpen, onClose }: DialogState) => {
  const [url, setUrl] = useState("")
  const [name, setName] = useState("")
  return (
    <FormDialog
      title="Add a Git host"
      description="For plain Git over https, without a code host's API. Connecting a repository by its URL adds its host automatically."
      action="Add the host"
      done="The host was added."
      changes={["connector-accounts"]}
      isOpen={isOpen}
      onClose={onClose}
      fields={["url", "name"]}
      submit={() => client.connectors.createAccount({ adapter: "git", url: url.trim(), name: filled(name) })}
    >
      {(problem) => (
        <>
          <Field
            label="Origin of the host"
            hint="For example https://git.example"
            type="url"
            required
            maxLength={2048}
            value={url}
            problem={problem("url")}
            onChange={({ target }) => setUrl(target.value)}
          />
          <Field
            label="Name (optional)"
            maxLength={255}
            value={name}
            problem={problem("name")}
            onChange={({ target }) => setName(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

export const Page = () => {
  const [isCreating, setCreating] = useState(false)
  const [isInstalling, setInstalling] = useState(false)
  const [ended, setEnded] = useState<ConnectorAccount>()
  const columns: ReadonlyArray<Column<ConnectorAccount>> = [
    {
      name: "Name",
      width: "minmax(0, 2fr)",
      cell: ({ name }) => <strong title={name}>{name}</strong>,
      sort: ({ name }) => name
    },
    {
      name: "Reads through",
      width: "150px",
      wide: true,
      cell: ({ adapter }) => (adapter === "rest" ? "the app's API" : "plain Git"),
      sort: ({ adapter }) => adapter
    },
    {
      name: "Account",
      width: "minmax(0, 2fr)",
      wide: true,
      cell: ({ remoteId }) => <code>{remoteId}</code>,
      sort: ({ remoteId }) => remoteId
    },
    {
      name: "Status",
      width: "120px",
      wide: true,
      cell: ({ status, statusReason }) => (
        <span title={statusReason ?? undefined}>
          <Badge tone={accountTones[status]}>{status}</Badge>
        </span>
      ),
      sort: ({ status }) => status
    },
    {
      name: "Added",
      width: "120px",
      wide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt
    },
    {
      name: "Actions",
      width: "120px",
      cell: (account) =>
        account.status === "disconnected" ? (
          ""
        ) : (
          <Button
            kind="quiet"
            onClick={(event) => {
              event.stopPropagation()
              setEnded(account)
            }}
          >
            Disconnect
          </Button>
        )
    }
  ]
  return (
    <>
      <Crumb to="/connectors">Connectors</Crumb>
      <ListPage
        creates="connectors:write"
        title="Connector accounts"
        name="connector-accounts"
        description="Installations of the app on a code host, and Git hosts, through which repositories are read."
        columns={columns}
        searches
        load={(input, signal) => client.connectors.listAccounts(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/connector-accounts/${id}`}
        actions={
          <>
            <Button onClick={() => setCreating(true)}>Add a Git host</Button>
            <Button kind="primary" onClick={() => setInstalling(true)}>
              Install the app
            </Button>
          </>
        }
        empty={
          <>
            <p>Connecting a repository adds its host. Install the app to choose repositories from a list.</p>
            <Link className="button" to="/connectors/new">
              Connect a repository
            </Link>
          </>
        }
      />
      {isCreating && <CreateDialog isOpen onClose={() => setCreating(false)} />}
      {isInstalling && <InstallDialog isOpen onClose={() => setInstalling(false)} />}
      <Confirm
        title={`Disconnect ${ended?.name ?? "the account"}?`}
        action="Disconnect the account"
        isOpen={ended !== undefined}
        onClose={() => setEnded(undefined)}
        confirm={async () => {
          if (ended === undefined) return
          await client.connectors.disconnectAccount(ended.id)
          notify("The account was disconnected.")
          await reload(["connector-accounts"])
        }}
      >
        <p>
          Repositories can no longer be connected through it. Nothing changes on the code host: an app stays installed
          there, and can be connected to another organization.
        </p>
        <p>An account that a connector still uses cannot be disconnected. Remove its connectors first.</p>
      </Confirm>
    </>
  )
}
