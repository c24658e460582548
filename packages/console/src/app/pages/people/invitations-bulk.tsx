/** Resends or cancels the invitations that are selected in the list, one after another. */
import type { Invitation } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { plural } from "../../design/text.ts"

interface PartProps {
  readonly invitations: ReadonlyArray<Invitation>
  readonly clear: () => void
}

const Run = ({
  about,
  clear,
  invitations,
  ...change
}: PartProps & {
  readonly action: string
  readonly done: string
  readonly about: string
  readonly isDangerous?: boolean
  readonly work: (invitation: Invitation) => Promise<unknown>
}) => {
  const pending = invitations.filter(({ status }) => status === "pending")
  const others = invitations.length - pending.length
  return (
    <BulkButton
      {...change}
      nouns={["invitation", "invitations"]}
      rows={pending}
      clear={clear}
      nameOf={({ email }) => email}
      changes={["invitations"]}
      consequences={
        <>
          <p>{about}</p>
          {others > 0 && (
            <p className="muted">
              {plural(others, "other selected invitation")} {others === 1 ? "is" : "are"} not changed, because only
              pending invitations can be.
            </p>
          )}
        </>
      }
    />
  )
}

export const InvitationsBulk = (props: PartProps) => (
  <>
    <Run
      {...props}
      action="Resend"
      done="sent again"
      about="Each person receives a new link, which is valid for seven days. The link of the earlier email stops working."
      work={({ id }) => client.invitations.resend(id)}
    />
    <Run
      {...props}
      action="Cancel"
      done="canceled"
      isDangerous
      about="The links stop working at once. You can invite the same people again."
      work={({ id }) => client.invitations.cancel(id)}
    />
  </>
)
