/** The connected repositories. */
import type { ConnectorInstance } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import type { Column } from "../../design/data-table.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"
import { instanceNames, instanceTones } from "./words.ts"

const columns: ReadonlyArray<Column<ConnectorInstance>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Repository",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ remoteId }) => <code title={remoteId}>{remoteId}</code>,
    sort: ({ remoteId }) => remoteId
  },
  {
    name: "Status",
    width: "110px",
    cell: ({ status, statusReason }) => (
      <span title={statusReason ?? undefined}>
        <Badge tone={instanceTones[status]}>{instanceNames[status]}</Badge>
      </span>
    ),
    sort: ({ status }) => status
  },
  {
    name: "Last sync",
    width: "140px",
    wide: true,
    cell: ({ lastSyncedAt }) => <Time at={lastSyncedAt} />,
    sort: ({ lastSyncedAt }) => lastSyncedAt
  }
]

const filters: ReadonlyArray<Filter> = [
  { name: "archived", label: "Archived", none: "Without archived", options: [["true", "Include archived"]] }
]

const nameOf = ({ name }: ConnectorInstance) => name

export const Page = () => (
  <ListPage
    creates="connectors:write"
    bulkPermission="connectors:write"
    title="Connectors"
    name="connectors"
    description="Connected repositories, from which plugins are imported and kept up to date."
    columns={columns}
    searches
    filters={filters}
    load={(input, signal, { archived }) =>
      client.connectors.listInstances({ ...input, ...(archived === "true" ? { archived: true } : {}) }, { signal })
    }
    idOf={({ id }) => id}
    to={({ id }) => `/connectors/${id}`}
    actions={
      <>
        <Link className="button" to="/connector-accounts">
          Accounts
        </Link>
        <Link className="button" data-kind="primary" to="/connectors/new">
          Connect a repository
        </Link>
      </>
    }
    bulk={(rows, clear) => (
      <>
        <BulkButton
          label="Sync now"
          action="Sync"
          done="queued for a sync"
          nouns={["connector", "connectors"]}
          rows={rows}
          clear={clear}
          nameOf={nameOf}
          changes={["connectors"]}
          work={({ id }) => client.connectors.sync(id)}
        />
        <BulkButton
          action="Pause"
          done="paused"
          nouns={["connector", "connectors"]}
          rows={rows}
          clear={clear}
          nameOf={nameOf}
          changes={["connectors"]}
          work={({ id }) => client.connectors.disable(id)}
          consequences={<p>Imported content is kept. Pushes are ignored until the connectors are resumed.</p>}
        />
        <BulkButton
          action="Resume"
          done="resumed"
          nouns={["connector", "connectors"]}
          rows={rows}
          clear={clear}
          nameOf={nameOf}
          changes={["connectors"]}
          work={({ id }) => client.connectors.enable(id)}
        />
      </>
    )}
    empty={
      <>
        <p>Connect a repository to import its plugins.</p>
        <Link className="button" to="/connectors/new">
          Connect a repository
        </Link>
      </>
    }
  />
)
