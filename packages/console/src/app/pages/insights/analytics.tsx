/** Analytics: any measure of events over time, in groups and with filters. The URL holds the whole query. */
import type { Analytics, TelemetryAnalyticsInput } from "@orgplane/client"
import { PlanRequiredError } from "@orgplane/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { client } from "../../api/client.ts"
import { Bars, Chart } from "../../design/chart.tsx"
import { saveCsv } from "../../design/download.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Button, Empty, Notice, PageHeader } from "../../design/ui.tsx"
import { type Parameters, useParameters } from "../../parameters.ts"
import { AnalyticsFilters, defaultTop, isMeasure, type Measure, measures } from "./analytics-filters.tsx"
import { changeOf, CountedUntil, Figure, Figures, format } from "./figures.tsx"
import { before, chartTime, type Query, type Range, useRange } from "./range.ts"

/** Charts stay readable with this many lines. The table has all groups. */
const linesMax = 5

const inputOf = (parameters: Parameters, { from, to }: Range, interval: Query["interval"]): TelemetryAnalyticsInput => {
  const { dimension, group, measure, member, source, team, top, type, value } = parameters
  return {
    from,
    to,
    interval,
    measure: isMeasure(measure) ? measure : "events",
    top: Number(top ?? defaultTop),
    ...(group === undefined ? {} : { groupBy: group }),
    ...(type === undefined ? {} : { type }),
    ...(source === "app" || source === "worker" ? { source } : {}),
    ...(team === undefined ? {} : { teamId: team }),
    ...(member === undefined ? {} : { orgMembershipId: member }),
    // One without the other selects nothing, and is refused.
    ...(dimension === undefined || value === undefined ? {} : { dimensionType: dimension, dimensionValue: value })
  }
}

const useAnalytics = (range: Range, isEnabled: boolean) => {
  const { interval } = useRange()
  const input = inputOf(useParameters(), range, interval)
  return useQuery({
    queryKey: ["telemetry", "analytics", input],
    queryFn: ({ signal }) => client.telemetry.analytics(input, { signal }),
    enabled: isEnabled,
    placeholderData: keepPreviousData
  })
}

/** Charts show percent and seconds. */
const scales = {
  count: { factor: 1, unit: "" },
  ratio: { factor: 100, unit: "%" },
  milliseconds: { factor: 0.001, unit: " s" }
} as const

const scaled = (value: number | null, unit: Analytics["unit"]) => (value === null ? null : value * scales[unit].factor)

const nameOf = ({ key, label }: Analytics["series"][number], group: string | null) =>
  label ?? key ?? (group === "team" ? "no team" : group === "member" ? "no member" : "without a value")

const Lines = ({ now, then }: { readonly now: Analytics; readonly then: Analytics | undefined }) => {
  const times = useMemo(() => now.steps.map(chartTime), [now])
  const lines = useMemo(() => {
    const of = (values: ReadonlyArray<number | null>) =>
      now.steps.map((_, step) => scaled(values[step] ?? null, now.unit))
    if (now.groupBy !== null && then === undefined) {
      return now.series.slice(0, linesMax).map((each, index) => ({
        name: `${index + 1}. ${nameOf(each, now.groupBy)}`,
        values: of(each.values)
      }))
    }
    return [
      { name: "Total", values: of(now.values) },
      ...(then === undefined ? [] : [{ name: "Previous period", values: of(then.values) }])
    ]
  }, [now, then])
  return (
    <Chart
      title={`${measures[now.measure]} per ${now.interval}`}
      unit={scales[now.unit].unit}
      times={times}
      series={lines}
      height={300}
    />
  )
}

const Groups = ({ now, then }: { readonly now: Analytics; readonly then: Analytics | undefined }) => {
  const earlier = new Map(then?.series.map(({ key, total }) => [key, total]))
  return (
    <Section
      title="Groups"
      actions={
        <span className="muted">
          {now.series.length} of {now.groups}
        </span>
      }
    >
      <div className="charts">
        <Bars
          title={`${measures[now.measure]}${now.unit === "count" ? "" : ` (${scales[now.unit].unit.trim()})`}`}
          rows={now.series.map((each, index) => ({
            name: `${index + 1}. ${nameOf(each, now.groupBy)}`,
            value: scaled(each.total, now.unit) ?? 0
          }))}
        />
        <div className="numbers-scroll" tabIndex={0} role="region" aria-label="Groups as a table">
          <table className="numbers">
            <thead>
              <tr>
                <th>Group</th>
                <th>{measures[now.measure]}</th>
                {then !== undefined && <th>Before</th>}
                {then !== undefined && <th>Change</th>}
              </tr>
            </thead>
            <tbody>
              {now.series.map((each) => (
                <tr key={each.key ?? ""}>
                  <td title={each.key ?? ""}>{nameOf(each, now.groupBy)}</td>
                  <td>{format(each.total, now.unit)}</td>
                  {then !== undefined && <td>{format(earlier.get(each.key) ?? null, now.unit)}</td>}
                  {then !== undefined && <td>{changeOf(each.total, earlier.get(each.key) ?? null)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <p className="muted">
        The groups can add up to more than the total: an event can have several values, and a member several teams.
      </p>
    </Section>
  )
}

/** A row for each step: the total, and a column for each group. */
const rowsOf = (analytics: Analytics): ReadonlyArray<object> =>
  analytics.steps.map((day, step) => ({
    day,
    total: analytics.values[step] ?? null,
    ...Object.fromEntries(analytics.series.map(({ key, values }) => [`group ${key ?? ""}`, values[step] ?? null]))
  }))

const save = (analytics: Analytics) =>
  saveCsv(`analytics-${analytics.measure}-${analytics.from}-${analytics.to}.csv`, rowsOf(analytics))

const totalName = (measure: Measure) => `${measures[measure]}, in total`

export const Page = () => {
  const range = useRange()
  const now = useAnalytics(range, true)
  const then = useAnalytics(before(range), range.compares)
  const earlier = range.compares ? then.data?.analytics : undefined
  const shown = now.data?.analytics
  return (
    <>
      <PageHeader
        title="Analytics"
        description="Events of the desktop app and of workers, also those of former members. The address of this page contains the whole query."
        actions={
          <Button disabled={shown === undefined} onClick={() => shown !== undefined && save(shown)}>
            Export CSV
          </Button>
        }
      />
      <AnalyticsFilters />
      {now.error instanceof PlanRequiredError ? (
        <Notice title="Your plan does not include analytics" tone="warn">
          <span>
            A platform administrator can change the plan. <Link to="/adoption">Adoption</Link> is included in every
            plan.
          </span>
        </Notice>
      ) : (
        <Shown query={now} lines={16}>
          {({ analytics, generatedAt }) => (
            <div className="stack" aria-busy={now.isPlaceholderData}>
              <Figures>
                <Figure
                  name={totalName(analytics.measure)}
                  unit={analytics.unit}
                  value={analytics.total}
                  then={earlier === undefined ? undefined : earlier.total}
                />
                {analytics.groupBy !== null && <Figure name="Groups" value={analytics.groups} />}
              </Figures>
              {(analytics.total ?? 0) === 0 && (earlier?.total ?? 0) === 0 ? (
                <div className="card">
                  <Empty title="No events in this period">
                    <p>Choose a longer period, or fewer filters.</p>
                  </Empty>
                </div>
              ) : (
                <>
                  <div className="card">
                    <Lines now={analytics} then={earlier} />
                    {analytics.groupBy !== null && earlier === undefined && analytics.series.length > linesMax && (
                      <p className="muted">The {linesMax} largest groups are lines. The table has the others.</p>
                    )}
                  </div>
                  {analytics.groupBy !== null && <Groups now={analytics} then={earlier} />}
                </>
              )}
              <CountedUntil at={generatedAt} />
            </div>
          )}
        </Shown>
      )}
    </>
  )
}
