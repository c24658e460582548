/** An invitation: what it gives, and its end. */
import type { Invitation } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { ActionButton, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Badge, Button, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { statusTones } from "./invitations.tsx"
import { RoleBadge } from "./choices.tsx"
import { PageShown } from "./page-shown.tsx"
import "./people.css"

const Actions = ({ invitation }: { readonly invitation: Invitation }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton
        permission="invitations:write"
        done={`A new link was sent to ${invitation.email}.`}
        changes={["invitations"]}
        work={() => client.invitations.resend(invitation.id)}
      >
        Resend
      </ActionButton>
      <Button permission="invitations:write" kind="danger" onClick={() => setOpen(true)}>
        Cancel
      </Button>
      <Confirm
        title={`Cancel the invitation of ${invitation.email}`}
        action="Cancel the invitation"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.invitations.cancel(invitation.id)
          await reload(["invitations"])
        }}
      >
        <p className="people-long">The link stops working at once. You can invite the same person again.</p>
      </Confirm>
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("invitationId")
  const query = useQuery({
    queryKey: ["invitations", id],
    queryFn: ({ signal }) => client.invitations.get(id, { signal })
  })
  return (
    <PageShown query={query} title="Invitation">
      {(invitation) => (
        <>
          <PageHeader
            title={`Invitation of ${invitation.email}`}
            actions={invitation.status === "pending" ? <Actions invitation={invitation} /> : undefined}
          />
          <Section title="Invitation">
            <Facts
              rows={[
                [
                  "Status",
                  <Badge key="status" tone={statusTones[invitation.status]}>
                    {invitation.status}
                  </Badge>
                ],
                ["Role", <RoleBadge key="role" role={invitation.role} />],
                [
                  "Teams",
                  invitation.teamIds.length === 0 ? null : (
                    <span className="row" key="teams">
                      {invitation.teamIds.map((teamId) => (
                        <Name kind="team" key={teamId} id={teamId} />
                      ))}
                    </span>
                  )
                ],
                ["Invited by", <Name kind="member" key="by" id={invitation.createdByOrgMembershipId} />],
                ["Sent", <Time key="sent" at={invitation.createdAt} />],
                invitation.acceptedAt === null
                  ? ["Valid until", <Time key="until" at={invitation.expiresAt} />]
                  : ["Accepted", <Time key="accepted" at={invitation.acceptedAt} />],
                ["ID", <code key="id">{invitation.id}</code>]
              ]}
            />
          </Section>
        </>
      )}
    </PageShown>
  )
}
