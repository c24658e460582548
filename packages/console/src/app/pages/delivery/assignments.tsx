/** Assignments of plugins and marketplaces to members. */
import type { Assignment } from "@orgplane/client"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { modes } from "../../objects/assignment-modes.ts"
import { objectFilter } from "../../objects/object-filter.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { CreateAssignmentDialog } from "./assignment-form.tsx"
import { Mode, shortDigest } from "./assignment-simulation.tsx"
import { AudienceText } from "./audience.tsx"
import { BulkRemove } from "./bulk-remove.tsx"

const What = ({ assignment: { marketplaceId, pluginId } }: { readonly assignment: Assignment }) =>
  pluginId !== null ? (
    <strong>
      <Name kind="plugin" id={pluginId} link={false} />
    </strong>
  ) : (
    <>
      <strong>
        <Name kind="marketplace" id={marketplaceId ?? ""} link={false} />
      </strong>{" "}
      <Badge>marketplace</Badge>
    </>
  )

const columns: ReadonlyArray<Column<Assignment>> = [
  { name: "What", width: "minmax(0, 3fr)", cell: (assignment) => <What assignment={assignment} /> },
  { name: "Mode", width: "112px", cell: ({ mode }) => <Mode mode={mode} />, sort: ({ mode }) => mode },
  { name: "Who", width: "minmax(0, 3fr)", cell: (assignment) => <AudienceText {...assignment} /> },
  { name: "Priority", width: "80px", wide: true, cell: ({ priority }) => priority, sort: ({ priority }) => priority },
  {
    name: "Version",
    width: "130px",
    wide: true,
    cell: ({ pinnedDigest }) =>
      pinnedDigest === null ? (
        <span className="muted">latest</span>
      ) : (
        <code title={pinnedDigest}>{shortDigest(pinnedDigest)}</code>
      )
  },
  {
    name: "Changed",
    width: "130px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

const filters: ReadonlyArray<Filter> = [
  { name: "mode", label: "Mode", options: modes.map(([value, label]) => [value, label] as const) },
  objectFilter("plugin", "pluginId", "Plugin"),
  objectFilter("marketplace", "marketplaceId", "Marketplace")
]

export const Page = () => {
  const { create } = useParameters()
  const set = useSetParameters()
  const open = () => {
    set({ create: "1" })
  }
  const button = (
    <Button kind="primary" onClick={open}>
      Create an assignment
    </Button>
  )
  return (
    <>
      <ListPage
        creates="assignments:write"
        bulkPermission="assignments:manage"
        title="Assignments"
        name="assignments"
        description="Which plugins members must have, may turn off, may turn on, or cannot use."
        columns={columns}
        searches
        load={(input, signal, { marketplaceId, mode, pluginId }) => {
          const selected = modes.find(([value]) => value === mode)?.[0]
          return client.assignments.list(
            {
              ...input,
              ...(selected === undefined ? {} : { mode: selected }),
              ...(pluginId === undefined ? {} : { pluginId }),
              ...(marketplaceId === undefined ? {} : { marketplaceId })
            },
            { signal }
          )
        }}
        idOf={({ id }) => id}
        to={({ id }) => `/assignments/${id}`}
        filters={filters}
        actions={button}
        bulk={(rows, clear) => (
          <BulkRemove
            rows={rows}
            clear={clear}
            nouns={["assignment", "assignments"]}
            nameOf={(assignment) => (
              <>
                <What assignment={assignment} /> <Mode mode={assignment.mode} />
              </>
            )}
            changes={["assignments", "delivery"]}
            remove={({ id }) => client.assignments.remove(id)}
            effectOf={async ({ id }, signal) =>
              (await client.assignments.simulate({ delete: { assignmentId: id } }, { signal })).memberCount
            }
          />
        )}
        empty={
          <>
            <p>Without assignments, every plugin is available, and members turn on what they need.</p>
            {button}
          </>
        }
      />
      {create === "1" && <CreateAssignmentDialog isOpen onClose={() => set({ create: undefined })} />}
    </>
  )
}
