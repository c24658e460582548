/** The roles and teams that forms and filters offer, and what the person is in the organization. */
import type { Role, Team, UserOrganization } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client, selectedOrganization } from "../../api/client.ts"
import { NameLink } from "../../design/name-link.tsx"
import { Badge } from "../../design/ui.tsx"

/** Names change rarely, and are shown on many pages. */
const staleTime = 60_000
const pageSize = 100
/** Roles and teams that can be chosen in a form. */
export const choicesMax = 500

const builtInRoles = ["owner", "admin", "member"] as const

const noRoles: ReadonlyArray<Role> = []
const noTeams: ReadonlyArray<Team> = []

export const useRolesQuery = () =>
  useQuery({
    queryKey: ["roles", "all"],
    queryFn: ({ signal }) => client.roles.list({ limit: pageSize }, { signal }).take(choicesMax),
    staleTime
  })

export const useCustomRoles = (): ReadonlyArray<Role> => useRolesQuery().data ?? noRoles

export const useTeams = (): ReadonlyArray<Team> =>
  useQuery({
    queryKey: ["teams", "all"],
    queryFn: ({ signal }) => client.teams.list({ limit: pageSize }, { signal }).take(choicesMax),
    staleTime
  }).data ?? noTeams

export const isBuiltIn = (role: string): boolean => builtInRoles.some((each) => each === role)

export const roleName = (role: string, roles: ReadonlyArray<Role>): string =>
  isBuiltIn(role) ? role : (roles.find(({ id }) => id === role)?.name ?? role)

export type Options = ReadonlyArray<readonly [value: string, label: string]>

/** The roles that a form offers. */
export const roleOptions = (roles: ReadonlyArray<Role>, withOwner: boolean): Options => [
  ["member", "Member"],
  ["admin", "Admin"],
  ...(withOwner ? [["owner", "Owner"] as const] : []),
  ...roles.map(({ id, name }) => [id, name] as const)
]

export const teamOptions = (teams: ReadonlyArray<Team>): Options => teams.map(({ id, name }) => [id, name] as const)

/** A value from the URL stays selected while the names of the choices are loaded. */
export const withCurrent = (options: Options, current: string | undefined): Options =>
  current === undefined || options.some(([value]) => value === current) ? options : [...options, [current, current]]

export const RoleBadge = ({ role }: { readonly role: string }) => {
  const roles = useCustomRoles()
  const name = roleName(role, roles)
  return (
    <span className="people-name" title={name}>
      {isBuiltIn(role) ? <Badge>{name}</Badge> : <NameLink to={`/roles/${role}`}>{name}</NameLink>}
    </span>
  )
}

/** The membership of the person in the organization that is shown. */
export const useOwnMembership = (): UserOrganization | undefined => {
  const { data } = useQuery({
    queryKey: ["organizations"],
    queryFn: ({ signal }) => client.users.organizations({ limit: pageSize }, { signal })
  })
  const items = data?.items ?? []
  return (
    items.find(({ organization }) => organization.id === selectedOrganization()) ??
    items.find(({ active }) => active) ??
    items[0]
  )
}
