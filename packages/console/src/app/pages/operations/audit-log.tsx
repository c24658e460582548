import type { AuditEvent } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Empty, Failure, Time } from "../../design/ui.tsx"
import { Actor, Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { AuditFilterBar, useAuditFilters } from "./audit-filters.tsx"
import { type Change, ChangeDialog } from "./change.tsx"

const pageSize = 50

const columns: ReadonlyArray<Column<AuditEvent>> = [
  { name: "Action", width: "minmax(0, 2fr)", cell: ({ action }) => <code title={action}>{action}</code> },
  {
    name: "By",
    width: "minmax(0, 2fr)",
    cell: ({ actorId, actorKind }) => <Actor id={actorId} kind={actorKind} link={false} />
  },
  {
    name: "Object",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ targetId }) => targetId !== null && <Name id={targetId} link={false} />
  },
  { name: "Address", width: "minmax(0, 1fr)", wide: true, cell: ({ address }) => address ?? "" },
  { name: "When", width: "minmax(104px, 1fr)", cell: ({ createdAt }) => <Time at={createdAt} /> }
]

/** The event whose details are shown. The URL has its ID, so that it can be shared; a row that was opened is known already. */
const useOpened = () => {
  const { event } = useParameters()
  const set = useSetParameters()
  const [row, setRow] = useState<AuditEvent>()
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
      : { ...shown, objectId: shown.targetId, actor: { id: shown.actorId, kind: shown.actorKind } }
  return {
    change,
    error: change === undefined && query.isError ? query.error : undefined,
    open: (next: AuditEvent) => {
      setRow(next)
      set({ event: next.id })
    },
    close: () => set({ event: undefined })
  }
}

export const AuditLog = () => {
  const filters = useAuditFilters()
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
        load={(cursor, signal) =>
          client.audit.list({ ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
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
