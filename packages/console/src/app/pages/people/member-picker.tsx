/** Adds several members to a team. */
import type { Member, Team } from "@orgplane/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { attempt, RunProgress, Summary, useRun } from "../../design/bulk.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Checkbox } from "../../design/fields.tsx"
import { plural } from "../../design/text.ts"
import { Button, Failure, Field, Skeleton } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"

const shownMax = 50

const useCandidates = (team: Team, text: string, isOpen: boolean) =>
  useQuery({
    queryKey: ["members", "candidates", team.id, text],
    queryFn: async ({ signal }) => {
      const q = text === "" ? {} : { q: text }
      const [all, present] = await Promise.all([
        client.members.list({ limit: shownMax, ...q }, { signal }),
        client.members.list({ limit: 100, teamId: team.id, ...q }, { signal }).take(1000)
      ])
      const ids = new Set(present.map(({ id }) => id))
      return {
        members: all.items.map((member) => ({ member, isPresent: ids.has(member.id) })),
        hasMore: all.nextCursor !== null
      }
    },
    enabled: isOpen,
    placeholderData: keepPreviousData
  })

export const MemberPicker = ({
  isOpen,
  onClose,
  team
}: {
  readonly team: Team
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState<ReadonlyMap<string, Member>>(new Map())
  const q = useDeferredValue(text.trim())
  const candidates = useCandidates(team, q, isOpen)
  const { outcome, progress, reset, run, stop } = useRun()

  const toggle = (member: Member, isChosen: boolean) => {
    const next = new Map(chosen)
    if (isChosen) next.set(member.id, member)
    else next.delete(member.id)
    setChosen(next)
  }
  const start = async () => {
    await run([...chosen.values()], (member) =>
      attempt(memberName(member), () => client.teams.addMember(team.id, member.id))
    )
    await reload(["teams", "members", "access"])
  }
  const close = () => {
    // The summary follows.
    if (progress !== undefined) return stop()
    reset()
    setChosen(new Map())
    setText("")
    onClose()
  }
  return (
    <Dialog
      title={`Add members to ${team.name}`}
      description="They get the access, assignments and policies of the team."
      isOpen={isOpen}
      onClose={close}
    >
      {outcome !== undefined ? (
        <>
          <Summary outcome={outcome} done={`${plural(outcome.done, "member was", "members were")} added.`} />
          <div className="row dialog-actions">
            <Button onClick={close}>Done</Button>
          </div>
        </>
      ) : (
        <>
          <Field
            label="Search by name or email address"
            type="search"
            maxLength={100}
            autoComplete="off"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <div className="people-picker" role="group" aria-label="Members">
            {candidates.isError ? (
              <Failure error={candidates.error} />
            ) : candidates.data === undefined ? (
              <Skeleton height={120} />
            ) : candidates.data.members.length === 0 ? (
              <p className="muted">No member matches.</p>
            ) : (
              candidates.data.members.map(({ isPresent, member }) => (
                <Checkbox
                  key={member.id}
                  label={memberName(member)}
                  hint={isPresent ? "Already in the team" : (member.email ?? "")}
                  isChecked={isPresent || chosen.has(member.id)}
                  isDisabled={isPresent}
                  onChange={(isChosen) => toggle(member, isChosen)}
                />
              ))
            )}
            {candidates.data?.hasMore === true && (
              <p className="muted">The first {shownMax} are shown. Search to see others.</p>
            )}
          </div>
          <RunProgress label="Adding members" progress={progress} stop={stop} />
          <div className="row dialog-actions">
            <Button kind="primary" disabled={chosen.size === 0 || progress !== undefined} onClick={() => void start()}>
              {chosen.size === 0 ? "Add members" : `Add ${plural(chosen.size, "member")}`}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
