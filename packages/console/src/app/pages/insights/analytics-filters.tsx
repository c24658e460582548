/** What is measured, in which groups, and of which events. */
import type { TelemetryAnalyticsInput } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Button } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { Filters, SelectFilter } from "../operations/filters.tsx"
import { ObjectFilter } from "../operations/object-filter.tsx"
import { RangeFilter } from "./range-filter.tsx"
import { useDimensionTypes } from "./use-choices.ts"

export type Measure = NonNullable<TelemetryAnalyticsInput["measure"]>

export const measures: Readonly<Record<Measure, string>> = {
  events: "Events",
  users: "Members",
  tasksStarted: "Started tasks",
  tasksCompleted: "Completed tasks",
  tasksFailed: "Failed tasks",
  taskSuccessRate: "Success rate of tasks",
  successRate: "Success rate of events",
  durationSum: "Total duration",
  durationAverage: "Average duration",
  durationP50: "Median duration",
  durationP95: "95th percentile of the duration"
}

export const isMeasure = (value: string | undefined): value is Measure => value !== undefined && value in measures

const tops = ["5", "10", "20", "50"] as const
export const defaultTop = "10"
const valuesMax = 100

const useEventNames = () => {
  const { data } = useQuery({
    queryKey: ["telemetry", "schema"],
    queryFn: ({ signal }) => client.telemetry.describe({ signal }),
    staleTime: Number.POSITIVE_INFINITY
  })
  return (data?.types ?? []).map((type) => [type, type] as const)
}

/** The values of a dimension; the newest ones if there are many. */
const useValues = (type: string | undefined) => {
  const { data } = useQuery({
    queryKey: ["telemetry", "dimensions", "values", type],
    queryFn: ({ signal }) =>
      client.telemetry.dimensions({ limit: valuesMax, ...(type === undefined ? {} : { type }) }, { signal }),
    enabled: type !== undefined,
    staleTime: 60_000
  })
  return (data?.items ?? []).map(({ label, value }) => [value, label ?? value] as const)
}

const cleared = [
  "measure",
  "group",
  "type",
  "source",
  "team",
  "member",
  "dimension",
  "value",
  "top",
  "compare"
] as const

export const AnalyticsFilters = () => {
  const { dimension, group } = useParameters()
  const set = useSetParameters()
  const types = useDimensionTypes(dimension)
  const names = useEventNames()
  const values = useValues(dimension)
  const groups = [
    ["type", "Type of event"],
    ["source", "Source"],
    ["team", "Team"],
    ["member", "Member"],
    ...types.map(([type]) => [`dimension:${type}`, `Dimension: ${type}`] as const)
  ] as const
  return (
    <Filters>
      <RangeFilter />
      <SelectFilter name="measure" label="Measure" options={Object.entries(measures)} />
      <SelectFilter name="group" label="Group by" all="No groups" options={groups} />
      {group !== undefined && (
        <SelectFilter
          name="top"
          label="Groups"
          all={`The ${defaultTop} largest`}
          options={tops.filter((each) => each !== defaultTop).map((each) => [each, `The ${each} largest`] as const)}
        />
      )}
      <SelectFilter name="type" label="Type of event" all="All types" options={names} />
      <SelectFilter
        name="source"
        label="Source"
        all="All sources"
        options={[
          ["app", "Desktop app"],
          ["worker", "Workers"]
        ]}
      />
      <ObjectFilter name="team" label="Team" kind="team" />
      <ObjectFilter name="member" label="Member" kind="member" />
      <SelectFilter name="dimension" label="Dimension" all="No filter" options={types} />
      {dimension !== undefined && <SelectFilter name="value" label="Value" all="Choose a value" options={values} />}
      <Button kind="quiet" onClick={() => set(Object.fromEntries(cleared.map((name) => [name, undefined])))}>
        Clear
      </Button>
    </Filters>
  )
}
