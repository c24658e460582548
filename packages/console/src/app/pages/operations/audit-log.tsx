import type { AuditEvent } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { usePermitted } from "../../api/permissions.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import type { RowsPage } from "../../design/rows.ts"
import { Empty, Failure, Time } from "../../design/ui.tsx"
import { Actor, Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { AuditFilterBar, type AuditFilters, useAuditFilters } from "./audit-filters.tsx"
import { type Change, ChangeDialog } from "./change.tsx"

const pageSize = 50
/** Larger than a page: the feed is ordered by sealing, so that events of other pages can be between those of a page. */
const feedPageSize = 100

/** An event with the current names of its actor and its object. Null if the event feed does not name them. */
interface NamedEvent extends AuditEvent {
  readonly actorName: string | null
  readonly objectName: string | null
}

/**
 * Reads the names of a page with one request, from the same events in the feed. What the feed does not name, such as an
 * event that is not sealed yet, is named by its row.
 */
const withNames = async (
  { items, nextCursor }: RowsPage<AuditEvent>,
  { action, actorId, targetId }: AuditFilters,
  signal: AbortSignal
): Promise<RowsPage<NamedEvent>> => {
  const sequences = items.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]))
  const feed =
    sequences.length === 0
      ? []
      : await client.events
          .list(
            {
              ...(action === undefined ? {} : { types: action }),
              ...(actorId === undefined ? {} : { actorId }),
              ...(targetId === undefined ? {} : { objectId: targetId }),
              after: Math.min(...sequences) - 1,
              limit: feedPageSize
            },
            { signal }
          )
          .then((page) => page.items)
          // The list does not depend on names.
          .catch(() => [])
  const byId = new Map(feed.map((event) => [event.id, event]))
  return {
    items: items.map((event) => {
      const named = byId.get(event.id)
      return {
        ...event,
        actorName: named?.actor.name ?? named?.actor.email ?? null,
        objectName: named?.object?.name ?? null
      }
    }),
    nextCursor
  }
}

const columns: ReadonlyArray<Column<NamedEvent>> = [
  { name: "Action", width: "minmax(0, 2fr)", cell: ({ action }) => <code title={action}>{action}</code> },
  {
    name: "By",
    width: "minmax(0, 2fr)",
    cell: ({ actorId, actorKind, actorName }) => <Actor id={actorId} kind={actorKind} name={actorName} link={false} />
  },
  {
    name: "Object",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ objectName, targetId }) => targetId !== null && <Name id={targetId} name={objectName} link={false} />
  },
  { name: "Address", width: "minmax(0, 1fr)", wide: true, cell: ({ address }) => address ?? "" },
  { name: "When", width: "minmax(104px, 1fr)", cell: ({ createdAt }) => <Time at={createdAt} /> }
]

const unnamed = (event: AuditEvent): NamedEvent => ({ ...event, actorName: null, objectName: null })

/** The event whose details are shown. The URL has its ID, so that it can be shared; a row that was opened is known already. */
const useOpened = () => {
  const { event } = useParameters()
  const set = useSetParameters()
  const [row, setRow] = useState<NamedEvent>()
  const isKnown = row !== undefined && row.id === event
  const query = useQuery({
    queryKey: ["audit", "one", event],
    queryFn: ({ signal }) => client.audit.get(event ?? "", { signal }),
    enabled: event !== undefined && !isKnown,
    staleTime: Number.POSITIVE_INFINITY
  })
  const shown = event === undefined ? undefined : isKnown ? row : query.data
  const change: Change | undefined =
    shown === undefined
      ? undefined
      : {
          ...shown,
          objectId: shown.targetId,
          objectName: isKnown ? row.objectName : null,
          actor: { id: shown.actorId, kind: shown.actorKind, name: isKnown ? row.actorName : null }
        }
  return {
    change,
    error: change === undefined && query.isError ? query.error : undefined,
    open: (next: NamedEvent) => {
      setRow(next)
      set({ event: next.id })
    },
    close: () => set({ event: undefined })
  }
}

export const AuditLog = () => {
  const filters = useAuditFilters()
  const canReadFeed = usePermitted("events:read") !== false
  const { change, close, error, open } = useOpened()
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <AuditFilterBar hasTimes />
      {error !== undefined && <Failure error={error} />}
      <DataTable
        label="Audit events"
        columns={columns}
        queryKey={["audit", "list", filters]}
        load={async (cursor, signal) => {
          const page = await client.audit.list(
            { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) },
            { signal }
          )
          return canReadFeed ? withNames(page, filters, signal) : { ...page, items: page.items.map(unnamed) }
        }}
        idOf={({ id }) => id}
        open={open}
        isExported={false}
        empty={
          isFiltered ? (
            <Empty title="Nothing matches">
              <p>An action is written as it is in the list, such as plugin.update.</p>
            </Empty>
          ) : (
            <Empty title="No changes yet">
              <p>Changes are listed as soon as they are made.</p>
            </Empty>
          )
        }
      />
      <ChangeDialog change={change} onClose={close} />
    </>
  )
}
