/** What a removal of a member or a team ends, as the API counts it. */
import type { MemberImpact, TeamImpact } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { usePermitted } from "../../api/permissions.ts"
import { readOnce } from "../../design/consequences.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Notice } from "../../design/ui.tsx"

type EndingObject = MemberImpact["objects"][number]

export const objectPages: Readonly<Record<EndingObject["kind"], readonly [path: string, label: string]>> = {
  connectorInstance: ["/connectors", "connector"],
  configObject: ["/objects", "object"],
  plugin: ["/plugins", "plugin"],
  marketplace: ["/marketplaces", "marketplace"],
  mcpConnection: ["/mcp-connections", "MCP connection"],
  llmProvider: ["/llm-providers", "model provider"]
}

const Objects = ({
  grantCount,
  label = "Access that ends",
  objects,
  title = `${plural(grantCount, "grant")} will be revoked`
}: {
  readonly grantCount: number
  readonly objects: ReadonlyArray<EndingObject & { readonly memberCount?: number }>
  readonly label?: string
  readonly title?: string
}) =>
  grantCount === 0 ? null : (
    <section className="stack" aria-label={label}>
      <h3>{title}</h3>
      <ul className="facts people-ending">
        {objects.map(({ id, kind, memberCount, name, role }) => (
          <li key={id}>
            <span className="people-name">
              <NameLink to={`${objectPages[kind][0]}/${id}`}>{name}</NameLink>
            </span>{" "}
            <span className="muted">{objectPages[kind][1]}</span> <Badge>{role}</Badge>
            {memberCount !== undefined && (
              <span className="muted">
                {" "}
                {memberCount === 0
                  ? "no member loses access"
                  : `${plural(memberCount, "member")} ${memberCount === 1 ? "loses access or keeps" : "lose access or keep"} a lower role`}
              </span>
            )}
          </li>
        ))}
        {grantCount > objects.length && (
          <li className="muted">{plural(grantCount - objects.length, "other grant")} not shown</li>
        )}
      </ul>
    </section>
  )

/** The sentences with a count that is not zero. */
const counted = (lines: ReadonlyArray<readonly [count: number, line: string]>) =>
  lines.filter(([count]) => count > 0).map(([, line]) => line)

/** The counts of the consequences, which can be those of several objects together. */
export type CountsOf<Impact> = {
  readonly [Name in keyof Impact as Impact[Name] extends number ? Name : never]: Impact[Name]
}

const apply = (count: number) => (count === 1 ? "applies" : "apply")

export const memberLines = (impact: CountsOf<MemberImpact>) =>
  counted([
    [
      impact.sessionCount,
      `${plural(impact.sessionCount, "session")} ${impact.sessionCount === 1 ? "ends, or continues" : "end, or continue"} without this organization.`
    ],
    [
      impact.teamCount,
      impact.teamCount === 1
        ? "1 team membership ends, and so does the access that it gives."
        : `${impact.teamCount} team memberships end, and so does the access that they give.`
    ],
    [
      impact.assignmentCount,
      `${plural(impact.assignmentCount, "assignment")} no longer ${apply(impact.assignmentCount)} to them by name.`
    ],
    [
      impact.desktopPolicyCount,
      `${plural(impact.desktopPolicyCount, "desktop policy", "desktop policies")} no longer ${apply(impact.desktopPolicyCount)} to them by name.`
    ],
    [impact.deviceCount, `${plural(impact.deviceCount, "device")} will be removed from the fleet.`],
    [
      impact.connectionCount,
      `${plural(impact.connectionCount, "sign-in")} of theirs at other services will be deleted.`
    ],
    [impact.workerCount, `${plural(impact.workerCount, "worker")} that they created will stop.`],
    [impact.workerTokenCount, `${plural(impact.workerTokenCount, "worker token")} will be revoked.`],
    [impact.invitationCount, `${plural(impact.invitationCount, "pending invitation")} that they sent will be canceled.`]
  ])

export const teamLines = (impact: CountsOf<TeamImpact>) =>
  counted([
    [
      impact.memberCount,
      `${plural(impact.memberCount, "team membership")} ${impact.memberCount === 1 ? "ends" : "end"}. The people stay in the organization.`
    ],
    [
      impact.assignmentCount,
      `${plural(impact.assignmentCount, "assignment")} no longer ${apply(impact.assignmentCount)} through teams that are removed.`
    ],
    [
      impact.desktopPolicyCount,
      `${plural(impact.desktopPolicyCount, "desktop policy", "desktop policies")} no longer ${apply(impact.desktopPolicyCount)} through teams that are removed.`
    ],
    [
      impact.invitationCount,
      `${plural(impact.invitationCount, "pending invitation")} ${impact.invitationCount === 1 ? "stays" : "stay"} valid, but no longer ${impact.invitationCount === 1 ? "leads" : "lead"} into teams that are removed.`
    ]
  ])

const Managed = ({ what }: { readonly what: string }) => (
  <Notice tone="warn" title={`SCIM manages this ${what}`}>
    <span>Only your identity provider can remove it.</span>
  </Notice>
)

export const Lines = ({ lines }: { readonly lines: ReadonlyArray<string> }) => (
  <ul className="people-consequences">
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
)

export const MemberRemoval = ({ id }: { readonly id: string }) => {
  const query = useQuery({
    queryKey: ["impacts", "member", id],
    queryFn: ({ signal }) => client.members.impact(id, { signal }),
    ...readOnce
  })
  return (
    <Shown query={query} lines={4}>
      {(impact) => (
        <>
          {impact.managedByScim && <Managed what="membership" />}
          <Lines
            lines={[
              ...memberLines(impact),
              "Plugins, marketplaces and other content that they created stay. Joining again does not bring back the rest."
            ]}
          />
          <Objects grantCount={impact.grantCount} objects={impact.objects} />
        </>
      )}
    </Shown>
  )
}

const useTeamImpact = (id: string) =>
  useQuery({
    queryKey: ["impacts", "team", id],
    queryFn: ({ signal }) => client.teams.impact(id, { signal }),
    ...readOnce
  })

export const TeamRemoval = ({ id }: { readonly id: string }) => {
  const query = useTeamImpact(id)
  return (
    <Shown query={query} lines={4}>
      {(impact) => (
        <>
          {impact.managedByScim && <Managed what="team" />}
          <Lines
            lines={impact.memberCount === 0 ? ["The team has no members.", ...teamLines(impact)] : teamLines(impact)}
          />
          <Objects grantCount={impact.grantCount} objects={impact.objects} />
        </>
      )}
    </Shown>
  )
}

/** What a team gives its members. Those who leave it may have some of it in other ways. */
const TeamAccess = ({ impact }: { readonly impact: TeamImpact }) => {
  const { assignmentCount, desktopPolicyCount, grantCount, objects } = impact
  if (grantCount + assignmentCount + desktopPolicyCount === 0) {
    return <p>The team has no grants, and no assignment or desktop policy names it.</p>
  }
  return (
    <>
      <Lines
        lines={counted([
          [assignmentCount, `${plural(assignmentCount, "assignment")} ${apply(assignmentCount)} to the team by name.`],
          [
            desktopPolicyCount,
            `${plural(desktopPolicyCount, "desktop policy", "desktop policies")} ${apply(desktopPolicyCount)} to the team by name.`
          ]
        ])}
      />
      <Objects
        grantCount={grantCount}
        label="Access that the team gives"
        title={`The team has ${plural(grantCount, "grant")}`}
        // The counts of members are those of a removal of the whole team.
        objects={objects.map(({ id, kind, name, role }) => ({ id, kind, name, role }))}
      />
    </>
  )
}

const ReadTeamAccess = ({ id }: { readonly id: string }) => {
  const query = useTeamImpact(id)
  return (
    <Shown query={query} lines={4}>
      {(impact) => <TeamAccess impact={impact} />}
    </Shown>
  )
}

/** The access that members lose when they are removed from a team. */
export const LeavesTeam = ({ id }: { readonly id: string }) => {
  const canRead = usePermitted("teams:manage")
  return (
    <>
      <p>
        They lose the access that they have through this team only, and its assignments and policies no longer apply to
        them. They stay in the organization.
      </p>
      {canRead !== false && <ReadTeamAccess id={id} />}
    </>
  )
}
