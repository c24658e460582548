/** A member: their role, teams and API keys, and what a removal would take away. */
import type { ApiKey, Member } from "@orgplane/client"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { usePermitted } from "../../api/permissions.ts"
import { Allowed } from "../../design/allowed.tsx"
import { FormDialog } from "../../design/action.tsx"
import { NamedItems } from "../../design/consequences.tsx"
import { Checkbox, SelectField } from "../../design/fields.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { NameLink } from "../../design/name-link.tsx"
import { Shown } from "../../design/query.tsx"
import { SeeAlso, type SeeLink } from "../../design/see-also.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Button, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { memberName } from "../../objects/kinds.ts"
import { usePathParameter } from "../../parameters.ts"
import { MemberTeams } from "./member-teams.tsx"
import { RoleBadge, roleName, roleOptions, useCustomRoles, useOwnMembership } from "./choices.tsx"
import { RoleChanges } from "./role-change.tsx"
import { PageShown } from "./page-shown.tsx"
import { MemberRemoval } from "./removal.tsx"
import "./people.css"

/** API keys that are searched for those of the member. */
const keysMax = 500

const useKeysOf = (memberId: string) =>
  useQuery({
    queryKey: ["api-keys", "of", memberId],
    queryFn: async ({ signal }) => {
      const keys = await client.apiKeys.list({ limit: 100 }, { signal }).take(keysMax)
      return keys.filter(({ createdByOrgMembershipId }) => createdByOrgMembershipId === memberId)
    },
    enabled: usePermitted("apiKeys:read") === true
  })

const ChangeRole = ({ isOwner, member }: { readonly member: Member; readonly isOwner: boolean }) => {
  const [isOpen, setOpen] = useState(false)
  const [role, setRole] = useState(member.role)
  const roles = useCustomRoles()
  return (
    <>
      <Button permission="members:manage" onClick={() => setOpen(true)}>
        Change the role
      </Button>
      <FormDialog
        title={`Role of ${memberName(member)}`}
        action="Change the role"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={() => client.members.update(member.id, { role })}
        done={`${memberName(member)} now has the role ${roleName(role, roles)}.`}
        changes={["members", "organizations", "roles", "access"]}
        fields={["role"]}
      >
        {(problem) => (
          <>
            <SelectField
              label="Role"
              hint="It applies to their next request. You need every permission of the role. The last owner keeps the role."
              options={roleOptions(roles, isOwner || member.role === "owner")}
              value={role}
              problem={problem("role")}
              onChange={({ target }) => setRole(target.value)}
            />
            <RoleChanges before={[member.role]} after={role} />
          </>
        )}
      </FormDialog>
    </>
  )
}

const keepOptions = [
  ["admin", "Admin"],
  ["member", "Member"],
  ["owner", "Owner, together with them"]
] as const

const Transfer = ({ member, organization }: { readonly member: Member; readonly organization: string }) => {
  const [isOpen, setOpen] = useState(false)
  const [keep, setKeep] = useState<"owner" | "admin" | "member">("admin")
  return (
    <>
      <Button onClick={() => setOpen(true)}>Transfer ownership</Button>
      <FormDialog
        title={`Make ${memberName(member)} an owner`}
        description={`An owner can do everything in ${organization}, including removing it and removing other owners.`}
        action="Transfer ownership"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={() => client.organizations.transferOwnership({ orgMembershipId: member.id, keep })}
        done={`${memberName(member)} is an owner now.`}
        changes={["members", "organizations", "organization", "access"]}
      >
        {() => (
          <>
            <SelectField
              label="Your own role afterwards"
              options={keepOptions}
              value={keep}
              onChange={({ target }) =>
                setKeep(target.value === "owner" || target.value === "member" ? target.value : "admin")
              }
            />
            {keep !== "owner" && (
              <Notice tone="warn" title="You will no longer be an owner">
                <span>Only an owner can make you one again.</span>
              </Notice>
            )}
          </>
        )}
      </FormDialog>
    </>
  )
}

const KeyNames = ({ keys }: { readonly keys: ReadonlyArray<ApiKey> }) => (
  <NamedItems
    label="API keys"
    rows={keys.map(({ hint, id, name }) => ({
      id,
      name: (
        <>
          <NameLink to={`/api-keys/${id}`}>{name}</NameLink> <code className="muted">{hint}</code>
        </>
      )
    }))}
  />
)

const Remove = ({
  keys: query,
  member
}: {
  readonly member: Member
  readonly keys: UseQueryResult<ReadonlyArray<ApiKey>>
}) => {
  const [isOpen, setOpen] = useState(false)
  const [revokeKeys, setRevokeKeys] = useState(false)
  const navigate = useNavigate()
  return (
    <>
      <Button permission="members:manage" kind="danger" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <FormDialog
        title={`Remove ${memberName(member)}`}
        action="Remove the member"
        kind="danger"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={async () => {
          await client.members.remove(member.id, { revokeKeys })
          await navigate({ to: "/members" })
        }}
        done={`${memberName(member)} was removed.`}
        changes={["members", "teams", "api-keys"]}
      >
        {() => (
          <>
            <MemberRemoval id={member.id} />
            {/* Not read without the permission. */}
            {query.fetchStatus === "idle" && query.isPending ? null : (
              <Shown query={query} lines={2}>
                {(keys) =>
                  keys.length === 0 ? (
                    <p>They created no API keys that are still valid.</p>
                  ) : (
                    <>
                      <p>
                        They created {plural(keys.length, "API key")}. Programs keep working with{" "}
                        {keys.length === 1 ? "it" : "them"} unless you revoke {keys.length === 1 ? "it" : "them"}:
                      </p>
                      <KeyNames keys={keys} />
                      <Checkbox
                        label={`Also revoke ${keys.length === 1 ? "this key" : "these keys"}`}
                        hint="Programs that use a revoked key are rejected from the next request on."
                        isChecked={revokeKeys}
                        onChange={setRevokeKeys}
                      />
                    </>
                  )
                }
              </Shown>
            )}
          </>
        )}
      </FormDialog>
    </>
  )
}

const Keys = ({ memberId }: { readonly memberId: string }) => (
  <Section title="API keys that they created">
    <Shown query={useKeysOf(memberId)} lines={2}>
      {(keys) => (keys.length === 0 ? <p className="muted">None that is still valid.</p> : <KeyNames keys={keys} />)}
    </Shown>
  </Section>
)

const links = (id: string): ReadonlyArray<SeeLink> => [
  {
    to: `/fleet/members/${id}`,
    label: "Devices and delivery",
    about: "Desired and installed content",
    permission: "delivery:read"
  },
  {
    to: `/access?member=${id}`,
    label: "Access",
    about: "Why the member can or cannot access an object",
    permission: "access:read"
  },
  {
    to: `/audit?actorId=${id}`,
    label: "Changes by this member",
    about: "Events of the audit log",
    permission: "audit:read"
  },
  {
    to: `/audit?targetId=${id}`,
    label: "Changes to this member",
    about: "Events of the audit log",
    permission: "audit:read"
  }
]

export const Page = () => {
  const id = usePathParameter("orgMembershipId")
  const own = useOwnMembership()
  const keys = useKeysOf(id)
  const member = useQuery({ queryKey: ["members", id], queryFn: ({ signal }) => client.members.get(id, { signal }) })
  const isOwner = own?.role === "owner"
  return (
    <PageShown query={member} title="Member">
      {(shown) => {
        const isOwn = own?.orgMembershipId === shown.id
        return (
          <>
            <PageHeader
              title={memberName(shown)}
              actions={
                <>
                  <ChangeRole key={shown.role} member={shown} isOwner={isOwner} />
                  {isOwner && !isOwn && shown.role !== "owner" && (
                    <Transfer member={shown} organization={own.organization.name} />
                  )}
                  {isOwn ? (
                    <Link className="button" to="/organization">
                      Leave the organization
                    </Link>
                  ) : (
                    <Remove member={shown} keys={keys} />
                  )}
                </>
              }
            />
            <div className="cards">
              <Section title="Member">
                <Facts
                  rows={[
                    ["Email address", shown.email],
                    [
                      "Role",
                      <span className="row" key="role">
                        <RoleBadge role={shown.role} />
                        {isOwn && <Badge tone="good">you</Badge>}
                      </span>
                    ],
                    ["Joined", <Time key="joined" at={shown.createdAt} />],
                    ["ID", <code key="id">{shown.id}</code>]
                  ]}
                />
                {isOwn && <Link to="/me">Your account, with your sessions</Link>}
              </Section>
              <MemberTeams member={shown} />
              <Allowed permission="apiKeys:read">
                <Keys memberId={shown.id} />
              </Allowed>
              <SeeAlso links={links(shown.id)} />
            </div>
          </>
        )
      }}
    </PageShown>
  )
}
