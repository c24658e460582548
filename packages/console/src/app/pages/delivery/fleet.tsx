/** The fleet: what should run on the devices of members, and what does. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Button, Empty, PageHeader, Time } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { Counts, failureTexts } from "./counts.tsx"
import { FleetHistory, FleetUsage } from "./fleet-charts.tsx"
import { fleetFilterNames, useFleetFilters } from "./fleet-filters.ts"
import { Devices, Members, Plugins, Teams } from "./fleet-tables.tsx"
import { PickerFilter } from "../../objects/object-filter.tsx"
import { Numbers } from "../../design/simple-table.tsx"
import "./delivery.css"

const interval = 15_000

const Summary = () => {
  const { scope } = useFleetFilters()
  const query = useQuery({
    queryKey: ["delivery", "status", scope],
    queryFn: ({ signal }) => client.delivery.status(scope, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: interval
  })
  return (
    <Section title="Wanted and running">
      <Shown query={query} lines={5}>
        {({ devices, failures, generatedAt, installations, memberCount }) =>
          devices.total === 0 ? (
            <Empty title="No device has reported yet">
              <p>
                Devices report when the program that applies the desired state runs: <code>orgplane agents sync</code>.
              </p>
            </Empty>
          ) : (
            <div className="stack">
              <Numbers
                rows={[
                  ["Members", memberCount.toLocaleString("en")],
                  ["Devices", devices.total.toLocaleString("en")],
                  ["Devices offline", devices.offline.toLocaleString("en")],
                  ["Could not apply the state", devices.failed.toLocaleString("en")],
                  ["Installations wanted", installations.wanted.toLocaleString("en")]
                ]}
              />
              <Counts counts={installations} />
              {failures.length > 0 && (
                <ul className="plain-list" aria-label="Failures">
                  {failures.map(({ count, failure }) => (
                    <li key={failure}>
                      {count} failed: {failureTexts[failure]}
                    </li>
                  ))}
                </ul>
              )}
              <p className="muted">
                As of <Time at={generatedAt} />. Only devices that have reported are counted.
              </p>
            </div>
          )
        }
      </Shown>
    </Section>
  )
}

const Filters = () => {
  const { digest, member, plugin, team } = useParameters()
  const set = useSetParameters()
  const isFiltered = digest !== undefined || member !== undefined || plugin !== undefined || team !== undefined
  return (
    <div className="row list-filters" role="search" aria-label="Filters of the fleet">
      <PickerFilter
        kind="plugin"
        label="Plugin"
        value={plugin}
        onChange={(id) => set({ plugin: id, digest: undefined })}
      />
      <PickerFilter kind="team" label="Team" value={team} onChange={(id) => set({ team: id })} />
      <PickerFilter kind="member" label="Member" value={member} onChange={(id) => set({ member: id })} />
      {digest !== undefined && (
        <span className="chip">
          <span className="chip-text">
            Release: <code title={digest}>{digest.slice(0, 12)}</code>
          </span>
          <button type="button" aria-label="Remove the filter by release" onClick={() => set({ digest: undefined })}>
            ✕
          </button>
        </span>
      )}
      {isFiltered && (
        <Button kind="quiet" onClick={() => set(Object.fromEntries(fleetFilterNames.map((name) => [name, undefined])))}>
          Show all
        </Button>
      )}
    </div>
  )
}

export const Page = () => (
  <>
    <PageHeader
      title="Fleet"
      description="What should run on the devices of members, what runs, and why some of it does not."
    />
    <Filters />
    <div className="stack">
      <Summary />
      <Tabs
        tabs={[
          { value: "plugins", label: "Plugins", content: () => <Plugins /> },
          { value: "members", label: "Members", content: () => <Members /> },
          { value: "devices", label: "Devices", content: () => <Devices /> },
          { value: "teams", label: "Teams", content: () => <Teams /> },
          { value: "history", label: "History", content: () => <FleetHistory /> },
          { value: "usage", label: "Usage", content: () => <FleetUsage /> }
        ]}
      />
    </div>
  </>
)
