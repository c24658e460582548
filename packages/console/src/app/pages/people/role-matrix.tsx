/**
 * The permissions of all roles side by side. A custom role is changed in its column, and all changes of a role are saved
 * as one change, after a summary of what they mean for how many people.
 */
import type { Permission, PermissionEntry, Role } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type KeyboardEvent, useRef, useState } from "react"
import { client } from "../../api/client.ts"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Empty, PageHeader, SearchInput } from "../../design/ui.tsx"
import { useUnsaved } from "../../design/unsaved.ts"
import { useParameters } from "../../parameters.ts"
import { choicesMax } from "./choices.tsx"
import { actionOf, type PermissionGroup, permissionGroups, usePermissions } from "./permissions.tsx"
import { ReviewRole } from "./role-review.tsx"
import { changeOf, isChanged } from "./role-parts.ts"
import "./people.css"
import "./role-matrix.css"

const builtIns = ["owner", "admin", "member"] as const
/** Columns that are shown at first; the others are chosen. */
const columnsMax = 12

type Drafts = ReadonlyMap<string, ReadonlySet<Permission>>

/** The arrow keys move between the checkboxes of the table. */
const moveFocus = (event: KeyboardEvent<HTMLTableElement>) => {
  const rows = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0
  const columns = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0
  if (!(event.target instanceof HTMLInputElement) || (rows === 0 && columns === 0)) return
  const row = Number(event.target.dataset["row"]) + rows
  const column = Number(event.target.dataset["column"]) + columns
  event.preventDefault()
  event.currentTarget.querySelector<HTMLInputElement>(`[data-row="${row}"][data-column="${column}"]`)?.focus()
}

const Built = ({ has }: { readonly has: boolean }) => (
  <td>
    <span aria-hidden="true" className={has ? "matrix-yes" : "muted"}>
      {has ? "✓" : "–"}
    </span>
    <span className="visually-hidden">{has ? "yes" : "no"}</span>
  </td>
)

const Cell = ({
  column,
  entry: { permission },
  isFirst,
  onChange,
  permissions,
  role,
  row
}: {
  readonly entry: PermissionEntry
  readonly role: Role
  readonly permissions: ReadonlySet<Permission>
  readonly row: number
  readonly column: number
  readonly isFirst: boolean
  readonly onChange: (permission: Permission, has: boolean) => void
}) => {
  const has = permissions.has(permission)
  return (
    <td data-changed={has !== role.permissions.includes(permission)}>
      <input
        type="checkbox"
        aria-label={`${role.name}: ${permission}`}
        data-row={row}
        data-column={column}
        // One checkbox of each role can be reached with the tab key, and the others with the arrow keys.
        tabIndex={isFirst ? 0 : -1}
        checked={has}
        onChange={(event) => onChange(permission, event.target.checked)}
      />
    </td>
  )
}

const Group = ({
  drafts,
  firstRow,
  group,
  onChange,
  roles
}: {
  readonly group: PermissionGroup
  readonly roles: ReadonlyArray<Role>
  readonly drafts: Drafts
  readonly firstRow: number
  readonly onChange: (role: Role, permission: Permission, has: boolean) => void
}) => (
  <tbody>
    <tr className="matrix-group">
      <th scope="rowgroup" colSpan={1 + builtIns.length + roles.length}>
        {group.title}
      </th>
    </tr>
    {group.entries.map((entry, index) => (
      <tr key={entry.permission}>
        <th scope="row" title={entry.description}>
          {actionOf(entry.permission)}
          <span className="matrix-about">{entry.description}</span>
        </th>
        {builtIns.map((name) => (
          <Built key={name} has={entry.roles.includes(name)} />
        ))}
        {roles.map((role, column) => (
          <Cell
            key={role.id}
            entry={entry}
            role={role}
            permissions={drafts.get(role.id) ?? new Set(role.permissions)}
            row={firstRow + index}
            column={column}
            isFirst={firstRow + index === 0}
            onChange={(permission, has) => onChange(role, permission, has)}
          />
        ))}
      </tr>
    ))}
  </tbody>
)

const Matrix = ({
  drafts,
  groups,
  onChange,
  roles
}: {
  readonly groups: ReadonlyArray<PermissionGroup>
  readonly roles: ReadonlyArray<Role>
  readonly drafts: Drafts
  readonly onChange: (role: Role, permission: Permission, has: boolean) => void
}) => {
  const rowsBefore = groups.map((_, index) =>
    groups.slice(0, index).reduce((sum, { entries }) => sum + entries.length, 0)
  )
  return (
    <div className="matrix" role="region" aria-label="Permission matrix" tabIndex={0}>
      <table onKeyDown={moveFocus}>
        <caption className="visually-hidden">
          Permissions by role. The arrow keys move between the checkboxes of custom roles.
        </caption>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            {builtIns.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
            {roles.map(({ id, name }) => (
              <th scope="col" key={id} title={name}>
                <Link to={`/roles/${id}`}>{name}</Link>
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group, index) => (
          <Group
            key={group.name}
            group={group}
            roles={roles}
            drafts={drafts}
            firstRow={rowsBefore[index] ?? 0}
            onChange={onChange}
          />
        ))}
      </table>
    </div>
  )
}

const matches = (group: PermissionGroup, text: string): PermissionGroup => {
  const wanted = text.toLowerCase()
  if (group.title.toLowerCase().includes(wanted)) return group
  return {
    ...group,
    entries: group.entries.filter(({ description, permission }) =>
      `${permission} ${description}`.toLowerCase().includes(wanted)
    )
  }
}

const Changes = ({
  discard,
  drafts,
  review,
  roles
}: {
  readonly roles: ReadonlyArray<Role>
  readonly drafts: Drafts
  readonly review: (role: Role) => void
  readonly discard: (role: Role) => void
}) => {
  const changed = roles.flatMap((role) => {
    const change = changeOf(role.permissions, drafts.get(role.id) ?? new Set(role.permissions))
    return isChanged(change) ? [{ role, change }] : []
  })
  if (changed.length === 0) return null
  return (
    <div className="matrix-changes" role="region" aria-label="Unsaved changes">
      {changed.map(({ change: { added, removed }, role }) => (
        <div className="row" key={role.id}>
          <strong className="people-long">{role.name}</strong>
          {added.length > 0 && <Badge tone="good">{added.length} added</Badge>}
          {removed.length > 0 && <Badge tone="bad">{removed.length} removed</Badge>}
          <Button kind="primary" onClick={() => review(role)}>
            Review and save
          </Button>
          <Button kind="quiet" onClick={() => discard(role)}>
            Discard
          </Button>
        </div>
      ))}
    </div>
  )
}

const Editor = ({
  entries,
  roles: all
}: {
  readonly entries: ReadonlyArray<PermissionEntry>
  readonly roles: ReadonlyArray<Role>
}) => {
  const { role: wanted } = useParameters()
  const [text, setText] = useState("")
  const [drafts, setDrafts] = useState<Drafts>(new Map())
  const [reviewed, setReviewed] = useState<string>()
  const [shownIds, setShownIds] = useState<ReadonlySet<string>>(
    () => new Set(wanted === undefined ? all.slice(0, columnsMax).map(({ id }) => id) : [wanted])
  )
  const top = useRef<HTMLDivElement>(null)
  const roles = all.filter(({ id }) => shownIds.has(id) || drafts.has(id))
  const groups = permissionGroups(entries)
    .map((group) => (text.trim() === "" ? group : matches(group, text.trim())))
    .filter((group) => group.entries.length > 0)

  useUnsaved(drafts.size > 0)
  const change = (role: Role, permission: Permission, has: boolean) => {
    const draft = new Set(drafts.get(role.id) ?? role.permissions)
    if (has) draft.add(permission)
    else draft.delete(permission)
    const next = new Map(drafts)
    if (isChanged(changeOf(role.permissions, draft))) next.set(role.id, draft)
    else next.delete(role.id)
    setDrafts(next)
  }
  const discard = ({ id }: Role) => {
    const next = new Map(drafts)
    next.delete(id)
    setDrafts(next)
  }
  const role = all.find(({ id }) => id === reviewed)
  const draft = reviewed === undefined ? undefined : drafts.get(reviewed)
  return (
    <div className="stack" ref={top}>
      <div className="row" role="search">
        <SearchInput label="Search permissions" placeholder="Search permissions" value={text} onChange={setText} />
        {all.length > 1 && (
          <details className="matrix-columns">
            <summary>
              Roles shown: {roles.length} of {all.length}
            </summary>
            <div className="people-choices">
              {all.map(({ id, name }) => (
                <label className="checkbox" key={id}>
                  <input
                    type="checkbox"
                    checked={shownIds.has(id)}
                    onChange={({ target }) =>
                      setShownIds(
                        new Set(target.checked ? [...shownIds, id] : [...shownIds].filter((each) => each !== id))
                      )
                    }
                  />
                  {name}
                </label>
              ))}
            </div>
          </details>
        )}
      </div>
      {groups.length === 0 ? (
        <Empty title="No permission matches">
          <Button onClick={() => setText("")}>Show all</Button>
        </Empty>
      ) : (
        <Matrix groups={groups} roles={roles} drafts={drafts} onChange={change} />
      )}
      <Changes roles={all} drafts={drafts} review={({ id }) => setReviewed(id)} discard={discard} />
      {role !== undefined && draft !== undefined && (
        <ReviewRole
          role={role}
          permissions={draft}
          entries={entries}
          onClose={() => setReviewed(undefined)}
          onSaved={() => discard(role)}
        />
      )}
    </div>
  )
}

export const Page = () => {
  const permissions = usePermissions()
  const roles = useQuery({
    queryKey: ["roles", "all"],
    queryFn: ({ signal }) => client.roles.list({ limit: 100 }, { signal }).take(choicesMax)
  })
  return (
    <>
      <PageHeader
        title="Permission matrix"
        description="What each role may do. Owner, admin and member are built in and cannot be changed."
        actions={
          <Link className="button" to="/roles" search={{ new: true }}>
            Create a role
          </Link>
        }
      />
      <Shown query={permissions} lines={12}>
        {({ permissions: entries }) => (
          <Shown query={roles} lines={12}>
            {(all) => <Editor entries={entries} roles={all} />}
          </Shown>
        )}
      </Shown>
    </>
  )
}
