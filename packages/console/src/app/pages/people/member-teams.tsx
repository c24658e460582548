/**
 * The teams of a member. The API lists the members of a team, not the teams of a member, so a team is chosen first and
 * then looked up.
 */
import type { Member } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { ActionButton } from "../../design/action.tsx"
import { Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { memberName, NameLink, teamOptions, useTeams } from "./names.tsx"

const InTeam = ({ member, teamId }: { readonly member: Member; readonly teamId: string }) => {
  const found = useQuery({
    queryKey: ["teams", teamId, "has", member.id],
    queryFn: async ({ signal }) => {
      const q = member.email ?? member.name
      const members = client.members.list({ teamId, limit: 100, ...(q === null ? {} : { q }) }, { signal })
      return (await members.take(1000)).some(({ id }) => id === member.id)
    }
  })
  const changes = ["teams", "members"]
  return (
    <Shown query={found} lines={1}>
      {(isIn) =>
        isIn ? (
          <div className="row">
            <span>{memberName(member)} is in this team.</span>
            <ActionButton
              permission="teams:write"
              kind="danger"
              done={`${memberName(member)} was removed from the team.`}
              changes={changes}
              work={() => client.teams.removeMember(teamId, member.id)}
            >
              Remove from the team
            </ActionButton>
          </div>
        ) : (
          <div className="row">
            <span>{memberName(member)} is not in this team.</span>
            <ActionButton
              permission="teams:write"
              done={`${memberName(member)} was added to the team.`}
              changes={changes}
              work={() => client.teams.addMember(teamId, member.id)}
            >
              Add to the team
            </ActionButton>
          </div>
        )
      }
    </Shown>
  )
}

export const MemberTeams = ({ member }: { readonly member: Member }) => {
  const teams = useTeams()
  const [teamId, setTeamId] = useState("")
  return (
    <Section title="Teams">
      {teams.length === 0 ? (
        <p className="muted">
          There are no teams yet. <NameLink to="/teams">Create a team</NameLink>
        </p>
      ) : (
        <>
          <SelectField
            label="Team"
            options={[["", "Choose a team…"], ...teamOptions(teams)]}
            value={teamId}
            onChange={({ target }) => setTeamId(target.value)}
          />
          {teamId !== "" && <InTeam key={teamId} member={member} teamId={teamId} />}
        </>
      )}
    </Section>
  )
}
