/** An API key: its permissions, rotation, restriction and revocation. */
import type { ApiKey, Permission } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { SecretDialog } from "../../design/secret.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Field, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { dateOf } from "./api-key-create.tsx"
import { RevokeConsequences } from "./api-keys-bulk.tsx"
import { KeyState } from "./api-keys.tsx"
import { inOrder, PermissionList, PermissionPicker, usePermissions } from "./permissions.tsx"
import { PageShown } from "./page-shown.tsx"
import "./people.css"

const graces = [
  ["0", "At once"],
  ["3600", "In an hour"],
  ["86400", "In a day"],
  ["604800", "In a week"]
] as const

const Rotate = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const [isOpen, setOpen] = useState(false)
  const [grace, setGrace] = useState("86400")
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <Button permission="apiKeys:manage" onClick={() => setOpen(true)}>
        Rotate
      </Button>
      <FormDialog
        title={`Rotate ${apiKey.name}`}
        description="Creates a new secret with the same permissions. Store it in your program before the old one stops working."
        action="Create a new secret"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={async () => setSecret((await client.apiKeys.rotate(apiKey.id, { graceSeconds: Number(grace) })).key)}
        done="The API key has a new secret."
        changes={["api-keys"]}
        fields={["graceSeconds"]}
      >
        {(problem) => (
          <>
            <SelectField
              label="The old secret stops working"
              options={graces}
              value={grace}
              problem={problem("graceSeconds")}
              onChange={({ target }) => setGrace(target.value)}
            />
            {grace === "0" && (
              <Notice tone="warn" title="Programs with the old secret are rejected from the next request on" />
            )}
          </>
        )}
      </FormDialog>
      <SecretDialog
        title="The new secret"
        label="API key"
        hint="Store it where the program reads it. It is not shown again."
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  )
}

/** A key can only get less: fewer permissions, an earlier expiry, fewer requests. */
const Restrict = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const permissions = usePermissions()
  const entries = (permissions.data?.permissions ?? []).filter(({ permission }) =>
    apiKey.permissions.includes(permission)
  )
  const [name, setName] = useState(apiKey.name)
  const [chosen, setChosen] = useState<ReadonlySet<Permission>>(new Set(apiKey.permissions))
  const [date, setDate] = useState("")
  const [requestsPerMinute, setRequests] = useState(apiKey.requestsPerMinute)
  const removed = apiKey.permissions.filter((each) => !chosen.has(each))
  const submit = () =>
    client.apiKeys.update(apiKey.id, {
      ...(name.trim() === apiKey.name ? {} : { name: name.trim() }),
      ...(removed.length === 0 ? {} : { permissions: inOrder(entries, chosen) }),
      ...(date === "" ? {} : { expiresAt: new Date(`${date}T23:59:59`).toISOString() }),
      ...(requestsPerMinute === apiKey.requestsPerMinute ? {} : { requestsPerMinute })
    })
  return (
    <FormDialog
      title={`Edit ${apiKey.name}`}
      description="A key can be restricted, but not extended: for more permissions or more time, create another key."
      action="Save"
      isOpen
      onClose={onClose}
      submit={submit}
      done="The API key was changed."
      changes={["api-keys"]}
      fields={["name", "expiresAt", "requestsPerMinute"]}
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
            <Field
              label="New expiry (optional)"
              hint={apiKey.expiresAt === null ? "It never expires now." : "Not later than the current one."}
              type="date"
              min={dateOf(Date.now())}
              max={apiKey.expiresAt === null ? undefined : dateOf(Date.parse(apiKey.expiresAt))}
              value={date}
              problem={problem("expiresAt")}
              onChange={({ target }) => setDate(target.value)}
            />
            <Field
              label="Requests per minute"
              type="number"
              required
              min={1}
              max={apiKey.requestsPerMinute}
              step={1}
              value={Number.isNaN(requestsPerMinute) ? "" : requestsPerMinute}
              problem={problem("requestsPerMinute")}
              onChange={({ target }) => setRequests(target.valueAsNumber)}
            />
          </div>
          <Shown query={permissions} lines={6}>
            {() => <PermissionPicker entries={entries} chosen={chosen} onChange={setChosen} />}
          </Shown>
          {removed.length > 0 && (
            <Notice tone="warn" title={`Programs can no longer use: ${removed.join(", ")}`}>
              <span>Removed permissions cannot be added to this key again.</span>
            </Notice>
          )}
        </>
      )}
    </FormDialog>
  )
}

const Revoke = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button permission="apiKeys:manage" kind="danger" onClick={() => setOpen(true)}>
        Revoke
      </Button>
      <Confirm
        title={`Revoke ${apiKey.name}`}
        action="Revoke the key"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.apiKeys.revoke(apiKey.id)
          notify("The API key was revoked.")
          await reload(["api-keys"])
        }}
      >
        <RevokeConsequences apiKeys={[apiKey]} />
      </Confirm>
    </>
  )
}

const Actions = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const [isEditing, setEditing] = useState(false)
  return (
    <>
      <Rotate apiKey={apiKey} />
      <Button permission="apiKeys:manage" onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Revoke apiKey={apiKey} />
      {isEditing && <Restrict apiKey={apiKey} onClose={() => setEditing(false)} />}
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("apiKeyId")
  const query = useQuery({ queryKey: ["api-keys", id], queryFn: ({ signal }) => client.apiKeys.get(id, { signal }) })
  return (
    <PageShown query={query} title="API key">
      {(apiKey) => (
        <>
          <PageHeader
            title={apiKey.name}
            actions={apiKey.revokedAt === null ? <Actions apiKey={apiKey} /> : undefined}
          />
          <div className="stack">
            <Section title="Key">
              <Facts
                rows={[
                  ["Status", <KeyState key="status" apiKey={apiKey} />],
                  ["Starts with", <code key="hint">{apiKey.hint}</code>],
                  ["Created by", <Name kind="member" key="by" id={apiKey.createdByOrgMembershipId} />],
                  ["Created", <Time key="created" at={apiKey.createdAt} />],
                  ["Expires", <Time key="expires" at={apiKey.expiresAt} />],
                  ["Last used", <Time key="used" at={apiKey.lastUsedAt} />],
                  ["Requests per minute", apiKey.requestsPerMinute.toLocaleString("en")],
                  ...(apiKey.previousUsableUntil === null
                    ? []
                    : [["Old secret valid until", <Time key="old" at={apiKey.previousUsableUntil} />] as const]),
                  ...(apiKey.revokedAt === null
                    ? []
                    : [["Revoked", <Time key="revoked" at={apiKey.revokedAt} />] as const]),
                  ["ID", <code key="id">{apiKey.id}</code>]
                ]}
              />
              <Link to="/audit" search={{ actorId: apiKey.id }}>
                What it has changed
              </Link>
            </Section>
            <Section title={`Permissions (${apiKey.permissions.length})`}>
              <PermissionList permissions={apiKey.permissions} />
            </Section>
          </div>
        </>
      )}
    </PageShown>
  )
}
