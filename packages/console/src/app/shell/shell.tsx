/** The frame of every page: navigation, the organization, and the person. */
import type { UserOrganization } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, Outlet } from "@tanstack/react-router"
import { useState } from "react"
import { client, queries, selectedOrganization, useClientOf } from "../api/client.ts"
import { Button, Failure } from "../design/ui.tsx"
import "./shell.css"

const sections = [{ title: "Content", pages: [{ to: "/plugins", name: "Plugins" }] }] as const

const OrganizationSwitch = ({ organizations }: { readonly organizations: ReadonlyArray<UserOrganization> }) => {
  const current =
    organizations.find(({ organization }) => organization.id === selectedOrganization()) ??
    organizations.find(({ active }) => active) ??
    organizations[0]
  if (current === undefined) return null
  return (
    <div className="field">
      <label className="visually-hidden" htmlFor="organization">
        Organization
      </label>
      <select
        id="organization"
        className="input"
        value={current.organization.id}
        onChange={(event) => useClientOf(event.target.value)}
      >
        {organizations.map(({ organization }) => (
          <option key={organization.id} value={organization.id}>
            {organization.name}
          </option>
        ))}
      </select>
    </div>
  )
}

const signOut = async () => {
  await client.sessions.revokeCurrent()
  useClientOf(undefined)
  await queries.resetQueries()
}

export const Shell = () => {
  const [isOpen, setOpen] = useState(false)
  const organizations = useQuery({
    queryKey: ["organizations"],
    queryFn: ({ signal }) => client.users.organizations({ limit: 100 }, { signal })
  })
  return (
    <div className="shell">
      <a className="skip button" href="#content">
        Skip to content
      </a>
      <header className="sidebar" data-open={isOpen}>
        <div className="sidebar-head">
          <span className="brand">orgplane</span>
          <span className="menu-button">
            <Button aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
              Menu
            </Button>
          </span>
        </div>
        {organizations.data !== undefined && <OrganizationSwitch organizations={organizations.data.items} />}
        <nav id="navigation" aria-label="Main">
          {sections.map(({ pages, title }) => (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {pages.map(({ name, to }) => (
                  <li key={to}>
                    <Link to={to}>{name}</Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <Button onClick={() => void signOut()}>Sign out</Button>
      </header>
      <main className="content" id="content" tabIndex={-1}>
        {organizations.isError ? <Failure error={organizations.error} /> : <Outlet />}
      </main>
    </div>
  )
}
