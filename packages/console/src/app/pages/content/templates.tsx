/** The templates of the organization. */
import type { Template } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { NamedItems } from "../../design/consequences.tsx"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { plural } from "../../design/text.ts"
import { Time } from "../../design/ui.tsx"

const columns: ReadonlyArray<Column<Template>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Description",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ description }) => <span title={description ?? undefined}>{description ?? ""}</span>
  },
  {
    name: "Version",
    width: "80px",
    cell: ({ latestVersion }) => latestVersion.ordinal,
    sort: ({ latestVersion }) => latestVersion.ordinal
  },
  { name: "Objects", width: "80px", wide: true, cell: ({ latestVersion }) => latestVersion.objectCount },
  { name: "Variables", width: "90px", wide: true, cell: ({ latestVersion }) => latestVersion.variableCount },
  {
    name: "Changed",
    width: "130px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

export const Page = () => (
  <ListPage
    creates="templates:write"
    bulkPermission="templates:manage"
    title="Templates"
    name="templates"
    description="Blueprints for plugins. Fill in the variables to create a plugin with its objects."
    columns={columns}
    searches
    load={(input, signal) => client.templates.list(input, { signal })}
    idOf={({ id }) => id}
    to={({ id }) => `/templates/${id}`}
    actions={
      <Link className="button" data-kind="primary" to="/templates/new">
        Create a template
      </Link>
    }
    bulk={(rows, clear) => (
      <BulkButton
        action="Remove"
        done="removed"
        isDangerous
        nouns={["template", "templates"]}
        rows={rows}
        clear={clear}
        nameOf={({ name }) => name}
        changes={["templates"]}
        work={({ id }) => client.templates.remove(id)}
        consequences={
          <>
            <p>
              The templates and all of their versions are removed. Plugins that were created from them are kept as they
              are. It cannot be undone.
            </p>
            <NamedItems
              label="Templates to remove"
              rows={rows.map(({ id, latestVersion, name }) => ({
                id,
                name: (
                  <>
                    <strong>{name}</strong>: {plural(latestVersion.ordinal, "version")}
                  </>
                )
              }))}
            />
          </>
        }
      />
    )}
    empty={
      <>
        <p>Create a template for plugins that several teams need in a similar form.</p>
        <Link className="button" to="/templates/new">
          Create a template
        </Link>
      </>
    }
  />
)
