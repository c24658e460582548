/** What the pages of roles read: a role with its version, and how many members have it. */
import type { Permission, Role } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { plural } from "../../design/text.ts"

/** Members that are counted. The API has no count of the members of a role. */
const countedMax = 1000

/** For many roles, with one request for each. */
export const countedTogetherMax = 99

/** One more than `max` shows that there are more. */
export const countMembers = async (roleId: string, signal: AbortSignal, max = countedMax): Promise<number> => {
  const members = await client.members.list({ role: roleId, limit: 100 }, { signal }).take(max + 1)
  return members.length
}

/** By default, it is a consequence of what the person is about to do, and read again. */
export const useMemberCount = (roleId: string, staleTime = 0) =>
  useQuery({
    queryKey: ["members", "count", roleId],
    queryFn: ({ signal }) => countMembers(roleId, signal),
    enabled: roleId !== "",
    staleTime
  })

export const countText = (count: number, max = countedMax): string =>
  count > max ? `more than ${max.toLocaleString("en")} members` : plural(count, "member")

export interface RoleWithVersion {
  readonly role: Role
  readonly version: string | undefined
}

/** A change that another user made since the page was loaded is not overwritten. */
export const readRole = async (id: string, signal?: AbortSignal): Promise<RoleWithVersion> => {
  const { data, response } = await client.roles.get(id, signal === undefined ? {} : { signal }).withResponse()
  return { role: data, version: response.headers.get("etag") ?? undefined }
}

export const useRole = (id: string) =>
  useQuery({ queryKey: ["roles", id], queryFn: ({ signal }) => readRole(id, signal) })

export interface RoleChange {
  readonly added: ReadonlyArray<Permission>
  readonly removed: ReadonlyArray<Permission>
}

export const changeOf = (before: ReadonlyArray<Permission>, after: ReadonlySet<Permission>): RoleChange => ({
  added: [...after].filter((each) => !before.includes(each)),
  removed: before.filter((each) => !after.has(each))
})

export const isChanged = ({ added, removed }: RoleChange): boolean => added.length + removed.length > 0
