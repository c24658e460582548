/** The teams of a member, and the changes of them. */
import type { Member, Team } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { ActionButton, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Button } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { choicesMax, teamOptions, useTeams } from "./choices.tsx"
import { LeavesTeam } from "./removal.tsx"

const changes = ["teams", "members", "access"]

const useTeamsOf = (orgMembershipId: string) =>
  useQuery({
    queryKey: ["teams", "of", orgMembershipId],
    queryFn: ({ signal }) => client.teams.list({ orgMembershipId, limit: 100 }, { signal }).take(choicesMax)
  })

const TeamNames = ({ member, teams }: { readonly member: Member; readonly teams: ReadonlyArray<Team> }) => {
  const [left, setLeft] = useState<Team>()
  return (
    <>
      <ul className="facts people-rows" aria-label="Teams of the member">
        {teams.map((team) => (
          <li key={team.id} className="row spread">
            <span className="people-name">
              <NameLink to={`/teams/${team.id}`}>{team.name}</NameLink>
            </span>
            <Button permission="teams:write" kind="quiet" onClick={() => setLeft(team)}>
              Remove<span className="visually-hidden"> from {team.name}</span>
            </Button>
          </li>
        ))}
      </ul>
      {left !== undefined && (
        <Confirm
          title={`Remove ${memberName(member)} from ${left.name}`}
          action="Remove from the team"
          isOpen
          onClose={() => setLeft(undefined)}
          confirm={async () => {
            await client.teams.removeMember(left.id, member.id)
            notify(`${memberName(member)} was removed from ${left.name}.`)
            void reload(changes)
          }}
        >
          <LeavesTeam id={left.id} />
        </Confirm>
      )}
    </>
  )
}

const AddToTeam = ({ member, teams }: { readonly member: Member; readonly teams: ReadonlyArray<Team> }) => {
  const [teamId, setTeamId] = useState("")
  // A team that the member has joined is no longer among the choices.
  const team = teams.find(({ id }) => id === teamId)
  return (
    <>
      <SelectField
        label="Add to a team"
        options={[["", "Choose a team…"], ...teamOptions(teams)]}
        value={team?.id ?? ""}
        onChange={({ target }) => setTeamId(target.value)}
      />
      {team !== undefined && (
        <div className="row">
          <span className="muted">They get the access, assignments and policies of the team.</span>
          <ActionButton
            permission="teams:write"
            kind="primary"
            done={`${memberName(member)} was added to ${team.name}.`}
            changes={changes}
            work={() => client.teams.addMember(team.id, member.id)}
          >
            Add to the team
          </ActionButton>
        </div>
      )}
    </>
  )
}

export const MemberTeams = ({ member }: { readonly member: Member }) => {
  const teams = useTeams()
  return (
    <Section title="Teams">
      <Shown query={useTeamsOf(member.id)} lines={2}>
        {(own) => {
          const others = teams.filter(({ id }) => !own.some((each) => each.id === id))
          return (
            <>
              {own.length > 0 ? (
                <TeamNames member={member} teams={own} />
              ) : (
                <p className="muted">
                  {teams.length > 0 ? (
                    "In no team yet."
                  ) : (
                    <>
                      There are no teams yet. <NameLink to="/teams">Create a team</NameLink>
                    </>
                  )}
                </p>
              )}
              {others.length > 0 && <AddToTeam member={member} teams={others} />}
            </>
          )
        }}
      </Shown>
    </Section>
  )
}
