/** Removes the teams that are selected in the list, one after another. */
import type { Team } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { attempt, RunProgress, Summary, useRun } from "../../design/bulk.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { WithinImpactsMax } from "../../design/impacts.tsx"
import { ReadsProvider, usePendingReads } from "../../design/pending.ts"
import { plural } from "../../design/text.ts"
import { Button } from "../../design/ui.tsx"
import { TeamsRemoval } from "./removal-bulk.tsx"

const namesShownMax = 8

export const TeamsBulk = ({ clear, teams }: { readonly teams: ReadonlyArray<Team>; readonly clear: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  const { isReading, report } = usePendingReads()
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
  return (
    <>
      <WithinImpactsMax action="Remove" count={teams.length}>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Remove
        </Button>
      </WithinImpactsMax>
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
            <ReadsProvider value={report}>
              <TeamsRemoval teams={teams} />
            </ReadsProvider>
            <RunProgress label="Removing teams" progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button onClick={close}>Cancel</Button>
              <Button kind="danger" disabled={isReading || progress !== undefined} onClick={() => void start()}>
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
