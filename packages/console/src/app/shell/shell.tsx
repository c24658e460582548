/** The frame of every page: navigation, the organization, and the person. */
import type { UserOrganization } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, Outlet, useRouter, useRouterState } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react"
import {
  client,
  keepOrganization,
  leave,
  organizationSwitches,
  queries,
  selectedOrganization,
  showOrganization,
  statusOf
} from "../api/client.ts"
import { me, ownOrganizations } from "../api/permissions.ts"
import { startPage } from "../api/recorder.ts"
import { notify, Toasts } from "../design/toast.tsx"
import { Button, Failure, Skeleton } from "../design/ui.tsx"
import { mayLeave } from "../design/unsaved.ts"
import { visible } from "../design/visible.ts"
import { Connection } from "./connection.tsx"
import { useOwnAreas } from "./own-areas.ts"
import { PaletteButton } from "./palette-button.tsx"
import { ShowAs } from "./show-as.tsx"
import { hostSignInUrl } from "./sign-in-flow.ts"
import { setTheme, storedTheme, type Theme } from "./theme.ts"
import "./shell.css"

/** Shows another organization, from a list on: objects and filters belong to the one before. */
const useShowOrganization = () => {
  const router = useRouter()
  return async (id: string) => {
    const shown: { readonly fullPath: string } | undefined = router.state.matches.at(-1)
    const path = shown?.fullPath ?? "/"
    const section = `/${path.split("/")[1] ?? ""}`
    const list = section in router.routesByPath ? section : "/"
    // Also where nothing is navigated, and only once.
    if (!mayLeave()) return
    if (list !== path || router.state.location.searchStr !== "") {
      await router.navigate({ to: list, ignoreBlocker: true })
    }
    await showOrganization(id)
  }
}

const OrganizationSwitch = ({ organizations }: { readonly organizations: ReadonlyArray<UserOrganization> }) => {
  const current =
    organizations.find(({ organization }) => organization.id === selectedOrganization()) ??
    organizations.find(({ active }) => active) ??
    organizations[0]
  const id = current?.organization.id
  const show = useShowOrganization()
  useEffect(() => {
    if (id !== undefined) keepOrganization(id)
  }, [id])
  if (current === undefined) return null
  return (
    <select
      aria-label="Organization"
      className="input"
      value={current.organization.id}
      onChange={(event) => void show(event.target.value)}
    >
      {organizations.map(({ organization }) => (
        <option key={organization.id} value={organization.id}>
          {organization.name}
        </option>
      ))}
    </select>
  )
}

/** Whose session it is: a link can sign in to another account. The space is reserved. */
const SignedIn = () => {
  const { data } = useQuery(me)
  const name = data?.email ?? data?.name ?? ""
  return (
    <Link to="/me" className="signed-in" title={visible(name)}>
      {name === "" ? "\u00a0" : name}
    </Link>
  )
}

const ThemeSwitch = () => {
  const [theme, setSelected] = useState(storedTheme)
  const select = (value: string) => {
    const next: Theme = value === "light" || value === "dark" ? value : "system"
    setSelected(next)
    setTheme(next)
  }
  return (
    <select aria-label="Theme" className="input" value={theme} onChange={(event) => select(event.target.value)}>
      <option value="system">System theme</option>
      <option value="light">Light theme</option>
      <option value="dark">Dark theme</option>
    </select>
  )
}

const signOut = async () => {
  if (!mayLeave()) return
  try {
    await client.sessions.revokeCurrent()
  } catch (error) {
    // The session may have ended before.
    if (statusOf(error) !== 401) return notify("You are still signed in.", "bad", error)
  }
  await leave()
}

/** Moves the focus to the content when another page opens. */
const usePageStart = (onStart: (path: string) => void) => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const content = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // Before the effects of the page, which send its requests.
  useLayoutEffect(() => onStart(path), [path, onStart])
  useEffect(() => {
    // Readers of the screen hear the new page, and Tab continues in it.
    if (!isFirst.current) content.current?.focus()
    isFirst.current = false
  }, [path])
  return content
}

const fullPathOf = ({ matches }: { readonly matches: ReadonlyArray<{ readonly fullPath: string }> }): string =>
  matches.at(-1)?.fullPath ?? ""

/** Scrolls the sidebar, but not the page, to the entry of the page that is shown. */
const useShownEntry = (path: string, isReady: boolean) => {
  const navigation = useRef<HTMLElement>(null)
  useEffect(() => {
    const list = navigation.current
    const entry = list?.querySelector('[aria-current="page"]')
    if (!isReady || list === null || entry === null || entry === undefined) return
    const { bottom, top } = list.getBoundingClientRect()
    const shown = entry.getBoundingClientRect()
    if (shown.top < top || shown.bottom > bottom) list.scrollTop += shown.top - (top + bottom) / 2
  }, [path, isReady])
  return navigation
}

const FirstOrganization = lazy(async () => ({
  default: (await import("../pages/people/organization-create.tsx")).FirstOrganization
}))

/** Pages for people who belong to no organization. */
const ownPages = ["/invitations/accept", "/me", "/organization/new"]

const WithoutOrganization = () => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  if (ownPages.some((each) => path.endsWith(each))) return <Outlet />
  return (
    <Suspense fallback={null}>
      <FirstOrganization />
    </Suspense>
  )
}

export const Shell = () => {
  const [isOpen, setOpen] = useState(false)
  const organizations = useQuery(ownOrganizations)
  const ownAreas = useOwnAreas()
  const [onStart] = useState(() => (path: string) => {
    startPage(path)
    setOpen(false)
  })
  const content = usePageStart(onStart)
  const fullPath = useRouterState({ select: fullPathOf })
  const navigation = useShownEntry(fullPath, ownAreas.length > 0)
  const isAlone = organizations.data?.items.length === 0
  return (
    <div className="shell">
      <a className="skip button" href="#content">
        Skip to content
      </a>
      <header className="sidebar" data-open={isOpen}>
        <div className="sidebar-head">
          <Link to="/" className="brand">
            orgplane
          </Link>
          <span className="menu-button">
            <Button aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
              Menu
            </Button>
          </span>
        </div>
        {organizations.data === undefined ? (
          <Skeleton height={36} />
        ) : (
          <OrganizationSwitch organizations={organizations.data.items} />
        )}
        <PaletteButton />
        <nav id="navigation" aria-label="Main" ref={navigation}>
          <Link to="/" activeOptions={{ exact: true }}>
            Home
          </Link>
          {ownAreas.map(({ entries, title }) => (
            <div role="group" key={title} aria-labelledby={`section-${title}`}>
              <h2 id={`section-${title}`}>{title}</h2>
              <ul>
                {entries.map(({ also, name, to }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      {...(also !== undefined && fullPath.startsWith(also) ? { "aria-current": "page" } : {})}
                    >
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <div className="sidebar-foot">
          <SignedIn />
          <ShowAs />
          <ThemeSwitch />
          {hostSignInUrl() === undefined && <Button onClick={() => void signOut()}>Sign out</Button>}
        </div>
      </header>
      <main className="content" id="content" tabIndex={-1} ref={content}>
        <Connection />
        {organizations.isError ? (
          <Failure error={organizations.error} retry={() => void queries.resetQueries()} />
        ) : isAlone ? (
          <WithoutOrganization />
        ) : (
          <Outlet key={organizationSwitches()} />
        )}
      </main>
      <Toasts />
    </div>
  )
}
