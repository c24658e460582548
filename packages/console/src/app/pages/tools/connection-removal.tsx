/** What the removal of MCP connections ends, for one of them and for several. */
import type { McpConnection } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { Impacts, impactsMax } from "../../design/impacts.tsx"
import { type ConnectionGrants, readGrants, receiversOf } from "./connection-grants.ts"

/** First parts of the keys of queries that a removal changes. */
export const removalChanges = ["mcp-connections", "access"]

const namedMax = 20

const Grants = ({ grants }: { readonly grants: ReadonlyArray<ConnectionGrants> }) => {
  const count = grants.reduce((total, each) => total + each.count, 0)
  const isCut = grants.some((each) => each.isCut)
  const isOne = count === 1 && !isCut
  return (
    <p>
      {count === 0
        ? "No one has a grant."
        : `${count}${isCut ? " or more" : ""} ${isOne ? "grant is" : "grants are"} revoked: those who have ${isOne ? "it" : "them"} lose access.`}
    </p>
  )
}

/** The receivers of the grants of each connection. */
const Receivers = ({
  impacts
}: {
  readonly impacts: ReadonlyArray<readonly [connection: McpConnection, grants: ConnectionGrants]>
}) => (
  <ul className="facts" aria-label="Connections to remove">
    {impacts.slice(0, namedMax).map(([{ id, name }, grants]) => (
      <li key={id}>
        <strong>{name}</strong>: {grants.count === 0 ? "no grants" : receiversOf(grants)}
      </li>
    ))}
    {impacts.length > namedMax && <li className="muted">{impacts.length - namedMax} more</li>}
  </ul>
)

export const ConnectionsRemoval = ({ connections }: { readonly connections: ReadonlyArray<McpConnection> }) => (
  <>
    <Impacts name="mcp-connections" rows={connections} impactOf={({ id }, signal) => readGrants(id, signal)}>
      {(impacts) => (
        <>
          <Grants grants={impacts.map(([, grants]) => grants)} />
          {connections.length > 1 && <Receivers impacts={impacts} />}
        </>
      )}
    </Impacts>
    <p>
      {connections.length === 1
        ? "All credentials, the tool policy and the approved state of the server are deleted."
        : "All credentials, the tool policies and the approved states of the servers are deleted."}
    </p>
  </>
)

export const ConnectionsBulk = ({
  clear,
  connections
}: {
  readonly connections: ReadonlyArray<McpConnection>
  readonly clear: () => void
}) => (
  <BulkButton
    action="Remove"
    done="removed"
    isDangerous
    nouns={["connection", "connections"]}
    rows={connections}
    max={impactsMax}
    clear={clear}
    nameOf={({ name }) => name}
    changes={removalChanges}
    work={({ id }) => client.mcpConnections.remove(id)}
    consequences={
      <>
        <ConnectionsRemoval connections={connections} />
        <p>Agents can no longer use their tools. This cannot be undone.</p>
      </>
    }
  />
)
