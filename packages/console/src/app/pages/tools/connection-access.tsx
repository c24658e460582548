/** Who can use an MCP connection. */
import type { AccessImpactResult, GrantRole, McpConnection, McpConnectionGrant } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Time } from "../../design/ui.tsx"
import { MemberName, type Receiver, ReceiverFields, TeamName } from "./names.tsx"

const roles: ReadonlyArray<readonly [GrantRole, string]> = [
  ["viewer", "Viewer: uses the tools"],
  ["editor", "Editor: uses the tools"],
  ["manager", "Manager: also changes the connection, and reviews the server"]
]

const ReceiverName = ({ grant }: { readonly grant: McpConnectionGrant }) => {
  const { orgMembershipId, orgWide, teamId } = grant
  if (orgWide) return <>Everyone</>
  return teamId !== null ? <TeamName id={teamId} /> : <MemberName id={orgMembershipId} />
}

const shownMax = 10

const Losses = ({ impact }: { readonly impact: AccessImpactResult }) => {
  const { losses, memberCount, truncated } = impact
  if (memberCount === 0) return <p>No one loses access: all members keep it in another way.</p>
  return (
    <>
      <p>
        <strong>{memberCount === 1 ? "One member is" : `${memberCount} members are`} affected.</strong>
      </p>
      <ul className="facts">
        {losses.slice(0, shownMax).map(({ from, orgMembershipId, object, to }) => (
          <li key={`${orgMembershipId} ${object.id}`}>
            <MemberName id={orgMembershipId} /> {to === null ? `loses access (${from})` : `goes from ${from} to ${to}`}
          </li>
        ))}
      </ul>
      {(losses.length > shownMax || truncated) && (
        <p className="muted">
          {truncated ? "There are more than can be listed." : `And ${losses.length - shownMax} more.`}
        </p>
      )}
    </>
  )
}

const Revoke = ({
  connection,
  grant,
  onClose
}: {
  readonly connection: McpConnection
  readonly grant: McpConnectionGrant
  readonly onClose: () => void
}) => {
  const impact = useQuery({
    queryKey: ["grant-impact", grant.id],
    queryFn: ({ signal }) => client.access.impact({ grantId: grant.id }, { signal }),
    gcTime: 0
  })
  const revoke = async () => {
    await client.mcpConnections.revokeAccess(connection.id, grant.id)
    notify("The access was revoked.")
    void reload(["mcp-connections", "access"])
  }
  return (
    <Confirm
      title={`Revoke access to ${connection.name}`}
      action="Revoke the access"
      isOpen
      onClose={onClose}
      confirm={revoke}
    >
      <p>
        <ReceiverName grant={grant} /> can no longer use the connection as {grant.role}.
      </p>
      <Shown query={impact} lines={2}>
        {(result) => <Losses impact={result} />}
      </Shown>
    </Confirm>
  )
}

const Grant = ({ connection }: { readonly connection: McpConnection }) => {
  const [isOpen, setOpen] = useState(false)
  const [receiver, setReceiver] = useState<Receiver>()
  const [role, setRole] = useState<GrantRole>("viewer")
  const close = () => {
    setOpen(false)
    setReceiver(undefined)
    setRole("viewer")
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        Grant access
      </Button>
      <FormDialog
        title={`Grant access to ${connection.name}`}
        description="Owners and admins also need a grant to use the tools."
        action="Grant access"
        done="Access was granted."
        changes={["mcp-connections", "access"]}
        isOpen={isOpen}
        onClose={close}
        submit={async () => {
          if (receiver === undefined) throw new Error("Choose a team or a member.")
          await client.mcpConnections.grantAccess(connection.id, { ...receiver, role })
        }}
      >
        {() => (
          <>
            <ReceiverFields onChange={setReceiver} />
            <SelectField
              label="Role"
              options={roles}
              value={role}
              onChange={({ target }) => setRole(roles.find(([name]) => name === target.value)?.[0] ?? "viewer")}
            />
            {receiver?.orgWide === true && connection.credentialMode === "shared" && (
              <p>Everyone acts at the server as the account that is connected.</p>
            )}
          </>
        )}
      </FormDialog>
    </>
  )
}

export const ConnectionAccess = ({ connection }: { readonly connection: McpConnection }) => {
  const [revoked, setRevoked] = useState<McpConnectionGrant>()
  const columns: ReadonlyArray<Column<McpConnectionGrant>> = [
    { name: "Who", width: "minmax(0, 2fr)", cell: (grant) => <ReceiverName grant={grant} /> },
    {
      name: "Role",
      width: "84px",
      cell: ({ removedAt, role }) => (removedAt === null ? <Badge>{role}</Badge> : <Badge>revoked</Badge>),
      sort: ({ removedAt, role }) => (removedAt === null ? role : "revoked")
    },
    {
      name: "Given by",
      width: "minmax(0, 1fr)",
      wide: true,
      cell: ({ createdByOrgMembershipId }) => <MemberName id={createdByOrgMembershipId} />
    },
    {
      name: "Since",
      width: "130px",
      wide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt
    },
    {
      name: "Change",
      width: "92px",
      // A revoked grant stays in the list as history.
      cell: (grant) =>
        grant.removedAt === null && (
          <Button kind="quiet" onClick={() => setRevoked(grant)}>
            Revoke
          </Button>
        )
    }
  ]
  return (
    <div className="stack">
      <div className="row spread">
        <p className="muted">Only these can use the tools. The tool policy applies to all of them.</p>
        <Grant connection={connection} />
      </div>
      <DataTable
        label="Access"
        columns={columns}
        queryKey={["mcp-connections", connection.id, "access"]}
        load={(cursor, signal) =>
          client.mcpConnections.listAccess(
            connection.id,
            { limit: 50, ...(cursor === undefined ? {} : { cursor }) },
            { signal }
          )
        }
        idOf={({ id }) => id}
        empty={
          <Empty title="No one can use the tools">
            <p>Grant access to a team, a member, or everyone.</p>
          </Empty>
        }
      />
      {revoked !== undefined && (
        <Revoke connection={connection} grant={revoked} onClose={() => setRevoked(undefined)} />
      )}
    </div>
  )
}
