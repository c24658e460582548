import type { Team } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Button, Time } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { TeamForm } from "./team-form.tsx"
import { TeamsBulk } from "./teams-bulk.tsx"

const columns: ReadonlyArray<Column<Team>> = [
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
  { name: "Members", width: "90px", cell: ({ memberCount }) => memberCount, sort: ({ memberCount }) => memberCount },
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
  const navigate = useNavigate()
  const open = () => set({ new: "true" })
  return (
    <>
      <ListPage
        creates="teams:write"
        bulkPermission="teams:manage"
        title="Teams"
        name="teams"
        description="Groups of members, to which access, assignments and policies apply."
        columns={columns}
        searches
        load={(input, signal) => client.teams.list(input, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/teams/${id}`}
        bulk={(rows, clear) => <TeamsBulk teams={rows} clear={clear} />}
        actions={
          <Button kind="primary" onClick={open}>
            Create a team
          </Button>
        }
        empty={
          <>
            <p>Create a team, or let SCIM provision them.</p>
            <Button onClick={open}>Create a team</Button>
          </>
        }
      />
      <TeamForm
        isOpen={isNew === "true"}
        onClose={() => set({ new: undefined })}
        title="Create a team"
        action="Create the team"
        done="The team was created."
        save={async (input) => {
          const { id } = await client.teams.create(input)
          await navigate({ to: `/teams/${id}` })
        }}
      />
    </>
  )
}
