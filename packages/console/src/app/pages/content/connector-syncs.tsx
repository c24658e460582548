/** The syncs of a connector: the one that runs with its progress, the one that is held, and the history. */
import type { ConnectorInstance, ConnectorSyncEvent } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Progress } from "../../design/facts.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Empty, Notice, Time } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { SyncActions } from "./sync-actions.tsx"
import { isOngoing, optionOf, shortRevision, syncNames, syncTones, triggerNames } from "./words.ts"

/** How often a sync that runs is read. */
export const pollMilliseconds = 1000

export const SyncProgress = ({ sync }: { readonly sync: ConnectorSyncEvent }) => {
  if (sync.progress === null) {
    return <p className="muted">{sync.status === "queued" ? "Waiting to start." : "Reading the list of files."}</p>
  }
  return <Progress label="Files that have been read" value={sync.progress.done} total={sync.progress.total} />
}

/** Loads again what a sync changes, when it has ended. */
export const useReloadAtEnd = (sync: ConnectorSyncEvent | undefined): void => {
  const ongoing = sync !== undefined && isOngoing(sync) ? sync.id : undefined
  const before = useRef(ongoing)
  useEffect(() => {
    if (before.current !== undefined && before.current !== ongoing) {
      void reload(["connectors", "plugins", "objects", "marketplaces", "approvals"])
    }
    before.current = ongoing
  }, [ongoing])
}

const useNewestSync = (instanceId: string) =>
  useQuery({
    queryKey: ["connectors", instanceId, "current-sync"],
    queryFn: ({ signal }) => client.connectors.listSyncEvents(instanceId, { limit: 1 }, { signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isOngoing) === true ? pollMilliseconds : false)
  }).data?.items[0]

/** The newest sync, if it is running or needs a decision. */
export const CurrentSync = ({ instance }: { readonly instance: ConnectorInstance }) => {
  const { id } = instance
  const sync = useNewestSync(id)
  useReloadAtEnd(sync)
  if (sync === undefined) return null
  const link = <Link to={`/connectors/${id}/syncs/${sync.id}`}>Details</Link>
  if (isOngoing(sync)) {
    return (
      <Notice title={sync.status === "queued" ? "A sync is queued" : "A sync is running"}>
        <SyncProgress sync={sync} />
        <div className="row">
          <span className="muted">
            {triggerNames[sync.trigger]}, revision <code>{shortRevision(sync.revision)}</code>
          </span>
          {link}
        </div>
      </Notice>
    )
  }
  if (sync.status === "review_required") {
    return (
      <Notice title="A sync is pending approval" tone="warn">
        <span>
          It would remove more than 5 config objects and more than 30% of those on the branch. Nothing is imported until
          you decide.
        </span>
        <div className="row">
          <SyncActions sync={sync} />
          <Link to={`/connectors/${id}`} search={{ tab: "import" }}>
            Show the plan
          </Link>
          {link}
        </div>
      </Notice>
    )
  }
  if (sync.status === "failed" || sync.status === "partial") {
    return (
      <Notice title={sync.status === "failed" ? "The last sync failed" : "The last sync skipped files"} tone="warn">
        <span>{sync.error?.message ?? plural(sync.warnings.length, "warning")}</span>
        <div className="row">
          <SyncActions sync={sync} /> {link}
        </div>
      </Notice>
    )
  }
  return null
}

const statuses = (
  ["queued", "running", "completed", "partial", "failed", "ignored", "review_required", "rejected"] as const
).map((status) => [status, syncNames[status]] as const)

const resultOf = ({ counts }: ConnectorSyncEvent) => {
  const parts = [
    [counts.objectsCreated + counts.filesAdded, "added"],
    [counts.objectsUpdated + counts.filesChanged, "changed"],
    [counts.objectsDeleted + counts.filesRemoved, "removed"]
  ] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return shown.length === 0 ? <span className="muted">no changes</span> : shown.join(", ")
}

const columns: ReadonlyArray<Column<ConnectorSyncEvent>> = [
  {
    name: "Status",
    width: "150px",
    cell: ({ status }) => <Badge tone={syncTones[status]}>{syncNames[status]}</Badge>
  },
  { name: "Reason", width: "120px", wide: true, cell: ({ trigger }) => triggerNames[trigger] },
  {
    name: "Revision",
    width: "130px",
    wide: true,
    cell: ({ revision }) => <code>{shortRevision(revision)}</code>
  },
  {
    name: "Result",
    width: "minmax(0, 1fr)",
    cell: (sync) =>
      isOngoing(sync) ? (
        <SyncProgress sync={sync} />
      ) : sync.error === null ? (
        resultOf(sync)
      ) : (
        <span title={sync.error.message}>{sync.error.message}</span>
      )
  },
  { name: "Started", width: "130px", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> }
]

export const Syncs = ({ instanceId }: { readonly instanceId: string }) => {
  const { status: selected } = useParameters()
  const set = useSetParameters()
  const navigate = useNavigate()
  const status = optionOf(statuses, selected, undefined)
  const newest = useNewestSync(instanceId)
  return (
    <div className="stack">
      <div className="row">
        <select
          className="input filter"
          aria-label="Status"
          value={status ?? ""}
          onChange={({ target }) => set({ status: target.value === "" ? undefined : target.value })}
        >
          <option value="">Status: all</option>
          {statuses.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <DataTable
        label="Syncs"
        columns={columns}
        queryKey={["connectors", instanceId, "syncs", status]}
        load={(cursor, signal) =>
          client.connectors.listSyncEvents(instanceId, { limit: 50, cursor, status }, { signal })
        }
        idOf={({ id }) => id}
        open={({ id }) => void navigate({ to: `/connectors/${instanceId}/syncs/${id}` })}
        {...(newest !== undefined && isOngoing(newest) ? { refetchInterval: pollMilliseconds } : {})}
        empty={
          <Empty title={status === undefined ? "There was no sync yet" : "No sync has this status"}>
            <p>Choose plugins to import, or sync the connector now.</p>
          </Empty>
        }
      />
    </div>
  )
}
