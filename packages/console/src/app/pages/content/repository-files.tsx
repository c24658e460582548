/** The files of a plugin in the repository, as far as they were read. */
import { useState } from "react"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Button, Empty } from "../../design/ui.tsx"

interface File {
  readonly id: string
  readonly path: string
  readonly size: number
}

const sizes = new Intl.NumberFormat("en", { style: "unit", unit: "byte", unitDisplay: "narrow" })

const columns: ReadonlyArray<Column<File>> = [
  {
    name: "File",
    width: "minmax(0, 1fr)",
    cell: ({ path }) => <code title={path}>{path}</code>,
    sort: ({ path }) => path
  },
  { name: "Size", width: "90px", cell: ({ size }) => sizes.format(size), sort: ({ size }) => size }
]

export const RepositoryFiles = ({
  folder,
  instanceId,
  targetId
}: {
  readonly instanceId: string
  readonly targetId: string
  /** Empty for the whole repository. */
  readonly folder: string
}) => {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) {
    return (
      <div className="row">
        <Button onClick={() => setOpen(true)}>Show its files</Button>
      </div>
    )
  }
  return (
    <DataTable
      label="Files"
      columns={columns}
      queryKey={["connectors", instanceId, "files", targetId, folder]}
      load={(cursor, signal) =>
        client.connectors.tree(
          instanceId,
          { limit: 200, cursor, connectorTargetId: targetId, prefix: folder === "" ? undefined : `${folder}/` },
          { signal }
        )
      }
      idOf={({ id }) => id}
      empty={<Empty title="The folder has no files" />}
    />
  )
}
