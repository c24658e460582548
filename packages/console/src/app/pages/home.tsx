/** What waits for a decision, what to do first, what is used, and whether the server is healthy. */
import { useQuery } from "@tanstack/react-query"
import { client } from "../api/client.ts"
import { Loading, PageHeader, Skeleton } from "../design/ui.tsx"
import { Activity, AdoptionSummary } from "./home/activity.tsx"
import { Attention, useAttention } from "./home/attention.tsx"
import { FirstSteps, useHasAssignments } from "./home/first-steps.tsx"
import { Health } from "./home/health.tsx"
import { Plugins } from "./home/library.tsx"
import { has, useOwnPermissions } from "../api/permissions.ts"
import { RecentChanges } from "./home/recent.tsx"
import "./home/home.css"

export const Page = () => {
  const permissions = useOwnPermissions()
  const own = permissions.data
  const attention = useAttention()
  const seesOverview = has(own, "audit:read")
  const overview = useQuery({
    queryKey: ["admin", "overview"],
    queryFn: ({ signal }) => client.admin.overview({ signal }),
    enabled: seesOverview
  })
  const seesSteps = own?.managesAllObjects === true && seesOverview
  const assignments = useHasAssignments(seesSteps)
  // What is above has no fixed height, so the page waits for it, and does not move.
  const isPending =
    permissions.isPending ||
    attention.isPending ||
    (seesOverview && overview.isPending) ||
    (seesSteps && assignments.isPending)
  const objects = overview.data?.overview
  return (
    <>
      <PageHeader title="Home" description="Pending decisions, failures, and usage of the organization." />
      {isPending ? (
        <Loading>
          <Skeleton height={120} />
          <Skeleton height={420} />
        </Loading>
      ) : (
        <div className="stack">
          {objects !== undefined && assignments.data !== undefined && (
            <FirstSteps overview={objects} hasAssignments={assignments.data} />
          )}
          <Attention />
          <div className="home-columns">
            <div className="stack">
              {has(own, "analytics:read") ? (
                <>
                  <Activity />
                  <AdoptionSummary />
                </>
              ) : (
                <Plugins />
              )}
            </div>
            <div className="stack">
              <Health />
              {objects !== undefined && <RecentChanges changes={objects.recentChanges} />}
            </div>
          </div>
        </div>
      )}
    </>
  )
}
