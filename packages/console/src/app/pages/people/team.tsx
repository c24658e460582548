/** A team: its members, and what a removal of it changes. */
import type { Member, Team } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { usePermitted } from "../../api/permissions.ts"
import { reload } from "../../design/action.tsx"
import { attempt, RunProgress, Summary, useRunDialog } from "../../design/bulk.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm, Dialog } from "../../design/dialog.tsx"
import { ReadsProvider, usePendingReads } from "../../design/pending.ts"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Button, Empty, PageHeader } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { usePathParameter } from "../../parameters.ts"
import { MemberPicker } from "./member-picker.tsx"
import { RoleBadge } from "./choices.tsx"
import { PageShown } from "./page-shown.tsx"
import { LeavesTeam, TeamRemoval } from "./removal.tsx"
import { TeamForm } from "./team-form.tsx"
import "./people.css"

const changes = ["teams", "members", "access"]

const columns: ReadonlyArray<Column<Member>> = [
  {
    name: "Name",
    width: "minmax(0, 2fr)",
    cell: (member) => <strong title={memberName(member)}>{memberName(member)}</strong>,
    sort: memberName
  },
  {
    name: "Email address",
    width: "minmax(0, 2fr)",
    wide: true,
    cell: ({ email }) => email ?? "",
    sort: ({ email }) => email
  },
  { name: "Role", width: "minmax(0, 1fr)", cell: ({ role }) => <RoleBadge role={role} /> }
]

const RemoveFromTeam = ({
  clear,
  members,
  team
}: {
  readonly team: Team
  readonly members: ReadonlyArray<Member>
  readonly clear: () => void
}) => {
  const { close, isOpen, open, outcome, progress, run, stop } = useRunDialog(clear)
  const { isReading, reads } = usePendingReads()
  const start = async () => {
    await run(members, (member) => attempt(memberName(member), () => client.teams.removeMember(team.id, member.id)))
    await reload(changes)
  }
  return (
    <>
      <Button kind="danger" onClick={open}>
        Remove from the team
      </Button>
      <Dialog title={`Remove ${plural(members.length, "member")} from ${team.name}`} isOpen={isOpen} onClose={close}>
        {outcome === undefined ? (
          <>
            <ReadsProvider value={reads}>
              <LeavesTeam id={team.id} />
            </ReadsProvider>
            <RunProgress label="Removing members" progress={progress} stop={stop} />
            <div className="row dialog-actions">
              <Button onClick={close}>Cancel</Button>
              <Button kind="danger" disabled={isReading || progress !== undefined} onClick={() => void start()}>
                Remove {plural(members.length, "member")}
              </Button>
            </div>
          </>
        ) : (
          <>
            <Summary
              outcome={outcome}
              done={`${plural(outcome.done, "member was", "members were")} removed from the team.`}
            />
            <div className="row dialog-actions">
              <Button onClick={close}>Done</Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}

const RemoveTeam = ({ team }: { readonly team: Team }) => {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  return (
    <>
      <Button permission="teams:manage" kind="danger" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Confirm
        title={`Remove ${team.name}`}
        action="Remove the team"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.teams.remove(team.id)
          notify("The team was removed.")
          await navigate({ to: "/teams" })
          await reload(changes)
        }}
      >
        <TeamRemoval id={team.id} />
      </Confirm>
    </>
  )
}

interface TeamWithVersion {
  readonly team: Team
  readonly version: string | undefined
}

/** A change that another user made since the page was loaded is not overwritten. */
const useTeamWithVersion = (id: string) =>
  useQuery({
    queryKey: ["teams", id],
    queryFn: async ({ signal }): Promise<TeamWithVersion> => {
      const { data, response } = await client.teams.get(id, { signal }).withResponse()
      return { team: data, version: response.headers.get("etag") ?? undefined }
    }
  })

const Edit = ({ team, version }: TeamWithVersion) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button permission="teams:write" onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && (
        <TeamForm
          isOpen
          onClose={() => setOpen(false)}
          title="Edit the team"
          action="Save"
          done="The team was changed."
          current={team}
          version={version}
          save={(input, options) => client.teams.update(team.id, input, options)}
        />
      )}
    </>
  )
}

const TeamPage = ({ team, version }: TeamWithVersion) => {
  const [isAdding, setAdding] = useState(false)
  const canChange = usePermitted("teams:write")
  return (
    <>
      <PageHeader
        title={team.name}
        description={team.description ?? plural(team.memberCount, "member")}
        actions={
          <>
            <Button kind="primary" permission="teams:write" onClick={() => setAdding(true)}>
              Add members
            </Button>
            <Edit team={team} version={version} />
            <RemoveTeam team={team} />
          </>
        }
      />
      <DataTable
        label={`Members of ${team.name}`}
        columns={columns}
        queryKey={["teams", team.id, "members"]}
        load={(cursor, signal) =>
          client.teams.listMembers(team.id, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        }
        idOf={(member) => member.id}
        to={(member) => `/members/${member.id}`}
        {...(canChange === true
          ? {
              bulk: (rows: ReadonlyArray<Member>, clear: () => void) => (
                <RemoveFromTeam team={team} members={rows} clear={clear} />
              )
            }
          : {})}
        empty={
          <Empty title="This team has no members yet">
            <Button permission="teams:write" onClick={() => setAdding(true)}>
              Add members
            </Button>
          </Empty>
        }
      />
      <p className="people-after">
        <Link to="/members" search={{ teamId: team.id }}>
          Search these members
        </Link>
      </p>
      <MemberPicker team={team} isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  )
}

export const Page = () => {
  const query = useTeamWithVersion(usePathParameter("teamId"))
  return (
    <PageShown query={query} title="Team">
      {(shown) => <TeamPage {...shown} />}
    </PageShown>
  )
}
