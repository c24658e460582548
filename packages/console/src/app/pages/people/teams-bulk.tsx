/** Removes the teams that are selected in the list, one after another. */
import type { Team } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { impactsMax } from "../../design/impacts.tsx"
import { firstNames } from "../../design/text.ts"
import { namedMax, TeamsRemoval } from "./removal-bulk.tsx"
import "./people.css"

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
          {firstNames(
            teams.map(({ name }) => name),
            namedMax
          )}
        </p>
        <TeamsRemoval teams={teams} />
        <p>It cannot be undone.</p>
      </>
    }
  />
)
