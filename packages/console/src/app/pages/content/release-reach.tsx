/** How many members and devices a release would reach, ring by ring. */
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { Time } from "../../design/ui.tsx"
import "./content.css"

export const Reach = ({ releaseId }: { readonly releaseId: string }) => {
  const query = useQuery({
    queryKey: ["rollouts", "preview", releaseId],
    queryFn: ({ signal }) => client.rollouts.preview({ releaseId }, { signal }),
    staleTime: 30_000
  })
  return (
    <Shown query={query} lines={4}>
      {({ blockedCount, pinnedCount, rings, withoutAccessCount }) => (
        <div className="stack">
          <div className="change-table" tabIndex={0} role="region" aria-label="Rings">
            <table>
              <thead>
                <tr>
                  <th>Ring</th>
                  <th>Members</th>
                  <th>Receive it</th>
                  <th>Devices</th>
                  <th>Starts</th>
                </tr>
              </thead>
              <tbody>
                {rings.map(({ deviceCount, enabledCount, memberCount, name, startsAt }) => (
                  <tr key={name}>
                    <td>{name}</td>
                    <td>{memberCount}</td>
                    <td>{enabledCount}</td>
                    <td>{deviceCount}</td>
                    <td>{startsAt === null ? "after a promotion" : <Time at={startsAt} />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p className="muted">
            {plural(pinnedCount, "member")} keep a release that an assignment pins, the plugin is blocked for{" "}
            {plural(blockedCount, "member")}, and {plural(withoutAccessCount, "member")} cannot see it.
          </p>
        </div>
      )}
    </Shown>
  )
}
