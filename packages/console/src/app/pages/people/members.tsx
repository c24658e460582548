import type { Member } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Time } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { objectFilter } from "../../objects/object-filter.tsx"
import { useParameters } from "../../parameters.ts"
import { MembersBulk } from "./members-bulk.tsx"
import { RoleBadge, roleOptions, useCustomRoles, withCurrent } from "./choices.tsx"
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
    cell: ({ email }) => <span title={email ?? ""}>{email ?? ""}</span>,
    sort: ({ email }) => email
  },
  {
    name: "Role",
    width: "minmax(0, 1fr)",
    cell: ({ role }) => <RoleBadge role={role} />,
    sort: ({ role }) => role
  },
  {
    name: "Joined",
    width: "140px",
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  }
]

export const Page = () => {
  const { role } = useParameters()
  const roles = useCustomRoles()
  return (
    <ListPage
      creates="invitations:write"
      bulkPermission="members:manage"
      title="Members"
      name="members"
      description="The people of the organization, and their roles."
      columns={columns}
      searches
      filters={[
        { name: "role", label: "Role", options: withCurrent(roleOptions(roles, true), role) },
        objectFilter("team", "teamId", "Team")
      ]}
      load={(input, signal, filters) => client.members.list({ ...input, ...filters }, { signal })}
      idOf={({ id }) => id}
      to={({ id }) => `/members/${id}`}
      actions={
        <>
          <Link className="button" to="/invitations/import">
            Invite from a file
          </Link>
          <Link className="button" data-kind="primary" to="/invitations" search={{ new: true }}>
            Invite a person
          </Link>
        </>
      }
      bulk={(rows, clear) => <MembersBulk members={rows} clear={clear} />}
      empty={
        <>
          <p>Invite people by email, or provision them with SCIM.</p>
          <Link to="/invitations" search={{ new: true }}>
            Invite a person
          </Link>
        </>
      }
    />
  )
}
