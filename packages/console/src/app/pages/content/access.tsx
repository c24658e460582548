/** Who has access to an object: grants are given, changed, and revoked after a look at who would lose access. */
import type { AccessImpactResult, CreateGrant, GrantedObjectKind, GrantRole } from "@orgplane/client"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import type { RowsPage } from "../../design/rows.ts"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { Picker } from "./parts.tsx"
import { grantRoles, optionOf } from "./words.ts"

export interface Grant {
  readonly id: string
  readonly orgMembershipId: string | null
  readonly teamId: string | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: string | null
  readonly createdAt: string
  /** When it was revoked. Revoked grants stay in the list as history. */
  readonly removedAt: string | null
}

export interface AccessOperations {
  readonly list: (
    input: { readonly limit: number; readonly cursor?: string },
    signal: AbortSignal
  ) => Promise<RowsPage<Grant>>
  readonly grant: (input: CreateGrant) => Promise<unknown>
  readonly revoke: (grantId: string) => Promise<unknown>
}

export interface AccessProps {
  /** The group of operations, such as `plugins`. */
  readonly group: string
  readonly kind: GrantedObjectKind
  readonly id: string
  /** Such as "the plugin". */
  readonly subject: string
  readonly operations: AccessOperations
  /** What a grant covers besides the object. */
  readonly covers?: string
}

const receiverOf = ({ orgMembershipId, orgWide, teamId }: Grant) => {
  if (orgWide) return <strong>Everyone in the organization</strong>
  if (teamId !== null) return <Name kind="team" id={teamId} />
  return orgMembershipId === null ? "An API key" : <Name kind="member" id={orgMembershipId} />
}

const inputOf = ({ orgMembershipId, orgWide, teamId }: Grant, role: GrantRole): CreateGrant => {
  if (orgWide) return { orgWide: true, role }
  if (teamId !== null) return { teamId, role }
  return orgMembershipId === null ? { role } : { orgMembershipId, role }
}

const Impact = ({
  query,
  subject
}: {
  readonly query: UseQueryResult<AccessImpactResult>
  readonly subject: string
}) => (
  <Shown query={query} lines={4}>
    {({ losses, memberCount, truncated }) =>
      memberCount === 0 ? (
        <p>No one loses access: all members that the grant covers have the same access in another way.</p>
      ) : (
        <>
          <p>
            <strong>{plural(memberCount, "member")}</strong> would lose access to {subject} or to its contents, or keep
            a lower role.
          </p>
          <div className="change-table" tabIndex={0} role="region" aria-label="Lost access">
            <table>
              <thead>
                <tr>
                  <th>Member</th>
                  <th>Object</th>
                  <th>Role</th>
                </tr>
              </thead>
              <tbody>
                {losses.slice(0, 50).map(({ from, object, orgMembershipId, to }) => (
                  <tr key={`${orgMembershipId} ${object.id}`}>
                    <td>
                      <Name kind="member" id={orgMembershipId} />
                    </td>
                    <td>{object.name}</td>
                    <td>
                      {from} → {to ?? "no access"}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {(truncated || losses.length > 50) && <p className="muted">More members or objects are affected.</p>}
        </>
      )
    }
  </Shown>
)

const RevokeDialog = ({
  grant,
  group,
  onClose,
  operations,
  subject
}: Pick<AccessProps, "group" | "operations" | "subject"> & {
  readonly grant: Grant
  readonly onClose: () => void
}) => {
  const query = useQuery({
    // Not below "access": after the revocation there is no grant whose impact could be read again.
    queryKey: ["grant-impact", grant.id],
    queryFn: ({ signal }) => client.access.impact({ grantId: grant.id }, { signal }),
    staleTime: 0
  })
  return (
    <Confirm
      title="Revoke this access?"
      action="Revoke the access"
      isOpen
      isReady={!query.isPending}
      onClose={onClose}
      confirm={async () => {
        await operations.revoke(grant.id)
        notify("The access was revoked.")
        await reload([group, "access"])
      }}
    >
      <p>
        {receiverOf(grant)} has the role {grant.role}.
      </p>
      <Impact query={query} subject={subject} />
    </Confirm>
  )
}

/** Shows the new role at once, and the old one again if the change fails. */
const RoleSelect = ({
  grant,
  group,
  operations
}: {
  readonly grant: Grant
  readonly group: string
  readonly operations: AccessOperations
}) => {
  const [pending, setPending] = useState<GrantRole>()
  const change = async (role: GrantRole) => {
    setPending(role)
    try {
      await operations.grant(inputOf(grant, role))
      notify("The role was changed.")
      await reload([group, "access"])
    } catch (error) {
      notify("The role was not changed.", "bad", error)
    }
    setPending(undefined)
  }
  return (
    <select
      className="input compact-select"
      aria-label="Role"
      disabled={pending !== undefined}
      value={pending ?? grant.role}
      onChange={({ target }) => void change(optionOf(grantRoles, target.value, grant.role))}
    >
      {grantRoles.map(([role]) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </select>
  )
}

const receivers = [
  ["member", "A member"],
  ["team", "A team"],
  ["everyone", "Everyone in the organization"]
] as const

const GrantDialog = ({
  covers,
  group,
  isOpen,
  onClose,
  operations,
  subject
}: Omit<AccessProps, "id" | "kind"> & { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const [kind, setKind] = useState<(typeof receivers)[number][0]>("team")
  const [member, setMember] = useState<string>()
  const [team, setTeam] = useState<string>()
  const [role, setRole] = useState<GrantRole>("viewer")
  const submit = async () => {
    if (kind === "everyone") return operations.grant({ orgWide: true, role })
    if (kind === "team") return operations.grant({ teamId: team, role })
    return operations.grant({ orgMembershipId: member, role })
  }
  return (
    <FormDialog
      title={`Grant access to ${subject}`}
      {...(covers === undefined ? {} : { description: covers })}
      action="Grant access"
      done="Access was granted."
      changes={[group, "access"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={submit}
    >
      {() => (
        <>
          <SelectField
            label="Who"
            options={receivers}
            value={kind}
            onChange={({ target }) => setKind(optionOf(receivers, target.value, "team"))}
          />
          {kind === "team" && (
            <Picker
              label="Team"
              queryKey={["teams", "pick"]}
              load={(input, signal) => client.teams.list(input, { signal })}
              idOf={({ id }) => id}
              nameOf={({ memberCount, name }) => ({ name, detail: plural(memberCount, "member") })}
              value={team}
              onChange={setTeam}
            />
          )}
          {kind === "member" && (
            <Picker
              label="Member"
              queryKey={["members", "pick"]}
              load={(input, signal) => client.members.list(input, { signal })}
              idOf={({ id }) => id}
              nameOf={({ email, name }) => ({ name: name ?? email ?? "unnamed", detail: name === null ? "" : email })}
              value={member}
              onChange={setMember}
            />
          )}
          <SelectField
            label="Role"
            options={grantRoles}
            value={role}
            onChange={({ target }) => setRole(optionOf(grantRoles, target.value, "viewer"))}
          />
        </>
      )}
    </FormDialog>
  )
}

export const Access = (props: AccessProps) => {
  const { group, id, kind, operations, subject } = props
  const [isGranting, setGranting] = useState(false)
  const [revoked, setRevoked] = useState<Grant>()
  const columns: ReadonlyArray<Column<Grant>> = [
    { name: "Who", width: "minmax(0, 2fr)", cell: receiverOf },
    {
      name: "Role",
      width: "98px",
      cell: (grant) =>
        grant.removedAt === null ? (
          <RoleSelect grant={grant} group={group} operations={operations} />
        ) : (
          <Badge>revoked</Badge>
        ),
      sort: ({ removedAt, role }) => (removedAt === null ? role : "revoked")
    },
    {
      name: "Since",
      width: "130px",
      wide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt
    },
    {
      name: "Given by",
      width: "minmax(0, 1fr)",
      wide: true,
      cell: ({ createdByOrgMembershipId }): ReactNode =>
        createdByOrgMembershipId === null ? "" : <Name kind="member" id={createdByOrgMembershipId} />
    },
    {
      name: "Actions",
      width: "80px",
      cell: (grant) =>
        grant.removedAt === null && (
          <Button kind="quiet" onClick={() => setRevoked(grant)}>
            Revoke
          </Button>
        )
    }
  ]
  return (
    <div className="stack">
      <div className="row spread">
        <p className="muted">Owners and admins have access without a grant.</p>
        <div className="row">
          <Link className="button" to="/access" search={{ kind, object: id }}>
            Explain the access of a member
          </Link>
          <Button kind="primary" onClick={() => setGranting(true)}>
            Grant access
          </Button>
        </div>
      </div>
      <DataTable
        label="Access"
        columns={columns}
        queryKey={[group, id, "access"]}
        load={(cursor, signal) => operations.list({ limit: 50, ...(cursor === undefined ? {} : { cursor }) }, signal)}
        idOf={(grant) => grant.id}
        empty={
          <Empty title="Only owners and admins have access">
            <Button onClick={() => setGranting(true)}>Grant access</Button>
          </Empty>
        }
      />
      <GrantDialog {...props} isOpen={isGranting} onClose={() => setGranting(false)} />
      {revoked !== undefined && (
        <RevokeDialog
          grant={revoked}
          group={group}
          operations={operations}
          subject={subject}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </div>
  )
}
