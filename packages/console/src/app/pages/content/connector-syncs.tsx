/** The syncs of a connector: the one that runs with its progress, the one that is held, and the history. */
import type { ConnectorInstance, ConnectorSyncEvent } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
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
/** How often the newest sync is read while none runs: a push can start one. */
const idleMilliseconds = 15_000
const listMax = 100

export const SyncProgress = ({ sync }: { readonly sync: ConnectorSyncEvent }) => {
  if (sync.progress === null) {
    return <p className="muted">{sync.status === "queued" ? "Waiting to start." : "Reading the list of files."}</p>
  }
  return <Progress label="Files that have been read" value={sync.progress.done} total={sync.progress.total} />
}

/** Loads again what a sync changes, when it has ended. A short one may start and end between two reads. */
export const useReloadAtEnd = (sync: ConnectorSyncEvent | undefined): void => {
  const id = sync?.id
  const isRunning = sync !== undefined && isOngoing(sync)
  const before = useRef({ id, isRunning })
  useEffect(() => {
    const { id: previous, isRunning: wasRunning } = before.current
    before.current = { id, isRunning }
    if (previous === undefined || id === undefined) return
    const isOther = previous !== id
    if (wasRunning ? isOther || !isRunning : isOther && !isRunning) {
      void reload(["connectors", "plugins", "objects", "marketplaces", "approvals"])
    }
  }, [id, isRunning])
}

const useNewestSync = (instanceId: string) =>
  useQuery({
    queryKey: ["connectors", instanceId, "current-sync"],
    queryFn: ({ signal }) => client.connectors.listSyncEvents(instanceId, { limit: 1 }, { signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isOngoing) === true ? pollMilliseconds : idleMilliseconds)
  }).data?.items[0]

/** The syncs that are pending approval. Each branch can have one: a later sync of the branch replaces it. */
const usePendingSyncs = (instanceId: string): ReadonlyArray<ConnectorSyncEvent> =>
  useQuery({
    queryKey: ["connectors", instanceId, "pending-syncs"],
    queryFn: async ({ signal }) => {
      const list = (input: { readonly status?: "review_required" }) =>
        client.connectors.listSyncEvents(instanceId, { ...input, limit: listMax }, { signal })
      const pending = (await list({ status: "review_required" })).items
      if (pending.length === 0) return []
      const newest = (await list({})).items
      const lastOfBranch = new Map<string, string>()
      for (const each of [...newest, ...pending]) {
        const { connectorTargetId, id, status } = each
        if (isOngoing(each) || status === "ignored" || lastOfBranch.has(connectorTargetId)) continue
        lastOfBranch.set(connectorTargetId, id)
      }
      return pending.filter(({ connectorTargetId, id }) => lastOfBranch.get(connectorTargetId) === id)
    },
    refetchInterval: idleMilliseconds
  }).data ?? []

const Details = ({ sync }: { readonly sync: ConnectorSyncEvent }) => (
  <Link to={`/connectors/${sync.connectorInstanceId}/syncs/${sync.id}`}>Details</Link>
)

const PendingSync = ({ sync }: { readonly sync: ConnectorSyncEvent }) => (
  <Notice title="A sync is pending approval" tone="warn">
    <span>
      It would remove more than 5 config objects and more than 30% of those on the branch. Nothing is imported until you
      decide.
    </span>
    <div className="row">
      <SyncActions sync={sync} />
      <Link to={`/connectors/${sync.connectorInstanceId}/syncs/${sync.id}`}>Show the plan</Link>
      <Details sync={sync} />
    </div>
  </Notice>
)

const NewestSync = ({ sync }: { readonly sync: ConnectorSyncEvent }) => {
  if (isOngoing(sync)) {
    return (
      <Notice title={sync.status === "queued" ? "A sync is queued" : "A sync is running"}>
        <SyncProgress sync={sync} />
        <div className="row">
          <span className="muted">
            {triggerNames[sync.trigger]}, revision <code>{shortRevision(sync.revision)}</code>
          </span>
          <Details sync={sync} />
        </div>
      </Notice>
    )
  }
  if (sync.status === "failed" || sync.status === "partial") {
    return (
      <Notice title={sync.status === "failed" ? "The last sync failed" : "The last sync skipped files"} tone="warn">
        <span>{sync.error?.message ?? plural(sync.warnings.length, "warning")}</span>
        <div className="row">
          <SyncActions sync={sync} /> <Details sync={sync} />
        </div>
      </Notice>
    )
  }
  return null
}

/** The newest sync, if it is running or has failed, and the syncs of all branches that are pending approval. */
export const CurrentSync = ({ instance }: { readonly instance: ConnectorInstance }) => {
  const newest = useNewestSync(instance.id)
  const pending = usePendingSyncs(instance.id)
  useReloadAtEnd(newest)
  if (newest === undefined) return null
  const others = pending.filter(
    ({ connectorTargetId, id }) =>
      id !== newest.id && !(isOngoing(newest) && connectorTargetId === newest.connectorTargetId)
  )
  const shown = newest.status === "review_required" ? [newest, ...others] : others
  return (
    <>
      <NewestSync sync={newest} />
      {shown.map((sync) => (
        <PendingSync key={sync.id} sync={sync} />
      ))}
    </>
  )
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
    cell: ({ status }) => <Badge tone={syncTones[status]}>{syncNames[status]}</Badge>,
    sort: ({ status }) => syncNames[status]
  },
  {
    name: "Reason",
    width: "120px",
    wide: true,
    cell: ({ trigger }) => triggerNames[trigger],
    sort: ({ trigger }) => triggerNames[trigger]
  },
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
  {
    name: "Started",
    width: "130px",
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  }
]

export const Syncs = ({ instanceId }: { readonly instanceId: string }) => {
  const { status: selected } = useParameters()
  const set = useSetParameters()
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
        to={({ id }) => `/connectors/${instanceId}/syncs/${id}`}
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
