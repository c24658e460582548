/** Who has access to an object, with the grants, and their revocation. */
import type { GrantRole } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Badge, Button, Empty, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { type Grant, type GrantedObject, grantsOf, groupOf } from "./access-grants.ts"
import { RevokeGrant } from "./access-impact.tsx"
import { Picker } from "../../objects/picker.tsx"

const roles: ReadonlyArray<readonly [GrantRole, string]> = [
  ["viewer", "Viewer: use it"],
  ["editor", "Editor: use and change it"],
  ["manager", "Manager: also grant access and remove it"]
]

const GrantDialog = ({
  isOpen,
  object,
  onClose
}: {
  readonly object: GrantedObject
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const [receiver, setReceiver] = useState<"everyone" | "team" | "member">("team")
  const [teamId, setTeam] = useState<string>()
  const [memberId, setMember] = useState<string>()
  const [role, setRole] = useState<GrantRole>("viewer")
  const input = () =>
    receiver === "everyone"
      ? { orgWide: true as const, role }
      : receiver === "team"
        ? { teamId, role }
        : { orgMembershipId: memberId, role }
  return (
    <FormDialog
      title="Grant access"
      description="It takes effect with the next request. A grant that the receiver has already gets the new role."
      action="Grant access"
      done="Access was granted."
      changes={[groupOf(object.kind), "access"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={() => Promise.resolve(grantsOf(object.kind).grant(object.id, input()))}
    >
      {(problem) => (
        <>
          <SelectField
            label="Who"
            value={receiver}
            options={[
              ["team", "A team"],
              ["member", "A member"],
              ["everyone", "Everyone in the organization"]
            ]}
            onChange={({ target: { value } }) =>
              setReceiver(value === "everyone" ? "everyone" : value === "member" ? "member" : "team")
            }
          />
          {receiver === "team" && (
            <Picker kind="team" label="Team" value={teamId} onChange={setTeam} problem={problem("teamId")} />
          )}
          {receiver === "member" && (
            <Picker
              kind="member"
              label="Member"
              value={memberId}
              onChange={setMember}
              problem={problem("orgMembershipId")}
            />
          )}
          <SelectField
            label="Role"
            value={role}
            options={roles}
            onChange={({ target }) => setRole(roles.find(([value]) => value === target.value)?.[0] ?? "viewer")}
          />
        </>
      )}
    </FormDialog>
  )
}

const Receiver = ({ grant: { orgMembershipId, orgWide, teamId } }: { readonly grant: Grant }) =>
  orgWide ? (
    <>Everyone</>
  ) : teamId !== null ? (
    <Name kind="team" id={teamId} />
  ) : orgMembershipId === null ? (
    <>An API key</>
  ) : (
    <Name kind="member" id={orgMembershipId} />
  )

export const GrantsTable = ({ empty, object }: { readonly object: GrantedObject; readonly empty: string }) => {
  const [isGranting, setGranting] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [revoking, setRevoking] = useState<string>()
  const columns: ReadonlyArray<Column<Grant>> = [
    { name: "Who", width: "minmax(0, 3fr)", cell: (grant) => <Receiver grant={grant} /> },
    {
      name: "Kind",
      width: "90px",
      wide: true,
      cell: ({ orgWide, teamId }) => <Badge>{orgWide ? "everyone" : teamId === null ? "member" : "team"}</Badge>,
      sort: ({ orgWide, teamId }) => (orgWide ? "everyone" : teamId === null ? "member" : "team")
    },
    { name: "Role", width: "90px", cell: ({ role }) => <Badge>{role}</Badge>, sort: ({ role }) => role },
    {
      name: "Since",
      width: "130px",
      wide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt
    },
    {
      name: "Change",
      width: "140px",
      cell: ({ id, removedAt }) =>
        removedAt === null ? (
          <Button kind="quiet" onClick={() => setRevoking(id)}>
            Revoke
          </Button>
        ) : (
          <span className="muted">
            revoked <Time at={removedAt} />
          </span>
        )
    }
  ]
  const button = (
    <Button
      kind="primary"
      onClick={() => {
        setGranting(isGranting + 1)
        setOpen(true)
      }}
    >
      Grant access
    </Button>
  )
  return (
    <div className="stack">
      <div className="row">
        {button}
        <Link to="/access" search={{ kind: object.kind, object: object.id }} className="button">
          Explain access
        </Link>
      </div>
      <DataTable
        label="Access"
        columns={columns}
        queryKey={[groupOf(object.kind), object.id, "access"]}
        load={(cursor, signal) =>
          Promise.resolve(
            grantsOf(object.kind).list(object.id, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, signal)
          )
        }
        idOf={({ id }) => id}
        empty={
          <Empty title="No grants yet">
            <p>{empty}</p>
          </Empty>
        }
      />
      <GrantDialog key={isGranting} object={object} isOpen={isOpen} onClose={() => setOpen(false)} />
      {revoking !== undefined && (
        <RevokeGrant object={object} grantId={revoking} isOpen onClose={() => setRevoking(undefined)} />
      )}
    </div>
  )
}
