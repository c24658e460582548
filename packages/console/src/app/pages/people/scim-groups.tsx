/** The groups of a directory, each a team, and the role that each gives to its members. */
import type { ScimGroup } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Empty, Time } from "../../design/ui.tsx"
import { roleName, roleOptions, useCustomRoles, withCurrent } from "./choices.tsx"
import { Lines } from "./removal.tsx"

interface RoleChange {
  readonly group: ScimGroup
  /** Null if the group is to assign no role. */
  readonly role: string | null
}

/** Keeps the current role until the change is confirmed. */
const RoleOf = ({ change, group }: { readonly group: ScimGroup; readonly change: (change: RoleChange) => void }) => {
  const roles = useCustomRoles()
  return (
    <select
      className="input filter"
      aria-label={`Role of ${group.displayName}`}
      value={group.role ?? ""}
      onClick={(event) => event.stopPropagation()}
      onChange={({ target }) => change({ group, role: target.value === "" ? null : target.value })}
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

/** What the change does to the current members of the group. */
const effectOf = ({ group, role }: RoleChange, name: string): string => {
  if (group.memberCount === 0) {
    return role === null
      ? "The group has no members. Future members get no role through it."
      : `The group has no members. Future members get the role ${name}.`
  }
  const members = plural(group.memberCount, "member")
  return role === null
    ? `${members} of the group no longer ${group.memberCount === 1 ? "gets" : "get"} a role through it, and neither do future members. Without another group that assigns a role, they get the role member.`
    : `${members} of the group ${group.memberCount === 1 ? "gets" : "get"} the role ${name}, and so do future members.`
}

const ChangeRole = ({
  change,
  directoryId,
  onClose
}: {
  readonly directoryId: string
  readonly change: RoleChange
  readonly onClose: () => void
}) => {
  const roles = useCustomRoles()
  const { group, role } = change
  const nameOf = (each: string | null) => (each === null ? "no role" : roleName(each, roles))
  return (
    <Confirm
      title={`Change the role of ${group.displayName}`}
      action="Change the role"
      isOpen
      onClose={onClose}
      confirm={async () => {
        await client.scim.setGroupRole(directoryId, group.teamId, { role })
        notify(
          `Members of ${group.displayName} now have ${role === null ? "no role through the group" : "the new role"}.`
        )
        await reload(["scim", "members", "access"])
      }}
    >
      <p className="row">
        <Badge>{nameOf(group.role)}</Badge> → <Badge tone="warn">{nameOf(role)}</Badge>
      </p>
      <Lines
        lines={[
          effectOf(change, nameOf(role)),
          "Owners stay owners. If a member is in several groups, admin takes precedence, then the oldest group."
        ]}
      />
      <p>It takes effect at once.</p>
    </Confirm>
  )
}

const columnsOf = (change: (change: RoleChange) => void): ReadonlyArray<Column<ScimGroup>> => [
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
    cell: (group) => <RoleOf group={group} change={change} />
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

export const Groups = ({ directoryId }: { readonly directoryId: string }) => {
  const [change, setChange] = useState<RoleChange>()
  return (
    <div className="stack">
      <p className="muted">
        Each group is a team, and only the identity provider changes its members. A role applies to current and future
        members of the group at once. If a member is in several groups, admin takes precedence, then the oldest group.
        Owners stay owners.
      </p>
      <DataTable
        label="Groups"
        columns={columnsOf(setChange)}
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
      {change !== undefined && (
        <ChangeRole directoryId={directoryId} change={change} onClose={() => setChange(undefined)} />
      )}
    </div>
  )
}
