/**
 * Lists, creates, changes and revokes the grants on an object. Before a revocation, shows the members who would lose access.
 */
import type { CreateGrant, GrantedObjectKind, GrantRole } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog, reload, useSetting } from "../design/action.tsx"
import { type Column, DataTable } from "../design/data-table.tsx"
import { Confirm } from "../design/dialog.tsx"
import { SelectField } from "../design/fields.tsx"
import { notify } from "../design/toast.tsx"
import { Badge, Button, Empty, Time } from "../design/ui.tsx"
import { RevokeGrant } from "./grant-impact.tsx"
import { type Grant, type GrantedObject, grantsOf, groupOf } from "./grants.ts"
import { objectKind } from "./kinds.ts"
import { Name } from "./names.tsx"
import { Picker } from "./picker.tsx"
import "./access.css"

type Roles = ReadonlyArray<readonly [GrantRole, string]>

interface Texts {
  readonly roles: Roles
  /** Above the grants. */
  readonly about: string
  /** In the dialog that grants access. */
  readonly description?: string
  readonly empty: string
}

const contentRoles: Roles = [
  ["viewer", "Viewer: can read"],
  ["editor", "Editor: can also change the content"],
  ["manager", "Manager: can also manage access and remove"]
]

const contentTexts: Texts = {
  roles: contentRoles,
  about: "Owners and admins have access without a grant.",
  empty: "Only owners and admins have access"
}

/** What differs between the kinds of objects. */
const texts: Readonly<Record<GrantedObjectKind, Texts>> = {
  plugin: { ...contentTexts, description: "A grant covers the contents of the plugin." },
  marketplace: { ...contentTexts, description: "A grant covers everything in the marketplace." },
  configObject: {
    ...contentTexts,
    description: "Everyone who can see a plugin that contains the object can see it too."
  },
  connectorInstance: contentTexts,
  mcpConnection: {
    roles: [
      ["viewer", "Viewer: can use the tools"],
      ["editor", "Editor: can use the tools"],
      ["manager", "Manager: can also change the connection and review the server"]
    ],
    about: "Only members with a grant can use the tools. The tool policy applies to all of them.",
    description: "Owners and admins also need a grant to use the tools.",
    empty: "No one can use the tools"
  },
  llmProvider: {
    roles: [
      ["viewer", "Viewer: can use the provider"],
      ["editor", "Editor: can also change the provider"],
      ["manager", "Manager: can also manage access and remove the provider"]
    ],
    about: "Owners and admins can see the provider, but only members with a grant receive its key.",
    empty: "No grants yet"
  }
}

const receivers = [
  ["team", "A team"],
  ["member", "A member"],
  ["everyone", "Everyone in the organization"]
] as const

type ReceiverKind = (typeof receivers)[number][0]

const isByApiKey = ({ orgMembershipId, orgWide, teamId }: Grant) =>
  !orgWide && teamId === null && orgMembershipId === null

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

const labelOf = (roles: Roles, role: GrantRole) => (roles.find(([each]) => each === role)?.[1] ?? role).toLowerCase()

/** Changes to a higher role at once, and asks before a lower one. */
const RoleSelect = ({
  grant,
  object,
  roles
}: {
  readonly grant: Grant
  readonly object: GrantedObject
  readonly roles: Roles
}) => {
  const { change, isBusy, value } = useSetting(grant.role, {
    changes: [groupOf(object.kind), "access"],
    done: "The role was changed.",
    failed: "The role was not changed."
  })
  const [lowered, setLowered] = useState<GrantRole>()
  const rankOf = (role: GrantRole) => roles.findIndex(([each]) => each === role)
  const save = (role: GrantRole) => grantsOf(object.kind).grant(object.id, inputOf(grant, role))
  const select = (chosen: string) => {
    const role = roles.find(([each]) => each === chosen)?.[0] ?? grant.role
    if (rankOf(role) < rankOf(grant.role)) setLowered(role)
    else void change(role, () => save(role))
  }
  return (
    <>
      <select
        className="input compact-select"
        aria-label="Role"
        disabled={isBusy}
        value={value}
        onChange={({ target }) => select(target.value)}
      >
        {roles.map(([role]) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
      {lowered !== undefined && (
        <Confirm
          title="Lower the role"
          action="Lower the role"
          isOpen
          onClose={() => setLowered(undefined)}
          confirm={async () => {
            await save(lowered)
            notify("The role was changed.")
            void reload([groupOf(object.kind), "access"])
          }}
        >
          <p>
            {receiverOf(grant)} has the role {grant.role} ({labelOf(roles, grant.role)}), and will have {lowered} (
            {labelOf(roles, lowered)}). It takes effect at once. Other grants of the same members stay.
          </p>
        </Confirm>
      )}
    </>
  )
}

const GrantDialog = ({
  everyoneNote,
  object,
  onClose
}: {
  readonly object: GrantedObject
  readonly everyoneNote?: string | undefined
  readonly onClose: () => void
}) => {
  const { description, roles } = texts[object.kind]
  const [receiver, setReceiver] = useState<ReceiverKind>("team")
  const [teamId, setTeam] = useState<string>()
  const [orgMembershipId, setMember] = useState<string>()
  const [role, setRole] = useState<GrantRole>("viewer")
  const input = (): CreateGrant => {
    if (receiver === "everyone") return { orgWide: true, role }
    if (receiver === "team" && teamId !== undefined) return { teamId, role }
    if (receiver === "member" && orgMembershipId !== undefined) return { orgMembershipId, role }
    throw new Error("Choose a team or a member.")
  }
  return (
    <FormDialog
      title={`Grant access to the ${objectKind(object.kind).noun}`}
      description={`${description === undefined ? "" : `${description} `}If the receiver already has a grant, its role is changed.`}
      action="Grant access"
      done="Access was granted."
      changes={[groupOf(object.kind), "access"]}
      isOpen
      onClose={onClose}
      submit={async () => {
        await grantsOf(object.kind).grant(object.id, input())
      }}
    >
      {() => (
        <>
          <SelectField
            label="Who"
            options={receivers}
            value={receiver}
            onChange={({ target }) => setReceiver(receivers.find(([each]) => each === target.value)?.[0] ?? "team")}
          />
          {receiver === "team" && <Picker kind="team" label="Team" value={teamId} onChange={setTeam} />}
          {receiver === "member" && (
            <Picker kind="member" label="Member" value={orgMembershipId} onChange={setMember} />
          )}
          <SelectField
            label="Role"
            options={roles}
            value={role}
            onChange={({ target }) => setRole(roles.find(([each]) => each === target.value)?.[0] ?? "viewer")}
          />
          {receiver === "everyone" && everyoneNote !== undefined && <p>{everyoneNote}</p>}
        </>
      )}
    </FormDialog>
  )
}

export const Access = ({
  everyoneNote,
  id,
  kind
}: GrantedObject & {
  /** What a grant to everyone means for this object. */
  readonly everyoneNote?: string
}) => {
  const object = { id, kind }
  const { about, empty, roles } = texts[kind]
  const [isGranting, setGranting] = useState(false)
  const [revoked, setRevoked] = useState<Grant>()
  const columns: ReadonlyArray<Column<Grant>> = [
    { name: "Who", width: "minmax(0, 2fr)", cell: receiverOf },
    {
      name: "Role",
      width: "98px",
      cell: (grant) =>
        grant.removedAt !== null ? (
          <Badge>revoked</Badge>
        ) : isByApiKey(grant) ? (
          <Badge>{grant.role}</Badge>
        ) : (
          <RoleSelect grant={grant} object={object} roles={roles} />
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
      cell: ({ createdByOrgMembershipId }) =>
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
        <p className="muted">{about}</p>
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
        queryKey={[groupOf(kind), id, "access"]}
        load={async (cursor, signal) =>
          grantsOf(kind).list(id, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }, signal)
        }
        idOf={(grant) => grant.id}
        empty={
          <Empty title={empty}>
            <p>Grant access to a team, a member, or everyone.</p>
          </Empty>
        }
      />
      {isGranting && <GrantDialog object={object} everyoneNote={everyoneNote} onClose={() => setGranting(false)} />}
      {revoked !== undefined && (
        <RevokeGrant object={object} grantId={revoked.id} isOpen onClose={() => setRevoked(undefined)}>
          <p>
            {receiverOf(revoked)} has the role {revoked.role}.
          </p>
        </RevokeGrant>
      )}
    </div>
  )
}
