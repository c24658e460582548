/** Links from the page of an object to other pages about it, for people with the permission to read those. */
import type { Permission } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { usePermits } from "../api/permissions.ts"
import { Allowed } from "./allowed.tsx"
import { Section } from "./facts.tsx"

export interface SeeLink {
  /** A path, with a query if it filters the page. */
  readonly to: string
  readonly label: string
  /** What the page shows. */
  readonly about: string
  readonly permission: Permission
}

export const SeeAlso = ({ links }: { readonly links: ReadonlyArray<SeeLink> }) => {
  const permits = usePermits()
  const permitted = links.filter(({ permission }) => permits(permission) !== false)
  return permitted.length === 0 ? null : (
    <Section title="See also">
      <ul className="facts">
        {permitted.map(({ about, label, permission, to }) => {
          const [path = "", query = ""] = to.split("?")
          return (
            <Allowed key={to} permission={permission}>
              <li>
                <Link to={path} search={Object.fromEntries(new URLSearchParams(query))}>
                  {label}
                </Link>{" "}
                <span className="muted">{about}</span>
              </li>
            </Allowed>
          )
        })}
      </ul>
    </Section>
  )
}
