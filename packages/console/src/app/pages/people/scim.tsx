import type { ScimDirectory } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import type { Column } from "../../design/data-table.tsx"
import { SelectField } from "../../design/fields.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { CopyField, SecretDialog } from "../../design/secret.tsx"
import { Badge, Button, Field, Time } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { expiries, expiryOf } from "./api-key-create.tsx"
import "./people.css"

export const providers: Readonly<Record<ScimDirectory["provider"], string>> = {
  okta: "Okta",
  entra: "Microsoft Entra ID",
  google: "Google Workspace",
  other: "Other"
}

const isProvider = (text: string): text is ScimDirectory["provider"] => text in providers

const columns: ReadonlyArray<Column<ScimDirectory>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  { name: "Provider", width: "minmax(0, 1fr)", wide: true, cell: ({ provider }) => providers[provider] },
  {
    name: "Users",
    width: "140px",
    wide: true,
    cell: ({ users: { active, inactive } }) => `${active}${inactive > 0 ? `, ${inactive} inactive` : ""}`
  },
  { name: "Groups", width: "80px", wide: true, cell: ({ groups }) => groups },
  {
    name: "Status",
    width: "150px",
    cell: ({ lastRequestAt, pendingHoldId, tokens }) =>
      pendingHoldId !== null ? (
        <Badge tone="warn">pending approval</Badge>
      ) : tokens.length === 0 ? (
        <Badge tone="bad">no valid token</Badge>
      ) : lastRequestAt === null ? (
        <Badge>not connected yet</Badge>
      ) : (
        <Badge tone="good">connected</Badge>
      )
  },
  {
    name: "Last request",
    width: "130px",
    wide: true,
    cell: ({ lastRequestAt }) => <Time at={lastRequestAt} />,
    sort: ({ lastRequestAt }) => lastRequestAt
  }
]

interface Created {
  readonly id: string
  readonly token: string
  readonly baseUrl: string
}

/** The secret is shown before the page of the new directory opens, because it is shown once. */
const Create = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [provider, setProvider] = useState<ScimDirectory["provider"]>("okta")
  const [expiry, setExpiry] = useState("never")
  const [date, setDate] = useState("")
  const [created, setCreated] = useState<Created>()
  return (
    <>
      <FormDialog
        title="Create a SCIM directory"
        description="One identity provider that creates, changes and deactivates members and teams. Creating one needs the enterprise plan."
        action="Create the directory"
        isOpen={isOpen}
        onClose={onClose}
        submit={async () => {
          const tokenExpiresAt = expiryOf(expiry, date)
          const { directory, token } = await client.scim.createDirectory({
            name: name.trim(),
            provider,
            tokenExpiresAt
          })
          setCreated({ id: directory.id, token, baseUrl: directory.baseUrl })
        }}
        done="The directory was created."
        changes={["scim"]}
        fields={["name", "tokenExpiresAt"]}
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
            <div className="people-columns">
              <SelectField
                label="Identity provider"
                options={Object.entries(providers)}
                value={provider}
                onChange={({ target }) => setProvider(isProvider(target.value) ? target.value : "other")}
              />
              <SelectField
                label="The token expires"
                options={expiries}
                value={expiry}
                problem={problem("tokenExpiresAt")}
                onChange={({ target }) => setExpiry(target.value)}
              />
              {expiry === "date" && (
                <Field
                  label="Date"
                  type="date"
                  required
                  value={date}
                  onChange={({ target }) => setDate(target.value)}
                />
              )}
            </div>
          </>
        )}
      </FormDialog>
      <SecretDialog
        title="The token of the directory"
        label="Token"
        hint="Enter it at your identity provider. It controls who is a member and which teams they are in. It is not shown again."
        secret={created?.token}
        onClose={() => {
          const id = created?.id
          setCreated(undefined)
          if (id !== undefined) void navigate({ to: `/scim/${id}` })
        }}
      >
        <CopyField label="SCIM URL (base URL, tenant URL)" value={created?.baseUrl ?? ""} />
      </SecretDialog>
    </>
  )
}

export const Page = () => {
  const { new: isNew } = useParameters()
  const set = useSetParameters()
  const open = () => set({ new: "true" })
  return (
    <>
      <ListPage
        creates="scim:manage"
        title="SCIM directories"
        name="scim"
        description="Identity providers that provision members and teams."
        columns={columns}
        searches
        load={(input, signal) => client.scim.listDirectories(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/scim/${id}`}
        actions={
          <Button kind="primary" onClick={open}>
            Create a directory
          </Button>
        }
        empty={
          <>
            <p>Verify your domains in the single sign-on settings first, and then create a directory.</p>
            <Button onClick={open}>Create a directory</Button>
          </>
        }
      />
      <Create isOpen={isNew === "true"} onClose={() => set({ new: undefined })} />
    </>
  )
}
