/** The teams and the types of dimensions, to choose from. */
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"

const listMax = 100

export const useTeams = (): ReadonlyArray<readonly [id: string, name: string]> => {
  const { data } = useQuery({
    queryKey: ["teams", "choices"],
    queryFn: ({ signal }) => client.teams.list({ limit: listMax }, { signal }),
    staleTime: 60_000
  })
  return (data?.items ?? []).map(({ id, name }) => [id, name] as const)
}

/** Types that events usually have, before any has come. */
const usualTypes = ["plugin", "skill", "model"]

export const useDimensionTypes = (selected: string | undefined): ReadonlyArray<readonly [string, string]> => {
  const { data } = useQuery({
    queryKey: ["telemetry", "dimensions", "types"],
    queryFn: ({ signal }) => client.telemetry.dimensions({ limit: listMax }, { signal }),
    staleTime: 60_000
  })
  const seen = (data?.items ?? []).map(({ type }) => type)
  const types = new Set([...usualTypes, ...seen, ...(selected === undefined ? [] : [selected])])
  return [...types].sort().map((type) => [type, type] as const)
}
