/** The organization: its name, its storage, its data, and its end. */
import type { Organization } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { client, showOrganization } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { problemOf, useAction } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { sizeText } from "../../design/download.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { useLoads } from "../../design/form-version.ts"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Field, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { DownloadButton } from "./download.tsx"
import { RoleBadge, useOwnMembership } from "./choices.tsx"
import { TypedConfirm } from "./typed-confirm.tsx"
import "./people.css"

const Name = ({ organization, version }: OrganizationWithVersion) => {
  const [name, setName] = useState(organization.name)
  const loads = useLoads()
  const [known, setKnown] = useState({ name: organization.name, version, loads })
  const isUnchanged = name === known.name || name.trim() === organization.name
  // While the person changes the name, another version is used only after the person has asked to load it.
  if (known.version !== version && (isUnchanged || known.loads !== loads)) {
    setKnown({ name: organization.name, version, loads })
    if (isUnchanged) setName(organization.name)
  }
  const [error, setError] = useState<unknown>()
  const { isBusy, run } = useAction({
    done: "The organization was renamed.",
    changes: ["organization", "organizations"]
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    await run(async () => {
      try {
        await client.organizations.update(
          { name: name.trim() },
          known.version === undefined ? {} : { ifMatch: known.version }
        )
      } catch (cause) {
        setError(cause)
        throw cause
      }
    })
  }
  return (
    <form className="people-inline" onSubmit={(event) => void submit(event)}>
      <Field
        label="Name"
        required
        minLength={2}
        maxLength={120}
        value={name}
        problem={problemOf(error, "name")}
        onChange={({ target }) => setName(target.value)}
      />
      <Button type="submit" disabled={isBusy || name.trim() === organization.name}>
        Rename
      </Button>
    </form>
  )
}

const Storage = () => {
  const query = useQuery({
    queryKey: ["organization", "storage"],
    queryFn: ({ signal }) => client.organizations.getStorage({ signal })
  })
  return (
    <Section title="Storage">
      <Shown query={query} lines={2}>
        {({ limitBytes, usedBytes }) => (
          <>
            <p>
              {sizeText(usedBytes)} used
              {limitBytes === null ? ". The plan has no limit." : ` of ${sizeText(limitBytes)}`}
            </p>
            {limitBytes !== null && (
              <meter
                className="people-meter"
                aria-label="Storage used"
                min={0}
                max={limitBytes}
                high={limitBytes * 0.9}
                value={usedBytes}
              />
            )}
            <p className="muted">
              Versions, plugin files and memories count. Deleted content counts until it is purged.
            </p>
          </>
        )}
      </Shown>
    </Section>
  )
}

const Data = ({ organization }: { readonly organization: Organization }) => (
  <Section title="Export">
    <p className="muted">
      Everything that the organization owns, as NDJSON, without credentials. Only owners can export it. The audit log
      has its own export.
    </p>
    <div className="row">
      <DownloadButton
        name={`organization-${organization.id}.ndjson`}
        open={(signal) => client.organizations.export({ signal, timeoutMillis: Infinity })}
      >
        Export the organization
      </DownloadButton>
      <Link to="/audit">Audit log</Link>
    </div>
  </Section>
)

const Leave = ({ organization }: { readonly organization: Organization }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div className="row spread">
        <div>
          <strong>Leave the organization</strong>
          <p className="muted">The last owner cannot leave. Make another member an owner first, on their page.</p>
        </div>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Leave
        </Button>
      </div>
      <Confirm
        title={`Leave ${organization.name}`}
        action="Leave the organization"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.users.leaveOrganization(organization.id)
          await showOrganization(undefined)
        }}
      >
        <ul className="people-consequences">
          <li>You lose access at once, on every device. You can return only with an invitation.</li>
          <li>You leave your teams, and your grants are revoked.</li>
          <li>Content and API keys that you created stay with the organization.</li>
        </ul>
      </Confirm>
    </>
  )
}

const Remove = ({ organization, version }: OrganizationWithVersion) => {
  const [isOpen, setOpen] = useState(false)
  const { data: storage } = useQuery({
    queryKey: ["organization", "storage"],
    queryFn: ({ signal }) => client.organizations.getStorage({ signal })
  })
  return (
    <>
      <div className="row spread">
        <div>
          <strong>Remove the organization</strong>
          <p className="muted">Removes everything in it. Only owners can do this.</p>
        </div>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Remove
        </Button>
      </div>
      <TypedConfirm
        title={`Remove ${organization.name}`}
        action="Remove the organization"
        name={organization.name}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        done="The organization was removed."
        changes={[]}
        confirm={async () => {
          await client.organizations.remove(version === undefined ? {} : { ifMatch: version })
          await showOrganization(undefined)
        }}
      >
        <Notice tone="bad" title="This cannot be undone">
          <ul className="people-consequences">
            <li>All members lose access at once, and all API keys, workers and SCIM directories stop working.</li>
            <li>Devices of members no longer receive plugins and policies.</li>
            <li>
              Plugins, marketplaces, connections, memories and settings
              {storage === undefined ? "" : ` (${sizeText(storage.usedBytes)})`} are purged after 30 days.
            </li>
          </ul>
        </Notice>
        <p>Export the organization first if you may need its data.</p>
      </TypedConfirm>
    </>
  )
}

interface OrganizationWithVersion {
  readonly organization: Organization
  readonly version: string | undefined
}

export const Page = () => {
  const own = useOwnMembership()
  const query = useQuery({
    queryKey: ["organization"],
    queryFn: async ({ signal }): Promise<OrganizationWithVersion> => {
      const { data, response } = await client.organizations.get({ signal }).withResponse()
      return { organization: data, version: response.headers.get("etag") ?? undefined }
    }
  })
  return (
    <>
      <PageHeader
        title="Organization"
        description="The settings of the organization that is shown."
        actions={
          <Link className="button" to="/organization/new">
            Create another organization
          </Link>
        }
      />
      <Shown query={query} lines={8}>
        {(shown) => {
          const { organization } = shown
          return (
            <div className="stack">
              {organization.provisional && (
                <Notice tone="warn" title="This workspace is not claimed yet">
                  <span>
                    It is removed <Time at={organization.provisionalExpiresAt} /> unless someone claims it with its
                    claim link.
                  </span>
                </Notice>
              )}
              <div className="cards">
                <Section title="General">
                  <Allowed permission="organizations:write" instead={<p>{organization.name}</p>}>
                    <Name {...shown} />
                  </Allowed>
                  <Facts
                    rows={[
                      ["Plan", <Badge key="plan">{organization.plan}</Badge>],
                      ["Your role", own === undefined ? null : <RoleBadge key="role" role={own.role} />],
                      ["Created", <Time key="created" at={organization.createdAt} />],
                      ["ID", <code key="id">{organization.id}</code>]
                    ]}
                  />
                </Section>
                <Allowed permission="organizations:read">
                  <Storage />
                </Allowed>
                <Allowed permission="owner">
                  <Data organization={organization} />
                </Allowed>
              </div>
              <Section title="Leave or remove">
                <Leave organization={organization} />
                <Allowed permission="owner">
                  <Remove {...shown} />
                </Allowed>
              </Section>
            </div>
          )
        }}
      </Shown>
    </>
  )
}
