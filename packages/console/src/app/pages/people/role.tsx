/** A custom role: its permissions, and the members who have it. */
import type { Member, Role } from "@orgplane/client"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, Empty, PageHeader } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { usePathParameter } from "../../parameters.ts"
import { PermissionList } from "./permissions.tsx"
import { CreateRole } from "./role-create.tsx"
import { RolesRemoval } from "./roles-bulk.tsx"
import { countText, type RoleWithVersion, useMemberCount, useRole } from "./role-parts.ts"
import { TeamForm } from "./team-form.tsx"
import { PageShown } from "./page-shown.tsx"
import "./people.css"

const columns: ReadonlyArray<Column<Member>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: (member) => <strong title={memberName(member)}>{memberName(member)}</strong>,
    sort: memberName
  },
  {
    name: "Email address",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ email }) => email ?? "",
    sort: ({ email }) => email
  }
]

const Remove = ({ role, version }: RoleWithVersion) => {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const count = useMemberCount(role.id)
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Confirm
        title={`Remove the role ${role.name}`}
        action="Remove the role"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.roles.remove(role.id, version === undefined ? {} : { ifMatch: version })
          notify("The role was removed.")
          await navigate({ to: "/roles" })
          await reload(["roles"])
        }}
      >
        <Shown query={count} lines={2}>
          {(members) => <RolesRemoval counts={[[role, members]]} />}
        </Shown>
      </Confirm>
    </>
  )
}

const Edit = ({ role, version }: RoleWithVersion) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Rename</Button>
      {isOpen && (
        <TeamForm
          isOpen
          onClose={() => setOpen(false)}
          title="Name of the role"
          action="Save"
          done="The role was changed."
          changes={["roles"]}
          current={role}
          version={version}
          save={(input, options) => client.roles.update(role.id, input, options)}
        />
      )}
    </>
  )
}

const Copy = ({ role }: { readonly role: Role }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Copy</Button>
      {isOpen && <CreateRole from={role} onClose={() => setOpen(false)} />}
    </>
  )
}

const Members = ({ roleId }: { readonly roleId: string }) => {
  const count = useMemberCount(roleId, 60_000)
  return (
    <>
      <div className="row">
        <h2>Members with this role</h2>
        {count.data !== undefined && <span className="muted">{countText(count.data)}</span>}
      </div>
      <DataTable
        label="Members with this role"
        columns={columns}
        queryKey={["members", "of-role", roleId]}
        load={(cursor, signal) =>
          client.members.list({ role: roleId, limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
        idOf={(member) => member.id}
        to={(member) => `/members/${member.id}`}
        empty={
          <Empty title="No member has this role yet">
            <Allowed permission="members:manage">
              <Link to="/members">Choose members to give it to</Link>
            </Allowed>
          </Empty>
        }
      />
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("roleId")
  const query = useRole(id)
  return (
    <PageShown query={query} title="Role">
      {(shown) => {
        const { role } = shown
        return (
          <>
            <PageHeader
              title={role.name}
              {...(role.description === null ? {} : { description: role.description })}
              actions={
                <>
                  <Allowed permission="roles:write">
                    <Link className="button" data-kind="primary" to="/roles/matrix" search={{ role: id }}>
                      Edit permissions
                    </Link>
                    <Edit {...shown} />
                    <Copy role={role} />
                  </Allowed>
                  <Allowed permission="roles:manage">
                    <Remove {...shown} />
                  </Allowed>
                </>
              }
            />
            <div className="stack">
              <Section title={`Permissions (${role.permissions.length})`}>
                <PermissionList permissions={role.permissions} />
              </Section>
              <Allowed permission="members:read">
                <Members roleId={id} />
              </Allowed>
            </div>
          </>
        )
      }}
    </PageShown>
  )
}
