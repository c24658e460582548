/** The marketplaces of the organization. */
import type { Marketplace } from "@orgplane/client"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import type { Column } from "../../design/data-table.tsx"
import { WithinImpactsMax } from "../../design/impacts.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Field, Time } from "../../design/ui.tsx"
import { MarketplacesArchived } from "./archive-impact.tsx"
import { BulkButton, NameFields } from "./parts.tsx"
import { filled } from "./words.ts"

const columns: ReadonlyArray<Column<Marketplace>> = [
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
    name: "Plugins",
    width: "80px",
    wide: true,
    cell: ({ pluginCount }) => pluginCount,
    sort: ({ pluginCount }) => pluginCount
  },
  {
    name: "Status",
    width: "110px",
    cell: ({ archivedAt }) => (archivedAt === null ? <Badge tone="good">listed</Badge> : <Badge>archived</Badge>)
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
  const [logoUrl, setLogoUrl] = useState("")
  const navigate = useNavigate()
  return (
    <FormDialog
      title="Create a marketplace"
      description="It is empty and private. Add plugins to it, then give access to it."
      action="Create the marketplace"
      done="The marketplace was created."
      changes={["marketplaces"]}
      isOpen
      onClose={onClose}
      fields={["name", "description", "logoUrl"]}
      submit={async () => {
        const { id } = await client.marketplaces.create({
          name: name.trim(),
          description: filled(description) ?? null,
          logoUrl: filled(logoUrl) ?? null
        })
        await navigate({ to: `/marketplaces/${id}` })
      }}
    >
      {(problem) => (
        <>
          <NameFields
            name={name}
            description={description}
            onName={setName}
            onDescription={setDescription}
            problem={problem}
          />
          <Field
            label="Logo (optional)"
            hint="The https URL of an image, for clients. The console does not load it."
            type="url"
            maxLength={2048}
            value={logoUrl}
            problem={problem("logoUrl")}
            onChange={({ target }) => setLogoUrl(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

const filters: ReadonlyArray<Filter> = [
  { name: "archived", label: "Archived", none: "Without archived", options: [["true", "Include archived"]] }
]

const nameOf = ({ name }: Marketplace) => name

const listed = (rows: ReadonlyArray<Marketplace>) => rows.filter(({ archivedAt }) => archivedAt === null)

export const Page = () => {
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <ListPage
        creates="marketplaces:write"
        bulkPermission="marketplaces:write"
        title="Marketplaces"
        name="marketplaces"
        description="Sets of plugins that members browse and install from."
        columns={columns}
        searches
        filters={filters}
        load={(input, signal, { archived }) =>
          client.marketplaces.list({ ...input, ...(archived === "true" ? { archived: true } : {}) }, { signal })
        }
        idOf={({ id }) => id}
        to={({ id }) => `/marketplaces/${id}`}
        actions={
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create a marketplace
          </Button>
        }
        bulk={(rows, clear) => (
          <WithinImpactsMax action="Archive" count={listed(rows).length}>
            <BulkButton
              action="Archive"
              rows={listed(rows)}
              clear={clear}
              nameOf={nameOf}
              changes={["marketplaces", "plugins"]}
              work={({ id }) => client.marketplaces.archive(id)}
              consequences={
                <>
                  <p>
                    The marketplaces are hidden, and members no longer see plugins through them. Plugins and grants are
                    kept, and each marketplace can be restored.
                  </p>
                  <MarketplacesArchived marketplaces={listed(rows)} />
                </>
              }
            />
          </WithinImpactsMax>
        )}
        empty={
          <>
            <p>An import creates a marketplace for its repository. You can also create one here.</p>
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
