/** What waits for a decision, what to do first, what is used, and whether the server is healthy. */
import { useQuery } from "@tanstack/react-query"
import { client } from "../api/client.ts"
import { PageHeader } from "../design/ui.tsx"
import { Activity, AdoptionSummary } from "./home/activity.tsx"
import { Attention } from "./home/attention.tsx"
import { FirstSteps } from "./home/first-steps.tsx"
import { Health } from "./home/health.tsx"
import { Plugins } from "./home/library.tsx"
import { has, useOwnPermissions } from "./home/permissions.ts"
import { RecentChanges } from "./home/recent.tsx"
import "./home/home.css"

export const Page = () => {
  const own = useOwnPermissions().data
  const overview = useQuery({
    queryKey: ["admin", "overview"],
    queryFn: ({ signal }) => client.admin.overview({ signal }),
    enabled: has(own, "audit:read")
  }).data?.overview
  const seesActivity = has(own, "analytics:read")
  return (
    <>
      <PageHeader title="Home" description="What waits for you, and what the organization uses." />
      <div className="stack">
        {own?.managesAllObjects === true && overview !== undefined && <FirstSteps overview={overview} />}
        <Attention />
        <div className="home-columns">
          <div className="stack">
            {seesActivity ? (
              <>
                <Activity />
                <AdoptionSummary />
              </>
            ) : (
              own !== undefined && <Plugins />
            )}
          </div>
          <div className="stack">
            <Health />
            {overview !== undefined && <RecentChanges changes={overview.recentChanges} />}
          </div>
        </div>
      </div>
    </>
  )
}
