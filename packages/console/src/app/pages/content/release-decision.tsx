/** Approving and rejecting releases, each by the digest that was reviewed. */
import type { PluginRelease } from "@orgplane/client"
import { type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { TextArea } from "../../design/fields.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Button, Field, Notice } from "../../design/ui.tsx"
import { Reach } from "./release-reach.tsx"
import { filled } from "./words.ts"

type Decided = Pick<PluginRelease, "digest" | "id" | "name" | "number" | "state">

const changes = ["approvals", "plugins", "rollouts"]

const inputOf = (releases: ReadonlyArray<Decided>) =>
  releases.flatMap(({ digest, id }) => (digest === null ? [] : [{ releaseId: id, digest }]))

export const DecisionDialog = ({
  children,
  kind,
  onClose,
  onDone,
  releases
}: {
  readonly kind: "approve" | "reject"
  readonly releases: ReadonlyArray<Decided>
  readonly onClose: () => void
  readonly onDone?: () => void
  /** The consequences. */
  readonly children: ReactNode
}) => {
  const [comment, setComment] = useState("")
  const [startsAt, setStartsAt] = useState("")
  const what = releases.length === 1 ? "the release" : plural(releases.length, "release")
  const submit = async () => {
    const decided = inputOf(releases)
    if (kind === "reject") await client.approvals.reject({ releases: decided, comment: comment.trim() })
    else {
      await client.approvals.approve({
        releases: decided,
        comment: filled(comment),
        startsAt: startsAt === "" ? undefined : new Date(startsAt).toISOString()
      })
    }
    onDone?.()
  }
  return (
    <FormDialog
      title={kind === "approve" ? `Approve ${what}?` : `Reject ${what}?`}
      action={kind === "approve" ? `Approve ${what}` : `Reject ${what}`}
      done={kind === "approve" ? `Approved: ${what}.` : `Rejected: ${what}.`}
      changes={changes}
      isOpen
      onClose={onClose}
      fields={["comment", "startsAt"]}
      submit={submit}
    >
      {(problem) => (
        <>
          {children}
          <TextArea
            label={kind === "reject" ? "Reason" : "Comment (optional)"}
            hint={kind === "reject" ? "For the maintainers of the plugin." : "Kept with the release."}
            rows={3}
            required={kind === "reject"}
            maxLength={2000}
            value={comment}
            problem={problem("comment")}
            onChange={({ target }) => setComment(target.value)}
          />
          {kind === "approve" && (
            <Field
              label="Start (optional)"
              hint="Members receive it from then on, ring by ring. Default: at once."
              type="datetime-local"
              value={startsAt}
              problem={problem("startsAt")}
              onChange={({ target }) => setStartsAt(target.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

export const ReleaseDecision = ({ release }: { readonly release: PluginRelease }) => {
  const [kind, setKind] = useState<"approve" | "reject">()
  const isOpen = release.state === "pending" || release.state === "rejected"
  if (!isOpen) return null
  if (release.digest === null) return <Badge>its digest is computed</Badge>
  return (
    <>
      <Button kind="primary" permission="approvals:write" onClick={() => setKind("approve")}>
        Approve
      </Button>
      {release.state === "pending" && (
        <Button permission="approvals:write" onClick={() => setKind("reject")}>
          Reject
        </Button>
      )}
      {kind !== undefined && (
        <DecisionDialog kind={kind} releases={[release]} onClose={() => setKind(undefined)}>
          {kind === "reject" ? (
            <p>
              Members keep the release that is served. You can still approve this one until the plugin changes again.
            </p>
          ) : (
            <>
              {release.approvalsRequired > 1 && (
                <Notice title={`${release.approvals} of ${release.approvalsRequired} approvals`}>
                  <span>The release waits until enough members have approved it.</span>
                </Notice>
              )}
              <p>Members receive the release that you reviewed, ring by ring:</p>
              <Reach releaseId={release.id} />
            </>
          )}
        </DecisionDialog>
      )}
    </>
  )
}
