/** Removes the teams that are selected in the list, one after another. */
import type { Team } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { plural } from "../../design/text.ts"
import "./people.css"

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

export const TeamsBulk = ({ clear, teams }: { readonly teams: ReadonlyArray<Team>; readonly clear: () => void }) => (
  <BulkButton
    action="Remove"
    done="removed"
    isDangerous
    nouns={["team", "teams"]}
    rows={teams}
    clear={clear}
    nameOf={({ name }) => name}
    changes={["teams", "members", "access"]}
    work={({ id }, signal) => client.teams.remove(id, { signal })}
    consequences={
      <>
        <p className="people-long">
          {teams
            .slice(0, namesShownMax)
            .map(({ name }) => name)
            .join(", ")}
          {teams.length > namesShownMax && ` and ${teams.length - namesShownMax} more`}
        </p>
        <TeamConsequences members={teams.reduce((sum, { memberCount }) => sum + memberCount, 0)} />
      </>
    }
  />
)
