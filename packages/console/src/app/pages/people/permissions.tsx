/** Permissions in groups, as they are listed, chosen and compared. */
import type { Permission, PermissionEntry } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { useOwnPermissions } from "../../api/permissions.ts"
import { Checkbox } from "../../design/fields.tsx"
import { Badge, Button } from "../../design/ui.tsx"

export const usePermissions = () =>
  useQuery({
    queryKey: ["roles", "permissions"],
    queryFn: ({ signal }) => client.roles.permissions({ signal }),
    // They change with the version of the server only.
    staleTime: Infinity
  })

/** The permissions of the person, who can give others no more; undefined until they are known. */
export const useCallerPermissions = (): ReadonlyArray<Permission> | undefined => useOwnPermissions().data?.permissions

export interface PermissionGroup {
  readonly name: string
  readonly title: string
  readonly entries: ReadonlyArray<PermissionEntry>
}

const abbreviations: Readonly<Record<string, string>> = {
  api: "API",
  mcp: "MCP",
  llm: "LLM",
  sso: "Single sign-on",
  scim: "SCIM"
}

/** `configObjects` as "Config objects". */
const groupTitle = (name: string): string =>
  name
    .split(/(?=[A-Z])/)
    .map((word, index) => {
      const lower = word.toLowerCase()
      return abbreviations[lower] ?? (index === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : lower)
    })
    .join(" ")

export const actionOf = (permission: string): string => permission.split(":")[1] ?? permission

/** By the part before the colon, in the order of the server. */
export const permissionGroups = (entries: ReadonlyArray<PermissionEntry>): ReadonlyArray<PermissionGroup> => {
  const groups = new Map<string, Array<PermissionEntry>>()
  for (const entry of entries) {
    const name = entry.permission.split(":")[0] ?? ""
    groups.set(name, [...(groups.get(name) ?? []), entry])
  }
  return [...groups].map(([name, list]) => ({ name, title: groupTitle(name), entries: list }))
}

/** The chosen permissions in the order of the server. */
export const inOrder = (
  entries: ReadonlyArray<PermissionEntry>,
  chosen: ReadonlySet<Permission>
): ReadonlyArray<Permission> => entries.map(({ permission }) => permission).filter((each) => chosen.has(each))

export const PermissionList = ({ permissions }: { readonly permissions: ReadonlyArray<Permission> }) => {
  const groups = new Map<string, Array<string>>()
  for (const permission of permissions) {
    const name = permission.split(":")[0] ?? ""
    groups.set(name, [...(groups.get(name) ?? []), actionOf(permission)])
  }
  if (groups.size === 0) return <p className="muted">No permissions.</p>
  return (
    <ul className="permission-list">
      {[...groups].map(([name, actions]) => (
        <li key={name}>
          <span>{groupTitle(name)}</span>
          <span className="row">
            {actions.map((action) => (
              <Badge key={action}>{action}</Badge>
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Checkboxes for permissions, in groups. Those that the person does not have cannot be given. */
export const PermissionPicker = ({
  chosen,
  entries,
  onChange
}: {
  readonly entries: ReadonlyArray<PermissionEntry>
  readonly chosen: ReadonlySet<Permission>
  readonly onChange: (chosen: ReadonlySet<Permission>) => void
}) => {
  const own = useCallerPermissions()
  const mayGive = (permission: Permission) => own === undefined || own.includes(permission)
  const set = (permissions: ReadonlyArray<Permission>, isChosen: boolean) => {
    const next = new Set(chosen)
    for (const permission of permissions) {
      if (isChosen) next.add(permission)
      else next.delete(permission)
    }
    onChange(next)
  }
  return (
    <div className="stack" role="group" aria-label="Permissions">
      <div className="row spread">
        <strong>
          Permissions <span className="muted">({chosen.size} chosen)</span>
        </strong>
        <div className="row">
          <Button
            kind="quiet"
            onClick={() =>
              set(
                entries.map(({ permission }) => permission).filter((each) => each.endsWith(":read") && mayGive(each)),
                true
              )
            }
          >
            Choose all to read
          </Button>
          <Button kind="quiet" onClick={() => onChange(new Set())}>
            Choose none
          </Button>
        </div>
      </div>
      <div className="permission-groups">
        {permissionGroups(entries).map(({ entries: members, name, title }) => (
          <fieldset key={name}>
            <legend>{title}</legend>
            {members.map(({ description, permission }) => (
              <Checkbox
                key={permission}
                label={actionOf(permission)}
                hint={mayGive(permission) ? description : `${description} You do not have it yourself.`}
                isChecked={chosen.has(permission)}
                isDisabled={!mayGive(permission) && !chosen.has(permission)}
                onChange={(isChosen) => set([permission], isChosen)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </div>
  )
}
