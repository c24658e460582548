/** The groups of a directory, each a team, and the role that each gives to its members. */
import type { ScimGroup } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { notify } from "../../design/toast.tsx"
import { Empty, Time } from "../../design/ui.tsx"
import { roleOptions, useCustomRoles, withCurrent } from "./choices.tsx"

/** Shows the new role at once, and the old one again if the change is refused. */
const RoleOf = ({ directoryId, group }: { readonly directoryId: string; readonly group: ScimGroup }) => {
  const roles = useCustomRoles()
  const [wanted, setWanted] = useState<string>()
  const change = async (role: string) => {
    setWanted(role)
    try {
      await client.scim.setGroupRole(directoryId, group.teamId, { role: role === "" ? null : role })
      notify(`Members of ${group.displayName} now have ${role === "" ? "no role through the group" : "the new role"}.`)
    } catch (error) {
      notify(`The role of ${group.displayName} was not changed.`, "bad", error)
    }
    await reload(["scim", "members", "access"])
    setWanted(undefined)
  }
  return (
    <select
      className="input filter"
      aria-label={`Role of ${group.displayName}`}
      disabled={wanted !== undefined}
      value={wanted ?? group.role ?? ""}
      onClick={(event) => event.stopPropagation()}
      onChange={({ target }) => void change(target.value)}
    >
      <option value="">No role</option>
      {withCurrent(roleOptions(roles, false), group.role ?? undefined).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

const columnsOf = (directoryId: string): ReadonlyArray<Column<ScimGroup>> => [
  {
    name: "Group",
    width: "minmax(0, 2fr)",
    cell: ({ displayName, teamId }) => (
      <span title={displayName}>
        <NameLink to={`/teams/${teamId}`}>{displayName}</NameLink>
      </span>
    ),
    sort: ({ displayName }) => displayName
  },
  { name: "Members", width: "90px", cell: ({ memberCount }) => memberCount, sort: ({ memberCount }) => memberCount },
  {
    name: "Role of its members",
    width: "minmax(0, 1fr)",
    cell: (group) => <RoleOf directoryId={directoryId} group={group} />
  },
  {
    name: "External ID",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ externalId }) => <code>{externalId ?? ""}</code>,
    sort: ({ externalId }) => externalId
  },
  {
    name: "Changed",
    width: "130px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

export const Groups = ({ directoryId }: { readonly directoryId: string }) => (
  <div className="stack">
    <p className="muted">
      Each group is a team, and only the identity provider changes its members. A role applies to current and future
      members of the group at once. If a member is in several groups, admin takes precedence, then the oldest group.
      Owners stay owners.
    </p>
    <DataTable
      label="Groups"
      columns={columnsOf(directoryId)}
      queryKey={["scim", directoryId, "groups"]}
      load={(cursor, signal) =>
        client.scim.listGroups(directoryId, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
      }
      idOf={({ teamId }) => teamId}
      empty={
        <Empty title="The directory has sent no groups yet">
          <p>Assign groups to the application at the identity provider.</p>
        </Empty>
      }
    />
  </div>
)
