/** The config objects of the organization. */
import type { ConfigObject } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import type { Column } from "../../design/data-table.tsx"
import { impactsMax } from "../../design/impacts.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time, type Tone } from "../../design/ui.tsx"
import { objectFilter } from "../../objects/object-filter.tsx"
import { ObjectsArchived } from "./archive-impact.tsx"
import { CreateObjectDialog } from "./object-form.tsx"
import { labelOf, objectTypes, optionOf } from "./words.ts"

export const objectTones: Readonly<Record<ConfigObject["status"], Tone>> = {
  active: "good",
  archived: "neutral",
  deleted: "neutral",
  ingestion_error: "bad"
}

export const objectStatuses: Readonly<Record<ConfigObject["status"], string>> = {
  active: "active",
  archived: "archived",
  deleted: "deleted",
  ingestion_error: "cannot be read"
}

export const sources: Readonly<Record<ConfigObject["sourceMode"], string>> = {
  cloud: "written here",
  import: "imported once",
  connector: "from a repository"
}

const columns: ReadonlyArray<Column<ConfigObject>> = [
  {
    name: "Title",
    width: "minmax(0, 2fr)",
    cell: ({ title }) => <strong title={title}>{title}</strong>,
    sort: ({ title }) => title
  },
  {
    name: "Type",
    width: "110px",
    cell: ({ objectType }) => <Badge>{labelOf(objectTypes, objectType)}</Badge>,
    sort: ({ objectType }) => objectType
  },
  {
    name: "Path",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ currentRelativePath }) => <code title={currentRelativePath ?? undefined}>{currentRelativePath ?? ""}</code>
  },
  {
    name: "Source",
    width: "130px",
    wide: true,
    cell: ({ sourceMode }) => sources[sourceMode],
    sort: ({ sourceMode }) => sourceMode
  },
  {
    name: "Status",
    width: "120px",
    wide: true,
    cell: ({ status }) => <Badge tone={objectTones[status]}>{objectStatuses[status]}</Badge>
  },
  {
    name: "Changed",
    width: "130px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

const nameOf = ({ title }: ConfigObject) => title

const unarchived = (rows: ReadonlyArray<ConfigObject>) => rows.filter(({ status }) => status !== "archived")

const filters: ReadonlyArray<Filter> = [
  { name: "type", label: "Type", options: objectTypes },
  objectFilter("plugin", "pluginId", "Plugin"),
  objectFilter("connectorInstance", "connectorInstanceId", "Connector"),
  { name: "archived", label: "Archived", none: "Without archived", options: [["true", "Include archived"]] }
]

export const Page = () => {
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <ListPage
        creates="configObjects:write"
        bulkPermission="configObjects:write"
        title="Config objects"
        name="objects"
        description="Skills, agents, commands, hooks, servers and other content, each with its versions."
        columns={columns}
        searches
        filters={filters}
        load={(input, signal, values) =>
          client.configObjects.list(
            {
              ...input,
              type: optionOf(objectTypes, values["type"], undefined),
              pluginId: values["pluginId"],
              connectorInstanceId: values["connectorInstanceId"],
              ...(values["archived"] === "true" ? { archived: true } : {})
            },
            { signal }
          )
        }
        idOf={({ id }) => id}
        to={({ id }) => `/objects/${id}`}
        actions={
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create an object
          </Button>
        }
        bulk={(rows, clear) => (
          <>
            <BulkButton
              action="Archive"
              done="archived"
              isDangerous
              nouns={["object", "objects"]}
              rows={unarchived(rows)}
              max={impactsMax}
              clear={clear}
              nameOf={nameOf}
              changes={["objects", "plugins"]}
              work={({ id }) => client.configObjects.archive(id)}
              consequences={
                <>
                  <p>
                    The objects are hidden from lists and plugins, and agents no longer receive them. Versions and
                    grants are kept, and each object can be restored.
                  </p>
                  <ObjectsArchived objects={unarchived(rows)} />
                </>
              }
            />
            <BulkButton
              action="Restore"
              done="restored"
              nouns={["object", "objects"]}
              rows={rows.filter(({ status }) => status === "archived")}
              clear={clear}
              nameOf={nameOf}
              changes={["objects", "plugins"]}
              work={({ id }) => client.configObjects.restore(id)}
            />
          </>
        )}
        empty={
          <>
            <p>Connect a repository to import objects, or create one here.</p>
            <Link className="button" to="/connectors/new">
              Connect a repository
            </Link>
          </>
        }
      />
      {isCreating && <CreateObjectDialog onClose={() => setCreating(false)} />}
    </>
  )
}
