/** What a person can do with a rollout. Each action shows what it changes, before it is done. */
import type { DeliveryStatus, RolloutDetails, RolloutPreview } from "@orgplane/client"
import { type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { TextArea } from "../../design/fields.tsx"
import { localTime, plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Button, Field } from "../../design/ui.tsx"
import { PreviewConfirm } from "../../design/preview-dialog.tsx"
import { Reach } from "./rings-preview.tsx"
import { isOpenState } from "./rollout-parts.tsx"

const changes = ["rollouts", "delivery", "approvals"]

interface Context {
  readonly rollout: RolloutDetails
  /** Whom each ring reaches, once it is known. */
  readonly preview: RolloutPreview | undefined
  /** Where the release is installed, once it is known. */
  readonly status: DeliveryStatus | undefined
}

const reached = ({ preview, rollout }: Context, ring: string | undefined): string => {
  const each = preview?.rings.find(({ name }) => name === ring)
  return each === undefined
    ? `The members of ${ring ?? rollout.pluginName}`
    : `${plural(each.enabledCount, "member")} with ${plural(each.deviceCount, "device")}`
}

const installed = ({ status }: Context): string =>
  status === undefined ? "Devices" : plural(status.installations.running, "device")

/** A change with a comment, which the rollout shows. */
const CommentDialog = ({
  action,
  children,
  done,
  isOpen,
  isRequired,
  onClose,
  submit,
  title
}: {
  readonly title: string
  readonly action: string
  readonly done: string
  readonly isOpen: boolean
  readonly isRequired: boolean
  readonly onClose: () => void
  readonly submit: (comment: string) => Promise<unknown>
  readonly children: ReactNode
}) => {
  const [comment, setComment] = useState("")
  return (
    <FormDialog
      title={title}
      action={action}
      done={done}
      changes={changes}
      isOpen={isOpen}
      onClose={onClose}
      submit={() => submit(comment.trim())}
      fields={["comment"]}
    >
      {(problem) => (
        <>
          <div className="stack">{children}</div>
          <TextArea
            label={isRequired ? "Reason" : "Reason (optional)"}
            hint="Everyone who can see the rollout sees the reason."
            rows={3}
            required={isRequired}
            maxLength={1000}
            value={comment}
            onChange={({ target }) => setComment(target.value)}
            problem={problem("comment")}
          />
        </>
      )}
    </FormDialog>
  )
}

const ScheduleDialog = ({
  isOpen,
  onClose,
  rollout: { id, startsAt }
}: {
  readonly rollout: RolloutDetails
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const [value, setValue] = useState(localTime(startsAt))
  return (
    <FormDialog
      title="Schedule the start"
      description="If a freeze applies at this time, the rollout starts when the freeze ends."
      action="Save the start"
      done="The start was changed."
      changes={changes}
      isOpen={isOpen}
      onClose={onClose}
      submit={() => client.rollouts.schedule(id, { startsAt: value === "" ? null : new Date(value).toISOString() })}
      fields={["startsAt"]}
    >
      {(problem) => (
        <Field
          label="Start"
          type="datetime-local"
          value={value}
          onChange={({ target }) => setValue(target.value)}
          hint="In your time zone. Without a time, it starts as soon as no freeze applies."
          problem={problem("startsAt")}
        />
      )}
    </FormDialog>
  )
}

type Action = "again" | "promote" | "start" | "pause" | "resume" | "rollBack" | "release" | "schedule" | "withdraw"

export const Actions = (context: Context) => {
  const { rollout } = context
  const { digest, id, pluginId, pluginName, releaseId, ring, rings, state } = rollout
  const [open, setOpen] = useState<Action>()
  const close = () => setOpen(undefined)
  const next = rings.find((each) => each.state === "waiting")?.name
  const isStarted = ring !== null
  const withdraw = async (comment: string) => {
    if (digest === null) return
    await client.rollouts.withdraw({ pluginId, digest, comment })
  }
  return (
    <>
      {state === "active" && ring !== null && next !== undefined && (
        <Button kind="primary" permission="rollouts:write" onClick={() => setOpen("promote")}>
          Start {next} now
        </Button>
      )}
      {state === "scheduled" && (
        <>
          <Button kind="primary" permission="rollouts:write" onClick={() => setOpen("start")}>
            Start now
          </Button>
          <Button permission="rollouts:write" onClick={() => setOpen("schedule")}>
            Schedule
          </Button>
        </>
      )}
      {state === "paused" && (
        <Button kind="primary" permission="rollouts:write" onClick={() => setOpen("resume")}>
          Resume
        </Button>
      )}
      {isOpenState(state) && (
        <Button permission="rollouts:write" onClick={() => setOpen("pause")}>
          {state === "paused" ? "Change the reason" : "Pause"}
        </Button>
      )}
      {(isOpenState(state) || state === "completed") && (
        <Button kind="danger" permission="rollouts:write" onClick={() => setOpen("rollBack")}>
          Roll back
        </Button>
      )}
      {isOpenState(state) && (
        <Button permission="rollouts:manage" onClick={() => setOpen("release")}>
          Release to everyone
        </Button>
      )}
      {!isOpenState(state) && state !== "completed" && (
        <Button permission="rollouts:write" onClick={() => setOpen("again")}>
          Roll out again
        </Button>
      )}
      {digest !== null && state !== "cancelled" && state !== "rolled_back" && (
        <Button kind="danger" permission="rollouts:manage" onClick={() => setOpen("withdraw")}>
          Withdraw the release
        </Button>
      )}

      <ConfirmStep
        title={`Start ${next ?? "the next ring"} now?`}
        action={`Start ${next ?? "the next ring"}`}
        done="The ring was started."
        isOpen={open === "promote"}
        onClose={close}
        work={() => client.rollouts.promote(id, { ring: ring ?? "" })}
      >
        <p>
          {reached(context, next)} get the release with their next poll. The rest of the soak time of {ring} is skipped,
          and a freeze does not stop it.
        </p>
        {next === rings.at(-1)?.name && <p>It is the last ring: the rollout is then completed.</p>}
      </ConfirmStep>
      <ConfirmStep
        title="Start the rollout now?"
        action="Start now"
        done="The rollout was started."
        isOpen={open === "start"}
        onClose={close}
        work={() => client.rollouts.start(id)}
      >
        <p>{reached(context, rings[0]?.name)} get the release with their next poll, even during a freeze.</p>
      </ConfirmStep>
      <ConfirmStep
        title="Resume the rollout?"
        action="Resume"
        done="The rollout was resumed."
        isOpen={open === "resume"}
        onClose={close}
        work={() => client.rollouts.resume(id)}
      >
        <p>
          The soak time of the current ring starts again. Results until now no longer count; later results can pause it
          again.
        </p>
      </ConfirmStep>
      <PreviewConfirm
        title="Roll out the release again?"
        action="Roll out again"
        done="A new rollout of the release was started."
        changes={changes}
        isOpen={open === "again"}
        onClose={close}
        // Not below "rollouts": the new rollout would load it again.
        queryKey={["rollout-preview", releaseId]}
        simulate={(signal) => client.rollouts.preview({ releaseId }, { signal })}
        preview={(preview) => <Reach preview={preview} />}
        work={() => client.rollouts.create({ releaseId })}
      >
        <p>
          A new rollout of the release starts, as soon as no freeze applies. The rollout of the plugin that is open, if
          there is one, ends.
        </p>
      </PreviewConfirm>
      <ScheduleDialog rollout={rollout} isOpen={open === "schedule"} onClose={close} />
      <CommentDialog
        title="Pause the rollout"
        action="Pause the rollout"
        done="The rollout is paused."
        isOpen={open === "pause"}
        isRequired={false}
        onClose={close}
        submit={(comment) => client.rollouts.pause(id, comment === "" ? {} : { comment })}
      >
        <p>
          {isStarted ? `The rings up to ${ring} keep the release. ` : ""}No further ring starts until someone resumes
          it.
        </p>
      </CommentDialog>
      <CommentDialog
        title="Roll back"
        action="Roll back the release"
        done="The rollout was rolled back."
        isOpen={open === "rollBack"}
        isRequired
        onClose={close}
        submit={(comment) => client.rollouts.rollBack(id, { comment })}
      >
        <p>
          {rollout.previousReleaseId === null
            ? "No release was served before: members no longer receive the plugin."
            : "Everyone gets the release that was served before."}{" "}
          {installed(context)} that run this release change back with their next poll.
        </p>
      </CommentDialog>
      <CommentDialog
        title="Release to everyone now"
        action="Release to everyone"
        done="The release reaches everyone."
        isOpen={open === "release"}
        isRequired
        onClose={close}
        submit={(comment) => client.rollouts.release(id, { comment })}
      >
        <p>
          For emergencies. It skips all rings, soak times, freezes and a pause. Owners and admins get an email with the
          reason.
        </p>
        <p>{reached(context, rings.at(-1)?.name)} in the last ring, and all members of the rings before, get it.</p>
      </CommentDialog>
      <CommentDialog
        title={`Withdraw ${pluginName} ${rollout.version ?? ""}`}
        action="Withdraw the release"
        done="The release was withdrawn."
        isOpen={open === "withdraw"}
        isRequired
        onClose={close}
        submit={withdraw}
      >
        <p>
          The release is removed from the desired states of all members at once. {installed(context)} run it now. Pins
          of the release are removed, and its rollouts are canceled.
        </p>
        <p>
          The previous release that was served to everyone is served again. If there is none, members do not receive the
          plugin.
        </p>
      </CommentDialog>
    </>
  )
}

const ConfirmStep = ({
  action,
  children,
  done,
  isOpen,
  onClose,
  title,
  work
}: {
  readonly title: string
  readonly action: string
  readonly done: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly work: () => Promise<unknown>
  readonly children: ReactNode
}) => (
  <Confirm
    title={title}
    action={action}
    isOpen={isOpen}
    onClose={onClose}
    confirm={async () => {
      await work()
      notify(done)
      void reload(changes)
    }}
  >
    {children}
  </Confirm>
)
