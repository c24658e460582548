/** The account of the person: profile, sessions, plugins, what they can use, their desktop policy, and their data. */
import type { User, UserOrganization } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { client, leave } from "../../api/client.ts"
import { useOwnPermissions } from "../../api/permissions.ts"
import { problemOf, useAction } from "../../design/action.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Badge, Button, Field, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { DownloadButton } from "./download.tsx"
import { Library } from "./me-library.tsx"
import { OwnPlugins } from "./me-plugins.tsx"
import { DesktopPolicy } from "./me-policy.tsx"
import { RoleBadge, useOwnMembership } from "./choices.tsx"
import { PermissionList } from "./permissions.tsx"
import { Sessions } from "./sessions.tsx"
import { TypedConfirm } from "./typed-confirm.tsx"
import "./people.css"

const Name = ({ user }: { readonly user: User }) => {
  const [name, setName] = useState(user.name ?? "")
  const [error, setError] = useState<unknown>()
  const { isBusy, run } = useAction({ done: "Your name was changed.", changes: ["me", "members"] })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    void run(async () => {
      try {
        await client.users.update({ name: name.trim() === "" ? null : name.trim() })
      } catch (cause) {
        setError(cause)
        throw cause
      }
    })
  }
  return (
    <form className="people-inline" onSubmit={submit}>
      <Field
        label="Name"
        autoComplete="name"
        maxLength={255}
        value={name}
        problem={problemOf(error, "name")}
        onChange={({ target }) => setName(target.value)}
      />
      <Button type="submit" disabled={isBusy || name.trim() === (user.name ?? "")}>
        Save
      </Button>
    </form>
  )
}

const Organizations = () => {
  const query = useQuery({
    queryKey: ["organizations"],
    queryFn: ({ signal }) => client.users.organizations({ limit: 100 }, { signal })
  })
  return (
    <Section title="Your organizations" actions={<NameLink to="/organization/new">Create another</NameLink>}>
      <Shown query={query} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">You belong to none yet.</p>
          ) : (
            <ul className="facts">
              {items.map(({ organization, role }) => (
                <li key={organization.id} className="row">
                  <strong className="people-long">{organization.name}</strong> <RoleBadge role={role} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Section>
  )
}

/** What the person's role includes in the organization of this tab. */
const Permissions = ({ membership }: { readonly membership: UserOrganization }) => {
  const query = useOwnPermissions()
  return (
    <Section title="Your permissions">
      <p className="row">
        <span>
          Your role in <strong className="people-long">{membership.organization.name}</strong>:
        </span>
        <RoleBadge role={membership.role} />
      </p>
      <Shown query={query} lines={6}>
        {({ isOwner, managesAllObjects, permissions }) => (
          <>
            <p className="muted">
              {managesAllObjects
                ? "You are a manager of every object of the organization."
                : "An operation on an object, such as a plugin, also requires access to the object."}
              {isOwner &&
                " As an owner, you can also make members owners, remove owners, transfer or remove the organization, and enable single sign-on."}
            </p>
            <PermissionList permissions={permissions} />
          </>
        )}
      </Shown>
    </Section>
  )
}

const Profile = ({ user }: { readonly user: User }) => {
  // Undefined without an organization.
  const membership = useOwnMembership()
  return (
    <div className="stack">
      <div className="cards">
        <Section title="Profile">
          <Name key={user.name} user={user} />
          <Facts
            rows={[
              [
                "Email address",
                user.email === null ? null : (
                  <span className="row" key="email">
                    {user.email}
                    {user.emailVerified ? <Badge tone="good">verified</Badge> : <Badge tone="warn">not verified</Badge>}
                  </span>
                )
              ],
              ["Joined", <Time key="joined" at={user.createdAt} />],
              ["ID", <code key="id">{user.id}</code>]
            ]}
          />
        </Section>
        <Organizations />
      </div>
      {membership !== undefined && <Permissions membership={membership} />}
    </div>
  )
}

const RemoveAccount = ({ user }: { readonly user: User }) => {
  const [isOpen, setOpen] = useState(false)
  const name = user.email ?? user.name ?? user.id
  return (
    <Section
      title="Remove your account"
      actions={
        <Button kind="danger" onClick={() => setOpen(true)}>
          Remove your account
        </Button>
      }
    >
      <p className="muted">You cannot remove your account while you are the last owner of an organization.</p>
      <TypedConfirm
        title="Remove your account"
        action="Remove your account"
        name={name}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        done="Your account was removed."
        changes={[]}
        confirm={async () => {
          await client.users.remove()
          await leave()
        }}
      >
        <Notice tone="bad" title="This cannot be undone">
          <ul className="people-consequences">
            <li>You are signed out everywhere, and leave all of your organizations.</li>
            <li>Your grants are revoked, and your memories are deleted.</li>
            <li>Content that you created stays with the organizations.</li>
          </ul>
        </Notice>
      </TypedConfirm>
    </Section>
  )
}

const Data = ({ user }: { readonly user: User }) => (
  <div className="stack">
    <Section
      title="Export"
      actions={
        <DownloadButton
          name="my-data.ndjson"
          open={(signal) => client.users.export({ signal, timeoutMillis: Infinity })}
        >
          Export your data
        </DownloadButton>
      }
    >
      <p className="muted">
        Your account, memberships, memories and sessions, as NDJSON. What you created belongs to the organizations, and
        is part of their exports.
      </p>
    </Section>
    <RemoveAccount user={user} />
  </div>
)

export const Page = () => {
  const me = useQuery({ queryKey: ["me"], queryFn: ({ signal }) => client.users.get({ signal }), staleTime: 60_000 })
  return (
    <>
      <PageHeader title="Your account" />
      <Shown query={me} lines={8}>
        {(user) => (
          <Tabs
            tabs={[
              { value: "profile", label: "Profile", content: () => <Profile user={user} /> },
              { value: "sessions", label: "Sessions", content: () => <Sessions onSignedOut={signedOut} /> },
              { value: "plugins", label: "Your plugins", content: () => <OwnPlugins /> },
              { value: "library", label: "Library", content: () => <Library /> },
              { value: "policy", label: "Desktop policy", content: () => <DesktopPolicy /> },
              { value: "data", label: "Your data", content: () => <Data user={user} /> }
            ]}
          />
        )}
      </Shown>
    </>
  )
}

const signedOut = () => void leave()
