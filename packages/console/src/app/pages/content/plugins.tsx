/** The plugins of the organization. */
import type { Plugin } from "@orgplane/client"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { BulkButton } from "../../design/bulk.tsx"
import { NamedItems } from "../../design/consequences.tsx"
import type { Column } from "../../design/data-table.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Button, Time } from "../../design/ui.tsx"
import { objectFilter } from "../../objects/object-filter.tsx"
import { NameFields } from "./parts.tsx"
import { filled } from "./words.ts"

const stateOf = ({ archivedAt, pendingReleaseId }: Plugin) => {
  if (archivedAt !== null) return "archived"
  return pendingReleaseId === null ? "current" : "pending approval"
}

const tones = { archived: "neutral", current: "good", "pending approval": "warn" } as const

const columns: ReadonlyArray<Column<Plugin>> = [
  {
    name: "Name",
    width: "minmax(0, 2.5fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Description",
    width: "minmax(0, 2.5fr)",
    wide: true,
    cell: ({ description }) => <span title={description ?? undefined}>{description ?? ""}</span>
  },
  {
    name: "Objects",
    width: "90px",
    wide: true,
    cell: ({ memberCount }) => memberCount,
    sort: ({ memberCount }) => memberCount
  },
  {
    name: "Marketplaces",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ marketplaces }) => marketplaces.map(({ name }) => name).join(", ")
  },
  {
    name: "Status",
    width: "150px",
    cell: (plugin) => <Badge tone={tones[stateOf(plugin)]}>{stateOf(plugin)}</Badge>,
    sort: stateOf
  },
  {
    name: "Changed",
    width: "130px",
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: ({ updatedAt }) => updatedAt
  }
]

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const navigate = useNavigate()
  return (
    <FormDialog
      title="Create a plugin"
      description="It is empty and private. Add config objects to it, then give access to it or add it to a marketplace."
      action="Create the plugin"
      done="The plugin was created."
      changes={["plugins"]}
      isOpen
      onClose={onClose}
      fields={["name", "description"]}
      submit={async () => {
        const { id } = await client.plugins.create({ name: name.trim(), description: filled(description) ?? null })
        await navigate({ to: `/plugins/${id}` })
      }}
    >
      {(problem) => (
        <NameFields
          name={name}
          description={description}
          onName={setName}
          onDescription={setDescription}
          problem={problem}
        />
      )}
    </FormDialog>
  )
}

const filters: ReadonlyArray<Filter> = [
  objectFilter("marketplace", "marketplaceId", "Marketplace"),
  { name: "archived", label: "Archived", none: "Without archived", options: [["true", "Include archived"]] }
]

const nameOf = ({ name }: Plugin) => name

/** What archiving plugins hides. */
const Archived = ({ plugins }: { readonly plugins: ReadonlyArray<Plugin> }) => (
  <>
    <p>
      The plugins and their contents are hidden from lists and marketplaces, and agents no longer receive them. Grants
      are kept, and each plugin can be restored.
    </p>
    <NamedItems
      label="Plugins to archive"
      rows={plugins.map(({ id, marketplaces, memberCount, name }) => ({
        id,
        name: (
          <>
            <strong>{name}</strong>: {plural(memberCount, "object")}
            {marketplaces.length > 0 && `, in ${marketplaces.map((each) => each.name).join(", ")}`}
          </>
        )
      }))}
    />
  </>
)

export const Page = () => {
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <ListPage
        creates="plugins:write"
        bulkPermission="plugins:write"
        title="Plugins"
        name="plugins"
        description="Skills, agents, commands and servers, in sets that members install."
        columns={columns}
        searches
        filters={filters}
        load={(input, signal, values) =>
          client.plugins.list(
            {
              ...input,
              marketplaceId: values["marketplaceId"],
              ...(values["archived"] === "true" ? { archived: true } : {})
            },
            { signal }
          )
        }
        idOf={({ id }) => id}
        to={({ id }) => `/plugins/${id}`}
        actions={
          <>
            <Link className="button" to="/templates">
              Use a template
            </Link>
            <Button kind="primary" onClick={() => setCreating(true)}>
              Create a plugin
            </Button>
          </>
        }
        bulk={(rows, clear) => (
          <>
            <BulkButton
              action="Archive"
              done="archived"
              isDangerous
              nouns={["plugin", "plugins"]}
              rows={rows.filter(({ archivedAt }) => archivedAt === null)}
              clear={clear}
              nameOf={nameOf}
              changes={["plugins", "marketplaces", "objects"]}
              work={({ id }) => client.plugins.archive(id)}
              consequences={<Archived plugins={rows.filter(({ archivedAt }) => archivedAt === null)} />}
            />
            <BulkButton
              action="Restore"
              done="restored"
              nouns={["plugin", "plugins"]}
              rows={rows.filter(({ archivedAt }) => archivedAt !== null)}
              clear={clear}
              nameOf={nameOf}
              changes={["plugins", "marketplaces"]}
              work={({ id }) => client.plugins.restore(id)}
            />
          </>
        )}
        empty={
          <>
            <p>Connect a repository to import plugins, or create one here.</p>
            <Link className="button" to="/connectors/new">
              Connect a repository
            </Link>
          </>
        }
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  )
}
