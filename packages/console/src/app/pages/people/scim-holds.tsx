/** Deactivations that a directory sent and that wait for a decision, because they are unusually many. */
import type { ScimHeldUser, ScimHold } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Notice, Time, type Tone } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"

interface PartProps {
  readonly directoryId: string
  readonly hold: ScimHold
}

const changes = ["scim", "members", "teams", "access"]

const userColumns: ReadonlyArray<Column<ScimHeldUser>> = [
  {
    name: "User",
    width: "minmax(0, 2fr)",
    cell: ({ userName }) => <strong title={userName}>{userName}</strong>,
    sort: ({ userName }) => userName
  },
  {
    name: "Member",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ orgMembershipId }) => <Name kind="member" id={orgMembershipId} />
  },
  {
    name: "Sent",
    width: "110px",
    cell: ({ action }) => <Badge tone="bad">{action}</Badge>,
    sort: ({ action }) => action
  },
  {
    name: "When",
    width: "130px",
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  }
]

const Approve = ({ directoryId, hold }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button permission="scim:manage" kind="danger" onClick={() => setOpen(true)}>
        Approve the deactivations
      </Button>
      <Confirm
        title={`End ${plural(hold.count, "membership")}`}
        action={`End ${plural(hold.count, "membership")}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          const { keptOrgMembershipId } = await client.scim.approveHold(directoryId, hold.id)
          notify(
            keptOrgMembershipId === null
              ? "The memberships ended."
              : "The memberships ended, except that of an owner, who was kept.",
            keptOrgMembershipId === null ? "good" : "warn"
          )
          await reload(changes)
        }}
      >
        <ul className="people-consequences">
          <li>
            {plural(hold.count, "member")} of {hold.activeBefore} lose access at once, with their sessions, teams and
            grants.
          </li>
          <li>If the directory activates them again, they start without their earlier access.</li>
          <li>The last owner is kept. Other owners are removed only if you are an owner.</li>
        </ul>
      </Confirm>
    </>
  )
}

const Reject = ({ directoryId, hold }: PartProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button permission="scim:manage" onClick={() => setOpen(true)}>
        Reject the deactivations
      </Button>
      <Confirm
        title={`Keep ${plural(hold.count, "member")}`}
        action="Reject the deactivations"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.scim.rejectHold(directoryId, hold.id)
          notify("The members were kept.")
          await reload(changes)
        }}
      >
        <ul className="people-consequences">
          <li>The members keep their access, and their users become active again.</li>
          <li>The identity provider receives this with its next request. It may send the deactivations again.</li>
        </ul>
      </Confirm>
    </>
  )
}

const Pending = ({ directoryId, hold }: PartProps) => (
  <Section
    title={`${plural(hold.count, "deactivation")} of ${plural(hold.activeBefore, "active user")}`}
    actions={
      <>
        <Reject directoryId={directoryId} hold={hold} />
        <Approve directoryId={directoryId} hold={hold} />
      </>
    }
  >
    <Notice tone="warn" title="These members keep their access until you decide">
      <span>
        More than 5 members and more than 30% of the users were deactivated within an hour. The first one was held{" "}
        <Time at={hold.createdAt} />. Further deactivations are added here.
      </span>
    </Notice>
    <DataTable
      label="Users"
      columns={userColumns}
      queryKey={["scim", directoryId, "hold", hold.id]}
      load={(cursor, signal) =>
        client.scim.listHeldUsers(
          directoryId,
          hold.id,
          { limit: 50, ...(cursor === undefined ? {} : { cursor }) },
          { signal }
        )
      }
      idOf={({ scimUserId }) => scimUserId}
      empty={<Empty title="No user is held" />}
    />
  </Section>
)

const tones: Readonly<Record<ScimHold["status"], Tone>> = { pending: "warn", approved: "bad", rejected: "good" }

const holdColumns: ReadonlyArray<Column<ScimHold>> = [
  {
    name: "Decision",
    width: "90px",
    cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge>,
    sort: ({ status }) => status
  },
  { name: "Users", width: "minmax(0, 1fr)", cell: ({ count }) => count, sort: ({ count }) => count },
  {
    name: "Decided by",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ decidedBy }) => <Name kind="member" id={decidedBy} />
  },
  {
    name: "Decided",
    width: "110px",
    cell: ({ decidedAt }) => (decidedAt === null ? "" : <Time at={decidedAt} />),
    sort: ({ decidedAt }) => decidedAt
  }
]

export const Holds = ({ directoryId }: { readonly directoryId: string }) => {
  const pending = useQuery({
    queryKey: ["scim", directoryId, "pending"],
    queryFn: async ({ signal }) => {
      const { items } = await client.scim.listHolds(directoryId, { limit: 50 }, { signal })
      return items.find(({ status }) => status === "pending") ?? null
    }
  })
  return (
    <div className="stack">
      <Shown query={pending} lines={4}>
        {(hold) =>
          hold === null ? (
            <p className="muted">No deactivation waits for a decision.</p>
          ) : (
            <Pending directoryId={directoryId} hold={hold} />
          )
        }
      </Shown>
      <h2>All decisions</h2>
      <DataTable
        label="Decisions"
        columns={holdColumns}
        queryKey={["scim", directoryId, "holds"]}
        load={(cursor, signal) =>
          client.scim.listHolds(directoryId, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
        idOf={({ id }) => id}
        empty={
          <Empty title="Nothing was held yet">
            <p>
              If a directory deactivates more than 5 members and more than 30% of its users within an hour, further
              deactivations wait here.
            </p>
          </Empty>
        }
      />
    </div>
  )
}
