/** The MCP connections of the organization. */
import type { McpConnection } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { type Filter, ListPage } from "../../design/list-page.tsx"
import { Time } from "../../design/ui.tsx"
import { ConnectionsBulk } from "./connection-removal.tsx"
import { authNames, isStatus, StatusBadge, statusName, statusOptions } from "./connection-states.tsx"

const columns: ReadonlyArray<Column<McpConnection>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: ({ name }) => <strong title={name}>{name}</strong>,
    sort: ({ name }) => name
  },
  {
    name: "Address",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ url }) => <code title={url}>{url}</code>,
    sort: ({ url }) => url
  },
  {
    name: "Sign-in",
    width: "90px",
    wide: true,
    cell: ({ authType }) => authNames[authType],
    sort: ({ authType }) => authNames[authType]
  },
  {
    name: "Status",
    width: "140px",
    cell: ({ status }) => <StatusBadge status={status} />,
    sort: ({ status }) => statusName(status)
  },
  {
    name: "Tools read",
    width: "140px",
    wide: true,
    cell: ({ toolsCheckedAt }) => <Time at={toolsCheckedAt} />,
    sort: ({ toolsCheckedAt }) => toolsCheckedAt
  }
]

const NewLink = () => (
  <Link to="/mcp-connections/new" className="button" data-kind="primary">
    Add a connection
  </Link>
)

const filters: ReadonlyArray<Filter> = [{ name: "status", label: "Status", options: statusOptions }]

export const Page = () => (
  <ListPage
    creates="mcpConnections:write"
    bulkPermission="mcpConnections:manage"
    title="MCP connections"
    name="mcp-connections"
    description="MCP servers whose tools your agents can use. Each change of a server's tools is reviewed."
    columns={columns}
    searches
    filters={filters}
    load={(input, signal, { status }) =>
      client.mcpConnections.list({ ...input, ...(isStatus(status) ? { status } : {}) }, { signal })
    }
    idOf={({ id }) => id}
    to={({ id }) => `/mcp-connections/${id}`}
    bulk={(rows, clear) => <ConnectionsBulk connections={rows} clear={clear} />}
    actions={<NewLink />}
    empty={
      <>
        <p>Find a server by its address or its name, and connect it.</p>
        <NewLink />
      </>
    }
  />
)
