/** Resends or cancels the invitations that are selected in the list, one after another. */
import type { Invitation } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { attempt, RunProgress, Summary, useRun } from "../../design/bulk.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { plural } from "../../design/text.ts"
import { Button } from "../../design/ui.tsx"

const selectedMax = 500

interface PartProps {
  readonly invitations: ReadonlyArray<Invitation>
  readonly clear: () => void
}

const Run = ({
  about,
  action,
  clear,
  done,
  invitations,
  isDangerous = false,
  label,
  work
}: PartProps & {
  readonly label: string
  readonly action: string
  readonly about: string
  /** What happened, after the number of invitations. */
  readonly done: readonly [one: string, many: string]
  readonly isDangerous?: boolean
  readonly work: (invitation: Invitation, signal: AbortSignal) => Promise<unknown>
}) => {
  const [isOpen, setOpen] = useState(false)
  const { progress, outcome, reset, run, stop } = useRun()
  const pending = invitations.filter(({ status }) => status === "pending").slice(0, selectedMax)
  const start = async () => {
    await run(pending, (each, signal) => attempt(each.email, () => work(each, signal)))
    await reload(["invitations"])
  }
  const close = () => {
    stop()
    setOpen(false)
    if (outcome !== undefined) {
      reset()
      clear()
    }
  }
  const others = invitations.length - pending.length
  return (
    <>
      <Button kind={isDangerous ? "danger" : "plain"} disabled={pending.length === 0} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={`${action}: ${plural(pending.length, "invitation")}`} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <p>{about}</p>
            {others > 0 && (
              <p className="muted">
                {plural(others, "other selected invitation")} will not change: only pending ones can.
              </p>
            )}
            <RunProgress label={action} progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button
                kind={isDangerous ? "danger" : "primary"}
                disabled={progress !== undefined}
                onClick={() => void start()}
              >
                {action} {plural(pending.length, "invitation")}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary outcome={outcome} done={`${plural(outcome.done, ...done)}.`} />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}

export const InvitationsBulk = (props: PartProps) => (
  <>
    <Run
      {...props}
      label="Resend"
      action="Resend"
      about="Each person receives a new link, which is valid for seven days. The link of the earlier email stops working."
      done={["invitation was sent again", "invitations were sent again"]}
      work={({ id }, signal) => client.invitations.resend(id, { signal })}
    />
    <Run
      {...props}
      isDangerous
      label="Cancel"
      action="Cancel"
      about="The links stop working at once. You can invite the same people again."
      done={["invitation was canceled", "invitations were canceled"]}
      work={({ id }, signal) => client.invitations.cancel(id, { signal })}
    />
  </>
)
