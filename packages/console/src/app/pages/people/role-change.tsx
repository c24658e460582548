/** The permissions that members gain and lose when their role or its permissions change. */
import type { Permission, PermissionEntry, Role } from "@orgplane/client"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { Badge } from "../../design/ui.tsx"
import { isBuiltIn, roleName, useRolesQuery } from "./choices.tsx"
import { usePermissions } from "./permissions.tsx"
import { changeOf, isChanged, type RoleChange } from "./role-parts.ts"

const List = ({
  entries,
  label,
  permissions,
  tone
}: {
  readonly label: string
  readonly tone: "good" | "bad"
  readonly permissions: ReadonlyArray<Permission>
  readonly entries: ReadonlyArray<PermissionEntry>
}) =>
  permissions.length === 0 ? null : (
    <section className="stack" aria-label={label}>
      <h3>{label}</h3>
      <ul className="facts">
        {permissions.map((permission) => (
          <li key={permission}>
            <Badge tone={tone}>{permission}</Badge>{" "}
            <span className="muted">{entries.find((each) => each.permission === permission)?.description}</span>
          </li>
        ))}
      </ul>
    </section>
  )

export const PermissionChanges = ({
  change: { added, removed },
  entries,
  who
}: {
  readonly change: RoleChange
  readonly entries: ReadonlyArray<PermissionEntry>
  /** The people, if the dialog shows others, too. */
  readonly who?: string | undefined
}) => {
  const labelOf = (text: string) => (who === undefined ? text : `${text} (${who})`)
  return (
    <>
      <List label={labelOf("Removed permissions")} tone="bad" permissions={removed} entries={entries} />
      <List label={labelOf("Added permissions")} tone="good" permissions={added} entries={entries} />
    </>
  )
}

/** Undefined if the role was removed, or if the person cannot read the roles. */
const permissionsOf = (
  role: string,
  roles: ReadonlyArray<Role>,
  entries: ReadonlyArray<PermissionEntry>
): ReadonlyArray<Permission> | undefined =>
  isBuiltIn(role)
    ? entries.filter((each) => each.roles.some((name) => name === role)).map(({ permission }) => permission)
    : roles.find(({ id }) => id === role)?.permissions

/** An owner can do more than the permissions list. */
const ownerLine = (before: string, after: string): string | undefined => {
  if (after === "owner") return "They gain the operations of owners, such as removing the organization."
  if (before === "owner") return "They lose the operations of owners, such as removing the organization."
  return undefined
}

const Change = ({
  after,
  before,
  count,
  entries,
  isOnlyRole,
  roles
}: {
  readonly before: string
  readonly after: string
  readonly count: number
  readonly entries: ReadonlyArray<PermissionEntry>
  readonly isOnlyRole: boolean
  readonly roles: ReadonlyArray<Role>
}) => {
  const [had, gets] = [before, after].map((role) => permissionsOf(role, roles, entries))
  const who = isOnlyRole ? undefined : `${plural(count, "member")} with the role ${roleName(before, roles)}`
  const line = ownerLine(before, after)
  if (had === undefined || gets === undefined) {
    return (
      <p className="muted">
        The changes of permissions{who === undefined ? "" : ` for ${who}`} cannot be shown: a role was removed, or you
        cannot read roles.
      </p>
    )
  }
  const change = changeOf(had, new Set(gets))
  return (
    <>
      {line !== undefined && <p>{who === undefined ? line : `${line.slice(0, -1)} (${who}).`}</p>}
      {isChanged(change) ? (
        <PermissionChanges change={change} entries={entries} who={who} />
      ) : (
        <p className="muted">The permissions do not change{who === undefined ? "" : ` for ${who}`}.</p>
      )}
    </>
  )
}

/** What members gain and lose with a new role, by the role that they have. */
export const RoleChanges = ({ after, before }: { readonly before: ReadonlyArray<string>; readonly after: string }) => {
  const query = usePermissions()
  const rolesQuery = useRolesQuery()
  const changing = before.filter((role) => role !== after)
  const groups = [...new Set(changing)]
  return (
    <Shown query={query} lines={4}>
      {({ permissions }) => (
        <Shown query={rolesQuery} lines={4}>
          {(roles) =>
            groups.map((role) => (
              <Change
                key={role}
                before={role}
                after={after}
                count={changing.filter((each) => each === role).length}
                entries={permissions}
                isOnlyRole={groups.length === 1}
                roles={roles}
              />
            ))
          }
        </Shown>
      )}
    </Shown>
  )
}
