/** Removes the teams that are selected in the list, one after another. */
import type { Team } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { attempt, RunProgress, Summary, useRun } from "../../design/bulk.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { plural } from "../../design/text.ts"
import { Button } from "../../design/ui.tsx"

const namesShownMax = 8

/** What every removal of a team takes away. */
const TeamConsequences = ({ members }: { readonly members: number }) => (
  <ul className="people-consequences">
    <li>
      {members === 0
        ? "The team has no members."
        : `${plural(members, "membership")} in the team ${members === 1 ? "ends" : "end"}. The people stay in the organization.`}
    </li>
    <li>
      All grants to the team are revoked. Members who have no other way lose access to its plugins and connections.
    </li>
    <li>Assignments and desktop policies of the team no longer apply.</li>
    <li>A group of a SCIM directory can be removed only by the identity provider.</li>
  </ul>
)

export const TeamsBulk = ({ clear, teams }: { readonly teams: ReadonlyArray<Team>; readonly clear: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  const { outcome, progress, reset, run, stop } = useRun()
  const start = async () => {
    await run(teams, ({ id, name }, signal) => attempt(name, () => client.teams.remove(id, { signal })))
    await reload(["teams", "members", "access"])
  }
  const close = () => {
    stop()
    setOpen(false)
    if (outcome !== undefined) {
      reset()
      clear()
    }
  }
  const members = teams.reduce((sum, { memberCount }) => sum + memberCount, 0)
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Dialog title={`Remove ${plural(teams.length, "team")}`} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <p className="people-long">
              {teams
                .slice(0, namesShownMax)
                .map(({ name }) => name)
                .join(", ")}
              {teams.length > namesShownMax && ` and ${teams.length - namesShownMax} more`}
            </p>
            <TeamConsequences members={members} />
            <RunProgress label="Removing teams" progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button onClick={close}>Cancel</Button>
              <Button kind="danger" disabled={progress !== undefined} onClick={() => void start()}>
                Remove {plural(teams.length, "team")}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary outcome={outcome} done={`${plural(outcome.done, "team was", "teams were")} removed.`} />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}
