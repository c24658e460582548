/** The fleet over time, and how much the plugins are used. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Chart } from "../../design/chart.tsx"
import { Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Empty } from "../../design/ui.tsx"
import { Name, Names } from "../../objects/names.tsx"
import { installStates } from "./counts.tsx"
import { useFleetFilters } from "./fleet-filters.ts"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const ranges = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "A year"]
] as const

const dayMilliseconds = 86_400_000
const startOf = (days: string) => new Date(Date.now() - (Number(days) - 1) * dayMilliseconds).toISOString().slice(0, 10)

const useRange = () => {
  const [days, setDays] = useState<string>("30")
  return {
    from: startOf(days),
    field: (
      <div className="range">
        <SelectField label="Time" value={days} options={ranges} onChange={({ target }) => setDays(target.value)} />
      </div>
    )
  }
}

export const FleetHistory = () => {
  const { release } = useFleetFilters()
  const { field, from } = useRange()
  const query = useQuery({
    queryKey: ["delivery", "history", release, from],
    queryFn: ({ signal }) => client.delivery.history({ ...release, from }, { signal })
  })
  return (
    <div className="stack">
      {field}
      <Shown query={query} lines={12}>
        {({ days }) =>
          days.length === 0 ? (
            <Empty title="No day was recorded yet">
              <p>The status is recorded once per hour.</p>
            </Empty>
          ) : (
            <>
              <Section title="Installations">
                <Chart
                  title="Installations per day"
                  times={days.map(({ day }) => day)}
                  series={installStates.map(([state, label]) => ({
                    name: label,
                    values: days.map((day) => day[state])
                  }))}
                />
              </Section>
              <Section title="Devices">
                <Chart
                  title="Devices per day"
                  times={days.map(({ day }) => day)}
                  series={[{ name: "Devices", values: days.map(({ deviceCount }) => deviceCount) }]}
                />
              </Section>
            </>
          )
        }
      </Shown>
      <p className="muted">The history has no filter by team or member.</p>
    </div>
  )
}

const share = (part: number, whole: number) => (whole === 0 ? "" : ` (${((100 * part) / whole).toFixed(1)}%)`)

export const FleetUsage = () => {
  const { plugin } = useFleetFilters()
  const { field, from } = useRange()
  const query = useQuery({
    queryKey: ["delivery", "usage", plugin, from],
    queryFn: ({ signal }) =>
      client.delivery.usage({ ...(plugin === undefined ? {} : { pluginId: plugin }), from }, { signal })
  })
  return (
    <div className="stack">
      {field}
      <Shown query={query} lines={8}>
        {({ duplicates, plugins, truncated }) =>
          plugins.length === 0 ? (
            <Empty title="No plugin is installed yet" />
          ) : (
            <>
              <SimpleTable
                label="Usage of plugins"
                columns={[
                  {
                    name: "Plugin",
                    cell: ({ name, pluginId, unused }) => (
                      <>
                        {name ?? <Name kind="plugin" id={pluginId} />} {unused && <Badge tone="warn">unused</Badge>}
                      </>
                    )
                  },
                  { name: "Devices", isNumber: true, cell: ({ running }) => running },
                  { name: "Users", isNumber: true, cell: ({ users }) => users },
                  { name: "Events", isNumber: true, cell: ({ events }) => events },
                  { name: "Last used", cell: ({ lastUsedDay }) => lastUsedDay ?? <span className="muted">never</span> },
                  {
                    name: "Releases",
                    cell: ({ releases }) => (
                      <ul className="releases">
                        {releases.map(
                          (
                            {
                              digest,
                              events,
                              failedEvents,
                              failing,
                              installFailed,
                              installReports,
                              releaseId,
                              version
                            },
                            index
                          ) => (
                            <li key={releaseId ?? index}>
                              {version ?? digest?.slice(0, 12) ?? "release"}{" "}
                              {failing && <Badge tone="bad">fails more often</Badge>}{" "}
                              <span className="muted">
                                {`${failedEvents} of ${events} events failed${share(failedEvents, events)}, ${installFailed} of ${installReports} installations`}
                              </span>
                            </li>
                          )
                        )}
                      </ul>
                    )
                  }
                ]}
                rows={plugins}
                idOf={({ pluginId }) => pluginId}
              />
              {plugins.length === 1 && (plugins[0]?.objects.length ?? 0) > 0 && (
                <SimpleTable
                  label="Usage of config objects"
                  columns={[
                    {
                      name: "Config object",
                      cell: ({ configObjectId, title }) => title ?? <code>{configObjectId}</code>
                    },
                    { name: "Events", isNumber: true, cell: ({ events }) => events },
                    { name: "Failed", isNumber: true, cell: ({ failedEvents }) => failedEvents }
                  ]}
                  rows={plugins[0]?.objects ?? []}
                  idOf={({ configObjectId }) => configObjectId}
                />
              )}
              {duplicates.length > 0 && (
                <Section title="The same content in several plugins">
                  <ul className="plain-list">
                    {duplicates.map(({ objectType, pluginIds, title }) => (
                      <li key={`${objectType} ${title} ${pluginIds.join(" ")}`}>
                        {title} <Badge>{objectType}</Badge> <Names kind="plugin" ids={pluginIds} />
                      </li>
                    ))}
                  </ul>
                </Section>
              )}
              {truncated && <p className="muted">The list is incomplete. Filter by a plugin to see all of it.</p>}
            </>
          )
        }
      </Shown>
      <p className="muted">The usage has no filter by team or member.</p>
    </div>
  )
}
