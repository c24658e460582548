/** The releases of a plugin: what members receive, and what is pending approval. */
import type { Plugin, PluginRelease } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Badge, Empty, Time } from "../../design/ui.tsx"
import { Author } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { labelOf, optionOf, releaseFilters, releaseStates, releaseTones, shortRevision } from "./words.ts"

export const ReleaseState = ({ release }: { readonly release: Pick<PluginRelease, "served" | "state"> }) =>
  release.served ? (
    <Badge tone="good">served</Badge>
  ) : (
    <Badge tone={releaseTones[release.state]}>{labelOf(releaseStates, release.state).toLowerCase()}</Badge>
  )

const columns: ReadonlyArray<Column<PluginRelease>> = [
  { name: "Release", width: "90px", cell: ({ number }) => <strong>{number}</strong>, sort: ({ number }) => number },
  {
    name: "Status",
    width: "150px",
    cell: (release) => <ReleaseState release={release} />,
    sort: ({ served, state }) => (served ? "served" : labelOf(releaseStates, state))
  },
  {
    name: "Version",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ version }) => version ?? "",
    sort: ({ version }) => version
  },
  {
    name: "Revision",
    width: "130px",
    wide: true,
    cell: ({ sourceRevisionRef }) => <code>{shortRevision(sourceRevisionRef)}</code>
  },
  {
    name: "Capabilities",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ needsReview, problem }) =>
      problem === null ? needsReview ? <Badge tone="warn">new or changed</Badge> : "no growth" : problem
  },
  {
    name: "Created",
    width: "130px",
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  },
  {
    name: "Decided by",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ decidedAt, decidedByOrgMembershipId }) =>
      decidedAt === null ? "" : <Author id={decidedByOrgMembershipId} />
  }
]

export const Releases = ({ plugin }: { readonly plugin: Plugin }) => {
  const { state: selected } = useParameters()
  const set = useSetParameters()
  const state = optionOf(releaseFilters, selected, "all")
  return (
    <div className="stack">
      <div className="row spread">
        <select
          className="input filter"
          aria-label="State"
          value={state}
          onChange={({ target }) => set({ state: target.value })}
        >
          {releaseFilters.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Allowed permission="rollouts:read">
          <Link to="/rollouts" search={{ pluginId: plugin.id }}>
            Rollouts
          </Link>
        </Allowed>
      </div>
      <DataTable
        label="Releases"
        columns={columns}
        queryKey={["approvals", "plugin", plugin.id, state]}
        load={(cursor, signal) => client.approvals.list({ limit: 50, cursor, state, pluginId: plugin.id }, { signal })}
        idOf={({ id }) => id}
        to={({ id }) => `/releases/${id}`}
        empty={
          <Empty title={state === "all" ? "No releases yet" : "No release is in this state"}>
            <p>
              A plugin has releases if its delivery mode is not automatic. Otherwise, members receive each change at
              once.
            </p>
          </Empty>
        }
      />
    </div>
  )
}
