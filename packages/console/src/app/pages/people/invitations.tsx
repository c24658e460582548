import type { Invitation } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Button, Time, type Tone } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { InvitationsBulk } from "./invitations-bulk.tsx"
import { InviteDialog } from "./invite-dialog.tsx"
import { RoleBadge } from "./choices.tsx"
import "./people.css"

export const statusTones: Readonly<Record<Invitation["status"], Tone>> = {
  pending: "warn",
  accepted: "good",
  cancelled: "neutral",
  expired: "bad"
}

const columns: ReadonlyArray<Column<Invitation>> = [
  {
    name: "Email address",
    width: "minmax(0, 2fr)",
    cell: ({ email }) => <strong title={email}>{email}</strong>,
    sort: ({ email }) => email
  },
  { name: "Role", width: "minmax(0, 1fr)", wide: true, cell: ({ role }) => <RoleBadge role={role} /> },
  {
    name: "Teams",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ teamIds }) => {
      const [first] = teamIds
      if (first === undefined) return <span className="muted">none</span>
      return (
        <>
          <Name kind="team" id={first} />
          {teamIds.length > 1 && ` and ${teamIds.length - 1} more`}
        </>
      )
    }
  },
  {
    name: "Status",
    width: "110px",
    cell: ({ status }) => <Badge tone={statusTones[status]}>{status}</Badge>,
    sort: ({ status }) => status
  },
  {
    name: "Expires",
    width: "140px",
    wide: true,
    cell: ({ expiresAt, status }) => (status === "pending" ? <Time at={expiresAt} /> : ""),
    sort: ({ expiresAt }) => expiresAt
  }
]

const statuses = [
  ["pending", "Pending"],
  ["accepted", "Accepted"],
  ["expired", "Expired"],
  ["cancelled", "Canceled"]
] as const

const isStatus = (text: string | undefined): text is Invitation["status"] => statuses.some(([value]) => value === text)

export const Page = () => {
  const { new: isNew } = useParameters()
  const set = useSetParameters()
  return (
    <>
      <ListPage
        creates="invitations:write"
        bulkPermission="invitations:write"
        title="Invitations"
        name="invitations"
        description="People who were invited by email. An invitation is valid for seven days and can be used once."
        columns={columns}
        searches
        filters={[{ name: "status", label: "Status", options: statuses }]}
        load={(input, signal, { status }) =>
          client.invitations.list({ ...input, ...(isStatus(status) ? { status } : {}) }, { signal })
        }
        idOf={({ id }) => id}
        to={({ id }) => `/invitations/${id}`}
        bulk={(rows, clear) => <InvitationsBulk invitations={rows} clear={clear} />}
        actions={
          <>
            <Link className="button" to="/invitations/import">
              Invite from a file
            </Link>
            <Button kind="primary" onClick={() => set({ new: "true" })}>
              Invite a person
            </Button>
          </>
        }
        empty={
          <>
            <p>Invite one person, or everyone in a CSV file.</p>
            <Button onClick={() => set({ new: "true" })}>Invite a person</Button>
          </>
        }
      />
      <InviteDialog isOpen={isNew === "true"} onClose={() => set({ new: undefined })} />
    </>
  )
}
