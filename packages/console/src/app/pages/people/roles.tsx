import type { Role } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Button, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { CreateRole } from "./role-create.tsx"
import { RolesBulk } from "./roles-bulk.tsx"
import "./people.css"

const columns: ReadonlyArray<Column<Role>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Description",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ description }) => <span title={description ?? ""}>{description ?? ""}</span>
  },
  {
    name: "Permissions",
    width: "110px",
    cell: ({ permissions }) => permissions.length,
    sort: ({ permissions }) => permissions.length
  },
  {
    name: "Created by",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ createdByOrgMembershipId }) => <Name kind="member" id={createdByOrgMembershipId} />
  },
  {
    name: "Changed",
    width: "140px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

export const Page = () => {
  const { new: isNew } = useParameters()
  const set = useSetParameters()
  const open = () => set({ new: "true" })
  return (
    <>
      <ListPage
        bulkPermission="roles:manage"
        title="Roles"
        name="roles"
        description="Roles of your organization, besides owner, admin and member, which are built in."
        columns={columns}
        searches
        load={(input, signal) => client.roles.list(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/roles/${id}`}
        bulk={(rows, clear) => <RolesBulk roles={rows} clear={clear} />}
        actions={
          <>
            <Link className="button" to="/roles/matrix">
              Permission matrix
            </Link>
            <Button permission="roles:write" kind="primary" onClick={open}>
              Create a role
            </Button>
          </>
        }
        empty={
          <>
            <p>Create a role to give members exactly the permissions that they need.</p>
            <div className="row">
              <Button onClick={open}>Create a role</Button>
              <Link to="/roles/matrix">See the built-in roles</Link>
            </div>
          </>
        }
      />
      {isNew === "true" && <CreateRole onClose={() => set({ new: undefined })} />}
    </>
  )
}
