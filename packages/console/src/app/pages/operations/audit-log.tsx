import type { AuditEvent } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Empty, Time } from "../../design/ui.tsx"
import { AuditFilterBar, useAuditFilters } from "./audit-filters.tsx"
import { ChangeDialog } from "./change.tsx"
import { Actor, Named } from "./names.tsx"

const pageSize = 50

const columns: ReadonlyArray<Column<AuditEvent>> = [
  { name: "Action", width: "minmax(0, 2fr)", cell: ({ action }) => <code>{action}</code> },
  {
    name: "By",
    width: "minmax(0, 2fr)",
    cell: ({ actorId, actorKind }) => <Actor id={actorId} kind={actorKind} isLink={false} />
  },
  {
    name: "Object",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ targetId }) => <Named id={targetId} isLink={false} />
  },
  { name: "Address", width: "minmax(0, 1fr)", wide: true, cell: ({ address }) => address ?? "" },
  { name: "When", width: "minmax(0, 1fr)", cell: ({ createdAt }) => <Time at={createdAt} /> }
]

export const AuditLog = () => {
  const filters = useAuditFilters()
  const [opened, setOpened] = useState<AuditEvent>()
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <AuditFilterBar hasTimes />
      <DataTable
        label="Audit events"
        columns={columns}
        queryKey={["audit", "list", filters]}
        load={(cursor, signal) =>
          client.audit.list({ ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
        idOf={({ id }) => id}
        open={setOpened}
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
      <ChangeDialog
        change={
          opened === undefined
            ? undefined
            : { ...opened, objectId: opened.targetId, actor: { id: opened.actorId, kind: opened.actorKind } }
        }
        onClose={() => setOpened(undefined)}
      />
    </>
  )
}
