/** Rollouts of releases. */
import type { Rollout } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { objectFilter } from "../../objects/object-filter.tsx"
import { StartRolloutDialog } from "./rollout-form.tsx"
import { isOpenState, rolloutStates, StateBadge } from "./rollout-parts.tsx"

const columns: ReadonlyArray<Column<Rollout>> = [
  {
    name: "Plugin",
    width: "minmax(0, 3fr)",
    cell: ({ pluginName }) => <strong title={pluginName}>{pluginName}</strong>,
    sort: ({ pluginName }) => pluginName
  },
  {
    name: "Release",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ releaseNumber, version }) => version ?? `Release ${releaseNumber}`,
    sort: ({ releaseNumber }) => releaseNumber
  },
  {
    name: "State",
    width: "minmax(100px, 1fr)",
    cell: ({ emergency, state }) => (
      <>
        <StateBadge state={state} /> {emergency && <Badge tone="warn">emergency</Badge>}
      </>
    ),
    sort: ({ state }) => state
  },
  {
    name: "Ring",
    width: "minmax(0, 2fr)",
    cell: ({ ring, ringCount, ringNumber, state }) => (
      <>
        {ring ?? <span className="muted">not started</span>}
        {isOpenState(state) && <span className="muted"> {`${ringNumber} of ${ringCount}`}</span>}
      </>
    )
  },
  {
    name: "Next ring",
    width: "130px",
    wide: true,
    cell: ({ nextRingAt, startsAt, state }) =>
      nextRingAt !== null || startsAt !== null ? (
        <Time at={nextRingAt ?? startsAt} />
      ) : state === "active" ? (
        <span className="muted">waits</span>
      ) : (
        ""
      )
  },
  {
    name: "Created",
    width: "130px",
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  }
]

const filters: ReadonlyArray<Filter> = [
  { name: "state", label: "State", options: rolloutStates },
  objectFilter("plugin", "pluginId", "Plugin")
]

export const Page = () => {
  const [key, setKey] = useState(0)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ListPage
        title="Rollouts"
        name="rollouts"
        description="Releases on their way to members, ring by ring. A release that fails more often than the one before is paused."
        columns={columns}
        searches
        load={(input, signal, { pluginId, state }) => {
          const selected = rolloutStates.find(([value]) => value === state)?.[0]
          return client.rollouts.list(
            {
              ...input,
              ...(selected === undefined ? {} : { state: selected }),
              ...(pluginId === undefined ? {} : { pluginId })
            },
            { signal }
          )
        }}
        idOf={({ id }) => id}
        to={({ id }) => `/rollouts/${id}`}
        filters={filters}
        refetchInterval={15_000}
        actions={
          <>
            <Link to="/rings" className="button">
              Rings and freezes
            </Link>
            <Button
              permission="rollouts:write"
              onClick={() => {
                setKey(key + 1)
                setOpen(true)
              }}
            >
              Start a rollout
            </Button>
          </>
        }
        empty={
          <p>
            A release starts its rollout when it is approved. <Link to="/rings">Define rings</Link> to deliver it step
            by step.
          </p>
        }
      />{" "}
      <StartRolloutDialog key={key} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
