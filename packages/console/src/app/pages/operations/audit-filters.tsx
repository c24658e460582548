/** The filters of the audit log, which its list, its live view and its export share through the URL. */
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Button } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { Filters, TextFilter, TimeFilter } from "./filters.tsx"
import { ObjectFilter } from "./object-filter.tsx"

export interface AuditFilters {
  readonly action?: string
  readonly actorId?: string
  readonly targetId?: string
  readonly since?: string
  readonly until?: string
}

const names = ["action", "actorId", "targetId", "since", "until"] as const

export const useAuditFilters = (): AuditFilters => {
  const parameters = useParameters()
  return Object.fromEntries(
    names.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]] as const]))
  )
}

/** The types of events, with their descriptions. */
export const useEventTypes = () =>
  useQuery({
    queryKey: ["events", "types"],
    queryFn: ({ signal }) => client.events.types({ signal }),
    staleTime: Number.POSITIVE_INFINITY
  })

export const AuditFilterBar = ({ hasTimes }: { readonly hasTimes: boolean }) => {
  const set = useSetParameters()
  const filters = useAuditFilters()
  const types = useEventTypes()
  const suggestions = (types.data?.items ?? []).map(({ description, type }) => [type, description] as const)
  return (
    <Filters>
      <TextFilter
        name="action"
        label="Action"
        placeholder={hasTimes ? "plugin.update" : "plugin.*"}
        suggestions={suggestions}
      />
      <ObjectFilter name="actorId" label="By" />
      <ObjectFilter name="targetId" label="Object" />
      {hasTimes && (
        <>
          <TimeFilter name="since" label="From" />
          <TimeFilter name="until" label="Until" />
        </>
      )}
      {Object.keys(filters).length > 0 && (
        <Button kind="quiet" onClick={() => set(Object.fromEntries(names.map((name) => [name, undefined])))}>
          Clear the filters
        </Button>
      )}
    </Filters>
  )
}
