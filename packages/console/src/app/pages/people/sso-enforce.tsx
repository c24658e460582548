/** The last steps of single sign-on: enable it, enforce it, and the ways back. */
import type { Member, SsoConnection } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Checkbox } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Notice } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { Name } from "../../objects/names.tsx"

interface PartProps {
  readonly connection: SsoConnection
}

const Enable = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div className="row">
        <Button permission="owner" kind="primary" onClick={() => setOpen(true)}>
          Enable single sign-on
        </Button>
      </div>
      <Confirm
        title="Enable single sign-on"
        action="Enable single sign-on"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.sso.enable()
          notify("Single sign-on is enabled.")
          await reload(["sso"])
        }}
      >
        <ul className="people-consequences">
          <li>Members can sign in through the provider. Email codes keep working until you enforce it.</li>
          <li>
            The provider then determines who someone is: its administrators can sign in as each member of the
            organization, including owners.
          </li>
        </ul>
      </Confirm>
    </>
  )
}

const Disable = ({ connection }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div className="row">
        <Button permission="sso:manage" kind="danger" onClick={() => setOpen(true)}>
          Disable single sign-on
        </Button>
      </div>
      <Confirm
        title="Disable single sign-on"
        action="Disable single sign-on"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.sso.disable()
          notify("Single sign-on is disabled.")
          await reload(["sso"])
        }}
      >
        <ul className="people-consequences">
          <li>Members can no longer sign in through the provider. They need an email code.</li>
          {connection.enforced && <li>It is no longer enforced.</li>}
          <li>Existing sessions continue. The settings are kept.</li>
        </ul>
      </Confirm>
    </>
  )
}

export const EnableSso = ({ connection }: { readonly connection: SsoConnection | null }) => {
  if (connection?.enabled === true) {
    return (
      <>
        <p className="muted">Members sign in through the provider, or with an email code.</p>
        <Disable connection={connection} />
      </>
    )
  }
  return (
    <>
      <p className="muted">Only an owner can enable it, after a successful test.</p>
      {connection?.lastTest?.ok === true ? <Enable /> : <p className="muted">Test a sign-in first.</p>}
    </>
  )
}

/** The API accepts at most 10. */
const breakGlassMax = 10

const useOwners = () =>
  useQuery({
    queryKey: ["members", "owners"],
    queryFn: ({ signal }) => client.members.list({ role: "owner", limit: 100 }, { signal })
  })

const Owners = ({
  chosen,
  onChange,
  owners
}: {
  readonly owners: ReadonlyArray<Member>
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}) => (
  <fieldset className="stack">
    <legend>Owners who can still sign in with an email code</legend>
    {owners.map((owner) => (
      <Checkbox
        key={owner.id}
        label={memberName(owner)}
        hint={owner.email ?? "no email address"}
        isChecked={chosen.has(owner.id)}
        onChange={(isChosen) =>
          onChange(new Set(isChosen ? [...chosen, owner.id] : [...chosen].filter((each) => each !== owner.id)))
        }
      />
    ))}
  </fieldset>
)

const Enforce = ({ connection }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(connection.breakGlass))
  const owners = useOwners()
  const isValid = chosen.size > 0 && chosen.size <= breakGlassMax
  return (
    <>
      <div className="row">
        <Button permission="owner" onClick={() => setOpen(true)}>
          {connection.enforced ? "Change the break-glass owners" : "Enforce single sign-on"}
        </Button>
      </div>
      <FormDialog
        title={connection.enforced ? "Break-glass owners" : "Enforce single sign-on"}
        action={connection.enforced ? "Save" : "Enforce single sign-on"}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={() => client.sso.enforce({ breakGlass: [...chosen] })}
        done={connection.enforced ? "The break-glass owners were changed." : "Single sign-on is enforced."}
        changes={["sso"]}
      >
        {() => (
          <>
            <Notice tone="warn" title="What changes at once">
              <ul className="people-consequences">
                <li>
                  Members who signed in another way cannot access the organization until they sign in through the
                  provider. That includes you, unless you signed in through it.
                </li>
                <li>API keys, workers, SCIM directories and sessions of the host application keep working.</li>
                <li>The last break-glass owner cannot leave, be removed or be given another role.</li>
              </ul>
            </Notice>
            <Shown query={owners} lines={2}>
              {({ items }) => <Owners owners={items} chosen={chosen} onChange={setChosen} />}
            </Shown>
            {!isValid && (
              <p className="people-problem">
                Choose 1 to {breakGlassMax} owners, for the time when the provider is unavailable.
              </p>
            )}
          </>
        )}
      </FormDialog>
    </>
  )
}

export const EnforceSso = ({ connection }: { readonly connection: SsoConnection | null }) => {
  if (connection?.enabled !== true) return <p className="muted">Enable single sign-on first.</p>
  if (!connection.enforced) {
    return (
      <>
        <p className="muted">Members can then sign in only through the provider. Only an owner can enforce it.</p>
        <Enforce connection={connection} />
      </>
    )
  }
  return (
    <>
      <p>
        Members sign in only through the provider. These owners can also use an email code, if they have a verified
        address:
      </p>
      <ul className="facts" aria-label="Break-glass owners">
        {connection.breakGlass.map((id) => (
          <li key={id}>
            <Name kind="member" id={id} />
          </li>
        ))}
      </ul>
      <Enforce connection={connection} />
      <p className="muted">To end it, disable single sign-on in step 5.</p>
    </>
  )
}

export const RemoveSso = ({ connection }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  if (connection.enforced) return null
  return (
    <>
      <Button permission="sso:manage" kind="danger" onClick={() => setOpen(true)}>
        Remove the connection
      </Button>
      <Confirm
        title="Remove the SSO connection"
        action="Remove the connection"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.sso.remove()
          notify("The connection was removed.")
          await reload(["sso"])
        }}
      >
        <ul className="people-consequences">
          <li>The sessions of everyone who signed in through it end at once.</li>
          <li>The links between accounts at the provider and members are deleted.</li>
          <li>Members stay, and sign in with an email code. Domains stay verified.</li>
        </ul>
      </Confirm>
    </>
  )
}
