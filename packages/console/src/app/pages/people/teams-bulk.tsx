/** Removes the teams that are selected in the list, one after another. */
import type { Team } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { impactsMax } from "../../design/impacts.tsx"
import { TeamsRemoval } from "./removal-bulk.tsx"
import "./people.css"

const namesShownMax = 8

export const TeamsBulk = ({ clear, teams }: { readonly teams: ReadonlyArray<Team>; readonly clear: () => void }) => (
  <BulkButton
    action="Remove"
    done="removed"
    isDangerous
    nouns={["team", "teams"]}
    rows={teams}
    max={impactsMax}
    clear={clear}
    nameOf={({ name }) => name}
    changes={["teams", "members", "access"]}
    work={({ id }) => client.teams.remove(id)}
    consequences={
      <>
        <p className="people-long">
          {teams
            .slice(0, namesShownMax)
            .map(({ name }) => name)
            .join(", ")}
          {teams.length > namesShownMax && ` and ${teams.length - namesShownMax} more`}
        </p>
        <TeamsRemoval teams={teams} />
        <p>It cannot be undone.</p>
      </>
    }
  />
)
