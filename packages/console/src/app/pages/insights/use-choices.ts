/** The types of dimensions, to choose from. */
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"

const pageSize = 100
/** The newest values whose types are offered. A type that none of them has can be set in the URL. */
const valuesMax = 1000

/** Types that events usually have, before any has come. */
const usualTypes = ["plugin", "skill", "model"]

export const useDimensionTypes = (selected: string | undefined): ReadonlyArray<readonly [string, string]> => {
  const { data } = useQuery({
    queryKey: ["telemetry", "dimensions", "types"],
    queryFn: ({ signal }) => client.telemetry.dimensions({ limit: pageSize }, { signal }).take(valuesMax),
    staleTime: 60_000
  })
  const seen = (data ?? []).map(({ type }) => type)
  const types = new Set([...usualTypes, ...seen, ...(selected === undefined ? [] : [selected])])
  return [...types].sort().map((type) => [type, type] as const)
}
