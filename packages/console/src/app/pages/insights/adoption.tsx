/** Adoption: how many members use it, who is new, and in which teams. */
import type { Adoption, TelemetryAdoptionInput } from "@orgplane/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { client } from "../../api/client.ts"
import { Bars, Chart } from "../../design/chart.tsx"
import { saveCsv } from "../../design/download.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Button, Empty, PageHeader } from "../../design/ui.tsx"
import { useParameters } from "../../parameters.ts"
import { Filters, SelectFilter } from "../operations/filters.tsx"
import { ObjectFilter } from "../operations/object-filter.tsx"
import { changeOf, CountedUntil, Figure, Figures, format } from "./figures.tsx"
import { RangeFilter } from "./range-filter.tsx"
import { before, chartTime, type Range, useRange } from "./range.ts"
import { useDimensionTypes } from "./use-choices.ts"

const useAdoption = (range: Range, isEnabled: boolean) => {
  const { interval } = useRange()
  const { dimension, source, team } = useParameters()
  const input: TelemetryAdoptionInput = {
    from: range.from,
    to: range.to,
    interval,
    ...(source === "app" || source === "worker" ? { source } : {}),
    ...(team === undefined ? {} : { teamId: team }),
    ...(dimension === undefined ? {} : { dimensionType: dimension })
  }
  return useQuery({
    queryKey: ["telemetry", "adoption", input],
    queryFn: ({ signal }) => client.telemetry.adoption(input, { signal }),
    enabled: isEnabled,
    placeholderData: keepPreviousData
  })
}

const Members = ({ now, then }: { readonly now: Adoption; readonly then: Adoption | undefined }) => {
  const times = useMemo(() => now.series.map(({ start }) => chartTime(start)), [now])
  const lines = useMemo(
    () => [
      { name: "Active", values: now.series.map(({ activeMembers }) => activeMembers) },
      { name: "New", values: now.series.map(({ newMembers }) => newMembers) },
      { name: "Returning", values: now.series.map(({ returningMembers }) => returningMembers) },
      ...(then === undefined
        ? []
        : [
            {
              name: "Active, previous period",
              values: now.series.map((_, index) => then.series[index]?.activeMembers ?? null)
            }
          ])
    ],
    [now, then]
  )
  return <Chart title={`Active members per ${now.interval}`} times={times} series={lines} height={280} />
}

const Teams = ({ now, then }: { readonly now: Adoption; readonly then: Adoption | undefined }) => (
  <Section title="Teams">
    {now.byTeam.length === 0 ? (
      <p className="muted">No team has an active member in this period.</p>
    ) : (
      <div className="numbers-scroll" tabIndex={0} role="region" aria-label="Active members by team">
        <table className="numbers">
          <thead>
            <tr>
              <th>Team</th>
              <th>Members</th>
              <th>Active</th>
              <th>Share</th>
              {then !== undefined && <th>Change</th>}
            </tr>
          </thead>
          <tbody>
            {now.byTeam.map(({ activeMembers, members, name, teamId }) => (
              <tr key={teamId}>
                <td title={name}>{name}</td>
                <td>{format(members)}</td>
                <td>{format(activeMembers)}</td>
                <td>{format(members === 0 ? null : activeMembers / members, "ratio")}</td>
                {then !== undefined && (
                  <td>
                    {changeOf(activeMembers, then.byTeam.find((each) => each.teamId === teamId)?.activeMembers ?? 0)}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </Section>
)

const sources = { app: "Desktop app", worker: "Workers" } as const

const Breakdowns = ({ dimension, now }: { readonly now: Adoption; readonly dimension: string | undefined }) => (
  <div className="charts">
    <div className="card">
      <Bars
        title="Active members by source"
        rows={now.bySource.map(({ activeMembers, source }) => ({ name: sources[source], value: activeMembers }))}
      />
    </div>
    {dimension !== undefined && (
      <div className="card">
        <Bars
          title={`Active members by ${dimension}`}
          rows={now.byDimension.map(({ activeMembers, label, value }) => ({
            name: label === null || label === value ? value : `${label} (${value})`,
            value: activeMembers
          }))}
        />
        {now.byDimension.length === 0 && <p className="muted">No event in this period has this dimension.</p>}
      </div>
    )}
  </div>
)

const save = ({ from, series, to }: Adoption) => saveCsv(`adoption-${from}-${to}.csv`, series)

export const Page = () => {
  const range = useRange()
  const { dimension } = useParameters()
  const now = useAdoption(range, true)
  const then = useAdoption(before(range), range.compares)
  const types = useDimensionTypes(dimension)
  const earlier = range.compares ? then.data?.adoption : undefined
  const shown = now.data?.adoption
  return (
    <>
      <PageHeader
        title="Adoption"
        description="Members with an accepted event. A member is new when their first event ever is in the period, and returning when they had one before."
        actions={
          <Button disabled={shown === undefined} onClick={() => shown !== undefined && save(shown)}>
            Export CSV
          </Button>
        }
      />
      <Filters>
        <RangeFilter />
        <SelectFilter name="source" label="Source" all="All sources" options={Object.entries(sources)} />
        <ObjectFilter name="team" label="Team" kind="team" />
        <SelectFilter name="dimension" label="Dimension" all="None" options={types} />
      </Filters>
      <Shown query={now} lines={16}>
        {({ adoption, generatedAt }) => (
          <div className="stack" aria-busy={now.isPlaceholderData}>
            <Figures>
              <Figure name="Members" value={adoption.members} />
              <Figure name="Active" value={adoption.activeMembers} then={earlier?.activeMembers} />
              <Figure
                name="Share of members"
                unit="ratio"
                value={adoption.members === 0 ? null : adoption.activeMembers / adoption.members}
              />
              <Figure name="New" value={adoption.newMembers} then={earlier?.newMembers} />
              <Figure name="Returning" value={adoption.returningMembers} then={earlier?.returningMembers} />
            </Figures>
            {adoption.activeMembers === 0 && earlier === undefined ? (
              <div className="card">
                <Empty title="No activity in this period">
                  <p>Events of the desktop app and of workers are counted as soon as they are acknowledged.</p>
                </Empty>
              </div>
            ) : (
              <>
                <div className="card">
                  <Members now={adoption} then={earlier} />
                </div>
                <Breakdowns now={adoption} dimension={dimension} />
                <Teams now={adoption} then={earlier} />
              </>
            )}
            <CountedUntil at={generatedAt} />
          </div>
        )}
      </Shown>
    </>
  )
}
