/** The fleet by plugin, member, device and team. */
import type { Device, MemberDeliveryStatus, PluginDeliveryStatus, TeamDeliveryStatus } from "@orgplane/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { usePermitted } from "../../api/permissions.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { ExportButton } from "../../design/export-button.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Empty, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { failureTexts, failures, installStates, RunningOf } from "./counts.tsx"
import { DevicesBulk } from "./fleet-bulk.tsx"
import { platforms, useFleetFilters } from "./fleet-filters.ts"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const interval = 15_000
const pageSize = 50

const cursorOf = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

const FilterSelect = ({
  label,
  name,
  options
}: {
  readonly name: "state" | "failure" | "platform"
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
}) => {
  const { [name]: value } = useParameters()
  const set = useSetParameters()
  return (
    <select
      className="input filter"
      aria-label={label}
      value={value ?? ""}
      onChange={({ target }) => set({ [name]: target.value === "" ? undefined : target.value })}
    >
      <option value="">{label}: all</option>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}

const AgentFilter = () => {
  const { agent } = useParameters()
  const set = useSetParameters()
  return (
    <form
      key={agent}
      onSubmit={(event) => {
        event.preventDefault()
        const value = new FormData(event.currentTarget).get("agent")
        set({ agent: typeof value === "string" && value.trim() !== "" ? value.trim() : undefined })
      }}
    >
      <input
        className="input filter"
        name="agent"
        aria-label="Agent, such as claude-code: press Enter to filter"
        placeholder="Agent: all"
        maxLength={64}
        defaultValue={agent}
      />
    </form>
  )
}

const stateOptions = installStates.map(([state, label]) => [state, label] as const)
const failureOptions = failures.map((failure) => [failure, failureTexts[failure]] as const)

const Nothing = () => {
  const set = useSetParameters()
  return (
    <Empty title="Nothing matches">
      <p>No device with these properties has reported.</p>
      <Button onClick={() => set({ state: undefined, failure: undefined, platform: undefined, agent: undefined })}>
        Clear these filters
      </Button>
    </Empty>
  )
}

const pluginName = ({ name, pluginId }: PluginDeliveryStatus) =>
  name ?? <code title="You cannot see this plugin, or it was deleted.">{pluginId}</code>

export const Plugins = () => {
  const { scope } = useFleetFilters()
  const set = useSetParameters()
  const query = useQuery({
    queryKey: ["delivery", "status", scope],
    queryFn: ({ signal }) => client.delivery.status(scope, { signal }),
    placeholderData: keepPreviousData
  })
  return (
    <Shown query={query} lines={6}>
      {({ plugins, truncated }) =>
        plugins.length === 0 ? (
          <Empty title="No plugin is wanted on a device" />
        ) : (
          <div className="stack">
            <div className="row">
              <ExportButton name="fleet-plugins" load={() => Promise.resolve({ items: plugins, nextCursor: null })} />
            </div>
            <SimpleTable
              label="Plugins"
              columns={[
                {
                  name: "Plugin",
                  cell: (plugin) => (
                    <button
                      type="button"
                      className="link"
                      onClick={() => set({ plugin: plugin.pluginId, tab: "devices" })}
                    >
                      {pluginName(plugin)}
                    </button>
                  )
                },
                { name: "Running", cell: (plugin) => <RunningOf counts={plugin} /> },
                { name: "Behind", isNumber: true, cell: ({ behind }) => behind },
                { name: "Missing", isNumber: true, cell: ({ missing }) => missing },
                {
                  name: "Failed",
                  isNumber: true,
                  cell: ({ failed, failures: reasons }) => (
                    <span title={reasons.map(({ count, failure }) => `${count}: ${failureTexts[failure]}`).join("\n")}>
                      {failed}
                    </span>
                  )
                },
                { name: "Offline", isNumber: true, cell: ({ offline }) => offline },
                { name: "Unwanted", isNumber: true, cell: ({ unwanted }) => unwanted },
                {
                  name: "Releases",
                  cell: ({ pluginId, releases }) => (
                    <ul className="releases">
                      {releases.map(({ digest, running, sha256, version, wanted }) => (
                        <li key={sha256}>
                          {digest === null ? (
                            (version ?? <code>{sha256.slice(0, 12)}</code>)
                          ) : (
                            <button
                              type="button"
                              className="link"
                              onClick={() => set({ plugin: pluginId, digest, tab: "devices" })}
                            >
                              {version ?? <code>{digest.slice(0, 12)}</code>}
                            </button>
                          )}{" "}
                          <span className="muted">
                            {running} of {wanted}
                          </span>
                        </li>
                      ))}
                    </ul>
                  )
                }
              ]}
              rows={plugins}
              idOf={({ pluginId }) => pluginId}
            />
            {truncated && (
              <p className="muted">The 500 plugins with the most installations that do not run are listed.</p>
            )}
          </div>
        )
      }
    </Shown>
  )
}

const memberColumns: ReadonlyArray<Column<MemberDeliveryStatus>> = [
  {
    name: "Member",
    width: "minmax(0, 3fr)",
    cell: ({ email, name, orgMembershipId }) => <strong title={email ?? ""}>{name ?? email ?? orgMembershipId}</strong>,
    sort: ({ email, name }) => name ?? email
  },
  {
    name: "Devices",
    width: "70px",
    wide: true,
    cell: ({ deviceCount }) => deviceCount,
    sort: ({ deviceCount }) => deviceCount
  },
  {
    name: "Running",
    width: "minmax(90px, 2fr)",
    cell: (row) => <RunningOf counts={row} />,
    sort: ({ running }) => running
  },
  { name: "Behind", width: "70px", wide: true, cell: ({ behind }) => behind, sort: ({ behind }) => behind },
  { name: "Failed", width: "70px", cell: ({ failed }) => failed, sort: ({ failed }) => failed },
  {
    name: "Last report",
    width: "130px",
    wide: true,
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
    sort: ({ lastSeenAt }) => lastSeenAt
  }
]

export const Members = () => {
  const { scope, state } = useFleetFilters()
  const filters = { ...scope, ...(state === undefined ? {} : { state }) }
  const load = (limit: number, cursor: string | undefined, signal?: AbortSignal) =>
    Promise.resolve(client.delivery.listMembers({ ...filters, limit, ...cursorOf(cursor) }, { signal }))
  return (
    <div>
      <div className="row list-filters">
        <FilterSelect name="state" label="State" options={stateOptions} />
        <ExportButton name="fleet-members" load={(cursor) => load(100, cursor)} />
      </div>
      <DataTable
        label="Members"
        columns={memberColumns}
        queryKey={["delivery", "members", filters]}
        load={(cursor, signal) => load(pageSize, cursor, signal)}
        idOf={({ orgMembershipId }) => orgMembershipId}
        isExported={false}
        to={({ orgMembershipId }) => `/fleet/members/${orgMembershipId}`}
        empty={<Nothing />}
        refetchInterval={interval}
      />
    </div>
  )
}

const deviceColumns: ReadonlyArray<Column<Device>> = [
  {
    name: "Member",
    width: "minmax(0, 2fr)",
    cell: ({ orgMembershipId, workerId }) => (
      <>
        <strong>
          <Name kind="member" id={orgMembershipId} link={false} />
        </strong>{" "}
        {workerId !== null && <Badge>worker</Badge>}
      </>
    )
  },
  {
    name: "Agent",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ agent }) => <span title={agent}>{agent}</span>,
    sort: ({ agent }) => agent
  },
  {
    name: "Platform",
    width: "80px",
    wide: true,
    cell: ({ platform }) => platforms.find(([value]) => value === platform)?.[1] ?? platform,
    sort: ({ platform }) => platform
  },
  {
    name: "State",
    width: "minmax(90px, 1fr)",
    cell: ({ failure, offline }) =>
      offline ? (
        <Badge>offline</Badge>
      ) : failure === null ? (
        <Badge tone="good">online</Badge>
      ) : (
        <span title={failureTexts[failure]}>
          <Badge tone="bad">failed</Badge>
        </span>
      )
  },
  {
    name: "Running",
    width: "minmax(90px, 2fr)",
    cell: ({ installations }) => <RunningOf counts={installations} />,
    sort: ({ installations }) => installations.running
  },
  {
    name: "Last report",
    width: "130px",
    wide: true,
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
    sort: ({ lastSeenAt }) => lastSeenAt
  }
]

export const Devices = ({ orgMembershipId }: { readonly orgMembershipId?: string }) => {
  const { agent, failure, platform, scope, state } = useFleetFilters()
  const canRemove = usePermitted("delivery:manage")
  const filters = {
    ...scope,
    ...(orgMembershipId === undefined ? {} : { orgMembershipId }),
    ...(state === undefined ? {} : { state }),
    ...(failure === undefined ? {} : { failure }),
    ...(agent === undefined ? {} : { agent }),
    ...(platform === undefined ? {} : { platform })
  }
  const load = (limit: number, cursor: string | undefined, signal?: AbortSignal) =>
    Promise.resolve(client.delivery.listDevices({ ...filters, limit, ...cursorOf(cursor) }, { signal }))
  return (
    <div>
      <div className="row list-filters">
        <FilterSelect name="state" label="State" options={stateOptions} />
        <FilterSelect name="failure" label="Failure" options={failureOptions} />
        <FilterSelect name="platform" label="Platform" options={platforms} />
        <AgentFilter />
        <ExportButton name="fleet-devices" load={(cursor) => load(100, cursor)} />
      </div>
      <DataTable
        label="Devices"
        columns={deviceColumns}
        queryKey={["delivery", "devices", filters]}
        load={(cursor, signal) => load(pageSize, cursor, signal)}
        idOf={({ id, orgMembershipId: owner }) => `${owner} ${id}`}
        isExported={false}
        to={({ id, orgMembershipId: owner }) => `/fleet/devices/${owner}/${encodeURIComponent(id)}`}
        {...(canRemove === true
          ? {
              bulk: (devices: ReadonlyArray<Device>, clear: () => void) => (
                <DevicesBulk devices={devices} clear={clear} />
              )
            }
          : {})}
        empty={<Nothing />}
        refetchInterval={interval}
      />
    </div>
  )
}

const teamColumns: ReadonlyArray<Column<TeamDeliveryStatus>> = [
  {
    name: "Team",
    width: "minmax(0, 3fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Members",
    width: "80px",
    wide: true,
    cell: ({ memberCount }) => memberCount,
    sort: ({ memberCount }) => memberCount
  },
  {
    name: "Devices",
    width: "80px",
    wide: true,
    cell: ({ deviceCount }) => deviceCount,
    sort: ({ deviceCount }) => deviceCount
  },
  {
    name: "Running",
    width: "minmax(90px, 2fr)",
    cell: (row) => <RunningOf counts={row} />,
    sort: ({ running }) => running
  },
  { name: "Behind", width: "70px", wide: true, cell: ({ behind }) => behind, sort: ({ behind }) => behind },
  { name: "Failed", width: "70px", cell: ({ failed }) => failed, sort: ({ failed }) => failed }
]

export const Teams = () => {
  const { release } = useFleetFilters()
  const set = useSetParameters()
  const load = (limit: number, cursor: string | undefined, signal?: AbortSignal) =>
    Promise.resolve(client.delivery.listTeams({ ...release, limit, ...cursorOf(cursor) }, { signal }))
  return (
    <div>
      <div className="row list-filters">
        <ExportButton name="fleet-teams" load={(cursor) => load(100, cursor)} />
      </div>
      <DataTable
        label="Teams"
        columns={teamColumns}
        queryKey={["delivery", "teams", release]}
        load={(cursor, signal) => load(pageSize, cursor, signal)}
        idOf={({ teamId }) => teamId}
        isExported={false}
        open={({ teamId }) => set({ team: teamId, tab: "members" })}
        empty={<Empty title="No teams yet" />}
        refetchInterval={interval}
      />
    </div>
  )
}
