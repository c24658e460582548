/** What a change of a role means, before it is saved. */
import type { Permission, PermissionEntry, Role } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client, queries } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { Notice, Skeleton } from "../../design/ui.tsx"
import { inOrder } from "./permissions.tsx"
import { PermissionChanges } from "./role-change.tsx"
import { changeOf, countText, readRole, useMemberCount } from "./role-parts.ts"

export const ReviewRole = ({
  entries,
  onClose,
  onSaved,
  permissions,
  role
}: {
  readonly role: Role
  readonly permissions: ReadonlySet<Permission>
  readonly entries: ReadonlyArray<PermissionEntry>
  readonly onClose: () => void
  readonly onSaved: () => void
}) => {
  const count = useMemberCount(role.id)
  const change = changeOf(role.permissions, permissions)
  const save = async () => {
    // The list has no versions, so a change since it was loaded is found by comparing what it showed.
    const { role: current, version } = await readRole(role.id)
    if (current.updatedAt !== role.updatedAt) {
      throw new Error(
        "Someone else has changed this role. Close this dialog, discard your changes, and make them again."
      )
    }
    const saved = await client.roles.update(
      role.id,
      { permissions: inOrder(entries, permissions) },
      version === undefined ? {} : { ifMatch: version }
    )
    // The column must not show the old permissions until the list is loaded again.
    queries.setQueryData<ReadonlyArray<Role>>(["roles", "all"], (all) =>
      all?.map((each) => (each.id === saved.id ? saved : each))
    )
    onSaved()
  }
  return (
    <FormDialog
      title={`Change the role ${role.name}`}
      action="Save the role"
      isOpen
      onClose={onClose}
      submit={save}
      done={`The role ${role.name} was changed.`}
      changes={["roles", "access"]}
    >
      {() => (
        <>
          {count.data === undefined ? (
            count.isError ? (
              <Notice tone="warn" title="The number of members with this role is not known" />
            ) : (
              <Skeleton height={44} />
            )
          ) : (
            <Notice
              tone={change.removed.length > 0 && count.data > 0 ? "warn" : "neutral"}
              title={
                count.data === 0
                  ? "No member has this role yet"
                  : `This changes what ${countText(count.data)} may do, from the next request on`
              }
            >
              {count.data > 0 && (
                <Link to="/members" search={{ role: role.id }} target="_blank">
                  Members with this role (opens a new tab)
                </Link>
              )}
            </Notice>
          )}
          <PermissionChanges change={change} entries={entries} />
        </>
      )}
    </FormDialog>
  )
}
