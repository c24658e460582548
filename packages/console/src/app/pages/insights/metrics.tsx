/** The metrics of the organization: people, activity and objects. */
import type { AdminMetrics } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { saveCsv } from "../../design/download.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Button, PageHeader } from "../../design/ui.tsx"
import { ActivityChart, JoinedChart } from "./activity-chart.tsx"
import { CountedUntil, Figure, Figures } from "./figures.tsx"

const share = (part: number, total: number) => (total === 0 ? "no members" : `${Math.round((100 * part) / total)}%`)

const People = ({ summary }: { readonly summary: AdminMetrics }) => (
  <Section title="Members and activity">
    <Figures>
      <Figure name="Members" value={summary.totalUsers} note={`${summary.verifiedUsers} with a verified address`} />
      <Figure name="Owners and admins" value={summary.adminCount} />
      <Figure name="Joined in 30 days" value={summary.recentUsers30d} note={`${summary.recentUsers7d} in 7 days`} />
      <Figure
        name="Active today"
        value={summary.activeUsers1d}
        note={share(summary.activeUsers1d, summary.totalUsers)}
      />
      <Figure
        name="Active in 7 days"
        value={summary.activeUsers7d}
        note={share(summary.activeUsers7d, summary.totalUsers)}
      />
      <Figure
        name="Active in 30 days"
        value={summary.activeUsers30d}
        note={share(summary.activeUsers30d, summary.totalUsers)}
      />
      <Figure
        name="With changes or tasks"
        value={summary.realActiveUsers30d}
        note={`in 30 days; ${summary.realActiveUsers7d} in 7 days`}
      />
      <Figure name="Returning" value={summary.recurringUsers} note="active on two of the last 30 days" />
      <Figure name="Inviters" value={summary.inviters} note="in 30 days" />
      <Figure
        name="Hours to first invitation"
        value={summary.medianHoursToFirstInvite}
        note={summary.medianHoursToFirstInvite === null ? "no invitations yet" : "median"}
      />
    </Figures>
  </Section>
)

const Workers = ({ summary }: { readonly summary: AdminMetrics }) => (
  <Section title="Workers">
    <Figures>
      <Figure name="Workers" value={summary.totalWorkers} />
      <Figure name="In the cloud" value={summary.cloudWorkers} />
      <Figure name="Local" value={summary.localWorkers} />
      <Figure
        name="Members with a worker"
        value={summary.usersWithWorkers}
        note={share(summary.usersWithWorkers, summary.totalUsers)}
      />
    </Figures>
  </Section>
)

const Objects = () => {
  const query = useQuery({
    queryKey: ["admin", "overview"],
    queryFn: ({ signal }) => client.admin.overview({ signal })
  })
  return (
    <Section title="Objects">
      <Shown query={query}>
        {({ overview }) => (
          <Figures>
            <Figure name="Plugins" value={overview.plugins} />
            <Figure name="Config objects" value={overview.configObjects} />
            <Figure name="Marketplaces" value={overview.marketplaces} />
            <Figure
              name="Connectors"
              value={overview.connectorInstances}
              note={`${overview.syncsInTrouble} with a failed or held sync`}
            />
            <Figure
              name="MCP connections"
              value={overview.mcpConnections}
              note={`${overview.connectionsNeedingAttention} need attention`}
            />
            <Figure name="Teams" value={overview.teams} />
            <Figure name="API keys" value={overview.apiKeys} />
            <Figure name="Pending invitations" value={overview.pendingInvitations} />
          </Figures>
        )}
      </Shown>
    </Section>
  )
}

export const Page = () => {
  const query = useQuery({
    queryKey: ["admin", "metrics"],
    queryFn: ({ signal }) => client.admin.metrics({ signal })
  })
  const series = query.data?.summary.activitySeries
  return (
    <>
      <PageHeader
        title="Metrics"
        description="The last 30 days of the organization. Sessions, accepted events and changes count as activity; requests with API keys do not."
        actions={
          <Button
            disabled={series === undefined}
            onClick={() => series !== undefined && saveCsv("metrics.csv", series)}
          >
            Export CSV
          </Button>
        }
      />
      <div className="stack">
        <Shown query={query} lines={16}>
          {({ generatedAt, summary }) => (
            <div className="stack">
              <div className="charts">
                <div className="card">
                  <ActivityChart series={summary.activitySeries} />
                </div>
                <div className="card">
                  <JoinedChart series={summary.activitySeries} />
                </div>
              </div>
              <People summary={summary} />
              <Workers summary={summary} />
              <CountedUntil at={generatedAt} />
            </div>
          )}
        </Shown>
        <Objects />
        <p>
          <Link to="/adoption">Adoption by team and source</Link>
        </p>
      </div>
    </>
  )
}
