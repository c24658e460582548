/** Who uses the organization: its active members, and the adoption of the last 30 days. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { client } from "../../api/client.ts"
import { Chart } from "../../design/chart.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Figure, Figures } from "../insights/figures.tsx"
import { ActivityChart } from "../insights/activity-chart.tsx"
import { chartTime } from "../insights/range.ts"

export const Activity = () => {
  const query = useQuery({
    queryKey: ["admin", "metrics"],
    queryFn: ({ signal }) => client.admin.metrics({ signal })
  })
  return (
    <Section title="Activity" actions={<Link to="/metrics">All metrics</Link>}>
      <Shown query={query} lines={12}>
        {({ summary }) => (
          <div className="stack activity">
            <Figures>
              <Figure name="Members" value={summary.totalUsers} note={`${summary.recentUsers30d} new in 30 days`} />
              <Figure name="Active today" value={summary.activeUsers1d} />
              <Figure name="Active in 7 days" value={summary.activeUsers7d} />
              <Figure name="Active in 30 days" value={summary.activeUsers30d} />
            </Figures>
            <ActivityChart series={summary.activitySeries} />
          </div>
        )}
      </Shown>
    </Section>
  )
}

export const AdoptionSummary = () => {
  const query = useQuery({
    queryKey: ["telemetry", "adoption", "home"],
    queryFn: ({ signal }) => client.telemetry.adoption({}, { signal })
  })
  const series = query.data?.adoption.series
  const times = useMemo(() => (series ?? []).map(({ start }) => chartTime(start)), [series])
  const bars = useMemo(
    () => [{ name: "Members with events", values: (series ?? []).map(({ activeMembers }) => activeMembers) }],
    [series]
  )
  return (
    <Section title="Adoption" actions={<Link to="/adoption">By team and source</Link>}>
      <Shown query={query} lines={10}>
        {({ adoption }) =>
          adoption.activeMembers === 0 ? (
            <p className="muted">The desktop app and workers have sent no events in the last 30 days.</p>
          ) : (
            <Chart
              title={`${adoption.activeMembers} of ${adoption.members} members in 30 days`}
              kind="bars"
              times={times}
              series={bars}
            />
          )
        }
      </Shown>
    </Section>
  )
}
