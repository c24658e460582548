/** What the removal of several members or teams ends, as the API counts it for each of them. */
import type { Member, MemberImpact, Team, TeamImpact } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { Impacts } from "../../design/impacts.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { firstNames, plural } from "../../design/text.ts"
import { Notice } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { type CountsOf, Lines, memberLines, objectPages, teamLines } from "./removal.tsx"

/** Members or teams that are named in a confirmation. */
export const namedMax = 8
const objectsMax = 50

type EndingObject = MemberImpact["objects"][number] & { readonly memberCount?: number }

const memberCounts = (impacts: ReadonlyArray<MemberImpact>): CountsOf<MemberImpact> => {
  const sum = (count: (impact: MemberImpact) => number) => impacts.reduce((total, each) => total + count(each), 0)
  return {
    teamCount: sum(({ teamCount }) => teamCount),
    grantCount: sum(({ grantCount }) => grantCount),
    assignmentCount: sum(({ assignmentCount }) => assignmentCount),
    desktopPolicyCount: sum(({ desktopPolicyCount }) => desktopPolicyCount),
    deviceCount: sum(({ deviceCount }) => deviceCount),
    sessionCount: sum(({ sessionCount }) => sessionCount),
    connectionCount: sum(({ connectionCount }) => connectionCount),
    workerCount: sum(({ workerCount }) => workerCount),
    workerTokenCount: sum(({ workerTokenCount }) => workerTokenCount),
    invitationCount: sum(({ invitationCount }) => invitationCount),
    apiKeyCount: sum(({ apiKeyCount }) => apiKeyCount)
  }
}

const teamCounts = (impacts: ReadonlyArray<TeamImpact>): CountsOf<TeamImpact> => {
  const sum = (count: (impact: TeamImpact) => number) => impacts.reduce((total, each) => total + count(each), 0)
  return {
    memberCount: sum(({ memberCount }) => memberCount),
    grantCount: sum(({ grantCount }) => grantCount),
    assignmentCount: sum(({ assignmentCount }) => assignmentCount),
    desktopPolicyCount: sum(({ desktopPolicyCount }) => desktopPolicyCount),
    invitationCount: sum(({ invitationCount }) => invitationCount)
  }
}

const Managed = ({ names, noun }: { readonly names: ReadonlyArray<string>; readonly noun: string }) =>
  names.length === 0 ? null : (
    <Notice tone="warn" title={`SCIM manages ${names.length} of these ${noun}s`}>
      <span>Only your identity provider can remove {firstNames(names, namedMax)}.</span>
    </Notice>
  )

/** The objects of all grants that end, each once, with the most members that one of the grants alone gives access. */
const distinct = (objects: ReadonlyArray<EndingObject>): ReadonlyArray<EndingObject> => {
  const byId = new Map<string, EndingObject>()
  for (const object of objects) {
    const known = byId.get(object.id)
    if (known === undefined || (object.memberCount ?? 0) > (known.memberCount ?? 0)) byId.set(object.id, object)
  }
  return [...byId.values()]
}

const Objects = ({
  grantCount,
  objects
}: {
  readonly grantCount: number
  readonly objects: ReadonlyArray<EndingObject>
}) => {
  const shown = distinct(objects)
  const hidden = grantCount - objects.length
  return grantCount === 0 ? null : (
    <section className="stack" aria-label="Access that ends">
      <h3>{plural(grantCount, "grant")} will be revoked</h3>
      <ul className="facts people-ending">
        {shown.slice(0, objectsMax).map(({ id, kind, memberCount = 0, name }) => (
          <li key={id}>
            <span className="people-name">
              <NameLink to={`${objectPages[kind][0]}/${id}`}>{name}</NameLink>
            </span>{" "}
            <span className="muted">
              {objectPages[kind][1]}
              {memberCount > 0 &&
                `, at least ${plural(memberCount, "member")} ${memberCount === 1 ? "loses access or keeps" : "lose access or keep"} a lower role`}
            </span>
          </li>
        ))}
        {shown.length > objectsMax && (
          <li className="muted">{plural(shown.length - objectsMax, "other object")} not shown</li>
        )}
        {hidden > 0 && <li className="muted">{plural(hidden, "other grant")} not shown</li>}
      </ul>
    </section>
  )
}

const shared = "Items that several of them share, such as an assignment, are counted more than once."

export const MembersRemoval = ({ members }: { readonly members: ReadonlyArray<Member> }) => (
  <Impacts name="members" rows={members} impactOf={({ id }, signal) => client.members.impact(id, { signal })}>
    {(impacts) => {
      const counts = memberCounts(impacts.map(([, impact]) => impact))
      const managed = impacts.filter(([, { managedByScim }]) => managedByScim)
      return (
        <>
          <Managed noun="member" names={managed.map(([member]) => memberName(member))} />
          <Lines
            lines={[
              ...memberLines(counts),
              ...(counts.apiKeyCount === 0
                ? []
                : [
                    `${plural(counts.apiKeyCount, "API key")} that they created ${counts.apiKeyCount === 1 ? "keeps" : "keep"} working. To also revoke the API keys, remove each member on the member's own page.`
                  ]),
              "Plugins, marketplaces and other content that they created stay. Everything else is not restored if they join again."
            ]}
          />
          {members.length > 1 && <p className="muted">{shared}</p>}
          <Objects grantCount={counts.grantCount} objects={impacts.flatMap(([, { objects }]) => objects)} />
        </>
      )
    }}
  </Impacts>
)

export const TeamsRemoval = ({ teams }: { readonly teams: ReadonlyArray<Team> }) => (
  <Impacts name="teams" rows={teams} impactOf={({ id }, signal) => client.teams.impact(id, { signal })}>
    {(impacts) => {
      const counts = teamCounts(impacts.map(([, impact]) => impact))
      const managed = impacts.filter(([, { managedByScim }]) => managedByScim)
      return (
        <>
          <Managed noun="team" names={managed.map(([{ name }]) => name)} />
          <Lines
            lines={
              counts.memberCount === 0
                ? [teams.length === 1 ? "The team has no members." : "The teams have no members.", ...teamLines(counts)]
                : teamLines(counts)
            }
          />
          {teams.length > 1 && <p className="muted">{shared}</p>}
          <Objects grantCount={counts.grantCount} objects={impacts.flatMap(([, { objects }]) => objects)} />
        </>
      )
    }}
  </Impacts>
)
