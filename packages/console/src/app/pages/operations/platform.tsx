/** The organizations and users of the installation, for platform administrators. */
import type { PlatformOrganization, PlatformUser } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Field, Time } from "../../design/ui.tsx"
import { Tabs } from "../../design/tabs.tsx"

const ChangePlan = ({
  onClose,
  organization
}: {
  readonly organization: PlatformOrganization
  readonly onClose: () => void
}) => {
  const [plan, setPlan] = useState(organization.plan)
  return (
    <FormDialog
      title={`Change the plan of ${organization.name}`}
      description="The plan applies to all requests from now on. The change is recorded in the audit log of the platform."
      action="Change the plan"
      done="The plan was changed."
      changes={["platform-organizations"]}
      fields={["plan"]}
      isOpen
      onClose={onClose}
      submit={() => client.admin.updatePlan(organization.id, { plan: plan.trim() })}
    >
      {(problem) => (
        <Field
          label="Plan"
          hint="enterprise includes every feature. Any other plan leaves out those that require it."
          required
          maxLength={64}
          list="plans"
          value={plan}
          problem={problem("plan")}
          onChange={(event) => setPlan(event.target.value)}
        />
      )}
    </FormDialog>
  )
}

const nameOf = ({ email, name }: PlatformUser) => name ?? email ?? "unnamed"

const userColumns: ReadonlyArray<Column<PlatformUser>> = [
  { name: "Name", width: "minmax(0, 2fr)", cell: (user) => <strong>{nameOf(user)}</strong>, sort: nameOf },
  { name: "Email address", width: "minmax(0, 2fr)", wide: true, cell: ({ email }) => email ?? "" },
  {
    name: "Verified",
    width: "90px",
    wide: true,
    cell: ({ emailVerified }) => (emailVerified ? "yes" : "no")
  },
  {
    name: "Organizations",
    width: "110px",
    cell: ({ organizations }) => organizations,
    sort: ({ organizations }) => organizations
  },
  {
    name: "Last active",
    width: "120px",
    wide: true,
    cell: ({ lastActiveDay }) => lastActiveDay ?? "never",
    sort: ({ lastActiveDay }) => lastActiveDay
  },
  { name: "Created", width: "120px", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> }
]

const Organizations = () => {
  const [changed, setChanged] = useState<PlatformOrganization>()
  const columns: ReadonlyArray<Column<PlatformOrganization>> = [
    {
      name: "Name",
      width: "minmax(0, 2fr)",
      cell: ({ name }) => <strong title={name}>{name}</strong>,
      sort: ({ name }) => name
    },
    {
      name: "Plan",
      width: "minmax(0, 1fr)",
      cell: ({ plan, provisional }) => (
        <>
          <Badge>{plan}</Badge> {provisional && <Badge tone="warn">unclaimed</Badge>}
        </>
      ),
      sort: ({ plan }) => plan
    },
    {
      name: "Members",
      width: "90px",
      wide: true,
      cell: ({ memberCount }) => memberCount,
      sort: ({ memberCount }) => memberCount
    },
    {
      name: "Last active",
      width: "120px",
      wide: true,
      cell: ({ lastActiveDay }) => lastActiveDay ?? "never",
      sort: ({ lastActiveDay }) => lastActiveDay
    },
    { name: "Created", width: "120px", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: "Change",
      width: "80px",
      cell: (organization) => (
        <Button
          kind="quiet"
          aria-label={`Change the plan of ${organization.name}`}
          onClick={() => setChanged(organization)}
        >
          Plan…
        </Button>
      )
    }
  ]
  return (
    <>
      <ListPage
        title="Organizations"
        name="platform-organizations"
        description="All organizations of this installation."
        columns={columns}
        searches
        load={(input, signal) => client.admin.listPlatformOrganizations(input, { signal })}
        idOf={({ id }) => id}
        empty="Organizations are listed as soon as they are created."
      />
      {changed !== undefined && <ChangePlan organization={changed} onClose={() => setChanged(undefined)} />}
    </>
  )
}

const Users = () => (
  <ListPage
    title="Users"
    name="platform-users"
    description="All users of this installation."
    columns={userColumns}
    searches
    load={(input, signal) => client.admin.listPlatformUsers(input, { signal })}
    idOf={({ id }) => id}
    empty="Users are listed as soon as they sign in."
  />
)

export const Page = () => (
  <Tabs
    tabs={[
      { value: "organizations", label: "Organizations", content: () => <Organizations /> },
      { value: "users", label: "Users", content: () => <Users /> }
    ]}
  />
)
