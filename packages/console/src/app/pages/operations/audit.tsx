import type { AuditEvent } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Time } from "../../design/ui.tsx"

const columns: ReadonlyArray<Column<AuditEvent>> = [
  { name: "Action", width: "minmax(0, 2fr)", cell: ({ action }) => <code>{action}</code> },
  {
    name: "By",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ actorId, actorKind }) => `${actorKind} ${actorId ?? ""}`
  },
  { name: "Object", width: "minmax(0, 2fr)", wide: true, cell: ({ targetId }) => <code>{targetId ?? ""}</code> },
  { name: "When", width: "minmax(0, 1fr)", cell: ({ createdAt }) => <Time at={createdAt} /> }
]

export const Page = () => (
  <ListPage
    title="Audit"
    name="audit"
    description="Every change, who made it, and what was before. The log is sealed and can be verified."
    columns={columns}
    load={(input, signal) => client.audit.list(input, { signal })}
    idOf={({ id }) => id}
    empty="Changes are listed as soon as they are made."
  />
)
