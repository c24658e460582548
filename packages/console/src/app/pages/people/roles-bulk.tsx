/** Removes the roles that are selected in the list, one after another. */
import type { Role } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { Impacts, impactsMax } from "../../design/impacts.tsx"
import { Notice } from "../../design/ui.tsx"
import { countedTogetherMax, countMembers, countText } from "./role-parts.ts"
import "./people.css"

const namedMax = 8

type Counts = ReadonlyArray<readonly [role: Role, members: number]>

const Used = ({
  isOnly,
  max,
  used
}: {
  readonly used: Counts
  readonly isOnly: boolean
  readonly max: number | undefined
}) => {
  const [first] = used
  if (first === undefined) return null
  const have = (members: number) => `${countText(members, max)} ${members === 1 ? "has" : "have"}`
  return isOnly ? (
    <Notice tone="warn" title={`${have(first[1])} this role`}>
      <span>Give them another role first. A role that is in use cannot be removed.</span>
      <Link to="/members" search={{ role: first[0].id }}>
        Members with this role
      </Link>
    </Notice>
  ) : (
    <Notice tone="warn" title={`Members have ${used.length} of these roles`}>
      <span>Give them other roles first. A role that is in use cannot be removed.</span>
      <ul className="facts" aria-label="Roles in use">
        {used.slice(0, namedMax).map(([{ id, name }, members]) => (
          <li key={id} className="people-long">
            <strong>{name}</strong>:{" "}
            <Link to="/members" search={{ role: id }}>
              {countText(members, max)}
            </Link>
          </li>
        ))}
        {used.length > namedMax && <li className="muted">{used.length - namedMax} more</li>}
      </ul>
    </Notice>
  )
}

/** Why the API may refuse to remove roles, of which the members are counted. */
export const RolesRemoval = ({
  counts,
  max
}: {
  readonly counts: Counts
  /** Members of a role that are counted. Default: 1000. */
  readonly max?: number
}) => {
  const isOnly = counts.length === 1
  const used = counts.filter(([, members]) => members > 0)
  const unused = counts.filter(([, members]) => members === 0)
  return (
    <>
      <Used used={used} isOnly={isOnly} max={max} />
      {unused.length > 0 && (
        <p className="people-long">
          {isOnly
            ? "No member has this role."
            : `No member has ${unused
                .slice(0, namedMax)
                .map(([{ name }]) => name)
                .join(", ")}${unused.length > namedMax ? ` and ${unused.length - namedMax} more` : ""}.`}{" "}
          {isOnly ? "It" : "A role"} also cannot be removed while a pending invitation or a group of a SCIM directory
          assigns it.
        </p>
      )}
    </>
  )
}

export const RolesBulk = ({ clear, roles }: { readonly roles: ReadonlyArray<Role>; readonly clear: () => void }) => (
  <BulkButton
    action="Remove"
    done="removed"
    isDangerous
    nouns={["role", "roles"]}
    rows={roles}
    max={impactsMax}
    clear={clear}
    nameOf={({ name }) => name}
    changes={["roles"]}
    work={({ id }) => client.roles.remove(id)}
    consequences={
      <Impacts name="roles" rows={roles} impactOf={({ id }, signal) => countMembers(id, signal, countedTogetherMax)}>
        {(counts) => <RolesRemoval counts={counts} max={countedTogetherMax} />}
      </Impacts>
    }
  />
)
