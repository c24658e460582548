/** The areas of the console with the entries that the person can open. */
import { useQuery } from "@tanstack/react-query"
import type { Area, Entry } from "../area.ts"
import { areas } from "../areas.ts"
import { me, isPermitted, useOwnPermissions } from "../api/permissions.ts"

/** None until the permissions are known. If they cannot be read, all entries, whose pages explain a refusal. */
export const useOwnAreas = (): ReadonlyArray<Area> => {
  const own = useOwnPermissions()
  const user = useQuery(me)
  if (own.isPending) return []
  const isShown = ({ isPlatform, permission }: Entry) =>
    isPlatform === true
      ? user.data?.isPlatformAdministrator === true
      : own.data === undefined || isPermitted(own.data, permission)
  return areas
    .map((area) => ({ ...area, entries: area.entries.filter(isShown) }))
    .filter(({ entries }) => entries.length > 0)
}
